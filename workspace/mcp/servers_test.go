package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// badServer is a server of that mode, with a file it may write to.
func badServerOf(t *testing.T, mode string) (Server, string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no commands on Windows yet")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "said")
	return Server{Name: "bad", Command: []string{self}, Env: map[string]string{badServerEnv: mode, "MCP_TEST_FILE": file}}, file
}

type world struct {
	*Servers
	t       *testing.T
	changed chan struct{}
}

// newWorld is a client that is closed, and shown to have left no goroutine, at
// the end.
func newWorld(t *testing.T, home string) world {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	changed := make(chan struct{}, 100)
	m := New(Options{Home: home, Dir: t.TempDir(), Changed: func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}})
	t.Cleanup(func() {
		m.Close()
		goleak.VerifyNone(t, leaks)
	})
	return world{m, t, changed}
}

func (w world) start(config ...Server) []tool.Tool {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	return w.Tools(ctx, config)
}

// until waits for something to become true when the problems change.
func (w world) until(what string, is func() bool) {
	w.t.Helper()
	late := time.After(20 * time.Second)
	for !is() {
		select {
		case <-w.changed:
		case <-late:
			w.t.Fatalf("%s: %+v", what, w.Problems())
		}
	}
}

// one starts a server that has one tool.
func one(t *testing.T, mode string) (world, tool.Tool, string) {
	t.Helper()
	server, file := badServerOf(t, mode)
	w := newWorld(t, "")
	tools := w.start(server)
	if len(tools) != 1 {
		t.Fatalf("%d tools, %+v", len(tools), w.Problems())
	}
	return w, tools[0], file
}

func TestCall(t *testing.T) {
	_, echo, _ := one(t, "well")
	spec := echo.Spec()
	if spec.Name != "mcp__bad__echo" || spec.Effect != tool.Net || !strings.Contains(spec.Description, "«Says it again.»") {
		t.Errorf("%+v", spec)
	}
	p := outputtest.Plan(t, echo, `{"b": 12345678901234567890, "a": "x"}`)
	if len(p.Targets) != 1 || p.Targets[0] != (tool.Target{Domain: "mcp", Object: "mcp:bad/echo"}) || p.Why != "" || p.Title != "bad: echo" || len(p.Base) != 1 {
		t.Errorf("%+v", p)
	}
	shown, err := p.Preview(t.Context())
	if err != nil || !strings.Contains(shown.Text, `"b": 12345678901234567890`) || !strings.Contains(shown.Text, "Says it again.") {
		t.Errorf("%+v %v", shown, err)
	}
	r, err := p.Run(t.Context(), &outputtest.Kept{})
	if err != nil || r.Text != `echo {"a":"x","b":12345678901234567890}` || r.Failed || !r.Tainted {
		t.Errorf("%+v %v", r, err)
	}
}

func TestResults(t *testing.T) {
	for mode, want := range map[string]string{
		"parts":          "one red\n[image, image/png, 8 bytes]\n[audio, audio/wav, 3 bytes]\n[resource x\\u202ey: file:///x ]\n[resource mem://a]\ninside\n[resource mem://b, application/pdf, 3 bytes]",
		"structured":     "{\n  \"temperature\": 21.5\n}",
		"is an error":    "no such row",
		"protocol error": "calling \"tools/call\": no such tool",
		"forges a giant": "x",
	} {
		_, echo, _ := one(t, mode)
		r := outputtest.Run(t, echo, `{}`)
		if r.Text != want || r.Failed != strings.Contains(mode, "error") || !r.Tainted || (len(r.Parts) == 1) != (mode == "parts") {
			t.Errorf("%s: %+v", mode, r)
		}
	}
}

// A server is given nothing that looks like a secret but what its entry names,
// and does not start in the workspace: a package runner there would run what the
// project brought along.
func TestEnvironment(t *testing.T) {
	t.Setenv("SOME_TOKEN", "geheim")
	server, _ := badServerOf(t, "environment")
	server.Env["OTHER_TOKEN"] = "given"
	server.Env["TERM"] = "own"
	w := newWorld(t, "")
	r := outputtest.Run(t, w.start(server)[0], `{}`)
	if strings.Contains(r.Text, "geheim") || !strings.Contains(r.Text, "OTHER_TOKEN=given") || !strings.Contains(r.Text, "TERM=own") || strings.Contains(r.Text, "TERM=dumb") {
		t.Error(r.Text)
	}
	if !strings.HasPrefix(r.Text, filepath.Base(w.opts.Dir)+" ") {
		t.Error(r.Text)
	}
}

