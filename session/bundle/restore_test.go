package bundle

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// shelf keeps artifacts in memory.
type shelf struct {
	n    int
	kept map[string]*bytes.Buffer
}

type onShelf struct {
	*bytes.Buffer
	id string
}

func (o onShelf) Close() (tool.ArtifactRef, string, error) {
	return tool.ArtifactRef{ArtifactID: o.id, URI: "agent-artifact:/0003/" + o.id + ".txt", FileURI: "file:///here/.agent-output/0003/" + o.id + ".txt", Path: ".agent-output/0003/" + o.id + ".txt", Bytes: int64(o.Len()), SHA256: "new"}, "", nil
}

func (s *shelf) keep(toolName, callID, _ string) (tool.Spill, error) {
	s.n++
	id := fmt.Sprintf("new%d-%s-%s", s.n, toolName, callID)
	s.kept[id] = &bytes.Buffer{}
	return onShelf{s.kept[id], id}, nil
}

func target(t testing.TB) Target {
	dir := filepath.Join(t.TempDir(), "0003")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := &shelf{kept: map[string]*bytes.Buffer{}}
	return Target{ID: "0003", Dir: dir, Key: "workspace:here-1/agent:build/session:0003", Agent: "build", Title: "A title", WorkspaceID: "here-1", WorkspaceURI: "file:///here", Root: "/here", Keep: s.keep}
}

// onlyInside holds that nothing was written but the session's own kinds of files.
func onlyInside(t testing.TB, to Target) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(to.Dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(to.Dir, path)
		ok, _ := filepath.Match("blobs/"+strings.Repeat("[0-9a-f]", 64), rel)
		sub, _ := filepath.Match("sub/[1-9]*/events.jsonl", rel)
		if err != nil || !ok && !sub && rel != "events.jsonl" {
			t.Errorf("%s was written", rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A bundle becomes a session that may do nothing that a new one may not, with its
// artifacts under new names and everything that was open closed.
func TestRestore(t *testing.T) {
	for name, hide := range map[string]*Private{"redacted": hidden(), "as it is": nil} {
		t.Run(name, func(t *testing.T) {
			b, err := Read(bytes.NewReader(written(t, aSession(t), hide)))
			if err != nil {
				t.Fatal(err)
			}
			to := target(t)
			if err := b.Restore(to); err != nil {
				t.Fatal(err)
			}
			onlyInside(t, to)
			tr := history.NewTranscript()
			var last history.Body
			laws := newLaws()
			if err := history.Read(to.Dir).Each(1, func(e history.Event) error {
				if last = e.Body; laws.take(e) != nil {
					t.Errorf("seq %d breaks a law", e.Seq)
				}
				return tr.Apply(e)
			}); err != nil {
				t.Fatal(err)
			}
			info := tr.Info
			switch {
			case info.SessionKey != to.Key || info.Title != "A title" || info.Agent != "build" || info.Parent == nil || info.Parent.SessionID != "bundle:0007":
				t.Errorf("identity: %+v", info)
			case info.Parent.AtSeq != tr.Seq:
				t.Errorf("what was brought along ends at %d, it is %d: a change that a bundle tells of could be undone", tr.Seq, info.Parent.AtSeq)
			case info.Mode != "agent" || info.Model != "" || tr.SystemPrompt != nil || len(tr.Grants) > 0 || !tr.Tainted:
				t.Errorf("rights: %+v, %d grants, tainted %v", info, len(tr.Grants), tr.Tainted)
			case tr.Run != nil || len(tr.Queue) > 0 || len(tr.Pending) > 0 || len(tr.OpenCalls) > 0 || len(tr.Children) > 0:
				t.Errorf("something is open: %+v", tr)
			}
			if _, ok := last.(history.Changed); !ok {
				t.Errorf("the last event is %T", last)
			}
			text, err := os.ReadFile(filepath.Join(to.Dir, "events.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"full_access", "evil", "thought_signature", "opaque", "/0007/", artifactID, `"checkpoint":"1`, `"grants"`, "«vault»", "«workspace»", gone + `","uri"`} {
				if strings.Contains(string(text), word) {
					t.Errorf("%q stands in the log", word)
				}
			}
			for _, word := range []string{"saved to .agent-output/0003/new1-bash-c2.txt.", `"artifactId":"new1-bash-c2"`, `"workspaceUri":"file:///here"`} {
				if !strings.Contains(string(text), word) {
					t.Errorf("%q does not stand in the log", word)
				}
			}
			if hide != nil && !strings.Contains(string(text), "in /here/a.go.") {
				t.Error("the workspace is not this one")
			}
			child, err := os.ReadFile(filepath.Join(to.Dir, "sub", "1", "events.jsonl"))
			if err != nil || !strings.Contains(string(child), `"parent":{"sessionId":"0003","callId":"c1"}`) || strings.Contains(string(child), "reasoning_details") || strings.Contains(string(child), `"audit"`) {
				t.Errorf("the sub-agent's log: %v %s", err, child)
			}
		})
	}
}
