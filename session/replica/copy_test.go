package replica_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

// machine is one of a person's: a home with one session in it, and a connection.
type machine struct {
	t     testing.TB
	space *replica.Space
	dir   string
}

var anyKey = replica.NewKey()

func newMachine(t testing.TB, remote replica.Remote) *machine {
	t.Helper()
	m := &machine{t, &replica.Space{Remote: remote, Key: anyKey, Workspace: "github.com/a/b", Disk: &durable.Disk{}}, filepath.Join(t.TempDir(), "0001")}
	if err := os.Mkdir(m.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *machine) log() string { return filepath.Join(m.dir, "events.jsonl") }

// add appends lines to the log.
func (m *machine) add(lines ...string) {
	m.t.Helper()
	m.addTo(m.log(), lines...)
}

func (m *machine) addTo(path string, lines ...string) {
	m.t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	}
	if err := errors.Join(err, f.Close()); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) put(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) has(name string) string {
	raw, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(name)))
	if err != nil {
		return "(none)"
	}
	return string(raw)
}

// copy is the session as a process that starts sees it.
func (m *machine) copy() *replica.Copy {
	m.t.Helper()
	c, err := m.space.Copy("0001", m.dir)
	if err != nil {
		m.t.Fatal(err)
	}
	return c
}

func (m *machine) send() {
	m.t.Helper()
	if err := m.copy().Send(m.t.Context(), replica.All); err != nil {
		m.t.Fatal(err)
	}
}

// take is what another machine gets that has nothing yet.
func (m *machine) take() (*machine, error) {
	m.t.Helper()
	there, _, err := m.space.Tokens(m.t.Context())
	if err != nil || len(there) != 1 {
		m.t.Fatalf("%v %v", there, err)
	}
	to := newMachine(m.t, m.space.Remote)
	for token := range there {
		id, err := to.space.First(m.t.Context(), token)
		if err != nil {
			return to, err
		}
		if id != "0001" {
			m.t.Errorf("it is called %q", id)
		}
		_, err = to.space.Begin(m.t.Context(), id, to.dir, token)
		return to, err
	}
	return nil, nil
}

// same holds that another machine gets exactly what is here.
func (m *machine) same() {
	m.t.Helper()
	other, err := m.take()
	if err != nil {
		m.t.Fatal(err)
	}
	if got, want := other.has("events.jsonl"), m.has("events.jsonl"); got != want {
		m.t.Errorf("the other machine has %d lines, this one %d:\n%.400s", strings.Count(got, "\n"), strings.Count(want, "\n"), got)
	}
}

const hashOfX = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" // of "x"