// What a server writes that is no message does not end its connection.
func TestGarbageIsLeftOut(t *testing.T) {
	_, echo, _ := one(t, "garbage")
	if r := outputtest.Run(t, echo, `{}`); r.Text != "echo {}" {
		t.Errorf("%+v", r)
	}
}

func TestRefusesWhatServersAsk(t *testing.T) {
	_, echo, file := one(t, "asks")
	outputtest.Run(t, echo, `{}`)
	for _, id := range []string{"s1", "s2", "s3"} {
		waitForFile(t, file, fmt.Sprintf("%q {\"code\":-32601", id))
	}
	waitForFile(t, file, `"s4" `+"\n") // a ping is no question
}

func TestNames(t *testing.T) {
	server, _ := badServerOf(t, "bad names")
	w := newWorld(t, "")
	seen := map[string]bool{}
	for _, of := range w.start(server) {
		spec := of.Spec()
		if name := spec.Name; len(name) > tool.MaxName || !strings.HasPrefix(name, "mcp__bad__") || tool.PlainName(name, 100) != name || strings.Contains(name, ".") || seen[strings.ToLower(name)] {
			t.Errorf("%q", name)
		}
		seen[strings.ToLower(spec.Name)] = true
		says := spec.Description[strings.Index(spec.Description, "«"):]
		if len(says) > serverWords+len("«…»") || strings.ContainsRune(spec.Description, '\u202e') || strings.Count(spec.Description, "«") != 1 || strings.Count(spec.Description, "»") != 1 {
			t.Errorf("%q", spec.Description)
		}
	}
	if len(seen) != 11 || !seen["mcp__bad__task"] || !seen["mcp__bad__ok"] || !seen["mcp__bad__ok_2"] || !seen["mcp__bad__ok_3"] {
		t.Errorf("%v", seen)
	}
}

// The names at their edge: 64 characters are what providers take.
func TestNameLength(t *testing.T) {
	front := len("mcp__bad__")
	for _, n := range []int{tool.MaxName - front - 1, tool.MaxName - front, tool.MaxName - front + 1} {
		own := strings.Repeat("n", n)
		names := namesOf("bad", []string{own, own, own})
		for i, name := range names {
			if len(name) > tool.MaxName || i > 0 && name == names[i-1] {
				t.Errorf("%d: %v", n, names)
			}
		}
		if whole := names[0] == "mcp__bad__"+own; whole != (front+n <= tool.MaxName) {
			t.Errorf("%d: %s", n, names[0])
		}
	}
	longest := strings.Repeat("s", 32)
	if a, b := nameOf(longest, strings.Repeat("n", 90)+"a"), nameOf(longest, strings.Repeat("n", 90)+"b"); a == b || len(a) != tool.MaxName {
		t.Errorf("%s %s", a, b)
	}
}

func TestServersThatDoNotStart(t *testing.T) {
	for _, row := range []struct {
		mode string
		want string
	}{
		{"dies at start", "it ended with exit code 3; it said: no database at localhost"},
		{"flood of noise", errFlood.Error()},
		{"flood of one line", errGiant.Error()},
		{"list of 100 MB", "the list is larger than 8 MiB"},
	} {
		server, _ := badServerOf(t, row.mode)
		w := newWorld(t, "")
		if tools := w.start(server); len(tools) > 0 {
			t.Errorf("%s: %d tools", row.mode, len(tools))
		}
		w.until(row.mode, func() bool { return len(w.Problems()) > 0 })
		if p := w.Problems()[0]; !p.Down || !strings.Contains(p.Message, row.want) {
			t.Errorf("%s: %+v", row.mode, p)
		}
		w.Close()
	}
	w := newWorld(t, "")
	w.start(Server{Name: "none", Command: []string{"no-such-program-here"}})
	if p := w.Problems(); len(p) != 1 || !strings.Contains(p[0].Message, `there is no program "no-such-program-here" in PATH`) {
		t.Errorf("%+v", p)
	}
}

