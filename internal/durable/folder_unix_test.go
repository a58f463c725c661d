//go:build unix

package durable

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// atOnce runs do, which must not wait for whoever writes to a pipe at a path. If it does,
// the pipe is opened for writing, so that the test ends.
func atOnce(t *testing.T, pipe string, do func()) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	t.Errorf("%s is waited for", pipe)
	f, err := os.OpenFile(pipe, os.O_RDWR, 0) // both ends: it waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	<-done
}

// A directory is opened where there is one, and by a link; a named pipe, a file and
// nothing are errors at once, also where a look before would have seen a directory.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.MkdirAll(filepath.Join(dir, "d/e"), 0o700), os.WriteFile(filepath.Join(dir, "d/f"), []byte("text"), 0o600),
		os.Symlink("d", filepath.Join(dir, "l")), unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600), unix.Mkfifo(filepath.Join(dir, "d/pipe"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	top, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	for name, want := range map[string]error{"d": nil, "d/e": nil, "l": nil, "l/e": nil, ".": nil, "d/..": nil, "pipe": unix.ENOTDIR, "d/pipe": unix.ENOTDIR, "l/pipe": unix.ENOTDIR, "d/f": unix.ENOTDIR, "none": fs.ErrNotExist} {
		path := dir + "/" + name
		var root, in *os.Root
		var f, g *os.File
		var rootErr, inErr, dirErr, dirInErr error
		atOnce(t, path, func() {
			root, rootErr = OpenRoot(path)
			in, inErr = RootIn(top, name)
			f, dirErr = OpenDir(path)
			g, dirInErr = DirIn(top, name)
		})
		for what, err := range map[string]error{"OpenRoot": rootErr, "RootIn": inErr, "OpenDir": dirErr, "DirIn": dirInErr} {
			var pe *fs.PathError
			if !errors.Is(err, want) || err != nil && (!errors.As(err, &pe) || filepath.Base(pe.Path) != filepath.Base(name)) {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
		for _, c := range []interface{ Close() error }{root, in, f, g} {
			if want == nil {
				c.Close()
			}
		}
	}
	for _, path := range []string{"", "none/.."} {
		if _, err := OpenRoot(path); err == nil {
			t.Errorf("%q was opened", path)
		}
	}
}

// A file in a directory is read, and nothing else is; a walk goes past the rest.
func TestFileIn(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.Mkdir(filepath.Join(dir, "d"), 0o700), os.WriteFile(filepath.Join(dir, "d/f"), []byte("text"), 0o600), unix.Mkfifo(filepath.Join(dir, "d/pipe"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	top, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	if text, err := ReadFileIn(top, "d/f", 4); err != nil || string(text) != "text" {
		t.Error(string(text), err)
	}
	if _, err := ReadFileIn(top, "d/f", 3); !errors.Is(err, ErrLong) {
		t.Error(err)
	}
	for _, name := range []string{"d", "d/pipe"} {
		if _, err := FileIn(top, name); !errors.Is(err, ErrNoFile) {
			t.Error(name, err)
		}
	}
	var seen []string
	err = fs.WalkDir(Tree(top), ".", func(path string, _ fs.DirEntry, err error) error {
		seen = append(seen, path)
		return err
	})
	if err != nil || len(seen) != 4 {
		t.Error(seen, err)
	}
	atOnce(t, filepath.Join(dir, "d/pipe"), func() {
		if _, err := fs.ReadDir(Tree(top), "d/pipe"); !errors.Is(err, unix.ENOTDIR) {
			t.Error(err)
		}
	})
}
