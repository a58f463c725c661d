package copies

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

// round is one look at all sessions of the workspace, here and on the server.
type round struct {
	done  chan struct{} // closed at its end
	ended time.Time
}

// roundEvery is how old a look may be when somebody asks what there is.
const roundEvery = 5 * time.Second

// mostBrought is how many sessions of other machines one look brings.
const mostBrought = 200

// Look makes sure that what other machines have made is here, or is on its way. It waits a
// moment for the first time only.
func (k *Keeper) Look() {
	if k == nil {
		return
	}
	k.begin()
	r, first := k.nextRound()
	ctx, cancel := context.WithTimeout(k.ctx, listWait)
	defer cancel()
	if r == nil || !first || !k.reachedSoon(ctx) {
		return
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	}
}

// nextRound begins a round where none goes on and the last one is too old.
func (k *Keeper) nextRound() (r *round, first bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	first = k.round == nil || k.round.ended.IsZero()
	if k.round != nil && (k.round.ended.IsZero() || time.Since(k.round.ended) < roundEvery) || k.ctx.Err() != nil {
		return k.round, first
	}
	r = &round{done: make(chan struct{})}
	k.round = r
	k.work.Go(func() {
		if k.reached(k.ctx) {
			if err := k.Sync(k.ctx); err != nil {
				k.failed("", err)
			}
		}
		k.mu.Lock()
		r.ended = time.Now()
		k.mu.Unlock()
		close(r.done)
	})
	return r, first
}

// rounds looks at everything each time the server is reached.
func (k *Keeper) rounds() {
	for k.reached(k.ctx) {
		k.keepAll() // this machine may have been away for long
		r, _ := k.nextRound()
		if r != nil {
			select {
			case <-r.done:
			case <-k.ctx.Done():
				return
			}
		}
		select {
		case <-k.Space.Remote.Lost():
		case <-k.ctx.Done():
			return
		}
	}
}

// Sync makes every session that is open nowhere and its copy the same, brings those of other
// machines, and removes those that were deleted there. What could not be done for one of them
// is told to Failed.
func (k *Keeper) Sync(ctx context.Context) error {
	errs := []error{k.buryAll(ctx)}
	there, gone, err := k.Space.Tokens(ctx)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	ids, err := k.Sessions.IDs()
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	holders, err := k.Space.Owners(ctx)
	if err != nil {
		errs = append(errs, err)
	}
	owners := map[string]replica.Machine{}
	here := map[string]bool{}
	for _, id := range ids {
		c, err := k.Space.Copy(id, k.Sessions.Dir(id))
		if err != nil || ctx.Err() != nil {
			continue
		}
		here[c.Token()] = true
		if by, held := holders[c.Token()]; held && by.ID != k.Machine.ID {
			owners[id] = by
		}
		if k.settled(id, c, there[c.Token()], gone[c.Token()]) {
			continue
		}
		if err := k.catchUp(ctx, id, there[c.Token()]); err != nil && !errors.Is(err, ErrOpen) {
			k.failed(id, err)
		}
	}
	brought := 0
	for token := range there {
		if here[token] || gone[token] || brought == mostBrought || ctx.Err() != nil {
			continue
		}
		brought++
		id, err := k.bring(ctx, token)
		if err != nil {
			k.failed("", err)
		} else if by, held := holders[token]; held && by.ID != k.Machine.ID {
			owners[id] = by
		}
	}
	k.mu.Lock()
	k.owners = owners
	k.mu.Unlock()
	return errors.Join(errs...)
}

// settled says that nothing has to be done for a session, as far as that is seen from afar.
func (k *Keeper) settled(id string, c *replica.Copy, messages uint64, gone bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open[id] != nil {
		return true // its own goroutine sees to it
	}
	same := !gone && c.Same(messages)
	if same && k.states[id] == "" {
		k.states[id] = Synced
	}
	return same
}

// catchUp makes a session that is open nowhere and its copy the same. Nobody who opens it
// waits for what is sent.
func (k *Keeper) catchUp(ctx context.Context, id string, messages uint64) error {
	if err := k.Sessions.Alone(id, func() error { return k.reconcile(ctx, id) }); err != nil {
		return err
	}
	c, err := k.Space.Copy(id, k.Sessions.Dir(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was deleted on another machine
	}
	if err == nil {
		err = c.Send(ctx, replica.All)
	}
	if err == nil {
		err = c.Seen(messages)
	}
	if err == nil && c.Whole() {
		k.become(id, Synced)
	}
	return err
}

// bring makes a session here that another machine has made.
func (k *Keeper) bring(ctx context.Context, token string) (id string, err error) {
	k.mu.Lock()
	id, known := k.others[token]
	k.mu.Unlock()
	if known {
		return id, nil
	}
	id, err = k.Space.First(ctx, token)
	if errors.Is(err, replica.ErrNone) {
		return "", nil // it was deleted meanwhile
	}
	if err == nil {
		err = k.Sessions.Bring(id, func(dir string) error {
			_, err := k.Space.Begin(ctx, id, dir, token)
			return err
		})
	}
	switch {
	case errors.Is(err, ErrOpen), errors.Is(err, replica.ErrForged):
		k.mu.Lock()
		k.others[token] = ""
		k.mu.Unlock()
		err = fmt.Errorf("a session of another machine, %q, cannot be here: %w", id, err)
	case err == nil:
		k.become(id, Synced)
	}
	return id, err
}

// reconcile makes a session and its copy the same. It is claimed by Alone. Where both have
// lines that the other has not, those of here become a session of their own. What is only here
// is not sent.
func (k *Keeper) reconcile(ctx context.Context, id string) error {
	c, err := k.Space.Copy(id, k.Sessions.Dir(id))
	if err != nil {
		return err
	}
	err = k.locked(id, func() error {
		_, err := c.Take(ctx)
		return err
	})
	var apart *replica.DivergedError
	switch {
	case errors.As(err, &apart):
		return k.part(ctx, id, c, apart.Common)
	case errors.Is(err, replica.ErrGone):
		return k.goneElsewhere(id, c)
	}
	if err == nil && c.Whole() {
		k.become(id, Synced)
	} else {
		k.become(id, Syncing)
	}
	return err
}

func (k *Keeper) locked(id string, do func() error) error {
	unlock, err := k.Sessions.Lock(id)
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

// fork makes a session of the lines of here, unless one was made by a process that died
// behind that.
func (k *Keeper) fork(id string, c *replica.Copy, common int64) (fork string, err error) {
	if fork = c.ForkOf(); fork != "" {
		return fork, nil
	}
	if fork, err = k.Sessions.Part(id, common); err != nil {
		return "", err
	}
	return fork, c.Forked(fork)
}

func (k *Keeper) part(ctx context.Context, id string, c *replica.Copy, common int64) error {
	k.become(id, Conflict)
	fork, err := k.fork(id, c, common)
	if err != nil {
		return err
	}
	if err := k.locked(id, func() error { return c.Refill(ctx) }); err != nil {
		return err
	}
	k.set(id, func() { k.states[id], k.apart[id] = Synced, true })
	k.parted(id, fork)
	return nil
}

// goneElsewhere takes a session away that was deleted on another machine. Lines that this
// machine alone has become a session of their own first.
func (k *Keeper) goneElsewhere(id string, c *replica.Copy) error {
	if !c.Whole() {
		if _, err := k.fork(id, c, c.Confirmed()); err != nil {
			return err
		}
	}
	return k.Sessions.Remove(id)
}