// Floods that begin once the server runs: it is stopped, and a call to it fails.
func TestFloods(t *testing.T) {
	for _, mode := range []string{"flood of notifications", "flood of requests"} {
		server, _ := badServerOf(t, mode)
		w := newWorld(t, "")
		w.start(server)
		w.until(mode, func() bool {
			return len(w.Problems()) > 0 && strings.Contains(w.Problems()[0].Message, errFlood.Error())
		})
		w.Close()
	}
}

// A server that never says a word costs a run its first wait once, and no more.
func TestMuteServer(t *testing.T) {
	server, _ := badServerOf(t, "mute")
	well, _ := badServerOf(t, "well")
	well.Name = "well"
	w := newWorld(t, "")
	w.start(well) // which may take longer than what is measured
	w.firstWait = 500 * time.Millisecond
	began := time.Now()
	if tools := w.start(server, well); len(tools) != 1 || time.Since(began) < w.firstWait || time.Since(began) > 10*w.firstWait {
		t.Errorf("%d tools after %v", len(tools), time.Since(began))
	}
	began = time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if tools := w.Tools(ctx, []Server{server, well}); len(tools) != 1 || time.Since(began) > time.Second {
		t.Errorf("%d tools after %v although the run was cancelled", len(tools), time.Since(began))
	}
}

func TestHangsInACall(t *testing.T) {
	server, _ := badServerOf(t, "hangs")
	server.Timeout = 200 * time.Millisecond
	w := newWorld(t, "")
	echo := w.start(server)[0]
	for range 2 { // it answers pings, so it may stay
		if r := outputtest.Run(t, echo, `{}`); !r.Failed || !strings.Contains(r.Text, "did not answer in time") {
			t.Errorf("%+v", r)
		}
	}
	if p := w.Problems(); len(p) > 0 {
		t.Errorf("%+v", p)
	}
}

func TestHangsAndIsDead(t *testing.T) {
	server, _ := badServerOf(t, "hangs and is dead")
	server.Timeout = 200 * time.Millisecond
	w := newWorld(t, "")
	w.ping = 200 * time.Millisecond
	outputtest.Run(t, w.start(server)[0], `{}`)
	w.until("no ping", func() bool {
		return len(w.Problems()) > 0 && strings.Contains(w.Problems()[0].Message, "does not answer any more")
	})
}

// A server that does not read holds nobody, not even where the question is larger
// than its pipe.
func TestStopsReading(t *testing.T) {
	server, _ := badServerOf(t, "stops reading")
	server.Timeout = 300 * time.Millisecond
	w := newWorld(t, "")
	echo := w.start(server)[0]
	outputtest.Run(t, echo, `{}`)
	huge := outputtest.Plan(t, echo, `{"x": "`+strings.Repeat("y", 2<<20)+`"}`)
	began := time.Now()
	if r, err := huge.Run(t.Context(), &outputtest.Kept{}); err != nil || !r.Failed || time.Since(began) > 5*time.Second {
		t.Errorf("%+v %v after %v", r, err, time.Since(began))
	}
}

// The cancel of a run reaches the server and ends the call at once.
func TestCancel(t *testing.T) {
	_, echo, file := one(t, "hangs")
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the run was cancelled")
	done := make(chan struct{})
	p := outputtest.Plan(t, echo, `{}`)
	go func() {
		defer close(done)
		began := time.Now()
		if r, err := p.Run(ctx, &outputtest.Kept{}); !errors.Is(err, gone) || !r.Failed || time.Since(began) > 10*time.Second {
			t.Errorf("%+v %v", r, err)
		}
	}()
	waitForFile(t, file, "called")
	cancel(gone)
	<-done
	waitForFile(t, file, "cancelled")
}

// waitForFile waits until another process has written a word.
func waitForFile(t *testing.T, path, word string) {
	t.Helper()
	late := time.After(10 * time.Second)
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		if text, _ := os.ReadFile(path); strings.Contains(string(text), word) {
			tick.Stop()
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s never said %s", path, word)
		}
	}
}

// A server that dies in a call is started again, and the next call finds it.
func TestDiesInACall(t *testing.T) {
	w, echo, _ := one(t, "dies in a call")
	if r := outputtest.Run(t, echo, `{}`); !r.Failed || !strings.Contains(r.Text, "died before it answered") {
		t.Errorf("%+v", r)
	}
	w.until("death", func() bool { return len(w.Problems()) > 0 })
	if p := w.Problems()[0]; !strings.Contains(p.Message, "exit code 7; it said: out of luck") {
		t.Errorf("%+v", p)
	}
	if r := outputtest.Run(t, echo, `{}`); r.Failed || r.Text != "alive again" {
		t.Errorf("%+v", r)
	}
	if p := w.Problems(); len(p) > 0 {
		t.Errorf("%+v", p)
	}
}

