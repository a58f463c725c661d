package copies

import (
	"context"
	"errors"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

// following is a session that is open here. One goroutine, its own, sends what the log gets.
type following struct {
	k    *Keeper
	id   string
	log  Log
	from int64 // its last line when it was opened
	stop context.CancelFunc
	done chan struct{}

	copy  *replica.Copy // of the goroutine until done is closed
	apart bool          // the copy has other lines: nothing is sent any more

	leaving bool // it is let go of when it is at rest; the lock of the Keeper guards it
}

// How long nothing is tried after a server that is reached has refused.
const againSoon, againLate = time.Second, time.Minute

func (f *following) run(ctx context.Context) {
	wait := againSoon
	for ctx.Err() == nil {
		upTo := f.log.Seq()
		if upTo > f.from { // the person goes on
			f.k.set(f.id, func() { delete(f.k.apart, f.id) })
		}
		err := f.send(ctx, upTo)
		if err == nil {
			f.k.claim(ctx, f.id, f.copy.Token())
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			wait = againSoon
			if f.log.Seq() == upTo {
				f.k.become(f.id, Synced)
			}
			if !f.log.Await(ctx, upTo) {
				return
			}
			f.k.become(f.id, Syncing)
			continue
		case errors.Is(err, replica.ErrBehind), errors.Is(err, replica.ErrGone), errors.As(err, new(*replica.DivergedError)):
			f.apart = true
			state := Conflict
			if errors.Is(err, replica.ErrBehind) {
				state = Syncing
			}
			f.k.become(f.id, state)
			f.k.failed(f.id, err)
			f.k.leave(f.id)
			return
		}
		f.k.become(f.id, Syncing)
		f.k.failed(f.id, err)
		if !f.again(ctx, wait) {
			return
		}
		wait = min(2*wait, againLate)
	}
}

func (f *following) send(ctx context.Context, upTo int64) (err error) {
	if f.copy == nil {
		if f.copy, err = f.k.Space.Copy(f.id, f.k.Sessions.Dir(f.id)); err != nil {
			return err
		}
	}
	return f.copy.Send(ctx, upTo)
}

// again waits until it is worth another try: the server is reached, and has had its rest.
func (f *following) again(ctx context.Context, wait time.Duration) bool {
	reached := f.k.Space.Remote.Reconnected()
	select {
	case <-reached: // it said no
	default:
		select {
		case <-reached:
			return true
		case <-ctx.Done():
			return false
		}
	}
	rest := time.NewTimer(wait)
	defer rest.Stop()
	select {
	case <-rest.C:
		return true
	case <-ctx.Done():
		return false
	}
}
