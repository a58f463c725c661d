package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/copies"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/replica"
	"github.com/agent-sidecar/agent-sidecar/session/replica/stream"
)

// The server of the tests here, which ends with each.
func natsServer(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true, SyncInterval: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

// wire is a way to a server that can be cut.
type wire struct {
	t     *testing.T
	to    string
	addr  string
	mu    sync.Mutex // guards what follows
	in    net.Listener
	conns []net.Conn
	work  sync.WaitGroup
}

func newWire(t *testing.T, s *server.Server) *wire {
	t.Helper()
	w := &wire{t: t, to: s.Addr().String(), addr: "127.0.0.1:0"}
	w.mend()
	t.Cleanup(w.cut)
	return w
}

func (w *wire) mend() {
	w.t.Helper()
	in, err := net.Listen("tcp", w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	w.in, w.addr = in, in.Addr().String()
	w.mu.Unlock()
	w.work.Go(func() {
		for {
			near, err := in.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", w.to)
			if err != nil {
				near.Close()
				continue
			}
			w.mu.Lock()
			w.conns = append(w.conns, near, far)
			w.mu.Unlock()
			for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
				w.work.Go(func() {
					_, _ = io.Copy(pair[0], pair[1])
					near.Close()
					far.Close()
				})
			}
		}
	})
}

func (w *wire) cut() {
	w.mu.Lock()
	w.in.Close()
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
	w.mu.Unlock()
	w.work.Wait()
}

// laptop is a machine of a person whose sessions are copied.
type laptop struct {
	*Store
	t      *testing.T
	wire   *wire
	server *stream.Server
	keeper *copies.Keeper
	told   chan string // "<id> <state>"
}

var personsKey = replica.NewKey()

func newLaptop(t *testing.T, s *server.Server, name string) *laptop {
	t.Helper()
	l := &laptop{t: t, wire: newWire(t, s), told: make(chan string, 1000)}
	var err error
	if l.server, err = stream.New(stream.Options{URL: "nats://" + l.wire.addr, Person: "p", Leases: time.Minute, Again: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.server.Close)
	deps := newStore(t).deps
	deps.SyncState = func(id string) string { return string(l.keeper.State(id)) }
	l.Store = OpenCopied(deps, func(st *Store) *copies.Keeper {
		l.keeper = copies.NewKeeper(copies.Options{
			Space:    &replica.Space{Remote: l.server, Key: personsKey, Workspace: "w", Disk: &durable.Disk{}},
			Sessions: st, Machine: replica.Machine{ID: name, Name: name},
			Told: func(id string, state copies.State, fork string) {
				l.told <- strings.TrimSpace(id + " " + string(state) + " " + fork)
			},
			Failed: func(id string, err error) { t.Logf("%s: %s: %v", name, id, err) },
		})
		return l.keeper
	})
	t.Cleanup(l.leave)
	l.keeper.Look() // it reaches the server
	return l
}

// leave is the end of the process.
func (l *laptop) leave() {
	if err := l.Close(context.Background()); err != nil {
		l.t.Error(err)
	}
	l.keeper.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.open)
}

// until waits for a state, and gives what is in the place of "...".
func (l *laptop) until(want string) (last string) {
	l.t.Helper()
	want, open := strings.CutSuffix(want, "...")
	for {
		got := <-l.told
		if rest, is := strings.CutPrefix(got, want); is && (rest == "" || open) {
			return rest
		}
	}
}

func (l *laptop) sync() {
	l.t.Helper()
	if err := l.keeper.Sync(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
}

func (l *laptop) log(id string) string {
	raw, err := os.ReadFile(filepath.Join(l.dir, id, "events.jsonl"))
	if err != nil {
		return "(none)"
	}
	return string(raw)
}

func titled(t *testing.T, s *session.Session, title string) {
	t.Helper()
	if _, err := s.Update(session.Update{Title: &title}); err != nil {
		t.Fatal(err)
	}
}

// A session goes on at another machine, and back.
func TestGoesOnElsewhere(t *testing.T) {
	s := natsServer(t)
	a, b := newLaptop(t, s, "a"), newLaptop(t, s, "b")
	of := beginAs(t, a.Store, "from a")
	id := of.ID()
	a.until(id + " synced")
	if got := of.Info().SyncState; got != "synced" {
		t.Errorf("it is %s", got)
	}
	b.sync()
	if i := only(t, b.Store); i.ID != id || i.Title != "from a" || i.SyncState != "synced" {
		t.Errorf("%+v", i)
	}
	if held := b.HeldBy(id); held == nil || held.Machine != "a" {
		t.Errorf("it is open on %+v", held)
	}
	var locked *session.LockedError
	if _, err := b.Get(id); !errors.As(err, &locked) || locked.Machine != "a" {
		t.Errorf("opened while it is open: %v", err)
	}
	if err := b.Delete(t.Context(), id); !errors.As(err, &locked) || b.log(id) == "(none)" {
		t.Errorf("deleted while it is open: %v", err)
	}
	a.leave()

	there, err := b.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	titled(t, there, "from b")
	b.leave()
	if !strings.Contains(b.log(id), `"moved":true`) || strings.Count(b.log(id), `"moved":true`) != 1 {
		t.Errorf("it does not say that it moved:\n%s", b.log(id))
	}
	c := newLaptop(t, s, "c")
	c.sync()
	back, err := c.Get(id)
	if err != nil || back.Info().Title != "from b" {
		t.Fatalf("%v %v", back, err)
	}
	if got := c.log(id); !strings.HasPrefix(got, b.log(id)) || strings.Count(got, `"moved":true`) != 2 {
		t.Errorf("the log there is\n%s", got)
	}
}

// What two machines write while they do not reach each other becomes two sessions on both, also
// where one of them is open.
func TestComesApart(t *testing.T) {
	s := natsServer(t)
	a, b := newLaptop(t, s, "a"), newLaptop(t, s, "b")
	of := beginAs(t, a.Store, "both") // in one line, which is the only one to be "synced"
	id := of.ID()
	a.until(id + " synced")
	a.wire.cut()
	<-a.server.Lost()
	titled(t, of, "on a")
	common := strings.Count(a.log(id), "\n") - 1
	a.until(id + " syncing")

	b.sync()
	expire(t, b, id)
	there, err := b.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	titled(t, there, "on b")
	b.leave()
	mine := a.log(id)

	a.wire.mend()
	<-a.server.Reconnected()
	a.until(id + " conflict")
	fork := a.info(a.until(id + " conflict ..."))
	if got := a.log(id); got != b.log(id) {
		t.Errorf("the session is not the one of the server:\n%s", got)
	}
	if fork.Parent.AtSeq != int64(common) || fork.Title != "on a" || !strings.HasPrefix(behindFirst(a.log(fork.ID)), behindFirst(mine)) {
		t.Errorf("%+v\n%s", fork, a.log(fork.ID))
	}
	if i := a.info(id); i.SyncState != "conflict" || i.Title != "on b" {
		t.Errorf("%+v", i)
	}
	again, err := a.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	titled(t, again, "goes on")
	a.until(id + " synced")
	a.leave()
	c := newLaptop(t, s, "c")
	c.sync()
	if got := c.info(fork.ID); got.Title != "on a" || c.info(id).Title != "goes on" {
		t.Errorf("%+v", got)
	}
}

func behindFirst(log string) string {
	_, rest, _ := strings.Cut(log, "\n")
	return rest
}

// expire ends what another machine says it has.
func expire(t *testing.T, l *laptop, id string) {
	t.Helper()
	owners, err := l.server.Owners(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name := range owners {
		_, held, err := l.server.Owner(t.Context(), name)
		if err == nil {
			err = l.server.Release(t.Context(), name, held)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (l *laptop) info(id string) history.Info {
	l.t.Helper()
	all, err := l.List(Query{})
	if err != nil {
		l.t.Fatal(err)
	}
	for _, i := range all {
		if i.ID == id {
			return i
		}
	}
	l.t.Fatalf("there is no session %s", id)
	return history.Info{}
}

// A session that is deleted is deleted everywhere, but for what another machine alone has.
func TestDeletedElsewhere(t *testing.T) {
	s := natsServer(t)
	a, b := newLaptop(t, s, "a"), newLaptop(t, s, "b")
	ids := []string{}
	for i := range 2 {
		of := begin(t, a.Store)
		titled(t, of, fmt.Sprint("number ", i))
		a.until(of.ID() + " synced")
		ids = append(ids, of.ID())
	}
	b.sync()
	b.leave()
	appendLog(t, filepath.Join(b.dir, ids[1]), `{"seq":3,"time":"2026-01-03T00:00:00.000Z","type":"session.changed","data":{"title":"mine"}}`+"\n")
	for _, id := range ids {
		if err := a.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	a.sync()
	c := newLaptop(t, s, "c")
	c.sync()
	if all, err := c.List(Query{}); err != nil || len(all) != 0 {
		t.Errorf("on a machine that never had them: %+v %v", all, err)
	}
	again := newLaptop(t, s, "b")
	again.dir = b.dir
	again.sync()
	left := only(t, again.Store)
	if left.Title != "mine" || left.Parent == nil || left.Parent.SessionID != ids[1] {
		t.Errorf("%+v", left)
	}
}

// What was allowed for a session on one machine is not allowed on the next, full access
// neither, whatever its log says.
func TestBypassGrantsTravel(t *testing.T) {
	s := natsServer(t)
	a, b := newLaptop(t, s, "a"), newLaptop(t, s, "b")
	writeLog(t, a.Store, "0001", openedMain, `"type":"session.changed","data":{"mode":"full_access"}`,
		`"type":"approval.resolved","data":{"approvalId":"1","callId":"c","decision":"session","by":"client","grants":[{"domain":"bash","pattern":"rm *","decision":"allow"}]}`)
	a.sync()
	b.sync()
	if _, err := b.Get("0001"); err != nil {
		t.Fatal(err)
	}
	state, err := history.Replay(filepath.Join(b.dir, "0001"))
	if err != nil || len(state.Grants) != 0 || state.Info.Mode != "agent" {
		t.Errorf("%+v, %s: %v", state.Grants, state.Info.Mode, err)
	}
	if state, err = history.Replay(filepath.Join(a.dir, "0001")); err != nil || len(state.Grants) != 1 {
		t.Errorf("where it was given: %+v %v", state.Grants, err)
	}
}

// A machine that was away while another one went on, as a laptop that slept, lets go of the
// session, and shows what was written meanwhile.
func TestAwayForLong(t *testing.T) {
	s := natsServer(t)
	a, b := newLaptop(t, s, "a"), newLaptop(t, s, "b")
	of := beginAs(t, a.Store, "both")
	id := of.ID()
	a.until(id + " synced")
	b.sync()
	a.wire.cut()
	<-a.server.Lost()
	expire(t, b, id)
	there, err := b.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	titled(t, there, "on b")
	c, err := b.keeper.Space.Copy(id, b.Dir(id))
	if err == nil {
		err = c.Send(t.Context(), replica.All) // it is there for certain
	}
	if err != nil {
		t.Fatal(err)
	}
	a.wire.mend()
	a.until(id + " synced") // behind the other's lines
	var locked *session.LockedError
	if _, err := a.Get(id); !errors.As(err, &locked) || locked.Machine != "b" {
		t.Errorf("%v", err)
	}
	if got := a.info(id).Title; got != "on b" || a.log(id) != b.log(id) {
		t.Errorf("it shows %q", got)
	}
}
