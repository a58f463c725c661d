package artifact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

func keep(t *testing.T, v *Store, session, name, call, mime, text string) (tool.ArtifactRef, string) {
	t.Helper()
	sp, err := v.Create(session, name, call, mime)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.SplitAfter(text, "\n") {
		if n, err := sp.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	ref, full, err := sp.Close()
	if err != nil {
		t.Fatal(err)
	}
	return ref, full
}

func TestArtifact(t *testing.T) {
	r := newRoom(t, nil)
	ref, full := keep(t, r.v, "s-1", "bash", "call/../../x:1\u202e", "", "a\nb\nc")
	if !strings.HasPrefix(ref.Path, ".agent-output/s-1/") || !ownName().MatchString(filepath.Base(full)) || !strings.Contains(full, "_bash_call-..-..-x-1-_") {
		t.Error(ref.Path, full)
	}
	if ref.Bytes != 5 || ref.Lines != 3 || ref.SHA256 != undo.HashOf([]byte("a\nb\nc")) || ref.MIMEType != "text/plain" || ref.FileURI != fileuri.Of(full) || ref.URI != "agent-artifact:/s-1/"+filepath.Base(full) {
		t.Errorf("%+v", ref)
	}
	if fi, _ := os.Stat(full); fi.Mode().Perm() != 0o600 {
		t.Error(fi.Mode())
	}
	for dir := filepath.Dir(full); dir != r.root; dir = filepath.Dir(dir) {
		if fi, _ := os.Stat(dir); fi.Mode().Perm() != 0o700 {
			t.Error(dir, fi.Mode())
		}
	}
	if r.file(".agent-output/.gitignore") != "*" {
		t.Error(r.file(".agent-output/.gitignore"))
	}
	r.put(map[string]string{".agent-output/.gitignore": "# nothing\n", ".agent-output/s-1/foreign.txt": "x"})
	other, _ := keep(t, r.v, "s-1", "mcp__x", "c", "application/json", "{}")
	if r.file(".agent-output/.gitignore") != "*" || !strings.HasSuffix(other.Path, ".json") {
		t.Error(other.Path, r.file(".agent-output/.gitignore"))
	}
	// Found again by every name, also by another process.
	again := New(nil, folder(r.root), ".agent-output", r.v.home)
	for _, v := range []*Store{r.v, again} {
		for _, name := range []string{ref.ArtifactID, ref.Path, full, ref.URI} {
			got, path, session, err := v.Find(name)
			if err != nil || got != ref || path != full || session != "s-1" {
				t.Errorf("%s: %+v %s %s %v", name, got, path, session, err)
			}
		}
		if named := v.Named("s-1", []string{"", "../a", ref.ArtifactID, "nope"}); len(named) != 1 || named[0] != ref {
			t.Error(named)
		}
		if named := v.Named("s-2", []string{ref.ArtifactID}); len(named) != 0 {
			t.Error(named)
		}
		list, err := v.List("s-1")
		if err != nil || len(list) != 2 {
			t.Error(list, err)
		}
	}
	for _, name := range []string{"", "nope", "../../etc/passwd", "/etc/passwd", ".agent-output/s-1/foreign.txt", "foreign", "agent-artifact:/../s-1/x", "agent-artifact:/s-1/../../a", ".agent-output/.gitignore", "agent-artifact:/"} {
		if _, path, _, err := r.v.Find(name); err == nil {
			t.Errorf("%q found %s", name, path)
		}
	}
	if err := r.v.RemoveSession("s-1"); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := r.v.Find(ref.ArtifactID); err == nil || r.file(".agent-output/s-1/foreign.txt") != "x" {
		t.Error("removed too little or too much")
	}
}

func TestNeverThroughALink(t *testing.T) {
	for _, planted := range []map[string]string{
		{".agent-output": "-> ../elsewhere"},
		{".agent-output/s": "-> ../../elsewhere"},
		{".agent-output": "a file"},
	} {
		r := newRoom(t, map[string]string{"../elsewhere/": ""})
		r.put(planted)
		ref, full := keep(t, r.v, "s", "bash", "c", "", "x")
		if !strings.HasPrefix(full, filepath.Join(r.v.home, "s")+"/") || ref.Path != full {
			t.Errorf("%v: %s", planted, full)
		}
		if left, _ := os.ReadDir(filepath.Join(r.root, "../elsewhere")); len(left) > 0 {
			t.Errorf("%v: wrote %v", planted, left)
		}
		if got, _, _, err := r.v.Find(ref.ArtifactID); err != nil || got != ref {
			t.Error(err)
		}
		os.RemoveAll(r.v.home)
		os.WriteFile(r.v.home, nil, 0o644)
		if _, err := r.v.Create("s", "bash", "c", ""); err == nil {
			t.Error("created with no place left")
		}
	}
}

// A name from outside is never a path.
func TestArtifactNames(t *testing.T) {
	r := newRoom(t, nil)
	for _, s := range []string{"../..", "", ".", "..", ".git", "a/b", strings.Repeat("x", 500), "\x00", "日本"} {
		_, full := keep(t, r.v, s, s, s, "", "x")
		rel, in := pathname.Below(filepath.Join(r.root, ".agent-output"), full)
		if !in || strings.Count(rel, "/") != 1 || !ownName().MatchString(filepath.Base(full)) {
			t.Errorf("%q: %s", s, full)
		}
		if list, err := r.v.List(s); err != nil || len(list) != 1 {
			t.Errorf("%q: %v %v", s, list, err)
		}
		if err := r.v.RemoveSession(s); err != nil {
			t.Error(err)
		}
	}
	if Folder("a/b") == Folder("a-b") {
		t.Error("two sessions in one folder")
	}
}

func TestCap(t *testing.T) {
	r := newRoom(t, nil)
	sp, err := r.v.Create("s", "bash", "c", "")
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 1<<20)
	for range Cap>>20 + 1 {
		sp.Write(chunk)
	}
	sp.Write([]byte("end"))
	ref, full, err := sp.Close()
	if fi, _ := os.Stat(full); err != nil || fi.Size() != Cap || ref.Bytes != Cap+1<<20+3 {
		t.Error(fi.Size(), ref.Bytes, err)
	}
	if _, _, err := sp.Close(); err == nil {
		t.Error("closed twice")
	}
}

func TestArtifactSweep(t *testing.T) {
	r := newRoom(t, nil)
	old := time.Now().Add(-8 * 24 * time.Hour)
	paths := map[string]string{}
	for _, s := range []string{"open", "done", "young"} {
		_, full := keep(t, r.v, s, "bash", "c", "", "x")
		paths[s] = full
		if s != "young" {
			os.Chtimes(full, old, old)
		}
	}
	r.put(map[string]string{".agent-output/done2/mine.txt": "x"})
	os.Chtimes(filepath.Join(r.root, ".agent-output/done2/mine.txt"), old, old)
	if err := r.v.Sweep(func(s string) bool { return s == "open" }, 7*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	for s, gone := range map[string]bool{"open": false, "young": false, "done": true} {
		if _, err := os.Stat(paths[s]); (err != nil) != gone {
			t.Errorf("%s: %v", s, err)
		}
	}
	if _, err := os.Stat(filepath.Dir(paths["done"])); err == nil || r.file(".agent-output/done2/mine.txt") != "x" {
		t.Error("removed too little or too much")
	}
}
