package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// TestConversationsElsewhere plays conversations with a worker between every session and
// its workspace: what goes over the wire to the editor, what the model is sent and what the
// logs contain is the same to the letter.
func TestConversationsElsewhere(t *testing.T) {
	prober := sandbox.NewProber("")
	box := prober.Report(sandbox.Settings{})
	files, err := filepath.Glob(filepath.Join(conversations, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	usual, seed := usualTools(t), sample.Seed(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := testclient.LoadConversation(file)
			if err != nil {
				t.Fatal(err)
			}
			if c.Realtime && testing.Short() {
				t.Skip("not run: -short starts no program")
			}
			if why := cmp.Or(unfit(name, box), onlyHere(t, name, file)); why != "" {
				t.Skip("not run: " + why)
			}
			if !sample.Chosen(seed, 6, name) {
				t.Skipf("not run: one run of six plays it, and make soak (AGENT_SIDECAR_SEED=%d)", seed)
			}
			dir := roomOf(t)
			if c.Realtime {
				converse(t, c, file, testclient.Options{Dir: dir, Start: startWithBinary(t, prober), Usual: usual})
				return
			}
			synctest.Test(t, func(t *testing.T) {
				converse(t, c, file, testclient.Options{Dir: dir, Start: startElsewhere(t, prober), Settle: synctest.Wait, Usual: usual})
			})
		})
	}
}

// onlyHere is why a conversation is another one with a worker, "" where it is the same.
func onlyHere(t *testing.T, name, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	switch part, _, _ := strings.Cut(name, "_"); {
	case bytes.HasPrefix(text, []byte("realtime\n")) && !slices.Contains([]string{"bash", "cancel", "job", "recovery", "sandbox", "secret", "undo"}, part):
		return "it is about programs of this machine alone"
	case bytes.Contains(text, []byte("textDocument/didOpen")), bytes.Contains(text, []byte("didChangeWorkspaceFolders")):
		return "what is open in the editor, and which folders are, is known on this machine alone"
	case part == "acp":
		return "it is about another protocol"
	case part == "runner":
		return "its sessions have a worker already"
	case bytes.Contains(text, []byte(`"semantic": {`)):
		return "the editor's language servers know the files of this machine alone"
	case strings.HasPrefix(name, "diagnostics_"):
		return "what the editor says is wrong is known on this machine alone"
	case name == "sandbox_skills":
		return "commands see the person's skills on this machine alone"
	case name == "permission_unnamed_files":
		return "of the names of one file, those that nobody is asked about are not listed"
	}
	return ""
}

// startElsewhere is startHere with a worker that has a pipe in memory.
func startElsewhere(t *testing.T, prober *sandbox.Prober) func(testclient.Env) (*testclient.Process, error) {
	return func(e testclient.Env) (*testclient.Process, error) {
		disk := &durable.Disk{}
		p, _, err := serveWith(t, prober, disk, e, func(w *wiring) {
			far := w.forWorker()
			w.dialHere = func(context.Context) (runner.Pipe, error) { return scanned(t, e, pipeTo(far)), nil }
		})
		return p, err
	}
}

// startWithBinary is startHere with the real program as worker.
func startWithBinary(t *testing.T, prober *sandbox.Prober) func(testclient.Env) (*testclient.Process, error) {
	return func(e testclient.Env) (*testclient.Process, error) {
		path, err := binary()
		if err != nil {
			return nil, err
		}
		c := runner.Command{Connect: []string{path, "worker"}, Dir: e.Home}
		for name, value := range e.Env {
			c.Env = append(c.Env, name+"="+value)
		}
		disk, cut, dead := &durable.Disk{}, func() {}, &atomic.Bool{}
		p, _, err := serveWith(t, prober, disk, e, func(w *wiring) {
			w.dialHere = func(ctx context.Context) (runner.Pipe, error) {
				pipe, err := c.Dial(ctx)
				if err != nil {
					return pipe, err
				}
				cut = func() { pipe.Out.Close() }
				pipe = scanned(t, e, pipe)
				pipe.Out = mutable{pipe.Out, dead}
				return pipe, nil
			}
			w.following = true // as serve does
		})
		if err != nil {
			return nil, err
		}
		kill := p.Kill
		p.Kill = func() { // who is killed writes nothing and cancels nothing
			dead.Store(true)
			kill()
			cut()
		}
		return p, nil
	}
}

// keysIn finds the keys of models and their addresses in a configuration.
var keysIn = regexp.MustCompile(`"(?:apiKeys?|baseUrl|headers)"\s*:\s*(?:\[[^\]]*\]|\{[^}]*\}|"[^"]*")`)

