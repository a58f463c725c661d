//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// load is what the model says in the sessions that are killed: a prompt names the
// call that it wants, and the call leaves the prompt's name behind in the workspace.
const load = `
pace 1ms
--- for main
when ^Bash (\S+)
repeat 100000
call $1 bash {"command": "sleep 321.5 & echo '<$1>' >> effects.txt; echo half; sleep 0.03; echo whole"}
---
when ^Ask (\S+)
repeat 100000
call $1 bash {"command": "printf '<$1>' >> asked.txt"}
---
when ^Write (\S+)
repeat 100000
call $1 write {"path": "w-$1.txt", "content": "<$1>\n"}
---
when ^Task (\S+)
repeat 100000
call $1 task {"agent": "explore", "prompt": "Look for $1."}
---
when .
repeat 100000
say Done. These are a few words more than that, so that a stream can be cut in the middle of them.
--- for explore
repeat 100000
say Nothing is there.
--- for compaction
repeat 100000
summary It was done.
`

const loadRules = `{"agents": {"runtime": {"permission": {"rules": [
  {"domain": "bash", "pattern": "*", "decision": "allow"},
  {"domain": "bash", "pattern": "printf *", "decision": "ask"},
  {"domain": "edit", "pattern": "*", "decision": "allow"}
]}}}}`

// TestKilledAtRandom kills the real program with kill -9 at random moments, while
// several sessions of it work, ask, wait and compact, and lets the next one go on
// in the same home. 200 times with -thorough. The seed of a run is printed;
// AGENT_SIDECAR_SEED repeats it.
func TestKilledAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while: -thorough")
	}
	homes, kills := 2, 6
	if sample.Thorough() {
		homes, kills = 8, 25
	}
	seed := sample.Seed(t)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	var events, done, seen atomic.Int64
	t.Run("homes", func(t *testing.T) {
		for n := range homes {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				k := newKilled(t, path, rand.New(rand.NewPCG(seed, uint64(n))), fmt.Sprintf("h%d", n))
				defer k.stop()
				for k.round = range kills {
					k.liveAndDie()
				}
				k.liveOn()
				events.Add(int64(len(k.logs().Lines())))
				done.Add(int64(len(k.marks())))
				seen.Add(int64(len(k.events)))
			})
		}
	})
	t.Logf("AGENT_SIDECAR_SEED=%d: %d kills, %d events, %d calls with an effect, %d events seen", seed, homes*kills, events.Load(), done.Load(), seen.Load())
}

// killed are premises whose servers are real processes.
type killed struct {
	*premises
	path  string
	rand  *rand.Rand
	name  string
	round int
	since testclient.Logs // as the last kill left them
}

func newKilled(t *testing.T, path string, r *rand.Rand, name string) *killed {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &premises{t: t, acks: map[string]ack{}, prompts: map[string]string{}, approved: map[string]string{}}
	h.env = testclient.Env{Root: root, Home: filepath.Join(root, "home"), Vault: filepath.Join(root, "workspace")}
	if h.model, err = scriptmodel.New(load); err != nil {
		t.Fatal(err)
	}
	h.model.Forget = true
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, served := &http.Server{Handler: h.model}, make(chan struct{})
	go func() {
		defer close(served)
		server.Serve(l)
	}()
	h.stop = func() {
		server.Close()
		<-served
	}
	h.env.Env = map[string]string{"PATH": os.Getenv("PATH"), "HOME": h.env.Home, "AGENT_SIDECAR_HOME": h.sidecar(), "TMPDIR": filepath.Join(root, "tmp"),
		"OPENAI_BASE_URL": "http://" + l.Addr().String() + "/v1", "OPENAI_API_KEY": "k", "OPENAI_MODEL": "scripted"}
	for _, dir := range []string{h.env.Vault, h.env.Env["TMPDIR"]} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := testclient.AskingHome(h.sidecar()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.sidecar(), "config.jsonc"), []byte(loadRules), 0o600); err != nil {
		t.Fatal(err)
	}
	return &killed{premises: h, path: path, rand: r, name: name}
}

// start is a process of the real program.
func (k *killed) start() *life {
	k.t.Helper()
	proc, err := startBinary(k.t)(k.env)
	if err != nil {
		k.t.Fatal(err)
	}
	l := &life{h: k.premises, proc: proc, asked: map[string]asked{}, results: map[string]json.RawMessage{}}
	l.client = testclient.NewClient(proc.Stdin, proc.Stdout)
	l.post("initialize", fmt.Sprintf(`{"processId": null, "rootUri": "file://%s", "initializationOptions": {"agentSidecar": {"trusted": true}}, "capabilities": {"experimental": {"agentSidecar": {"versions": [1], "events": {}, "approvals": {}}}}}`, k.env.Vault), asked{})
	l.client.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
	return l
}

// until takes in what comes until over says so, the time is up or the server's
// output ends.
func (l *life) until(timer <-chan time.Time, over func() bool) (up bool) {
	for {
		changed := l.client.Changed()
		for records := l.client.Records(); l.at < len(records); l.at++ {
			if r := records[l.at]; !r.Sent && r.Frame != nil {
				l.take(r.Frame)
			}
		}
		if over() {
			return false
		}
		select {
		case <-changed:
		case <-timer:
			return true
		case <-l.client.Done():
			if l.at == len(l.client.Records()) {
				return true
			}
		}
	}
}

