//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
)

// ways to die at one step of the disk.
const (
	before = "before" // the step does not happen
	torn   = "torn"   // half of its bytes are written
	after  = "after"  // it happens, and nothing behind it
	power  = "power"  // like after, and what was not synced is gone
)

// oneOf is how many deaths there are for one that is died without -thorough.
const oneOf = 60

// chosen says whether a death is died: without -thorough a few are, by chance. The
// same seed chooses the same ones, in whatever order the stories come.
func chosen(seed uint64, story, way string, k int) bool {
	return sample.Chosen(seed, oneOf, story, way, k)
}

// TestASeedRepeatsItsDeaths: the seed that a run prints is enough to die its deaths
// again, another seed dies others, and either is a small part of all.
func TestASeedRepeatsItsDeaths(t *testing.T) {
	if sample.Thorough() {
		t.Skip("every death is died")
	}
	died := func(seed uint64) (all []string) {
		for _, s := range stories {
			for _, way := range []string{before, torn, after, power} {
				for k := range 200 {
					if chosen(seed, s.name, way, k) {
						all = append(all, fmt.Sprint(s.name, way, k))
					}
				}
			}
		}
		return all
	}
	first, again, other := died(1), died(1), died(2)
	most := len(stories) * 4 * 200
	if !slices.Equal(first, again) || slices.Equal(first, other) || len(first) < most/oneOf/2 || len(first) > most/oneOf*2 {
		t.Errorf("%d deaths of %d, then %d; with another seed %d", len(first), most, len(again), len(other))
	}
}

// TestEveryStepMayBeTheLast lets the server die at every step that it takes to the
// disk in each story, in every way, and holds what the next server makes of it
// against what was promised. Without -thorough it is a part of these deaths, and
// AGENT_SIDECAR_SEED repeats them.
func TestEveryStepMayBeTheLast(t *testing.T) {
	var steps, cases atomic.Int64
	seed := sample.Seed(t)
	knownProber() // its goroutines are of no bubble
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
							if !chosen(seed, s.name, way, k) || way == torn && !slices.Contains(writes, step.op) {
								continue
							}
							cases.Add(1)
							if !s.diesAt(t, k+1, way) {
								t.Errorf("story %s, %s step %d of %d: %s", s.name, way, k+1, len(taken), step)
							}
						}
					})
				}
			})
		}
	})
	t.Logf("AGENT_SIDECAR_SEED=%d: %d steps to the disk, %d deaths", seed, steps.Load(), cases.Load())
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
		var mu sync.Mutex // guards all while the story is played
		disk.Fail(func(op durable.Op, path string) error {
			rel, _ := filepath.Rel(h.env.Root, path)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, taken{op, rel})
			return nil
		})
		l := h.live(disk)
		l.play()
		l.end()
		for _, bad := range h.logs().Broken(false) {
			t.Errorf("without a crash: %s", bad)
		}
		for _, kind := range s.has {
			if !slices.ContainsFunc(h.logs().Lines(), func(l testclient.Line) bool { return l.Type == kind }) {
				t.Errorf("without a crash there is no %s", kind)
			}
		}
		marks := h.marks()
		for _, id := range s.effects {
			if marks[id] != 1 {
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

// diesAt plays a story until step k and what comes after its crash.
func (s story) diesAt(t *testing.T, k int, way string) (ok bool) {
	return s.inPremises(t, fmt.Sprint(k), func(h *premises) {
		h.die(k, way, h.live, (*life).play)
		h.afterCrash(way == power)
	})
}

func (s story) inPremises(t *testing.T, name string, f func(*premises)) (ok bool) {
	dir, err := os.MkdirTemp(inMemory(), "agent-sidecar-crash-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	return t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newPremises(t, dir, s)
			defer h.stop()
			f(h)
		})
	})
}

// TestEveryStepOfARecoveryMayBeTheLast lets a server die at each step in which it
// mends what one before it has left: in the middle of a line, with a call, a
// question and a sub-agent open.
func TestEveryStepOfARecoveryMayBeTheLast(t *testing.T) {
	seed := sample.Seed(t)
	knownProber()
	resume := func(l *life) {
		l.hello()
		l.ask("agent/session/resume", `{"sessionId": "0001"}`)
	}
	var deaths atomic.Int64
	t.Run("stories", func(t *testing.T) {
		for _, s := range stories {
			if s.name != "child" && s.name != "edits" && s.name != "queue" {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				steps := s.steps(t)
				for _, part := range []int{2, 3, 5} {
					first := len(steps) * part / 6
					for steps[first].op != durable.OpAppend || !strings.HasSuffix(steps[first].path, "events.jsonl") {
						first++
					}
					for _, way := range []string{before, torn, after, power} {
						for k, died := 1, true; died; k++ {
							if !chosen(seed, s.name, fmt.Sprint(part, way), k) && k > 1 && k < 40 {
								continue
							}
							s.inPremises(t, fmt.Sprintf("%d/%s/%d", first, way, k), func(h *premises) {
								h.die(first+1, torn, h.live, (*life).play)
								h.note(h.logs())
								died = h.die(k, way, h.live, resume)
								h.afterCrash(way == power)
							})
							deaths.Add(1)
						}
					}
				}
			})
		}
	})
	t.Logf("AGENT_SIDECAR_SEED=%d: %d deaths in recoveries", seed, deaths.Load())
}

// die lives one life that ends at step k, or says that there are fewer steps.
func (h *premises) die(k int, way string, live func(*durable.Disk) *life, play func(*life)) bool {
	lost, err := newPlatter(h.env.Root)
	if err != nil {
		h.t.Fatal(err)
	}
	disk := &durable.Disk{}
	var l *life
	var asked atomic.Int64
	var died atomic.Bool
	disk.Fail(func(op durable.Op, _ string) error {
		if asked.Add(1) != int64(k) || way == after || way == power {
			return nil
		}
		died.Store(true)
		l.dies()
		if way == torn && slices.Contains(writes, op) {
			return durable.Torn{Half: true, Crash: true}
		}
		disk.Freeze()
		return nil
	})
	disk.Watch(func(op durable.Op, path string) {
		if way == power {
			lost.witness(op, path)
		}
		if asked.Load() >= int64(k) && (way == after || way == power) {
			died.Store(true)
			l.crash()
		}
	})
	l = live(disk)
	play(l)
	l.end()
	if died.Load() && way == power {
		if err := lost.cut(); err != nil {
			h.t.Fatal(err)
		}
	}
	return died.Load()
}

// inMemory is a folder whose syncs cost nothing, where there is one: what lasts is
// the platter's to say. "" is the usual one.
func inMemory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}