// scanned is a pipe that notices when a key, a token or the address of a model is sent to
// the worker.
func scanned(t *testing.T, e testclient.Env, pipe runner.Pipe) runner.Pipe {
	var never []string
	for name, value := range e.Env {
		if len(value) >= 8 && (strings.Contains(name, "KEY") || strings.Contains(name, "TOKEN") || strings.HasSuffix(name, "BASE_URL")) {
			never = append(never, value)
		}
	}
	text, err := os.ReadFile(filepath.Join(e.Home, ".agent-sidecar", "config.jsonc"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, member := range keysIn.FindAllString(string(text), -1) {
		for i, word := range strings.Split(member, `"`) {
			if i%2 == 1 && len(word) >= 8 {
				never = append(never, word)
			}
		}
	}
	pipe.Out = scanner{t, pipe.Out, never}
	return pipe
}

// scanner reads what is written through it.
type scanner struct {
	t *testing.T
	io.WriteCloser
	never []string
}

func (s scanner) Write(p []byte) (int, error) { // a frame in one piece
	for _, word := range s.never {
		if bytes.Contains(p, []byte(word)) {
			s.t.Errorf("the worker is sent %q in %.300s", word, p)
		}
	}
	return s.WriteCloser.Write(p)
}

// mutable is a pipe whose writer may be dead.
type mutable struct {
	io.WriteCloser
	dead *atomic.Bool
}

func (m mutable) Write(p []byte) (int, error) {
	if m.dead.Load() {
		return len(p), nil
	}
	return m.WriteCloser.Write(p)
}

// pipeTo is a worker in this process.
func pipeTo(far *wiring) runner.Pipe {
	farIn, nearOut := testclient.NewPipe()
	nearIn, farOut := testclient.NewPipe()
	ended := make(chan error, 1)
	go func() { ended <- far.workOn(context.Background(), farIn, farOut) }()
	return runner.Pipe{In: nearIn, Out: nearOut, Close: func() error { return <-ended }}
}

// farWorker is the worker of a runner in this process, with a home of its own. What the
// command says is not run: "pipe" reaches it, "pipe 40ms" over a way so long, "nobody 40ms" nobody after that time.
// What is sent to it is scanned.
func farWorker(t *testing.T, e testclient.Env, w *wiring, r config.Runner) runner.Dial {
	return func(context.Context) (runner.Pipe, error) {
		way, err := time.ParseDuration(cmp.Or(strings.Join(r.Connect[1:], ""), "0s"))
		if err != nil {
			return runner.Pipe{}, err
		}
		if r.Connect[0] != "pipe" {
			<-time.After(way)
			return runner.Pipe{}, errors.New("there is nobody")
		}
		far := w.forWorker()
		far.userHome = filepath.Join(filepath.Dir(w.userHome), "far")
		far.home = filepath.Join(far.userHome, ".agent-sidecar")
		if way == 0 {
			return scanned(t, e, pipeTo(far)), nil
		}
		return scanned(t, e, along(pipeTo(far), way)), nil
	}
}

// along is a pipe whose bytes are on the way for so long, in either direction.
func along(pipe runner.Pipe, way time.Duration) runner.Pipe {
	in, near := testclient.NewPipe()
	far, out := testclient.NewPipe()
	var work sync.WaitGroup
	work.Go(func() { carry(near, pipe.In, way) })
	work.Go(func() { carry(pipe.Out, far, way) })
	return runner.Pipe{In: in, Out: out, Close: func() error {
		defer work.Wait()
		return pipe.Close()
	}}
}

// carry copies to its end what comes, each piece so much later.
func carry(to io.WriteCloser, from io.Reader, way time.Duration) {
	type piece struct {
		bytes []byte
		due   time.Time
	}
	sent := make(chan piece, 10000)
	go func() {
		defer close(sent)
		for {
			buf := make([]byte, 64<<10)
			n, err := from.Read(buf)
			if n > 0 {
				sent <- piece{buf[:n], time.Now().Add(way)}
			}
			if err != nil {
				return
			}
		}
	}()
	defer to.Close()
	for p := range sent {
		<-time.After(time.Until(p.due))
		if _, err := to.Write(p.bytes); err != nil {
			return
		}
	}
}

// forWorker is the wiring of a worker on the same machine.
func (w *wiring) forWorker() *wiring {
	return &wiring{home: w.home, userHome: w.userHome, log: w.log, env: w.env, environ: w.environ, disk: w.disk, prober: w.prober}
}
