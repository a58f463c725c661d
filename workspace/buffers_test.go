package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
)

func TestBuffers(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "disk\n", "g": "-> f", "sub/h": "disk\n"})
	uri := fileuri.Of(filepath.Join(r.root, "f"))
	shows := func(want string) {
		t.Helper()
		r.want(r.run("read", "path", "f"), false, "1: "+want+"\n")
		r.want(r.run("read", "path", "g"), false, "1: "+want+"\n") // also through a link
	}
	r.v.DidOpen(uri, 1, "disk\n")
	shows("disk")
	r.v.DidChange(uri, 2, "typed\n")
	shows("typed")
	r.want(r.run("read", "path", "f"), false, "unsaved in the editor")
	r.want(r.run("grep", "pattern", "disk|typed"), false, "f\n  1: typed", "sub/h\n  1: disk", "!f\n  1: disk")
	r.want(r.run("grep", "pattern", "typed", "path", "f"), false, "1: typed")
	for _, call := range [][]any{
		{"edit", "path", "f", "old", "typed", "new", "x"}, {"edit", "path", "g", "old", "typed", "new", "x"}, {"write", "path", "f", "content", "x"},
		{"delete", "path", "f"}, {"move", "from", "f", "to", "x"},
	} {
		r.want(r.run(call[0].(string), call[1:]...), true, "f has unsaved changes in the editor")
	}
	r.v.DidChange(uri, 3, "disk\n") // undone by hand: clean again
	r.put(map[string]string{"f": "from elsewhere\n"})
	shows("from elsewhere") // only a dirty buffer hides the disk
	r.v.DidChange(uri, 4, "saved\n")
	r.put(map[string]string{"f": "saved\n"})
	r.v.DidSave(uri)
	shows("saved")
	r.want(r.run("edit", "path", "f", "old", "saved", "new", "ours"), false)
	shows("ours") // until the client sends another version
	if text, version, ok := r.v.Buffer(uri); text != "saved\n" || version != 4 || !ok {
		t.Errorf("incremental changes apply to what the client has: %q %d", text, version)
	}
	r.v.DidChange(uri, 5, "ours\n") // the editor reloaded
	r.want(r.run("edit", "path", "f", "old", "ours", "new", "again"), false)
	r.v.DidChange(uri, 6, "ours and more\n") // typed before the reload
	shows("ours and more")
	r.v.DidClose(uri)
	shows("again")
	r.v.DidOpen(uri, 7, "restored from a hot exit\n") // dirty from the start
	shows("restored from a hot exit")
	r.v.Forget(uri)
	shows("again")
	r.v.DidChange(uri, 8, "unknown by now\n")
	shows("again")
	if _, _, ok := r.v.Buffer(uri); ok {
		t.Error("forgotten and still there")
	}

	for _, other := range []string{"untitled:f", "vscode-notebook-cell:" + r.root + "/f", "git:" + r.root + "/f", "", "file:"} {
		r.v.DidOpen(other, 1, "other\n")
		r.v.DidChange(other, 2, "other\n")
		r.v.DidSave(other)
		r.v.DidClose(other)
	}
	shows("again")
}

// What editors add to or leave out of the text they show makes no buffer dirty.
func TestCleanInSpiteOfTheEditor(t *testing.T) {
	for _, row := range []struct {
		file, text string
		dirty      bool
	}{
		{"a\nb\n", "a\nb\n", false},
		{"a\r\nb\r\n", "a\nb\n", false},
		{"a\nb", "a\nb\n", false}, // Neovim
		{"", "\n", false},         // Neovim
		{"\xEF\xBB\xBFa\n", "a\n", false},
		{"\xFF\xFEa\x00", "a", false},
		{"caf\xe9", "café", false}, // an encoding we do not know: the editor's word counts
		{"a\n", "a\n\n", true},
		{"a\n", "a ", true},
		{"a", "b", true},
	} {
		r := newRoom(t, map[string]string{"f": row.file})
		r.v.DidOpen(fileuri.Of(r.root+"/f"), 1, row.text)
		p, _ := r.v.Path("f")
		if _, dirty := r.v.buffers.dirty(p); dirty != row.dirty {
			t.Errorf("%q shown as %q: dirty %v", row.file, row.text, dirty)
		}
	}
}

func TestNewDocumentWithoutFile(t *testing.T) {
	r := newRoom(t, map[string]string{".agentignore": "hid\n"})
	r.v.DidOpen(fileuri.Of(r.root+"/new.go"), 1, "package fresh\n")
	r.v.DidOpen(fileuri.Of(r.root+"/hid"), 1, "package fresh\n")
	r.v.DidOpen(fileuri.Of(r.root+"/.env"), 1, "package fresh\n")
	r.sensitive(func(o string) bool { return o == "vault:/.env" })
	r.want(r.run("read", "path", "new.go"), false, "1: package fresh")
	r.want(r.run("grep", "pattern", "fresh"), false, "new.go\n  1: package fresh", "1 matching line", "!hid", "!.env")
	r.want(r.run("write", "path", "new.go", "content", "x"), true, "unsaved changes")
	if _, err := os.Stat(filepath.Join(r.root, "new.go")); err == nil {
		t.Error("written")
	}
}