// Nothing of a server is left when it is stopped, also not what it has started in
// a session of its own.
func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux finds what fled")
	}
	w, echo, _ := one(t, "leaves a child")
	child, err := strconv.Atoi(outputtest.Run(t, echo, `{}`).Text)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := os.Stat(fmt.Sprint("/proc/", child)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("process %d: %v", child, err)
	}
}

// A server is told that it is over by the end of its input, and has time for its
// last words.
func TestGoodbye(t *testing.T) {
	w, _, file := one(t, "says goodbye")
	w.Close()
	if said, err := os.ReadFile(file); err != nil || string(said) != "goodbye\n" {
		t.Errorf("%q %v", said, err)
	}
}

// An answer of 100 MB becomes an artifact and is never in memory as a whole.
func TestGiantAnswer(t *testing.T) {
	for _, mode := range []string{"100 MB", "20 MB, id last"} {
		_, echo, _ := one(t, mode)
		k := &outputtest.Kept{Mute: true}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := outputtest.Plan(t, echo, `{}`).Run(t.Context(), k)
		runtime.ReadMemStats(&after)
		if err != nil || r.Spilled == nil {
			t.Fatalf("%s: %+v %v", mode, r, err)
		}
		line := "0123456789 é 🙂 \"line\"\n"
		if want := int64(len(line)*giantLines(mode)) + 1; r.Spilled.Bytes != want || k.Files[0].Size != want {
			t.Errorf("%s: %d bytes, %d in the file, want %d", mode, r.Spilled.Bytes, k.Files[0].Size, want)
		}
		if !strings.HasPrefix(r.Spilled.Head, line+line) || !strings.HasSuffix(r.Spilled.Tail, line+line+"\n") {
			t.Errorf("%s: %.60q … %q", mode, r.Spilled.Head, r.Spilled.Tail[len(r.Spilled.Tail)-60:])
		}
		if last := mode == "20 MB, id last"; r.Failed != last || strings.Contains(r.Spilled.Note, "that are no text are left out: 1") == last || !r.Tainted {
			t.Errorf("%s: failed %v, %q", mode, r.Failed, r.Spilled.Note)
		}
		if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 48<<20 {
			t.Errorf("%s: the heap grew by %d MiB", mode, grown>>20)
		}
	}
}

func TestAnswerThatIsTooLarge(t *testing.T) {
	w, echo, _ := one(t, "150 MB")
	if r := outputtest.Run(t, echo, `{}`); !r.Failed {
		t.Errorf("%+v", r)
	}
	w.until("giant", func() bool {
		return len(w.Problems()) > 0 && strings.Contains(w.Problems()[0].Message, errGiant.Error())
	})
}

// Files of answers that nobody asked for do not pile up.
func TestGiantsNobodyAskedFor(t *testing.T) {
	server, _ := badServerOf(t, "giants nobody asked for")
	w := newWorld(t, "")
	if r := outputtest.Run(t, w.start(server)[0], `{}`); !r.Failed {
		t.Errorf("%+v", r)
	}
	w.until("too many", func() bool { return len(w.Problems()) > 0 && w.Problems()[0].Message == errFlood.Error() })
}

// Whatever an answer is, it is a result or a failed call, and the server and we
// live on. Only what is an image becomes one.
func TestOddAnswers(t *testing.T) {
	_, echo, _ := one(t, "odd answers")
	for i, answer := range oddAnswers {
		r := outputtest.Run(t, echo, fmt.Sprintf(`{"N": %d}`, i))
		if len(r.Parts) > 0 || r.Text == "" || strings.ContainsAny(r.Text, "\x00") {
			t.Errorf("%.80s: %+v", answer, r)
		}
		if strings.Contains(answer, "input_required") && !r.Failed {
			t.Errorf("%s: %+v", answer, r)
		}
		t.Logf("%.60s → %.100q %v", answer, r.Text, r.Failed)
	}
}

