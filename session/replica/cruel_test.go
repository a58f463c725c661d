package replica_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

var errDied = errors.New("the process died")

// dying is a server as a process sees it that dies at one of its requests: before it, or when
// the server has it and nobody here knows.
type dying struct {
	replica.Remote
	left   int // requests until then
	behind bool
	disk   *durable.Disk
}

func (d *dying) step(do func() error) error {
	if d.left--; d.left > 0 {
		return do()
	}
	if d.left < 0 {
		return errDied
	}
	if d.behind {
		_ = do()
	}
	d.disk.Freeze()
	return errDied
}

func (d *dying) Append(ctx context.Context, subject string, after uint64, id string, data []byte) (at uint64, err error) {
	err = d.step(func() error {
		at, err = d.Remote.Append(ctx, subject, after, id, data)
		return err
	})
	return at, err
}

func (d *dying) Last(ctx context.Context, subject string) (m replica.Message, err error) {
	err = d.step(func() error {
		m, err = d.Remote.Last(ctx, subject)
		return err
	})
	return m, err
}

func (d *dying) Each(ctx context.Context, subject string, from uint64, each func(replica.Message) error) error {
	return d.Remote.Each(ctx, subject, from, func(m replica.Message) error {
		return d.step(func() error { return each(m) })
	})
}

func (d *dying) PutBlob(ctx context.Context, name string, data []byte) error {
	return d.step(func() error { return d.Remote.PutBlob(ctx, name, data) })
}

func (d *dying) Blob(ctx context.Context, name string) (data []byte, err error) {
	err = d.step(func() error {
		data, err = d.Remote.Blob(ctx, name)
		return err
	})
	return data, err
}

// dies runs something in a process that dies on the way, and says whether it did.
func (m *machine) dies(random *rand.Rand, do func(m *machine) error) bool {
	m.t.Helper()
	life := *m
	disk := &durable.Disk{}
	d := &dying{m.space.Remote, 1 + random.IntN(8), random.IntN(2) == 0, disk}
	life.space = &replica.Space{Remote: d, Key: m.space.Key, Workspace: m.space.Workspace, Disk: disk}
	if random.IntN(3) == 0 { // or at a step to the disk
		steps, torn := 1+random.IntN(12), random.IntN(2) == 0
		disk.Fail(func(op durable.Op, _ string) error {
			if steps--; steps != 0 {
				return nil
			}
			if torn && (op == durable.OpAppend || op == durable.OpTemp) {
				return durable.Torn{Half: true, Crash: true}
			}
			disk.Freeze()
			return nil
		})
	}
	err := do(&life)
	if err != nil && !errors.Is(err, errDied) && !disk.Frozen() {
		m.t.Fatal(err)
	}
	return err != nil || disk.Frozen()
}

// kills is how often a process dies in a test.
const kills = 200

// However often and wherever the processes of both machines die, what is on the server is a
// beginning of the log, what is on the other machine is a beginning of that, and in the end
// every line is everywhere, once.
func TestKilled(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	s := started(t, t.TempDir(), -1, nil)
	a := newMachine(t, reached(t, s))
	b := newMachine(t, a.space.Remote)
	died, n := 0, 0
	write := func() {
		for range random.IntN(4) {
			n++
			a.add(fmt.Sprintf("line %d%s", n, strings.Repeat("x", random.IntN(100)*random.IntN(100)*(1-min(1, random.IntN(4))))))
			if random.IntN(5) == 0 {
				a.put(fmt.Sprintf("transcripts/%d", n), fmt.Sprint(n))
			}
			if random.IntN(5) == 0 {
				a.addTo(a.sub(), fmt.Sprint("sub ", n))
			}
		}
	}
	a.put("sub/1/events.jsonl", "sub 0\n")
	a.add("line 0")
	for died < kills {
		write()
		if a.dies(random, func(m *machine) error { return m.copy().Send(t.Context(), replica.All) }) {
			died++
		}
		if random.IntN(2) == 0 && b.dies(random, (*machine).follow) {
			died++
		}
		if got := b.has("events.jsonl"); got != "(none)" && !strings.HasPrefix(a.has("events.jsonl"), whole(got)) {
			t.Fatalf("after %d deaths the other machine has other lines", died)
		}
	}
	a.send()
	if err := b.follow(); err != nil {
		t.Fatal(err)
	}
	a.same()
	for _, name := range append(a.beside(), "events.jsonl") {
		if got, want := b.has(name), a.has(name); got != want {
			t.Errorf("%s: %.100q, not %.100q", name, got, want)
		}
	}
}

func (m *machine) sub() string { return filepath.Join(m.dir, "sub/1/events.jsonl") }

