package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/schema"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// methodLog notes the requests that are sent to a worker, by method.
type methodLog struct {
	io.WriteCloser
	mu      sync.Mutex
	methods []string
}

func (q *methodLog) Write(p []byte) (int, error) { // a frame in one piece
	var frame struct{ Method string }
	if json.Unmarshal(p[bytes.IndexByte(p, '{'):], &frame) == nil && frame.Method != seam.Alive {
		q.mu.Lock()
		q.methods = append(q.methods, frame.Method)
		q.mu.Unlock()
	}
	return q.WriteCloser.Write(p)
}

// since are the methods since the last time.
func (q *methodLog) since() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.methods
	q.methods = nil
	return out
}

// holder is a session that may read everything.
type holder struct{ facts control.Facts }

func (holder) ID() string                 { return "0001" }
func (h holder) Reading() control.Reading { return control.ReadingOf(h.facts) }

// To judge what a worker has planned asks it nothing: what judging looks at comes with the
// plan. Whoever judges again is told how it is by then.
func TestLooksComeWithThePlan(t *testing.T) { synctest.Test(t, looksComeWithThePlan) }

func looksComeWithThePlan(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "w")
	for _, name := range []string{"w/a.txt", "w/b.txt", "w/run.sh"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("echo x\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	far := &wiring{home: filepath.Join(dir, "home"), userHome: dir, log: zerolog.Nop(), env: func(string) string { return "" }, environ: func() []string { return nil },
		disk: &durable.Disk{}, prober: sandbox.NewProber("")}
	counted := &methodLog{}
	hands := runner.New(func(context.Context) (runner.Pipe, error) {
		pipe := pipeTo(far)
		counted.WriteCloser = pipe.Out
		pipe.Out = counted
		return pipe, nil
	}, func() seam.Greeting {
		return seam.Greeting{Version: version, Schema: schema.Hash(), Folders: []seam.Folder{{Name: "w", Path: root}}}
	}, func(uri string) string { return uri }, nil)
	defer hands.Close()
	if err := hands.Reach(t.Context()); err != nil {
		t.Fatal(err)
	}
	facts := control.Facts{Mode: tool.ModeAgent, Trusted: true, Roots: []string{root}, UserHome: dir, Resolver: hands}
	tools := tool.NewSet(hands.Tools(holder{facts})...)
	for name, input := range map[string]string{
		"bash":  `{"command": "cat a.txt b.txt | sort > c.txt && ./run.sh && grep -r x .", "description": "x"}`,
		"read":  `{"path": "a.txt"}`,
		"write": `{"path": "new.txt", "content": "x"}`,
	} {
		counted.since()
		one, _ := tools.Lookup(name)
		plan, err := one.Plan(json.RawMessage(input))
		if err != nil {
			t.Fatal(name, err)
		}
		judge := func() []tool.StartedFile {
			starts := control.Starts(facts, plan)
			plan.Starts = starts
			control.NewPolicy(facts).Decide(plan)
			return starts
		}
		starts := judge()
		if got := counted.since(); !slices.Equal(slices.DeleteFunc(got, func(m string) bool { return m == seam.Session }), []string{seam.Plan}) {
			t.Errorf("%s: to plan and judge asks %v", name, got)
		}
		if name != "bash" {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, "run.sh"), []byte("echo other\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if again := judge(); len(starts) == 0 || slices.Equal(again, starts) {
			t.Errorf("judged again, a command starts what it was: %v, %v", starts, again)
		}
	}
}
