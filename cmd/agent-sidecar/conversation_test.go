package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/proc"
	"github.com/agent-sidecar/agent-sidecar/testclient"
)

var update = flag.Bool("update", false, "rewrite what the server said in the conversations")

func TestMain(m *testing.M) {
	if handled, code := proc.Main(os.Args); handled {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// conversations is where they lie.
const conversations = "../../testclient/testdata/conversations"

// TestConversations plays every conversation: those in a bubble against a server
// in this process, those marked realtime against the real binary.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(conversations, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			c, err := testclient.LoadConversation(file)
			if err != nil {
				t.Fatal(err)
			}
			if c.Realtime {
				t.Parallel()
				converse(t, c, file, testclient.Options{Dir: t.TempDir(), Start: startBinary(t), Update: *update})
				return
			}
			dir := t.TempDir() // made outside: its removal is no business of the bubble
			synctest.Test(t, func(t *testing.T) {
				converse(t, c, file, testclient.Options{Dir: dir, Start: startHere(t), Settle: synctest.Wait, Update: *update})
			})
		})
	}
}

func converse(t *testing.T, c *testclient.Conversation, file string, o testclient.Options) {
	r := testclient.Play(c, o)
	if *update && r.Updated != "" {
		if err := os.WriteFile(file, []byte(r.Updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
	if len(r.Problems) > 0 {
		t.Logf("the exchange:\n%s", r.Wire)
	}
}

// startHere serves in this process, over pipes in memory.
func startHere(t *testing.T) func(testclient.Env) (*testclient.Process, error) {
	return func(e testclient.Env) (*testclient.Process, error) {
		in, stdin := testclient.NewPipe()
		stdout, out := testclient.NewPipe()
		var log strings.Builder
		p := &program{}
		if err := p.flags().Parse(e.Args); err != nil {
			return nil, err
		}
		p.home, p.userHome = filepath.Join(e.Home, ".agent-sidecar"), e.Home
		p.env = func(name string) string { return e.Env[name] }
		p.log = zerolog.New(&log).Level(zerolog.WarnLevel)
		p.panicked = func(method string, v any, stack []byte) { t.Errorf("panic in %s: %v\n%s", method, v, stack) }
		w := p.wiring()
		w.disk, w.dial = &durable.Disk{}, e.Dial
		ctx, cancel := context.WithCancel(context.Background())
		code := make(chan int, 1)
		go func() {
			code <- p.serveOn(ctx, in, out, w)
			cancel()
			out.Close()
		}()
		return &testclient.Process{
			Stdin: stdin, Stdout: stdout,
			Wait:   func() int { return <-code },
			Kill:   func() { w.disk.Freeze(); cancel(); in.Close() },
			Stderr: log.String,
		}, nil
	}
}
