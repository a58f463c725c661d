package copies

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

// Options are what a Keeper is made of.
type Options struct {
	Space    *replica.Space
	Sessions Sessions
	Machine  replica.Machine
	// Told hears of each change of a state, one after the other. fork is the session that has
	// the lines which were here, once those of the server are in their place; else "".
	Told func(id string, state State, fork string)
	// Failed hears of what could not be done, and is done again later.
	Failed func(id string, err error)
}

// Keeper keeps the sessions of a workspace and their copies the same. Nothing that it does
// for a session that is open is waited for by anybody but Closed, and by that for a moment. A
// nil Keeper keeps nothing: all sessions are local_only.
type Keeper struct {
	Options
	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex // guards everything below; a leaf
	states map[string]State
	apart  map[string]bool            // in conflict until the next line here
	open   map[string]*following      // by id
	leases map[string]*replica.Lease  // by id
	others map[string]string          // id by token, of what cannot be brought
	owners map[string]replica.Machine // by id, as they were at the last look
	round  *round                     // the one that goes on, or the last one
	begun  time.Time                  // zero: it has not

	telling sync.Mutex       // guards told, and keeps what is told in order
	told    map[string]State // by id
}

// NewKeeper is one that has not begun.
func NewKeeper(o Options) *Keeper {
	k := &Keeper{Options: o, states: map[string]State{}, apart: map[string]bool{}, open: map[string]*following{}, leases: map[string]*replica.Lease{}, others: map[string]string{}, told: map[string]State{}}
	k.ctx, k.stop = context.WithCancel(context.Background())
	return k
}

// Close ends everything. The sessions were closed before.
func (k *Keeper) Close() {
	if k == nil {
		return
	}
	k.stop()
	k.work.Wait()
}

// The waits of a person.
const (
	openWait  = 3 * time.Second  // to open a session: for the server
	takeWait  = 20 * time.Second // and for what another machine has added: without it, what is written here becomes a fork
	closeWait = 2 * time.Second  // to close one: for the last lines
	listWait  = 2 * time.Second  // to list: for the first look at the server
)

// begin starts what goes on for as long as there is a Keeper.
func (k *Keeper) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.begun.IsZero() || k.ctx.Err() != nil {
		return
	}
	k.begun = time.Now()
	k.Space.Remote.Begin()
	k.work.Go(k.keepLeases)
	k.work.Go(k.rounds)
}