// beside are the files that a copy has, but for the log.
func (m *machine) beside() (names []string) {
	for _, pattern := range []string{"transcripts/*", "sub/*/events.jsonl"} {
		found, _ := filepath.Glob(filepath.Join(m.dir, pattern))
		for _, path := range found {
			rel, _ := filepath.Rel(m.dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
	}
	return names
}

// whole is a log without a torn end.
func whole(log string) string { return log[:strings.LastIndexByte(log, '\n')+1] }

// follow brings a machine that writes nothing to what the server has.
func (m *machine) follow() error {
	ctx := m.t.Context()
	if whole(m.has("events.jsonl")) != "" {
		c, err := m.space.Copy("0001", m.dir)
		if err == nil {
			_, err = c.Take(ctx)
		}
		return err
	}
	there, _, err := m.space.Tokens(ctx)
	for token := range there {
		_, err = m.space.Begin(ctx, "0001", m.dir, token)
	}
	return err
}

// A server that is gone and comes back, with or without its disk, costs nothing but time.
func TestServerAway(t *testing.T) {
	dir := t.TempDir()
	s := started(t, dir, -1, nil)
	port := portOf(s)
	r := reached(t, s)
	a := newMachine(t, r)
	a.add("one")
	c := a.copy()
	for round := range 3 {
		a.add(fmt.Sprint("while it is there ", round))
		if err := c.Send(t.Context(), replica.All); err != nil {
			t.Fatal(err)
		}
		ended(s)
		a.add(fmt.Sprint("while it is away ", round))
		if err := c.Send(t.Context(), replica.All); err == nil {
			t.Fatal("nobody is there")
		}
		if round == 1 {
			dir = t.TempDir()
		}
		away := r.Reconnected()
		s = started(t, dir, port, nil)
		<-away
		if err := c.Send(t.Context(), replica.All); err != nil {
			t.Fatal(err)
		}
		a.same()
	}
}

// Two machines that bring a server its lines back at once do not mix them, and each ends with
// all of them there.
func TestServerLosesItsDisk(t *testing.T) {
	s := started(t, t.TempDir(), -1, nil)
	a := newMachine(t, reached(t, s))
	for i := range 60 {
		a.add(fmt.Sprint(i, strings.Repeat("x", 50<<10)))
	}
	a.put("blobs/"+hashOfX, "x")
	a.send()
	b, err := a.take()
	if err != nil {
		t.Fatal(err)
	}
	b.space.Remote = reached(t, s)
	for range 3 {
		if err := raw(t, s).Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		errs := make([]error, 2)
		for i, m := range []*machine{a, b} {
			c := m.copy()
			wait.Go(func() { errs[i] = c.Send(t.Context(), replica.All) })
		}
		if wait.Wait(); errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		a.same()
		other, err := a.take()
		if err != nil || other.has("blobs/"+hashOfX) != "x" {
			t.Errorf("the file beside the log: %q %v", other.has("blobs/"+hashOfX), err)
		}
	}
}

// Two machines that go on at random, each as often as it likes without the other, and die on
// the way: every line that was ever written is in the session or in a fork, once in each.
func TestPartition(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	s := started(t, t.TempDir(), -1, nil)
	a := newMachine(t, reached(t, s))
	a.add("begin")
	a.send()
	b, err := a.take()
	if err != nil {
		t.Fatal(err)
	}
	b.space.Remote = reached(t, s)
	var written, forks []string
	for i := range 150 {
		m := []*machine{a, b}[random.IntN(2)]
		line := fmt.Sprint("line ", i)
		m.add(line)
		written = append(written, line)
		if random.IntN(3) > 0 { // it is away
			continue
		}
		forks = append(forks, m.meet(random)...)
	}
	forks = append(forks, a.meet(random)...)
	forks = append(forks, b.meet(random)...)
	forks = append(forks, a.meet(random)...)
	a.same()
	if a.has("events.jsonl") != b.has("events.jsonl") {
		t.Error("the two are not the same")
	}
	all := append(forks, a.has("events.jsonl"))
	for _, line := range written {
		if !slices.ContainsFunc(all, func(log string) bool { return strings.Contains(log, line+"\n") }) {
			t.Errorf("%q is lost", line)
		}
	}
	for _, log := range all {
		seen := map[string]bool{}
		for line := range strings.Lines(log) {
			if seen[line] {
				t.Errorf("%q is there twice", line)
			}
			seen[line] = true
		}
	}
	if len(forks) == 0 {
		t.Error("they never came apart")
	}
}

// meet is a machine that reaches the server: it sends, takes, or keeps its own as a fork.
// Sometimes it dies first.
func (m *machine) meet(random *rand.Rand) (forks []string) {
	m.t.Helper()
	for range random.IntN(3) {
		m.dies(random, func(m *machine) error {
			err := m.copy().Send(m.t.Context(), replica.All)
			if errors.Is(err, replica.ErrBehind) || errors.As(err, new(*replica.DivergedError)) {
				return nil
			}
			return err
		})
	}
	c := m.copy()
	err := c.Send(m.t.Context(), replica.All)
	if errors.Is(err, replica.ErrBehind) {
		_, err = c.Take(m.t.Context())
	}
	if errors.As(err, new(*replica.DivergedError)) {
		forks = append(forks, m.has("events.jsonl"))
		err = c.Refill(m.t.Context())
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return forks
}
