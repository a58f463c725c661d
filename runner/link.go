// Package runner is the near side of a runner: the hands of a session that are on another
// machine. It starts the command that reaches a worker there, and asks it. What may be done
// is decided here, before it is asked for.
package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Pipe is a connection to a worker that was just started. Close ends the worker, and
// returns when nothing of the command is left here.
type Pipe struct {
	In    io.ReadCloser
	Out   io.WriteCloser
	Close func() error
	// Silence is how long nothing may come before the connection counts as ended; 0 is
	// seam.Silence. It is longer than seam.Beat.
	Silence time.Duration
}

// Dial starts a worker. The context is for the start alone.
type Dial func(ctx context.Context) (Pipe, error)

// Hands are those of one runner. They reach for the worker when they are needed, and again
// after the connection has ended. Their methods are safe for concurrent use.
type Hands struct {
	*link
	seam.Paths // of the worker's machine
}

// New makes hands that have not reached for anything. greeting is what a worker is told each
// time; its Settings may have changed. here is under which URI this machine knows a file of
// the worker's. changed is told, without a lock, that State is another one; it does not
// wait. nil: nobody wants to know.
func New(dial Dial, greeting func() seam.Greeting, here func(uri string) string, changed func()) *Hands {
	l := &link{dial: dial, greeting: greeting, here: here, condition: condition{changed: changed}, heard: map[string]func(any){}, dirs: map[string][]string{}, jobs: map[string]bool{}}
	return &Hands{l, seam.Paths{Ask: l.one}}
}

// link is the connection, while there is one.
type link struct {
	dial     Dial
	greeting func() seam.Greeting
	here     func(uri string) string
	condition

	looks    looks
	dialing  sync.Mutex     // one at a time
	telling  sync.Mutex     // one at a time
	watching sync.WaitGroup // of the connections

	mu sync.Mutex // guards what follows
	connection
	machine seam.Machine // as it said last
	closed  bool
	heard   map[string]func(any) // who hears what the worker tells, by key
	keys    int64                // made so far
	dirs    map[string][]string  // the folders of a session's artifacts, as they were said last
	jobs    map[string]bool      // the sessions that have jobs there, or had some
}

// connection is a worker that was reached.
type connection struct {
	peer  *seam.Peer // nil: there is none
	pipe  Pipe
	knows map[string][]byte // what the worker was told of each session
}

var errClosed = errors.New("the runner is closed")

// now is the connection that there is, nil for none.
func (l *link) now() *seam.Peer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.peer == nil {
		return nil
	}
	select {
	case <-l.peer.Gone():
		return nil
	default:
		return l.peer
	}
}

// Reach makes sure that there is a connection.
func (l *link) Reach(ctx context.Context) error {
	_, err := l.reach(ctx)
	return err
}

func (l *link) reach(ctx context.Context) (*seam.Peer, error) {
	if p := l.now(); p != nil {
		return p, nil
	}
	l.dialing.Lock()
	defer l.dialing.Unlock()
	if p := l.now(); p != nil {
		return p, nil
	}
	if err := l.drop(false); err != nil {
		return nil, err
	}
	l.become(State{Reaching: true})
	now, machine, took, err := l.connect(ctx)
	if err != nil {
		l.missed(ctx, err)
		return nil, err
	}
	l.mu.Lock()
	l.connection = now
	l.machine = machine
	l.mu.Unlock()
	l.become(State{Reached: true, RoundTrip: took})
	l.watch(now.peer)
	return now.peer, nil
}

// connect starts a worker, greets it, and says how long a question takes.
func (l *link) connect(ctx context.Context) (now connection, m seam.Machine, took time.Duration, err error) {
	pipe, err := l.dial(ctx)
	if err != nil {
		return now, m, 0, err
	}
	peer := seam.Connect(context.Background(), pipe.In, pipe.Out, cmp.Or(pipe.Silence, seam.Silence), hearing{l})
	m, err = seam.Ask[seam.Machine](ctx, peer, seam.Hello, l.greeting())
	if err == nil {
		took, err = peer.RoundTrip(ctx)
	}
	if err != nil {
		peer.Close()
		return now, m, 0, why(err, pipe.Close())
	}
	return connection{peer, pipe, map[string][]byte{}}, m, took, nil
}

// why is the reason that nobody was reached, from what was answered, if anything, and how
// the command ended.
func why(answered, ended error) error {
	switch gone := errors.Is(answered, seam.ErrGone); {
	case gone && ended != nil:
		return ended
	case gone:
		return errors.New("the command ended without an answer; is agent-sidecar installed there, and does it start `agent-sidecar worker`?")
	}
	return answered
}