// State is that of a session.
func (k *Keeper) State(id string) State {
	if k == nil {
		return LocalOnly
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stateLocked(id)
}

func (k *Keeper) stateLocked(id string) State {
	switch s := k.states[id]; {
	case k.apart[id]:
		return Conflict
	case s == "":
		return Syncing // nobody has looked yet
	default:
		return s
	}
}

// set changes the state of a session, and tells of it. That lines are on their way is told
// only where they are for a while: they are with every line.
func (k *Keeper) set(id string, change func()) {
	k.mu.Lock()
	was := k.stateLocked(id)
	change()
	now := k.stateLocked(id)
	k.mu.Unlock()
	switch {
	case now == was:
	case now == Syncing && was == Synced:
		time.AfterFunc(syncingAfter, func() { k.tell(id) })
	default:
		k.tell(id)
	}
}

// syncingAfter is how long a line may be on its way before it is told.
const syncingAfter = time.Second

// tell says what the state of a session is now, unless that was said last.
func (k *Keeper) tell(id string) {
	k.telling.Lock()
	defer k.telling.Unlock()
	if now := k.State(id); k.told[id] != now && k.ctx.Err() == nil && k.Told != nil {
		k.told[id] = now
		k.Told(id, now, "")
	}
}

// parted says that a session has the lines of the server now.
func (k *Keeper) parted(id, fork string) {
	k.telling.Lock()
	defer k.telling.Unlock()
	if k.told[id] = Conflict; k.Told != nil {
		k.Told(id, Conflict, fork)
	}
}

func (k *Keeper) become(id string, s State) { k.set(id, func() { k.states[id] = s }) }

// reached waits for the server for as long as ctx.
func (k *Keeper) reached(ctx context.Context) bool {
	select {
	case <-k.Space.Remote.Reconnected():
		return true
	default:
	}
	select {
	case <-k.Space.Remote.Reconnected():
		return true
	case <-ctx.Done():
		return false
	}
}

// reachedSoon waits for the server where it was not looked for long: once it could not be
// reached, nobody waits.
func (k *Keeper) reachedSoon(ctx context.Context) bool {
	k.mu.Lock()
	soon, cancel := context.WithDeadline(ctx, k.begun.Add(openWait))
	k.mu.Unlock()
	defer cancel()
	return k.reached(soon)
}

// Opening makes a session that is about to be opened here, and is claimed by Alone, what it
// is on the server. owner is the machine that has it; "" none has, or nobody knows: a server
// that is not reached keeps nobody from working.
func (k *Keeper) Opening(id string) (owner string) {
	if k == nil {
		return ""
	}
	k.begin()
	ctx, cancel := context.WithTimeout(k.ctx, openWait)
	defer cancel()
	if !k.reachedSoon(ctx) || k.locked(id, func() error { return nil }) != nil {
		return "" // who has it is said by the lock
	}
	c, err := k.Space.Copy(id, k.Sessions.Dir(id))
	if err != nil {
		return ""
	}
	l, err := k.Space.Claim(ctx, c.Token(), k.Machine)
	var owned *replica.OwnedError
	if errors.As(err, &owned) {
		_ = k.reconcile(ctx, id) // it is read here
		return owned.By.Name
	}
	if err != nil {
		k.failed(id, err)
		return ""
	}
	k.mu.Lock()
	k.leases[id] = l
	k.mu.Unlock()
	taking, stop := context.WithTimeout(k.ctx, takeWait)
	defer stop()
	if err := k.reconcile(taking, id); err != nil {
		k.failed(id, err)
	}
	return ""
}

// Owner is the machine that had a session open at the last look, "" where that is not another
// one.
func (k *Keeper) Owner(id string) string {
	if k == nil {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.owners[id].Name
}

// HeldBy is Owner as it is now, for who is about to take the session away.
func (k *Keeper) HeldBy(id string) string {
	if k == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(k.ctx, listWait)
	defer cancel()
	c, err := k.Space.Copy(id, k.Sessions.Dir(id))
	if err == nil && k.reachedSoon(ctx) {
		by, err := k.Space.Owner(ctx, c.Token())
		if err == nil && by.ID == k.Machine.ID || errors.Is(err, replica.ErrNone) {
			return ""
		}
		if err == nil {
			return by.Name
		}
	}
	return k.Owner(id)
}

func (k *Keeper) failed(id string, err error) {
	if k.Failed != nil && k.ctx.Err() == nil {
		k.Failed(id, err)
	}
}

// Abandoned says that a session was not opened after all.
func (k *Keeper) Abandoned(id string) { k.end(id, false) }

// Opened follows a session that is open now.
func (k *Keeper) Opened(id string, log Log) {
	if k == nil {
		return
	}
	k.begin()
	f := &following{k: k, id: id, log: log, from: log.Seq(), done: make(chan struct{})}
	ctx, stop := context.WithCancel(k.ctx)
	f.stop = stop
	k.mu.Lock()
	k.open[id] = f
	if k.states[id] == "" || k.states[id] == Synced {
		k.states[id] = Syncing
	}
	k.mu.Unlock()
	k.work.Go(func() {
		defer close(f.done)
		f.run(ctx)
	})
}

// Closed is behind the last line of a session that was open. It waits a moment for that.
func (k *Keeper) Closed(id string) { k.end(id, true) }

func (k *Keeper) end(id string, flush bool) {
	if k == nil {
		return
	}
	k.mu.Lock()
	f := k.open[id]
	delete(k.open, id)
	k.mu.Unlock()
	if f != nil {
		f.stop()
		<-f.done
	}
	k.mu.Lock()
	l := k.leases[id]
	delete(k.leases, id)
	k.mu.Unlock()
	select {
	case <-k.Space.Remote.Reconnected():
	default:
		return // it is sent when the server is reached
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	if f != nil && flush && !f.apart {
		if err := f.send(ctx, replica.All); err == nil {
			k.become(id, Synced)
		} else {
			k.failed(id, err)
		}
	}
	if l != nil {
		l.Release(ctx)
	}
}

// leave lets go of a session that is open here as soon as nothing runs in it, and makes it
// what the server has.
func (k *Keeper) leave(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f := k.open[id]; f == nil || f.leaving || k.ctx.Err() != nil {
		return
	} else {
		f.leaving = true
	}
	k.work.Go(func() {
		err := k.Sessions.LetGo(k.ctx, id)
		if err == nil {
			err = k.Sessions.Alone(id, func() error { return k.reconcile(k.ctx, id) })
			k.telling.Lock()
			delete(k.told, id) // a client has it open, and there are lines that it has not seen
			k.telling.Unlock()
			k.tell(id)
		}
		if err != nil {
			k.failed(id, err)
		}
	})
}
