package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

// Job is one command in the background. Its output stays readable after its end.
type Job struct {
	ID      string
	Command string // one line, for people and models
	CallID  string // of the call that started it
	Out     *output.Output

	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the end is known
	end    End           // to be read when done is closed

	mu    sync.Mutex // guards everything below
	next  int64      // where the last piece that somebody read ended
	line  string     // the unfinished line they saw there
	known bool       // anyone who started it knows that it has ended
}

// End is how a job came to its end.
type End struct {
	How  string // "ended with exit code 0", "was stopped", …
	Code *int   // where it ended by itself
	Note string // what else there is to say, "" for nothing
}

// The causes of the end of a job that did not end by itself. Their texts are how it
// ended.
var (
	ErrKilled = errors.New("was stopped")
	ErrPerson = errors.New("was stopped by the user")
	ErrClosed = errors.New("was stopped with its session")
)

// work runs the job to its end. Whatever happens in it, the job ends.
func (j *Job) work(ctx context.Context, run func(context.Context) End) {
	defer close(j.done)
	defer j.Out.End()
	defer func() {
		if p := recover(); p != nil {
			j.end = End{How: fmt.Sprintf("failed: internal error: %v", p)}
		}
	}()
	j.end = run(ctx)
}

// Stop asks for the end and does not wait for it.
func (j *Job) Stop(cause error) { j.cancel(cause) }

// Done is closed when the job has ended.
func (j *Job) Done() <-chan struct{} { return j.done }

// Ended is how the job came to its end; no while it runs.
func (j *Job) Ended() (End, bool) {
	select {
	case <-j.done:
		return j.end, true
	default:
		return End{}, false
	}
}

// Reading is what somebody has read of a job.
type Reading struct {
	output.Piece
	Asked int64 // the offset that Text was to begin at
	Fresh bool  // there is something that was not read before
}

// Read is the next piece of the output: from offset on, or, where that is nil, from
// where the last one ended. It waits until ctx ends for something that was not read
// yet, or for the end.
func (j *Job) Read(ctx context.Context, offset *int64, most int) Reading {
	j.mu.Lock()
	asked, line := j.next, j.line
	j.mu.Unlock()
	if offset != nil && *offset != asked {
		asked, line = *offset, ""
	}
	waited, over := j.Out.Await(ctx, asked, line)
	if waited && !over {
		j.settle(ctx)
	}
	if over { // then how it ended is known in a moment
		<-j.done
	}
	p := j.Out.Since(asked, most)
	j.mu.Lock()
	j.next, j.line = p.Next, p.Line
	j.mu.Unlock()
	return Reading{p, asked, p.Text != "" || p.Line != line}
}

// settling is how long more is waited for once something has come: what a program
// says in one breath is read at once, and not a line each time.
const settling = 200 * time.Millisecond

func (j *Job) settle(ctx context.Context) {
	enough := time.NewTimer(settling)
	defer enough.Stop()
	select {
	case <-enough.C:
	case <-j.done:
	case <-ctx.Done():
	}
}

// Know says that the end of the job is no news any more.
func (j *Job) Know() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.known = true
}

// learn says whether the job has ended without anybody knowing, and makes it known.
func (j *Job) learn() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, over := j.Ended(); !over || j.known {
		return false
	}
	j.known = true
	return true
}

// Unread is how many bytes of the output nobody has read.
func (j *Job) Unread() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Out.Since(j.next, 0).End - j.next
}
