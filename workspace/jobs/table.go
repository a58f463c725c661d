package jobs

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

const (
	// Most is how many jobs of one session may run at once.
	Most = 16
	// kept is how many that have ended can still be read; the oldest go first.
	kept = 16
)

// Table is the jobs of all sessions of a process. The zero Table is empty.
type Table struct {
	mu       sync.Mutex // guards everything below
	sessions map[string][]*Job
	closed   bool
	work     sync.WaitGroup // the jobs at work; Close waits
}

// Start begins a job of a session. run is given a context that ends when the job
// is to be stopped, and returns when nothing of it runs any more.
func (t *Table) Start(session, callID, command string, out *output.Output, run func(context.Context) End) (*Job, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, ErrClosed
	}
	var running []string
	for _, j := range t.sessions[session] {
		if _, over := j.Ended(); !over {
			running = append(running, j.ID+" ("+j.Command+")")
		}
	}
	if len(running) >= Most {
		return nil, fmt.Errorf("%d background jobs of this session are running, and more are not possible; stop one with job_kill: %s", len(running), strings.Join(running, ", "))
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	j := &Job{ID: t.newIDLocked(session), Command: command, CallID: callID, Out: out, cancel: cancel, done: make(chan struct{})}
	if t.sessions == nil {
		t.sessions = map[string][]*Job{}
	}
	t.sessions[session] = append(trimmed(t.sessions[session]), j)
	t.work.Go(func() {
		defer cancel(nil)
		j.work(ctx, run)
	})
	return j, nil
}

// trimmed is list with only the newest of those that have ended.
func trimmed(list []*Job) []*Job {
	over := 0
	for _, j := range list {
		if _, ended := j.Ended(); ended {
			over++
		}
	}
	return slices.DeleteFunc(list, func(j *Job) bool {
		_, ended := j.Ended()
		if !ended || over <= kept {
			return false
		}
		over--
		return true
	})
}

// newIDLocked is a name that a model can repeat, and that no job of an earlier
// process is likely to have had: its conversation may still speak of those.
func (t *Table) newIDLocked(session string) string {
	for {
		var random [2]byte
		rand.Read(random[:])
		id := "job_" + hex.EncodeToString(random[:])
		if !slices.ContainsFunc(t.sessions[session], func(j *Job) bool { return j.ID == id }) {
			return id
		}
	}
}

// Find is a job of a session by its id; those of others are as if they were not.
func (t *Table) Find(session, id string) (*Job, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var names []string
	for _, j := range t.sessions[session] {
		if j.ID == id {
			return j, nil
		}
		how := "running"
		if end, over := j.Ended(); over {
			how = end.How
		}
		names = append(names, fmt.Sprintf("%s (%s: %s)", j.ID, j.Command, how))
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return nil, fmt.Errorf("this session has no background job %q; it has: %s. Jobs end with the session or sub-agent that started them, and with the sidecar: one from before a restart was interrupted, and its outcome is unknown", id, strings.Join(names, ", "))
}

// Forget takes a job that has ended out of the table.
func (t *Table) Forget(session string, gone *Job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions[session] = slices.DeleteFunc(t.sessions[session], func(j *Job) bool { return j == gone })
}

// News are the jobs of a session that have ended without anybody knowing; the next
// time they are none.
func (t *Table) News(session string) []*Job {
	t.mu.Lock()
	defer t.mu.Unlock()
	var news []*Job
	for _, j := range t.sessions[session] {
		if j.learn() {
			news = append(news, j)
		}
	}
	return news
}

// Any says that a session has a job, or had one.
func (t *Table) Any(session string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.sessions[session]) > 0
}

// StopCall stops the job that a call of a session has started, for a person, and
// does not wait. false: no such job runs.
func (t *Table) StopCall(session, callID string) (stopped bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, j := range t.sessions[session] {
		if _, over := j.Ended(); !over && j.CallID == callID {
			j.Stop(ErrPerson)
			stopped = true
		}
	}
	return stopped
}

// EndSession stops every job of a session, waits for that, and forgets them.
func (t *Table) EndSession(session string) {
	t.mu.Lock()
	list := t.sessions[session]
	delete(t.sessions, session)
	t.mu.Unlock()
	for _, j := range list {
		j.Stop(ErrClosed)
	}
	for _, j := range list {
		<-j.done
	}
}

// Close stops every job there is and waits for that. None can be started any more.
func (t *Table) Close() {
	t.mu.Lock()
	t.closed = true
	for _, list := range t.sessions {
		for _, j := range list {
			j.Stop(ErrClosed)
		}
	}
	t.mu.Unlock()
	t.work.Wait()
}

// RunsOf says that the job which a call has started runs.
func (t *Table) RunsOf(session, callID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.sessions[session], func(j *Job) bool {
		_, ended := j.Ended()
		return j.CallID == callID && !ended
	})
}

// Running says that any job has not ended.
func (t *Table) Running() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, list := range t.sessions {
		if slices.ContainsFunc(list, func(j *Job) bool { _, over := j.Ended(); return !over }) {
			return true
		}
	}
	return false
}
