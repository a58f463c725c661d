package worker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// asker is a sidecar that asks a worker over pipes in memory.
type asker struct {
	*seam.Peer
	folder string
	ended  chan error
}

// Request implements seam.Handler.
func (asker) Request(context.Context, string, json.RawMessage) (any, error) {
	return nil, errors.New("it asks")
}

// Notification implements seam.Handler.
func (asker) Notification(string, json.RawMessage) {}

// newAsker makes a worker for a folder of its own, and says nothing to it yet.
func newAsker(t *testing.T) *asker {
	t.Helper()
	a := &asker{folder: t.TempDir(), ended: make(chan error, 1)}
	farIn, nearOut := io.Pipe()
	nearIn, farOut := io.Pipe()
	disk := &durable.Disk{}
	o := Options{Version: "1", Schema: "s", Home: t.TempDir(), Disk: disk, Failed: func(what string, err error) { t.Error(what, err) },
		Confined: func(sandbox.Settings) sandbox.Report { return sandbox.Report{Level: "none"} }}
	o.Open = func(g seam.Greeting, _ func() seam.Settings) (*workspace.Vault, seam.Machine, error) {
		v, err := workspace.Open([]workspace.Folder{{Name: "w", Path: g.Folders[0].Path}}, workspace.Options{Disk: disk, Home: o.Home})
		return v, seam.Machine{}, err
	}
	go func() { a.ended <- Serve(context.Background(), farIn, farOut, o) }()
	a.Peer = seam.Connect(context.Background(), nearIn, nearOut, seam.Silence, a)
	t.Cleanup(func() {
		a.Close()
		if err := <-a.ended; err != nil {
			t.Error(err)
		}
	})
	return a
}

func (a *asker) hello(version string) error {
	_, err := seam.Ask[seam.Machine](context.Background(), a.Peer, seam.Hello, seam.Greeting{Version: version, Schema: "s", Folders: []seam.Folder{{Name: "w", Path: a.folder}}})
	return err
}

func ask[R any](t *testing.T, a *asker, method string, params any) (R, error) {
	t.Helper()
	return seam.Ask[R](context.Background(), a.Peer, method, params)
}

// A worker works for nobody before a greeting of its own version, and takes one greeting.
func TestGreeting(t *testing.T) {
	a := newAsker(t)
	if _, err := ask[seam.Seen](t, a, seam.Look, seam.ToSee{}); err == nil || !strings.Contains(err.Error(), "comes first") {
		t.Errorf("before the greeting: %v", err)
	}
	if err := a.hello("2"); err == nil || !strings.Contains(err.Error(), "install the same version") {
		t.Errorf("another version: %v", err)
	}
	if err := a.hello("1"); err != nil {
		t.Fatal(err)
	}
	if err := a.hello("1"); err == nil || !strings.Contains(err.Error(), "said before") {
		t.Errorf("twice: %v", err)
	}
	if _, err := ask[string](t, a, "worker/format_disk", nil); err == nil || !strings.Contains(err.Error(), "no method") {
		t.Errorf("an unknown method: %v", err)
	}
	if _, err := ask[seam.Ran](t, a, seam.Run, 7); err == nil || !strings.Contains(err.Error(), "parameters") {
		t.Errorf("nonsense: %v", err)
	}
}

// What is run is what was planned: with another digest nothing happens, and a plan that the
// worker has forgotten is made again and compared.
func TestBypassRunsOnlyWhatWasPlanned(t *testing.T) {
	a := newAsker(t)
	if err := a.hello("1"); err != nil {
		t.Fatal(err)
	}
	a.Tell(seam.Session, seam.Owner{Session: "0001", Reading: control.ReadingOf(control.Facts{})})
	file := filepath.Join(a.folder, "new.txt")
	call := seam.ToPlan{Session: "0001", Tool: "write", Input: `{"path": "new.txt", "content": "x"}`}
	planned, err := ask[seam.Planned](t, a, seam.Plan, call)
	if err != nil || planned.Error != "" {
		t.Fatal(err, planned.Error)
	}
	run := seam.ToRun{ToPlan: call, ID: planned.Plan.ID, Digest: "another", Key: "1", CallID: "c1", Line: "0001", Grant: tool.Grant{Origin: tool.Origin{Root: "0001"}}}
	ran, err := ask[seam.Ran](t, a, seam.Run, run)
	if _, gone := os.Stat(file); err != nil || !ran.Result.Failed || gone == nil {
		t.Errorf("another digest: %v %+v, the file: %v", err, ran, gone)
	}
	run.Digest = planned.Plan.Plan.Digest // the plan was taken by the try before
	if err := os.WriteFile(file, []byte("somebody else's"), 0o600); err != nil {
		t.Fatal(err)
	}
	ran, err = ask[seam.Ran](t, a, seam.Run, run)
	if text, _ := os.ReadFile(file); err != nil || !ran.Result.Failed || string(text) != "somebody else's" {
		t.Errorf("a file that appeared: %v %+v: %q", err, ran, text)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	ran, err = ask[seam.Ran](t, a, seam.Run, run)
	if text, _ := os.ReadFile(file); err != nil || ran.Result.Failed || string(text) != "x" {
		t.Errorf("the same again: %v %+v: %q", err, ran, text)
	}
}

// Parts of files are given of artifacts alone.
func TestBypassBytesOfOtherFiles(t *testing.T) {
	a := newAsker(t)
	if err := a.hello("1"); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(a.folder, ".env")
	if err := os.WriteFile(secret, []byte("KEY=1"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{secret, "/etc/passwd", ".agent-output/../.env", ""} {
		if got, err := ask[[]byte](t, a, seam.Bytes, seam.Range{Path: path, Size: 100}); err == nil {
			t.Errorf("%q: %q", path, got)
		}
	}
}

// A side that says nothing for long counts as gone, and what was asked has no answer.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, farOut := io.Pipe()
		farIn, out := io.Pipe()
		heard := make(chan int64, 1)
		go func() {
			n, _ := io.Copy(io.Discard, farIn) // it ends with the pipe
			heard <- n
		}()
		p := seam.Connect(context.Background(), in, out, seam.Silence, asker{})
		begun := time.Now()
		_, err := seam.Ask[string](context.Background(), p, seam.Look, nil)
		if took := time.Since(begun); !errors.Is(err, seam.ErrGone) || took != seam.Silence {
			t.Errorf("%v after %v", err, took)
		}
		p.Close()
		farOut.Close()
		if <-heard == 0 {
			t.Error("nothing was said")
		}
	})
}
