package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watched is a Store that watches, and a way to wait until it says something.
func watched(t *testing.T, home string) (s *Store, until func(what string, is func(*Settings) bool)) {
	t.Helper()
	s, err := Open(home, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := s.Watch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return s, func(what string, is func(*Settings) bool) {
		t.Helper()
		patience := time.NewTimer(20 * time.Second)
		defer patience.Stop()
		for {
			changed := s.Changed()
			if is(s.Settings()) {
				return
			}
			select {
			case <-changed:
			case <-patience.C:
				t.Fatalf("%s: the configuration was not read again; it has the model %q, %v", what, s.Settings().Model, s.Settings().Diagnostics)
			}
		}
	}
}

func modelIs(name string) func(*Settings) bool {
	return func(now *Settings) bool { return now.Model == name && len(now.Diagnostics) == 0 }
}

func broken(now *Settings) bool { return len(now.Diagnostics) > 0 }

func saying(name string) []byte { return []byte(`{"model": "` + name + `"}`) }

// do fails the test where a step of its own fails.
func do(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWatchFile: whatever is done to the file is seen, and nobody asks for it.
func TestWatchFile(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "config.jsonc")
	s, until := watched(t, home)
	replace := func(text []byte) {
		do(t, os.WriteFile(filepath.Join(home, ".config.new"), text, 0o600), os.Rename(filepath.Join(home, ".config.new"), path))
	}

	do(t, os.WriteFile(path, saying("created"), 0o600))
	until("created", modelIs("created"))
	do(t, os.WriteFile(path, saying("written"), 0o600))
	until("written in its place", modelIs("written"))
	replace(saying("replaced"))
	until("replaced", modelIs("replaced"))

	do(t, os.WriteFile(path, []byte("{\"model\": [oops"), 0o600))
	until("broken", broken)
	if s.Settings().Model != "replaced" {
		t.Errorf("the last good model is gone: %q", s.Settings().Model)
	}
	do(t, os.WriteFile(path, saying("mended"), 0o600))
	until("mended", modelIs("mended"))

	do(t, os.Remove(path))
	until("removed", modelIs(""))
	replace(saying("again"))
	until("there again", modelIs("again"))

	for range 200 {
		replace(saying("burst"))
		do(t, os.WriteFile(path, saying("in the middle"), 0o600))
	}
	replace(saying("last"))
	until("the last of many", modelIs("last"))
}

// TestWatchEmptied: who writes a file in its place empties it first, and that moment
// takes no rule away. A file that is put there empty is what the person wants.
func TestWatchEmptied(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "config.jsonc")
	do(t, os.WriteFile(path, saying("first"), 0o600))
	s, err := Open(home, Options{})
	do(t, err)
	fs, err := fsnotify.NewWatcher()
	do(t, err)
	defer fs.Close()
	w := &watch{store: s, fs: fs}
	w.aim()
	do(t, os.Truncate(path, 0))
	for _, step := range []struct {
		op   fsnotify.Op
		want string
	}{{fsnotify.Write, "first"}, {fsnotify.Create, ""}} {
		w.seen(fsnotify.Event{Name: path, Op: step.op})
		if got := s.Settings().Model; got != step.want {
			t.Errorf("after %v of an empty file the model is %q, not %q", step.op, got, step.want)
		}
	}
}

// TestWatchLinks: a configuration that is kept elsewhere is seen where it is kept, in
// a home that has two names.
func TestWatchLinks(t *testing.T) {
	behind, kept := t.TempDir(), t.TempDir()
	home := filepath.Join(t.TempDir(), "home")
	path, real := filepath.Join(home, "config.jsonc"), filepath.Join(kept, "real.jsonc")
	do(t, os.Symlink(behind, home), os.Symlink(real, path))
	_, until := watched(t, home)

	do(t, os.WriteFile(real, saying("kept"), 0o600))
	until("the file behind the link is made", modelIs("kept"))
	do(t, os.WriteFile(real+".new", saying("replaced"), 0o600), os.Rename(real+".new", real))
	until("replaced", modelIs("replaced"))

	other := filepath.Join(t.TempDir(), "other.jsonc")
	do(t, os.WriteFile(other, saying("other"), 0o600), os.Symlink(other, path+".new"), os.Rename(path+".new", path))
	until("another file", modelIs("other"))
	do(t, os.WriteFile(other, saying("written"), 0o600))
	until("written", modelIs("written"))

	do(t, os.Remove(path), os.Symlink(path, path))
	until("a link to itself", broken)
	do(t, os.Remove(path), os.WriteFile(path, saying("plain"), 0o600))
	until("a plain file", modelIs("plain"))
}

// TestWatchAgents: files of agents, also in a folder that comes later or is a link.
func TestWatchAgents(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "agents")
	_, until := watched(t, home)
	write := func(in, name string) {
		do(t, os.MkdirAll(in, 0o700), os.WriteFile(filepath.Join(in, name+".md"), []byte("---\ndescription: helps\n---\nYou help.\n"), 0o600))
	}
	has := func(name string, want bool) func(*Settings) bool {
		return func(now *Settings) bool {
			for _, a := range now.Agents {
				if a.Name == name {
					return want
				}
			}
			return !want
		}
	}

	write(dir, "helper")
	until("the folder and its file are made", has("helper", true))
	write(dir, "second")
	until("a second one", has("second", true))
	do(t, os.Remove(filepath.Join(dir, "helper.md")))
	until("removed", has("helper", false))

	other := t.TempDir()
	write(other, "linked")
	do(t, os.RemoveAll(dir), os.Symlink(other, dir))
	until("the folder is a link now", has("linked", true))
	write(other, "late")
	until("written behind the link", has("late", true))
}

// TestWatchStopped: nothing is read after the end, and to end takes no event.
func TestWatchStopped(t *testing.T) {
	home := t.TempDir()
	s, err := Open(home, Options{})
	do(t, err)
	stop, err := s.Watch()
	do(t, err)
	stop()
	changed := s.Changed()
	do(t, os.WriteFile(filepath.Join(home, "config.jsonc"), saying("late"), 0o600))
	select {
	case <-changed:
		t.Error("read after the end")
	default:
	}
}
