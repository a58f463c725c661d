package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/acpschema"
	"github.com/agent-sidecar/agent-sidecar/testclient/opens"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

var update = flag.Bool("update", false, "rewrite what the server said in the conversations")

func TestMain(m *testing.M) {
	if handled, code := proc.Main(os.Args, sandbox.Landlock); handled {
		os.Exit(code)
	}
	if opens.Launcher() {
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "hook" { // as the program itself when a hook is called agent-sidecar
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == "there" { // as a program of a conversation
		if err := there(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Setenv("LC_ALL", "C") // where it names a language that is not installed, bash says so with every command
	time.Local = time.UTC    // days and hours of memory stand in conversations
	code := m.Run()
	if binaryDir != "" {
		_ = os.RemoveAll(binaryDir) // scratch
	}
	os.Exit(code)
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
	// Commands run at the best level of this machine, found once.
	prober := sandbox.NewProber("")
	sandbox := prober.Report(sandbox.Settings{})
	t.Logf("sandbox: %+v", sandbox)
	usual, seed := usualTools(t), sample.Seed(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "undo_many" && !sample.Chosen(seed, 5, name) { // it changes thousands of files, three times
				t.Skipf("not run: one run of five plays it, and make soak (AGENT_SIDECAR_SEED=%d)", seed)
			}
			if why := unfit(name, sandbox); why != "" {
				t.Skip("not run: " + why)
			}
			c, err := testclient.LoadConversation(file)
			if err != nil {
				t.Fatal(err)
			}
			if c.Realtime && testing.Short() {
				t.Skip("not run: -short starts no program")
			}
			if c.Realtime {
				converse(t, c, file, testclient.Options{Dir: roomOf(t), Start: startBinary(t), Update: *update, Usual: usual})
				return
			}
			dir := roomOf(t) // made outside: its removal is no business of the bubble
			synctest.Test(t, func(t *testing.T) {
				converse(t, c, file, testclient.Options{Dir: dir, Start: startHere(t, prober), Settle: synctest.Wait, Update: *update, Usual: usual})
			})
		})
	}
}

// unfit is why this machine cannot play a conversation, "" where it can.
func unfit(name string, box sandbox.Report) string {
	_, noGit := exec.LookPath("git")
	switch {
	case name == "sandbox_confines" && box.Level == "none":
		return "no sandbox works on this machine"
	case (name == "bash_git" || name == "sandbox_unasked_task") && (box.Level != proc.Namespaces || noGit != nil):
		return "no sandbox on this machine keeps a repository as it is, or there is no git"
	case strings.HasPrefix(name, "runner_git") && noGit != nil:
		return "there is no git"
	case name == "sandbox_reads" && box.Level != proc.Namespaces:
		return "no level here closes files to commands"
	case (strings.HasPrefix(name, "sandbox_unasked") || strings.HasPrefix(name, "home_unasked")) && !box.Whole():
		return fmt.Sprintf("the sandbox has not every wall here: %+v", box)
	case strings.HasPrefix(name, "home_") && defaultAutoAllow() == "off":
		return "commands ask in every home, unless its configuration says otherwise"
	}
	return ""
}

// roomOf is a directory whose path has the same length each time: a result that is
// cut names the path of the whole, and shows so much the less.
func roomOf(t *testing.T) string {
	outer, err := os.MkdirTemp("", "conversation-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(outer); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(outer, strings.Repeat("d", max(1, 56-len(outer))))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// usualTools are those of the agent build where nothing is configured.
func usualTools(t *testing.T) (names []string) {
	code, shown, errs := newShell(t, `{"model": "p/x"}`).run(t, "", "prompt", "--json", "--trust-client", "hello")
	var request struct {
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(shown), &request); code != 0 || err != nil || len(request.Tools) == 0 {
		t.Fatalf("the usual tools: exit %d %v %s", code, err, errs)
	}
	for _, tool := range request.Tools {
		names = append(names, tool.Function.Name)
	}
	return names
}

// officialACP is the schema of the Agent Client Protocol.
var officialACP = sync.OnceValues(func() (*acpschema.Schema, error) {
	raw, err := os.ReadFile("../../rpc/acp/v1/schema.json")
	if err != nil {
		return nil, err
	}
	return acpschema.Read(raw)
})

func converse(t *testing.T, c *testclient.Conversation, file string, o testclient.Options) {
	if c.ACP {
		var err error
		if o.ACP, err = officialACP(); err != nil {
			t.Fatal(err)
		}
	}
	r := testclient.Play(c, o)
	if *update && r.Updated != "" {
		if err := os.WriteFile(file, []byte(r.Updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
	if !strings.Contains(c.Doc, "no laws: audit") {
		checkAudit(t, o.Dir)
	}
	if seed := sample.Seed(t); sample.Chosen(seed, 20, file) {
		checkFold(t, o.Dir, seed)
	}
	if t.Failed() {
		t.Logf("the exchange:\n%s", r.Wire)
	}
}

// checkAudit checks the audit after every conversation: each chain
// of hashes is whole, and each decision in a log stands in the audit of its
// session, with the same word.
func checkAudit(t *testing.T, dir string) {
	t.Helper()
	words := map[string]string{} // home, session and call → decision
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(path, "/logs/agent-audit/") || filepath.Ext(path) != ".jsonl" {
			return err
		}
		if _, err := audit.Verify(path); err != nil {
			t.Errorf("audit: %v", err)
		}
		home, _, _ := strings.Cut(path, "/.agent-sidecar/") // an update plays twice
		return eachLine(path, func(line []byte) error {
			var l struct{ SessionID, CallID, Decision, PermissionDomain string }
			err := json.Unmarshal(line, &l)
			if l.Decision == "allow" || l.Decision == "deny" {
				words[home+" "+l.SessionID+" "+l.CallID] = l.Decision
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "events.jsonl" || !strings.Contains(path, "/.agent-sidecar/sessions/") {
			return err
		}
		home, rest, _ := strings.Cut(path, "/.agent-sidecar/sessions/")
		id := strings.Split(rest, "/")[1] // a child's decisions stand in the audit of its root
		fork := int64(0)                  // up to there it is what another session decided
		return eachLine(path, func(line []byte) error {
			var l struct {
				Type string
				Seq  int64
				Data struct {
					CallID, Decision string
					Parent           struct{ AtSeq int64 }
				}
			}
			if json.Unmarshal(line, &l) != nil {
				return nil // a torn line is another law's business
			}
			if fork = max(fork, l.Data.Parent.AtSeq); l.Type != "tool.decided" || l.Seq <= fork {
				return nil
			}
			if got := words[home+" "+id+" "+l.Data.CallID]; got != l.Data.Decision {
				t.Errorf("audit: session %s, call %s: the log says %s, the audit %q", id, l.Data.CallID, l.Data.Decision, got)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func eachLine(path string, f func([]byte) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		if err := f(line); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// startHere serves in this process, over pipes in memory.
func startHere(t *testing.T, prober *sandbox.Prober) func(testclient.Env) (*testclient.Process, error) {
	return func(e testclient.Env) (*testclient.Process, error) {
		disk := &durable.Disk{}
		p, _, err := serveWith(t, prober, disk, e, func(w *wiring) {
			w.dialTo = func(r config.Runner) runner.Dial { return farWorker(t, e, w, r) }
		})
		return p, err
	}
}

// journal is what a server logs, read while it writes on.
type journal struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// vocabulary is loaded once for all servers of this process: loading takes more time
// than most conversations.
var vocabulary = sync.OnceValues(model.LoadVocabulary)

// serveHere serves on a disk that the test can break. After mute nothing more is
// seen of the server.
func serveHere(t *testing.T, prober *sandbox.Prober, disk *durable.Disk, e testclient.Env) (proc *testclient.Process, mute func(), err error) {
	return serveWith(t, prober, disk, e, func(*wiring) {})
}

// serveWith is serveHere with something else in its wiring.
func serveWith(t *testing.T, prober *sandbox.Prober, disk *durable.Disk, e testclient.Env, change func(*wiring)) (proc *testclient.Process, mute func(), err error) {
	in, stdin := testclient.NewPipe()
	stdout, out := testclient.NewPipe()
	var log journal
	p := &program{}
	serve, args := p.serveOn, e.Args
	if e.ACP() {
		serve = func(ctx context.Context, in io.Reader, out io.Writer, w *wiring) int {
			return serveACPOn(ctx, p, in, out, w)
		}
		args = args[1:]
	}
	if err := p.flags().Parse(args); err != nil {
		return nil, nil, err
	}
	p.home, p.userHome = filepath.Join(e.Home, ".agent-sidecar"), e.Home
	p.env = func(name string) string { return e.Env[name] }
	p.environ = func() []string {
		var all []string
		for name, value := range e.Env {
			all = append(all, name+"="+value)
		}
		return all
	}
	p.log = zerolog.New(&log).Level(zerolog.WarnLevel)
	p.panicked = func(method string, v any, stack []byte) { t.Errorf("panic in %s: %v\n%s", method, v, stack) }
	w := p.wiring()
	w.disk, w.dial, w.prober = disk, e.Dial, prober
	if w.vocabulary, err = vocabulary(); err != nil {
		return nil, nil, err
	}
	change(w)
	ctx, cancel := context.WithCancel(context.Background())
	code := make(chan int, 1)
	go func() {
		code <- serve(ctx, in, out, w)
		cancel()
		out.Close()
	}()
	mute = func() { out.Close() }
	return &testclient.Process{
		Stdin: stdin, Stdout: stdout,
		Wait:   func() int { return <-code },
		Kill:   func() { mute(); disk.Freeze(); cancel(); in.Close() }, // nothing is seen of its last moments
		Stderr: log.String,
	}, mute, nil
}
