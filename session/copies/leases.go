package copies

import (
	"context"
	"errors"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

// keepLeases makes those last that this machine has.
func (k *Keeper) keepLeases() {
	tick := time.NewTicker(replica.LeaseTime / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-k.ctx.Done():
			return
		}
		k.keepAll()
	}
}

func (k *Keeper) keepAll() {
	k.mu.Lock()
	held := make(map[string]*replica.Lease, len(k.leases))
	for id, l := range k.leases {
		held[id] = l
	}
	k.mu.Unlock()
	for id, l := range held {
		ctx, cancel := context.WithTimeout(k.ctx, replica.LeaseTime/6)
		err := l.Keep(ctx, k.Machine)
		cancel()
		if errors.As(err, new(*replica.OwnedError)) { // this machine was away for long
			k.mu.Lock()
			delete(k.leases, id)
			k.mu.Unlock()
			k.leave(id)
		}
	}
}

// claim takes a session that was made here, or opened while the server was away. Where
// another machine has it by now, it is let go of.
func (k *Keeper) claim(ctx context.Context, id, token string) {
	k.mu.Lock()
	has := k.leases[id] != nil
	k.mu.Unlock()
	if has {
		return
	}
	l, err := k.Space.Claim(ctx, token, k.Machine)
	k.mu.Lock()
	if err == nil {
		k.leases[id] = l
	}
	k.mu.Unlock()
	if errors.As(err, new(*replica.OwnedError)) {
		k.leave(id)
	}
}
