//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/durable"
)

// ways to die at one step of the disk.
const (
	before = "before" // the step does not happen
	torn   = "torn"   // half of its bytes are written
	after  = "after"  // it happens, and nothing behind it
	power  = "power"  // like after, and what was not synced is gone
)

// TestEveryStepMayBeTheLast lets the server die at every step that it takes to the
// disk in each story, in every way, and holds what the next server makes of it
// against what was promised (quality §1.4, rulings 101, 106, 109).
func TestEveryStepMayBeTheLast(t *testing.T) {
	var steps, cases atomic.Int64
	t.Run("stories", func(t *testing.T) {
		for _, s := range stories {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				taken := s.steps(t)
				steps.Add(int64(len(taken)))
				for _, way := range []string{before, torn, after, power} {
					t.Run(way, func(t *testing.T) {
						t.Parallel()
						for k, step := range taken {
							if way == torn && !slices.Contains(writes, step.op) {
								continue
							}
							cases.Add(1)
							if !s.diesAt(t, k+1, way, nil) {
								t.Fatalf("story %s, %s step %d of %d: %s", s.name, way, k+1, len(taken), step)
							}
						}
					})
				}
			})
		}
	})
	t.Logf("%d steps to the disk, %d deaths", steps.Load(), cases.Load())
}

// writes are the steps that can stop in the middle.
var writes = []durable.Op{durable.OpAppend, durable.OpTemp, durable.OpWrite}

type taken struct {
	op   durable.Op
	path string
}

func (s taken) String() string { return string(s.op) + " " + s.path }

// steps plays a story to its end and gives the steps it takes.
func (s story) steps(t *testing.T) (all []taken) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := newPremises(t, dir, s)
		defer h.stop()
		disk := &durable.Disk{}
		disk.Fail(func(op durable.Op, path string) error { // called one at a time: nothing here is concurrent
			rel, _ := filepath.Rel(h.env.Root, path)
			all = append(all, taken{op, rel})
			return nil
		})
		l := h.live(disk)
		l.play()
		l.end()
		for _, bad := range h.logs().Broken(false) {
			t.Errorf("without a crash: %s", bad)
		}
		for _, id := range s.effects {
			if h.count(id) != 1 {
				t.Errorf("without a crash call %s has no effect", id)
			}
		}
		if len(h.acks) != len(h.said) {
			t.Errorf("without a crash %d of %d messages were acknowledged", len(h.acks), len(h.said))
		}
		h.effects(h.logs())
		h.checkpoints(h.logs())
	})
	if t.Failed() {
		t.FailNow()
	}
	return all
}

// diesAt plays a story until step k and what comes after its crash. look, where
// given, sees the house between the two lives.
func (s story) diesAt(t *testing.T, k int, way string, look func(*premises)) (ok bool) {
	dir, err := os.MkdirTemp("", "agent-sidecar-crash-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	return t.Run(fmt.Sprint(k), func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newPremises(t, dir, s)
			defer h.stop()
			lost, err := newPlatter(h.env.Root)
			if err != nil {
				t.Fatal(err)
			}
			h.die(k, way, lost)
			if way == power {
				if err := lost.cut(); err != nil {
					t.Fatal(err)
				}
			}
			if look != nil {
				look(h)
			}
			h.afterCrash(way == power)
		})
	})
}

// die lives one life that ends at step k.
func (h *premises) die(k int, way string, lost *platter) {
	disk := &durable.Disk{}
	var l *life
	var asked, done atomic.Int64
	disk.Fail(func(op durable.Op, _ string) error {
		if asked.Add(1) != int64(k) || way == after || way == power {
			return nil
		}
		l.mute()
		if way == torn {
			return durable.Torn{Half: true, Crash: true}
		}
		disk.Freeze()
		return nil
	})
	disk.Watch(func(op durable.Op, path string) {
		if way == power {
			lost.witness(op, path)
		}
		if done.Add(1); asked.Load() >= int64(k) && (way == after || way == power) {
			l.crash()
		}
	})
	l = h.live(disk)
	l.play()
	l.end()
}
