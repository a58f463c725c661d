package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/artifact"
)

func keep(t *testing.T, v *artifact.Store, session, name, call, mime, text string) (tool.ArtifactRef, string) {
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

// Named on purpose, an artifact is not hidden by its .gitignore.
func TestArtifactIsReadByName(t *testing.T) {
	r := newRoom(t, nil)
	ref, _ := keep(t, r.v.Artifacts(), "s-1", "bash", "c", "", "a\nb\nc")
	r.want(r.run("grep", "pattern", "b", "path", ref.Path), false, "  2: b")
	r.want(r.run("grep", "pattern", "b", "path", ".agent-output/s-1"), false, "  2: b")
	r.want(r.run("read", "path", ref.Path), false, "2: b")
	r.want(r.run("grep", "pattern", "b"), false, "no match")
}

// Ids of sessions are unique within a workspace only, so what falls back to the
// home is kept apart by workspace.
func TestArtifactsInHomeOfTwoWorkspaces(t *testing.T) {
	a := newRoom(t, map[string]string{".agent-output": "a file"})
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, ".agent-output"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Open([]Folder{{Path: other}}, Options{Home: a.v.home})
	if err != nil {
		t.Fatal(err)
	}
	_, mine := keep(t, a.v.Artifacts(), "0001", "bash", "c", "", "mine")
	ref, theirs := keep(t, b.Artifacts(), "0001", "bash", "c", "", "theirs")
	if list, err := a.v.Artifacts().List("0001"); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
	if _, _, _, err := a.v.Artifacts().Find(ref.ArtifactID); err == nil {
		t.Error("found another workspace's artifact")
	}
	if err := errors.Join(a.v.Artifacts().Sweep(func(string) bool { return false }, -time.Hour), a.v.Artifacts().RemoveSession("0001")); err != nil {
		t.Fatal(err)
	}
	if exists(mine) || !exists(theirs) {
		t.Error("swept another workspace's session")
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