// liveAndDie is one life: what an earlier one may have lost is said again, every
// session gets work, and at a random moment the process is killed.
func (k *killed) liveAndDie() {
	t := k.t
	l := k.start()
	dies := time.NewTimer(time.Duration(k.rand.IntN(500)) * time.Millisecond)
	defer dies.Stop()
	for _, m := range k.said[max(0, len(k.said)-10):] {
		l.post("agent/run", k.prompts[m], asked{})
	}
	for s := range 4 {
		for p := range 1 + k.rand.IntN(2) {
			id := fmt.Sprintf("%s-r%d-s%d-%d", k.name, k.round, s, p)
			word := []string{"Bash", "Bash", "Ask", "Write", "Task", "Words"}[k.rand.IntN(6)]
			if word == "Bash" || word == "Ask" || word == "Write" {
				k.story.effects = append(k.story.effects, id)
			}
			if word == "Ask" && k.rand.IntN(4) > 0 {
				if k.story.answers == nil {
					k.story.answers = map[string]string{}
				}
				k.story.answers[id] = `"decision": "once"`
			}
			l.post("agent/run", fmt.Sprintf(`{"sessionKey": "dm:load:%d", "prompt": "%s %s", "clientMessageId": %q}`, s, word, id, id), asked{})
		}
		if a, known := k.acks[fmt.Sprintf("%s-r0-s%d-0", k.name, s)]; known && k.rand.IntN(5) == 0 {
			l.post("agent/session/compact", fmt.Sprintf(`{"sessionId": %q}`, a.SessionID), asked{})
		}
	}
	l.until(dies.C, func() bool { return false })
	l.proc.Kill()
	<-l.client.Done()
	l.until(nil, func() bool { return l.at == len(l.client.Records()) }) // what was in the pipe was seen
	l.client.CloseInput()
	l.proc.Wait()
	k.nobodyIsLeft()

	crashed := k.logs()
	for _, bad := range append(crashed.Broken(true), crashed.Grew(k.since)...) {
		t.Errorf("kill %d: %s", k.round, bad)
	}
	k.since = crashed
	k.note(crashed)
	k.kept(crashed, false)
	k.effects(crashed)
	k.checkpoints(crashed)
	k.chains()
}

// nobodyIsLeft waits for the end of every process that works in the workspace: a kill
// takes a while to reach all of them. One that survives is named when go test would lose
// its patience.
func (k *killed) nobodyIsLeft() {
	k.t.Helper()
	ctx := k.t.Context()
	if last, is := k.t.Deadline(); is {
		within, cancel := context.WithDeadline(ctx, last.Add(-10*time.Second))
		defer cancel()
		ctx = within
	}
	for pid := k.worker(); pid != 0; pid = k.worker() {
		// tail ends with the process.
		_ = exec.CommandContext(ctx, "tail", "-s", "0.02", "--pid", strconv.Itoa(pid), "-f", "/dev/null").Run() // how it ended is looked at next
		if ctx.Err() != nil {
			words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			k.t.Fatalf("kill %d: process %d has survived: %q", k.round, pid, words)
		}
	}
}

// worker is a process whose directory is the workspace, 0 when there is none.
func (k *killed) worker() int {
	dirs, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		k.t.Fatal(err)
	}
	for _, dir := range dirs {
		if to, err := os.Readlink(dir); err == nil && strings.HasPrefix(to, k.env.Vault) {
			pid, _ := strconv.Atoi(strings.Split(dir, "/")[2])
			return pid
		}
	}
	return 0
}

// liveOn is the last life: every message is taken, everything that waits is done,
// and then the laws hold without exception.
func (k *killed) liveOn() {
	t := k.t
	l := k.start()
	patience := time.NewTimer(60 * time.Second)
	defer patience.Stop()
	for _, m := range k.said {
		l.post("agent/run", k.prompts[m], asked{})
	}
	ids := sessionsOf(k.since)
	for _, id := range ids {
		l.post("agent/run", fmt.Sprintf(`{"sessionId": %q, "prompt": "Words to go on."}`, id), asked{})
	}
	all := func() bool { return len(l.results) == len(l.asked) }
	if l.until(patience.C, all) {
		t.Fatalf("%d of %d requests are answered: %s", len(l.results), len(l.asked), l.proc.Stderr())
	}
	// Questions that nobody answers are cancelled until nothing runs.
	over := l.post("shutdown", "null", asked{})
	if l.until(patience.C, func() bool { return l.results[over] != nil }) {
		t.Fatalf("shutdown: %s", l.proc.Stderr())
	}
	l.client.Send(json.RawMessage(`{"jsonrpc":"2.0","method":"exit"}`))
	<-l.client.Done()
	l.client.CloseInput()
	if code := l.proc.Wait(); code != 0 {
		t.Errorf("exit %d: %s", code, l.proc.Stderr())
	}
	k.nobodyIsLeft()

	end := k.logs()
	for _, bad := range append(end.Broken(false), end.Grew(k.since)...) {
		t.Errorf("in the end: %s", bad)
	}
	for _, m := range k.said {
		if _, taken := k.acks[m]; !taken {
			t.Errorf("message %s was never acknowledged", m)
		}
	}
	k.effects(end)
	k.closed(end)
	k.taken(end)
	k.outside(false)
	for _, bad := range k.model.Problems() {
		if !strings.HasPrefix(bad, "model: request body: ") { // whoever was sending it was killed
			t.Error(bad)
		}
	}
	if n := len(sessionsOf(end)); n != 4 {
		t.Errorf("%d sessions, want one for each key: %v", n, slices.Sorted(slices.Values(sessionsOf(end))))
	}
}