// A definition that changes asks again, and only a yes makes it known (ruling 85).
func TestChangedDefinitionAsks(t *testing.T) {
	home := t.TempDir()
	server, _ := badServerOf(t, "changes its tools")
	w := newWorld(t, home)
	echo := w.start(server)[0]
	old := outputtest.Plan(t, echo, `{}`)
	if old.Why != "" {
		t.Errorf("%+v", old)
	}
	outputtest.Run(t, echo, `{}`)
	w.awaitTools(2)

	fresh := outputtest.Plan(t, echo, `{}`)
	if fresh.Why == "" || fresh.Digest == old.Digest {
		t.Errorf("the change does not ask: %+v", fresh)
	}
	if r, err := old.Run(t.Context(), &outputtest.Kept{}); err != nil || !r.Failed || !strings.Contains(r.Text, "nothing was done") {
		t.Errorf("what was judged before the change ran: %+v %v", r, err)
	}
	// Another process of the same home asks, too.
	other := newWorld(t, home)
	again, _ := badServerOf(t, "changes its tools")
	if p := outputtest.Plan(t, other.start(again)[0], `{}`); p.Why != "" {
		t.Errorf("the first definition asks: %+v", p)
	}
	if r, err := fresh.Run(t.Context(), &outputtest.Kept{}); err != nil || r.Failed {
		t.Errorf("%+v %v", r, err)
	}
	if p := outputtest.Plan(t, echo, `{}`); p.Why != "" {
		t.Errorf("it asks once more after a yes: %+v", p)
	}
	tools := w.Ready()
	if p := outputtest.Plan(t, tools[1], `{}`); tools[1].Spec().Name != "mcp__bad__new" || p.Why != "" {
		t.Errorf("a new tool of a known server asks: %+v", p)
	}
}

// awaitTools waits until the servers have so many tools.
func (w world) awaitTools(n int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	s := w.all()[0]
	s.await(ctx, func() bool { return len(s.listed) == n })
	if got := len(w.Ready()); got != n {
		w.t.Fatalf("%d tools", got)
	}
}

func TestLists(t *testing.T) {
	for _, row := range []struct {
		mode    string
		tools   int
		problem string
	}{
		{"too many", maxTools, "more than 100 tools"},
		{"endless list", maxTools, "more than 100 tools"},
		{"bad schemas", 2, "its tool large is left out"},
	} {
		server, _ := badServerOf(t, row.mode)
		w := newWorld(t, "")
		tools := w.start(server)
		if p := w.Problems(); len(tools) != row.tools || len(p) != 1 || p[0].Down || !strings.Contains(p[0].Message, row.problem) {
			t.Errorf("%s: %d tools, %+v", row.mode, len(tools), p)
		}
		if row.mode == "bad schemas" {
			if _, err := tools[0].Plan(json.RawMessage(`{"a": 1}`)); err != nil || string(tools[1].Spec().Schema) != `{"type":"object"}` {
				t.Errorf("%v %s", err, tools[1].Spec().Schema)
			}
		}
		w.Close()
	}
}

// The configuration is followed between runs: what is gone is stopped, what is
// different is started anew, what is the same lives on.
func TestFollowsTheConfiguration(t *testing.T) {
	a, _ := badServerOf(t, "environment")
	a.Name = "a"
	b, _ := badServerOf(t, "well")
	b.Name = "b"
	w := newWorld(t, "")
	names := func(tools []tool.Tool) string { return strings.Join(tool.NewSet(tools...).Names(), " ") }
	if got := names(w.start(b, a)); got != "mcp__a__echo mcp__b__echo" {
		t.Fatal(got)
	}
	first := w.Ready()[0]
	link := w.all()[0].link
	if got := names(w.start(a)); got != "mcp__a__echo" || w.all()[0].link != link {
		t.Error(got)
	}
	a.Env = maps.Clone(a.Env)
	a.Env["X_NEW"] = "1"
	tools := w.start(a)
	if r := outputtest.Run(t, tools[0], `{}`); !strings.Contains(r.Text, "X_NEW=1") {
		t.Error(r.Text)
	}
	if r := outputtest.Run(t, first, `{}`); !r.Failed || !strings.Contains(r.Text, "the configuration has changed") {
		t.Errorf("%+v", r)
	}
	if got := names(w.start()); got != "" || len(w.all()) != 0 {
		t.Error(got)
	}
}

// A changed number is a changed decision.
func TestNumbers(t *testing.T) {
	if serverWords != 1024 {
		t.Errorf("a server's description has %d bytes (ruling 93: 1 KiB)", serverWords)
	}
}
