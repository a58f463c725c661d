//go:build linux && (amd64 || arm64)

package opens

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if Launcher() {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Each row is what a script does, and what the tracer says of files in its directory.
func TestEvents(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "work")
	for _, d := range []string{dir, filepath.Join(root, "out", "deep")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"work/a": "a\n", "work/run": "#!/bin/sh\n:\n", "out/near": "near\n", "out/deep/x": "x\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("../out/deep", filepath.Join(dir, "docs")), os.Symlink("a", filepath.Join(dir, "b")), os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "twin"))); err != nil {
		t.Fatal(err)
	}
	tr, err := Start(dir)
	if errors.Is(err, ErrNotHad) {
		t.Skipf("not run: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, row := range []struct{ script, want string }{
		{"cat a", "read work/a"},
		{"cat <b", "read work/a"},
		{"cat docs/../near", "read out/near"},
		{"cd docs; cat ../near ../../work/a", "read out/near, read work/a"},
		{"cd -P docs; cat </dev/fd/../cwd/x", "read out/deep/x"},
		{"cat /proc/self/cwd/a /proc/$$/cwd/b", "read work/a, read work/a"},
		{`cat "/proc/thread-self/root$PWD/a"`, "read work/a"},
		{"exec 5<a; cat /dev/fd/5", "read work/a, read work/a"},
		{"(cd docs; exec 6<.; cd /; cat /dev/fd/6/x)", "read out/deep, read out/deep/x"},
		{"./run", "execute work/run, read work/run"},
		{"echo x >new; mv new newer; rm newer", "write work/new, write work/new, write work/newer, write work/newer"},
		{"echo x >../out/never; :", "write out/never"},
		{"ln -s a l; rm l; chmod 700 a; mkdir d; rmdir d", "write work/l, write work/l, write work/a, write work/d, write work/d"},
		{"dd if=a of=c status=none; rm c", "read work/a, write work/c, write work/c"},
		{"cat nowhere; cat loop", ""},
		{"cat < <(cat a)", "read work/a"},
		{"[ -e a ]; ls -l a", ""},
		{"echo x | cat", ""},
	} {
		r, err := tr.Run(t.Context(), Script{Args: []string{"/bin/bash", "--norc", "--noprofile", "-c", row.script + "\n:"}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}})
		if err != nil {
			t.Fatalf("%s: %v", row.script, err)
		}
		var got []string
		for _, e := range r.Events {
			if rel, ok := strings.CutPrefix(e.Path, root+"/"); ok && (e.Op == Write || e.Exists) {
				got = append(got, string(e.Op)+" "+rel)
			}
		}
		if got := strings.Join(got, ", "); got != row.want {
			t.Errorf("%s\ngot  %s\nwant %s\n%s%+v", row.script, got, row.want, r.Output, r.Events)
		}
	}
	if _, err := os.Lstat(filepath.Join(root, "out", "never")); err == nil {
		t.Error("a script has written where it may not")
	}
}
