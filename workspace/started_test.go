package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
)

// What a command would start is read in the workspace, whole or not at all.
func TestWhatACommandWouldStartIsRead(t *testing.T) {
	r := newRoom(t, map[string]string{"b.sh": "true\n", "dir/x": ""})
	outside := filepath.Join(t.TempDir(), "evil.sh")
	if err := os.WriteFile(outside, []byte("evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(filepath.Dir(outside), "python")
	if err := errors.Join(os.WriteFile(program, nil, 0o700), os.Truncate(program, startedBytes+1)); err != nil {
		t.Fatal(err)
	}
	program, _ = filepath.EvalSymlinks(program)
	for link, to := range map[string]string{"link.sh": "b.sh", "out.sh": outside, "python": program} {
		if err := os.Symlink(to, filepath.Join(r.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(r.root, "dir/x"), startedBytes+1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		text         string
		there, whole bool
	}{
		filepath.Join(r.root, "b.sh"):    {"true\n", true, true},
		filepath.Join(r.root, "link.sh"): {"true\n", true, true},
		filepath.Join(r.root, "out.sh"):  {"evil\n", true, true},
		filepath.Join(r.root, "python"):  {"-> " + program, true, true},
		filepath.Join(r.root, "dir/x"):   {"", true, false},
		filepath.Join(r.root, "dir"):     {"", false, false},
		filepath.Join(r.root, "absent"):  {"", false, false},
		outside:                          {"", false, false},
	} {
		if text, there, whole := r.v.Read(name); text != want.text || there != want.there || whole != want.whole {
			t.Errorf("%s: %q, %v, %v", name, text, there, whole)
		}
	}
	if names := r.v.Names(r.root); !slices.Contains(names, "dir/") || !slices.Contains(names, "b.sh") {
		t.Errorf("names: %v", names)
	}
}

// Bypass: an edit of the agent's waits in the editor, and the person saves it.
func TestBypassAnEditThatAPersonSaves(t *testing.T) {
	r, _ := newEditedRoom(t, map[string]string{"b.sh": "true\n"})
	uri := fileuri.Of(filepath.Join(r.root, "b.sh"))
	before := r.v.StartedHash("vault:/b.sh")
	r.v.DidOpen(uri, 1, "true\n")
	if r.v.StartedHash("vault:/b.sh") != before {
		t.Error("a document without changes counts as changed")
	}
	r.v.DidChange(uri, 2, "evil\n")
	if r.v.StartedHash("vault:/b.sh") == before {
		t.Error("unsaved text does not count")
	}
}

// What is different since a yes is shown where the earlier content was kept.
func TestWhatIsDifferentSinceAYes(t *testing.T) {
	r := newRoom(t, map[string]string{"b.sh": "true\n"})
	was := r.v.StartedHash("vault:/b.sh")
	r.v.KeepStarted("vault:/b.sh")
	if err := os.WriteFile(filepath.Join(r.root, "b.sh"), []byte("evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := r.v.StartedDiff("vault:/b.sh", was); !strings.Contains(diff, "-true\n+evil\n") {
		t.Errorf("the difference is %q", diff)
	}
	if diff := r.v.StartedDiff("vault:/b.sh", strings.Repeat("0", 64)); diff != "" {
		t.Errorf("of a content that nobody kept: %q", diff)
	}
}

// A bare name that PATH finds in the workspace is a file that is started.
func TestBypassAProgramOfTheWorkspaceInPath(t *testing.T) {
	r := newRoom(t, map[string]string{"bin/tox": "#!/bin/sh\n"})
	if err := os.Chmod(filepath.Join(r.root, "bin/tox"), 0o700); err != nil {
		t.Fatal(err)
	}
	if found := r.v.OwnProgram("tox"); found != "" {
		t.Errorf("found without PATH: %s", found)
	}
	t.Setenv("PATH", filepath.Join(r.root, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if found := r.v.OwnProgram("tox"); found != filepath.Join(r.root, "bin/tox") {
		t.Errorf("found %q", found)
	}
}
