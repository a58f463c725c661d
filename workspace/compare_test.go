package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// How files are now, beside what they were before the agent's changes: on the disk, in
// the editor, moved, replaced by something else, and back.
func TestCompare(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n2\n", "moved": "m\n", "gone": "g\n", "run.sh": "#!/bin/sh\n", "link": "-> a", "big": strings.Repeat("x\n", 200<<10)})
	r.run("read", "path", "a")
	r.run("read", "path", "big")
	var was []tool.Change
	for _, c := range [][]any{
		{"edit", "path", "a", "old", "1", "new", "one"},
		{"move", "from", "moved", "to", "new/name"},
		{"delete", "path", "gone"},
		{"write", "path", "made", "content", "made\n"},
		{"delete", "path", "run.sh"},
		{"delete", "path", "link"},
		{"write", "path", "big", "content", "x\n"},
	} {
		was = append(was, r.did(c[0].(string), c[1:]...)...)
	}
	say := func() string {
		var out []string
		for _, c := range was {
			now, differs := r.v.Compare(c)
			line := "back"
			if differs {
				line = fmt.Sprintf("%s +%d −%d", now.Kind, now.Additions, now.Deletions)
				if now.From != "" {
					line += " from " + now.From
				}
				if now.Checkpoint == "" {
					line += " nothing kept"
				}
			}
			out = append(out, now.Path+" "+line)
		}
		return strings.Join(out, "; ")
	}
	want := func(want string) {
		t.Helper()
		if got := say(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	want("a modified +1 −1; new/name moved +0 −0 from moved; gone deleted +0 −1; made created +1 −0 nothing kept; run.sh deleted +0 −1; link deleted +0 −1; big modified +0 −0")

	// Unsaved text is what the person sees; a mode is no text, and counts; a directory
	// in the place of a file is not that file.
	r.v.DidOpen(fileuri.Of(r.root+"/a"), 1, "one\n2\n")
	r.v.DidChange(fileuri.Of(r.root+"/a"), 2, "1\n2\n3\n")
	if err := os.Rename(filepath.Join(r.root, "new/name"), filepath.Join(r.root, "moved")); err != nil {
		t.Fatal(err)
	}
	r.put(map[string]string{"gone": "g\n", "made": "mine\n", "run.sh": "#!/bin/sh\n", "link/x": "x\n"})
	if err := os.Chmod(filepath.Join(r.root, "run.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	want("a modified +1 −0; new/name back; gone back; made created +1 −0 nothing kept; run.sh modified +0 −0; link deleted +0 −1; big modified +0 −0")

	if err := os.RemoveAll(filepath.Join(r.v.home, "checkpoints")); err != nil {
		t.Fatal(err)
	}
	want("a modified +0 −0 nothing kept; new/name back; gone back; made created +1 −0 nothing kept; run.sh modified +0 −0 nothing kept; link deleted +0 −0 nothing kept; big modified +0 −0 nothing kept")
}
