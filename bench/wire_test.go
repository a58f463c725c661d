package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// editor is one start of the sidecar and the client that drives it. It reads
// only when it is asked to, so that what is measured is the server.
type editor struct {
	b    *testing.B
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	id   int
	dir  string // the workspace
	home string
	said bytes.Buffer
}

// settings is the user's configuration of every benchmark: a model with a window
// that nothing fills, no limits, a worker on this machine.
const settings = `{
  "model": "bench/m",
  "providers": {"bench": {"baseUrl": %q, "apiKeys": ["k"], "models": {"m": {"window": 10000000}}}},
  "agents": {"runtime": {
    "limits": {"maxTurns": 0, "maxToolCalls": 0}, "doomLoop": {"maxToolCalls": 0, "sameToolThreshold": 1000},
    "permission": {"rules": [%s]}, "sandbox": {"autoAllow": "off"}
  }},
  "runners": {"pipe": {"connect": [%q, "worker"], "folder": "{folder}"}}
}`

// openEditor starts the sidecar in an empty workspace, against a model at url,
// and initializes it.
func openEditor(b *testing.B, url string, rules ...string) *editor {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "workspace")
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	return openEditorIn(b, dir, url, rules...)
}

// openEditorIn is openEditor in a workspace that is there already.
func openEditorIn(b *testing.B, dir, url string, rules ...string) *editor {
	b.Helper()
	e := newEditor(b, dir)
	sidecar, _ := binaries(b)
	e.open(fmt.Sprintf(settings, url, strings.Join(rules, ","), sidecar))
	return e
}

// newEditor has a home and no sidecar yet.
func newEditor(b *testing.B, dir string) *editor {
	b.Helper()
	e := &editor{b: b, dir: dir, home: filepath.Join(b.TempDir(), "home")}
	if err := os.Mkdir(e.home, 0o700); err != nil {
		b.Fatal(err)
	}
	return e
}

// open starts the sidecar with a configuration, and initializes it.
func (e *editor) open(config string) {
	e.b.Helper()
	e.write(filepath.Join(e.home, "config.jsonc"), config)
	e.start()
	e.call("initialize", e.initialize())
	e.send("initialized", nil, struct{}{})
}

func (e *editor) initialize() map[string]any {
	return map[string]any{
		"processId": os.Getpid(), "rootUri": "file://" + e.dir,
		"capabilities":          map[string]any{"experimental": map[string]any{"agentSidecar": map[string]any{"versions": []int{1}, "events": map[string]any{}, "approvals": map[string]any{}}}},
		"initializationOptions": map[string]any{"agentSidecar": map[string]any{"trusted": true}},
	}
}

func (e *editor) start() {
	e.b.Helper()
	sidecar, _ := binaries(e.b)
	e.cmd = exec.Command(sidecar, "serve", "--trust-client", "--home", e.home)
	e.cmd.Dir, e.cmd.Stderr = e.dir, &e.said
	stdin, err := e.cmd.StdinPipe()
	if err != nil {
		e.b.Fatal(err)
	}
	stdout, err := e.cmd.StdoutPipe()
	if err != nil {
		e.b.Fatal(err)
	}
	e.in, e.out = stdin, bufio.NewReaderSize(stdout, 1<<20)
	if err := e.cmd.Start(); err != nil {
		e.b.Fatal(err)
	}
	e.b.Cleanup(func() {
		e.stop()
		if e.said.Len() > 0 {
			e.b.Logf("the sidecar's log:\n%.2000s", e.said.String())
		}
	})
}

// stop ends the sidecar as an editor does that goes away; a second time does
// nothing.
func (e *editor) stop() {
	_ = e.in.Close() // the end of its input ends it
	_ = e.cmd.Wait()
}

func (e *editor) write(path, text string) {
	e.b.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.b.Fatal(err)
	}
}

func (e *editor) send(method string, id any, params any) {
	e.b.Helper()
	m := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id != nil {
		m["id"] = id
	}
	body, err := json.Marshal(m)
	if err != nil {
		e.b.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		e.b.Fatal(err)
	}
}

// request sends a request and does not wait for its answer.
func (e *editor) request(method string, params any) (id int) {
	e.b.Helper()
	e.id++
	e.send(method, e.id, params)
	return e.id
}

// call sends a request and reads until its answer.
func (e *editor) call(method string, params any) []byte {
	e.b.Helper()
	want := fmt.Sprintf(`"id":%d,`, e.request(method, params))
	frame := e.until(want)
	if bytes.Contains(frame, []byte(`"error":`)) && !bytes.Contains(frame, []byte(`"result":`)) {
		e.b.Fatalf("%s: %s", method, frame)
	}
	return frame
}

// until reads frames up to one that holds text.
func (e *editor) until(text string) []byte {
	e.b.Helper()
	for {
		if frame := e.next(); bytes.Contains(frame, []byte(text)) {
			return frame
		}
	}
}

// prompt runs one prompt in a session ("" is a new one) and reads until its end,
// showing each frame to seen.
func (e *editor) prompt(session, text string, seen func(frame []byte)) (sessionID string) {
	e.b.Helper()
	params := map[string]any{"prompt": text}
	if session != "" {
		params["sessionId"] = session
	}
	var ack struct{ Result struct{ SessionID string } }
	if err := json.Unmarshal(e.call("agent/run", params), &ack); err != nil || ack.Result.SessionID == "" {
		e.b.Fatalf("agent/run: %v", err)
	}
	for {
		frame := e.next()
		if seen != nil {
			seen(frame)
		}
		if bytes.Contains(frame, []byte(`"type":"run.ended"`)) {
			if !bytes.Contains(frame, []byte(`"stopReason":"end_turn"`)) {
				e.b.Fatalf("the run ended badly: %.600s", frame)
			}
			return ack.Result.SessionID
		}
	}
}

// next reads one frame. A server that says nothing for a minute has failed.
func (e *editor) next() []byte {
	e.b.Helper()
	stuck := time.AfterFunc(time.Minute, func() { _ = e.cmd.Process.Kill() })
	defer stuck.Stop()
	length := 0
	for {
		line, err := e.out.ReadString('\n')
		if err != nil {
			e.b.Fatalf("the sidecar's output ended: %v\n%s", err, e.said.String())
		}
		if line == "\r\n" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(value)) // 0 fails below
		}
	}
	frame := make([]byte, length)
	if _, err := io.ReadFull(e.out, frame); err != nil {
		e.b.Fatalf("a torn frame: %v", err)
	}
	return frame
}

// memory is one line of /proc/<pid>/status in bytes: VmRSS is what is resident
// now, VmHWM the most there ever was.
func (e *editor) memory(name string) int64 {
	e.b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", e.cmd.Process.Pid))
	if err != nil {
		e.b.Skipf("memory is read from /proc, which is not here: %v", err)
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				e.b.Fatal(err)
			}
			return kb << 10
		}
	}
	e.b.Fatalf("no %s in /proc/<pid>/status", name)
	return 0
}

// processor is the processor time that the sidecar has used, in all its threads.
func (e *editor) processor() time.Duration {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", e.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	var all time.Duration
	for _, t := range tasks {
		if raw, err := os.ReadFile(t); err == nil { // a thread may end meanwhile
			n, _ := strconv.ParseInt(strings.Fields(string(raw))[0], 10, 64)
			all += time.Duration(n)
		}
	}
	return all
}

func mb(n int64) float64 { return float64(n) / (1 << 20) }