// drop lets go of a connection that has ended, or with end of any.
func (l *link) drop(end bool) error {
	l.looks.drop() // the next worker may find something else
	l.mu.Lock()
	was := l.connection
	l.connection = connection{}
	closed := l.closed
	l.closed = l.closed || end
	clear(l.heard)
	clear(l.dirs)
	clear(l.jobs)
	l.mu.Unlock()
	if was.peer != nil {
		was.peer.Close()
		_ = was.pipe.Close() // how it ended, whoever asked last was told
	}
	l.watching.Wait()
	if end {
		l.become(State{})
	}
	if closed && !end {
		return errClosed
	}
	return nil
}

// Close ends the worker, with all that runs there, and returns when the command that reached
// it has ended.
func (l *link) Close() {
	l.dialing.Lock()
	defer l.dialing.Unlock()
	_ = l.drop(true)
}

// Reached says that there is a connection.
func (l *link) Reached() bool { return l.now() != nil }

// Machine is what the worker has said of where it is; the zero Machine where none was
// reached yet.
func (l *link) Machine() seam.Machine {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.machine
}

// hear lets f hear what the worker tells under a new key, until forget.
func (l *link) hear(f func(any)) (key string, forget func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys++
	key = strconv.FormatInt(l.keys, 10)
	l.heard[key] = f
	return key, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.heard, key)
	}
}

// told tells a worker how a session is, if it was told otherwise before.
func (l *link) told(p *seam.Peer, o seam.Owner) error {
	text, err := json.Marshal(o)
	if err != nil { // the worker would go by how the session was
		return err
	}
	l.telling.Lock() // what is told last is what is so
	defer l.telling.Unlock()
	l.mu.Lock()
	known := p != l.peer || bytes.Equal(l.knows[o.Session], text)
	if !known {
		l.knows[o.Session] = text
	}
	l.mu.Unlock()
	if !known {
		p.Tell(seam.Session, json.RawMessage(text))
	}
	return nil
}

// forgets is called when the worker is told to forget a session.
func (l *link) forgets(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.knows, session)
	delete(l.jobs, session)
}

// hasJobs is called when a session has jobs there.
func (l *link) hasJobs(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.jobs[session] = true
}

// mayHaveJobs says that a session has jobs there, or had some.
func (l *link) mayHaveJobs(session string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.jobs[session]
}

func (l *link) tell(key string, what any) {
	l.mu.Lock()
	f := l.heard[key]
	l.mu.Unlock()
	if f != nil {
		f(what)
	}
}

// hearing takes what a worker tells.
type hearing struct{ l *link }

// Request implements seam.Handler.
func (hearing) Request(context.Context, string, json.RawMessage) (any, error) {
	return nil, errors.New("what the command starts is no worker: it asks instead of answering")
}

// Notification implements seam.Handler.
func (h hearing) Notification(method string, params json.RawMessage) {
	switch method {
	case seam.Said:
		var p seam.Piece
		if json.Unmarshal(params, &p) == nil {
			h.l.tell(p.Key, p)
		}
	case seam.Ended:
		var p seam.JobOver
		if json.Unmarshal(params, &p) == nil {
			h.l.tell(p.Key, p.End)
		}
	case seam.Undone:
		var p seam.OneUndone
		if json.Unmarshal(params, &p) == nil {
			h.l.tell(p.Key, h.l.known([]tool.Change{p.Change})[0])
		}
	}
}

// ask asks the worker, which is reached for it.
func ask[R any](ctx context.Context, l *link, method string, params any) (R, error) {
	p, err := l.reach(ctx)
	if err != nil {
		var none R
		return none, err
	}
	return seam.Ask[R](ctx, p, method, params)
}

// glance asks the worker if it is there; else, and where it has no answer, it gives the zero R.
func glance[R any](l *link, method string, params any) (out R, ok bool) {
	p := l.now()
	if p == nil {
		return out, false
	}
	out, err := seam.Ask[R](context.Background(), p, method, params)
	return out, err == nil
}

// known gives changes the URIs that this machine knows their files by.
func (l *link) known(changes []tool.Change) []tool.Change {
	for i := range changes {
		changes[i].URI = l.here(changes[i].URI)
	}
	return changes
}

// kept gives an artifact the URI that this machine knows its file by.
func (l *link) kept(ref tool.ArtifactRef) tool.ArtifactRef {
	ref.FileURI = l.here(ref.FileURI)
	return ref
}

func (l *link) allKept(refs []tool.ArtifactRef) []tool.ArtifactRef {
	for i := range refs {
		refs[i] = l.kept(refs[i])
	}
	return refs
}

// cancel tells the worker that the run with a key is to end.
func (l *link) cancel(key string) {
	if p := l.now(); p != nil {
		p.Tell(seam.Cancel, key)
	}
}