// A log, its sub-agents and the files beside it come to another machine as they are, also
// what is added later, and go back from there.
func TestThereAndBack(t *testing.T) {
	s := started(t, t.TempDir(), -1, nil)
	a := newMachine(t, reached(t, s))
	a.add("one", "two")
	a.put("blobs/"+hashOfX, "x")
	a.put("blobs/.agent-sidecar-1.tmp", "half")
	a.put("transcripts/0001_t.jsonl", "said")
	a.put("sub/1/events.jsonl", "sub one\n")
	a.put("info.json", "{}")
	a.send()
	b, err := a.take()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"events.jsonl": "one\ntwo\n", "sub/1/events.jsonl": "sub one\n", "blobs/" + hashOfX: "x", "transcripts/0001_t.jsonl": "said",
		"blobs/.agent-sidecar-1.tmp": "(none)", "info.json": "(none)", "pulling.jsonl": "(none)",
	} {
		if got := b.has(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if !replica.Moved(b.dir) || replica.Settled(b.space.Disk, b.dir) != nil || replica.Moved(b.dir) {
		t.Error("the session has moved, once")
	}

	b.add("three")
	b.addTo(filepath.Join(b.dir, "sub/1/events.jsonl"), "sub two")
	b.put("sub/2/events.jsonl", "another\n")
	b.send()
	moved, err := a.copy().Take(t.Context())
	if err != nil || !moved || a.has("events.jsonl") != "one\ntwo\nthree\n" || a.has("sub/1/events.jsonl") != "sub one\nsub two\n" || a.has("sub/2/events.jsonl") != "another\n" {
		t.Errorf("back: %v %v %q", moved, err, a.has("events.jsonl"))
	}
	if moved, err := a.copy().Take(t.Context()); err != nil || moved {
		t.Errorf("again: %v %v", moved, err)
	}
	a.same()
}

// Where two machines go on from the same line, one is first, and the other is told up to
// where they are the same. Nothing of either is lost or mixed.
func TestTwoWriters(t *testing.T) {
	s := started(t, t.TempDir(), -1, nil)
	a := newMachine(t, reached(t, s))
	a.add("one", "two")
	a.send()
	b, err := a.take()
	if err != nil {
		t.Fatal(err)
	}
	b.space.Remote = reached(t, s)
	a.add("three")
	b.add("three")
	a.send()
	b.send() // the same line is no conflict
	copies := []*replica.Copy{a.copy(), b.copy()}
	for _, c := range copies { // both know what the server has
		if err := c.Send(t.Context(), replica.All); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 20 {
		a.add(fmt.Sprint("a", round), fmt.Sprint("a'", round))
		b.add(fmt.Sprint("b", round))
	}
	var wait sync.WaitGroup
	errs := make([]error, 2)
	for i, c := range copies {
		wait.Go(func() { errs[i] = c.Send(t.Context(), replica.All) })
	}
	wait.Wait()
	won, lost := a, b
	if errs[0] != nil {
		won, lost, errs = b, a, []error{errs[1], errs[0]}
	}
	var apart *replica.DivergedError
	if errs[0] != nil || !errors.As(errs[1], &apart) || apart.Common != 3 {
		t.Fatalf("%v %+v", errs, apart)
	}
	won.same()
	before := lost.has("events.jsonl")
	c := lost.copy()
	if _, err := c.Take(t.Context()); !errors.As(err, &apart) || apart.Common != 3 || lost.has("events.jsonl") != before {
		t.Fatalf("what has come apart is not mixed: %v", err)
	}
	if err := errors.Join(c.Forked("0002"), lost.copy().Refill(t.Context())); err != nil {
		t.Fatal(err)
	}
	if lost.has("events.jsonl") != won.has("events.jsonl") {
		t.Error("the log is not the server's now")
	}
}

// A fork that was made of a log is known until its lines are replaced: who dies between makes
// no second one.
func TestForkedOnce(t *testing.T) {
	a := newMachine(t, reached(t, started(t, t.TempDir(), -1, nil)))
	a.add("one")
	if err := a.copy().Forked("0007"); err != nil {
		t.Fatal(err)
	}
	if got := a.copy().ForkOf(); got != "0007" {
		t.Errorf("%q", got)
	}
	a.add("two")
	if got := a.copy().ForkOf(); got != "" {
		t.Errorf("%q has other lines", got)
	}
}

// A session that has not changed since it was looked at is known without asking for it.
func TestSame(t *testing.T) {
	a := newMachine(t, reached(t, started(t, t.TempDir(), -1, nil)))
	a.add("one")
	c := a.copy()
	if err := errors.Join(c.Send(t.Context(), replica.All), c.Seen(0)); err != nil || a.copy().Same(1) {
		t.Errorf("it was sent just now: %v", err)
	}
	c = a.copy()
	_, err := c.Take(t.Context())
	if err := errors.Join(err, c.Send(t.Context(), replica.All), c.Seen(1)); err != nil || !a.copy().Same(1) || a.copy().Same(2) || a.copy().Same(0) {
		t.Errorf("nothing has changed, or the server has more: %v", err)
	}
	a.add("two")
	if a.copy().Same(1) {
		t.Error("there is another line")
	}
}

// A line that is longer than a message may be, and more lines than fit into one.
func TestLongLines(t *testing.T) {
	a := newMachine(t, reached(t, started(t, t.TempDir(), -1, func(o *server.Options) { o.MaxPayload = 64 << 10 })))
	a.add("first", strings.Repeat("x", 1<<20), "between", strings.Repeat("y", 63<<10))
	for i := range 3000 {
		a.add(fmt.Sprint(i, strings.Repeat("z", i%97)))
	}
	a.send()
	a.same()
}

// raw are the messages of the person's stream, to be tampered with as a server can.
func raw(t *testing.T, s *server.Server) jetstream.Stream {
	t.Helper()
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	all, err := js.Stream(t.Context(), "agent-sidecar-p")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What a server leaves out, gives twice, gives in another order or for another session is
// noticed by the machine that takes it, and no line of it is written.
func TestBypassServer(t *testing.T) {
	for what, tamper := range map[string]func(*testing.T, *server.Server){
		"the middle left out":    func(t *testing.T, s *server.Server) { remove(t, s, 2) },
		"the beginning left out": func(t *testing.T, s *server.Server) { remove(t, s, 1) },
		"given twice":            func(t *testing.T, s *server.Server) { again(t, s, 3, 1) },
		"in another order":       func(t *testing.T, s *server.Server) { again(t, s, 2, 1); remove(t, s, 2) },
		"lines of two histories": mixed,
		"a made up one":          func(t *testing.T, s *server.Server) { again(t, s, 3, 0) },
	} {
		t.Run(what, func(t *testing.T) {
			s := started(t, t.TempDir(), -1, nil)
			a := newMachine(t, reached(t, s))
			for _, line := range []string{"one", "two", "three"} {
				a.add(line)
				a.send()
			}
			tamper(t, s)
			other, err := a.take()
			if !errors.Is(err, replica.ErrForged) || other.has("events.jsonl") != "(none)" {
				t.Errorf("%v, and the log is %q", err, other.has("events.jsonl"))
			}
		})
	}
}

// mixed puts the third line of one history behind the first two of another.
func mixed(t *testing.T, s *server.Server) {
	t.Helper()
	third, err := raw(t, s).GetMsg(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	remove(t, s, 3)
	remove(t, s, 2)
	b := newMachine(t, reached(t, s))
	b.add("one")
	b.send()
	b.add("another two")
	b.send()
	put(t, s, third)
}

func remove(t *testing.T, s *server.Server, seq uint64) {
	t.Helper()
	if err := raw(t, s).DeleteMsg(t.Context(), seq); err != nil {
		t.Fatal(err)
	}
}

// again gives a message once more at the end, or with change one that nobody wrote.
func again(t *testing.T, s *server.Server, seq uint64, same int) {
	t.Helper()
	m, err := raw(t, s).GetMsg(t.Context(), seq)
	if err != nil {
		t.Fatal(err)
	}
	if same == 0 {
		m.Data[len(m.Data)-1] ^= 1
	}
	put(t, s, m)
}

func put(t *testing.T, s *server.Server, m *jetstream.RawStreamMsg) {
	t.Helper()
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Request(m.Subject, m.Data, 10*time.Second); err != nil {
		t.Fatal(err)
	}
}

// A server that goes back to what it had is told again; where it is then, other machines see
// nothing of the way there.
func TestServerGoesBack(t *testing.T) {
	s := started(t, t.TempDir(), -1, nil)
	a := newMachine(t, reached(t, s))
	for _, line := range []string{"one", "two", "three", "four"} {
		a.add(line)
		a.send()
	}
	remove(t, s, 4)
	remove(t, s, 3)
	a.send()
	a.same()
	if err := raw(t, s).Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.send()
	a.same()
}

// A session that was deleted is gone on the server, and nobody sends it again.
func TestBury(t *testing.T) {
	s := started(t, t.TempDir(), -1, nil)
	a := newMachine(t, reached(t, s))
	a.add("one")
	a.put("blobs/"+hashOfX, "x")
	a.put("sub/1/events.jsonl", "sub one\n")
	a.send()
	b, err := a.take()
	if err != nil {
		t.Fatal(err)
	}
	grave := a.copy().Grave()
	if err := errors.Join(a.space.Bury(t.Context(), grave), a.space.Bury(t.Context(), grave)); err != nil {
		t.Fatal(err)
	}
	there, gone, err := b.space.Tokens(t.Context())
	if err != nil || len(there) != 0 || len(gone) != 1 {
		t.Errorf("%v %v %v", there, gone, err)
	}
	if all, err := raw(t, s).Info(t.Context()); err != nil || all.State.Msgs != 1 {
		t.Errorf("%+v %v", all, err)
	}
	if !b.copy().Whole() {
		t.Error("all of it was on the server")
	}
	b.add("mine")
	if err := b.copy().Send(t.Context(), replica.All); !errors.Is(err, replica.ErrGone) || b.copy().Whole() {
		t.Errorf("%v", err)
	}
}

// Nothing that is said is in what the server gets: not a line, not a name.
func TestServerLearnsNothing(t *testing.T) {
	dir := t.TempDir()
	s := started(t, dir, -1, nil)
	a := newMachine(t, reached(t, s))
	a.add(`{"secretword": "0001"}`)
	a.put("blobs/"+hashOfX, "secretword")
	a.send()
	ended(s)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, word := range []string{"secretword", "github.com/a/b", hashOfX} {
			if bytes.Contains(data, []byte(word)) {
				t.Errorf("%s is in %s", word, d.Name())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
