package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// folder is what files of a workspace hold.
type folder map[string]string

func (f folder) open(home string, job *bool) *Accepted {
	return OpenAccepted(home, "w-1", AcceptedOptions{Disk: &durable.Disk{}, Hash: func(object string) string { return f[object] }, Unfollowed: func() bool { return job != nil && *job }})
}

var bRule = control.Always("./b.sh")

func accept(t *testing.T, a *Accepted, files ...tool.StartedFile) {
	t.Helper()
	if err := a.Accept([]control.AcceptedRule{bRule}, files); err != nil {
		t.Fatal(err)
	}
}

func changed(t *testing.T, a *Accepted, object string) bool {
	t.Helper()
	f, known := a.Snapshot("0001").Files[bRule][object]
	if !known {
		t.Fatalf("%s is not remembered", object)
	}
	return f.Changed
}

// Only what changes while the agent acts is marked, also for other processes, until
// somebody says yes again.
func TestOnlyAnAgentsChangeIsMarked(t *testing.T) {
	files := folder{"vault:/b.sh": "1", "vault:/lib.sh": "1"}
	home := t.TempDir()
	a, other := files.open(home, nil), files.open(home, nil)
	b, lib := tool.StartedFile{Command: "./b.sh", Object: "vault:/b.sh", Hash: "1"}, tool.StartedFile{Command: "./b.sh", Object: "vault:/lib.sh", Hash: "1"}
	accept(t, a, b, lib)
	files["vault:/b.sh"] = "2" // a person's edit
	a.Act()()
	if changed(t, a, "vault:/b.sh") {
		t.Error("a person's edit is marked")
	}
	done := a.Act()
	if !a.Snapshot("0001").Unsettled {
		t.Error("while the agent acts, nothing is unsettled")
	}
	files["vault:/b.sh"] = "3"
	done()
	for name, who := range map[string]*Accepted{"this process": a, "another process": other, "one that comes later": files.open(home, nil)} {
		if s := who.Snapshot("0001"); !changed(t, who, "vault:/b.sh") || changed(t, who, "vault:/lib.sh") || s.Unsettled {
			t.Errorf("%s knows %v", name, s)
		}
	}
	accept(t, other, b)
	if changed(t, a, "vault:/b.sh") {
		t.Error("a new yes does not clear the mark")
	}
}

// Bypass: a job changes files when no call is at work.
func TestBypassAJobChangesWhatWasAccepted(t *testing.T) {
	job := false
	files := folder{"vault:/b.sh": "1"}
	a := files.open(t.TempDir(), &job)
	b := tool.StartedFile{Command: "./b.sh", Object: "vault:/b.sh", Hash: "1"}
	accept(t, a, b)
	done := a.Act()
	job = true
	done()
	if !changed(t, a, "vault:/b.sh") {
		t.Error("what was accepted before the job is not marked")
	}
	accept(t, a, b)
	job = false
	if !changed(t, a, "vault:/b.sh") {
		t.Error("what was accepted while the job ran is not marked")
	}
}

// Where a mark cannot be kept, nothing is accepted any more.
func TestBypassAMarkThatCannotBeKept(t *testing.T) {
	files := folder{"vault:/b.sh": "1"}
	home := t.TempDir()
	a := files.open(home, nil)
	accept(t, a, tool.StartedFile{Command: "./b.sh", Object: "vault:/b.sh", Hash: "1"})
	lock := filepath.Join(home, "accepted", "w-1.json.lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lock, 0o700); err != nil { // nobody can take the lock
		t.Fatal(err)
	}
	a.Doubt()
	if s := a.Snapshot("0001"); len(s.Files) > 0 {
		t.Errorf("still accepted: %v", s.Files)
	}
	if s := files.open(home, nil).Snapshot("0001"); len(s.Files) > 0 {
		t.Errorf("still accepted by another process: %v", s.Files)
	}
}

// What cannot be read accepts nothing, and is written anew by the next yes.
func TestAcceptedThatCannotBeRead(t *testing.T) {
	files := folder{"vault:/b.sh": "1"}
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "accepted"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "accepted", "w-1.json"), []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := files.open(home, nil)
	if s := a.Snapshot("0001"); len(s.Files) > 0 {
		t.Errorf("accepted: %v", s.Files)
	}
	accept(t, a, tool.StartedFile{Command: "./b.sh", Object: "vault:/b.sh", Hash: "1"})
	if changed(t, a, "vault:/b.sh") {
		t.Error("a new yes is marked")
	}
}
