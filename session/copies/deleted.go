package copies

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

// Sessions that were deleted here while the server was away.
const (
	buriedFile = "sync-deleted.json"
	mostBuried = 4 << 20 // bytes
)

func (k *Keeper) buriedPath() string {
	return filepath.Join(filepath.Dir(k.Sessions.Dir("0")), buriedFile)
}

func (k *Keeper) readBuried() (all []replica.Grave) {
	raw, err := durable.ReadFile(k.buriedPath(), mostBuried)
	if err == nil {
		_ = json.Unmarshal(raw, &all)
	}
	return all
}

func (k *Keeper) writeBuried(all []replica.Grave) error {
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return k.Space.Disk.WriteFile(k.buriedPath(), raw, 0o600)
}

// Deleting is told before a session's files are removed. The copy goes when the server is
// reached.
func (k *Keeper) Deleting(id string) {
	if k == nil {
		return
	}
	c, err := k.Space.Copy(id, k.Sessions.Dir(id))
	k.end(id, false)
	if err == nil {
		k.mu.Lock()
		err = k.writeBuried(append(k.readBuried(), c.Grave()))
		delete(k.states, id)
		delete(k.apart, id)
		k.mu.Unlock()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.failed(id, err)
	}
}

// Deleted is told when they are.
func (k *Keeper) Deleted() {
	if k == nil {
		return
	}
	k.begin()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() == nil {
		k.work.Go(func() {
			ctx, cancel := context.WithTimeout(k.ctx, time.Minute)
			defer cancel()
			if k.reached(ctx) {
				if err := k.buryAll(ctx); err != nil {
					k.failed("", err)
				}
			}
		})
	}
}

func (k *Keeper) buryAll(ctx context.Context) error {
	k.mu.Lock()
	all := k.readBuried()
	k.mu.Unlock()
	var errs []error
	for _, grave := range all {
		if err := k.Space.Bury(ctx, grave); err != nil {
			errs = append(errs, err)
			continue
		}
		k.mu.Lock()
		left := k.readBuried()
		left = slices.DeleteFunc(left, func(other replica.Grave) bool { return other.Token == grave.Token })
		errs = append(errs, k.writeBuried(left))
		k.mu.Unlock()
	}
	return errors.Join(errs...)
}
