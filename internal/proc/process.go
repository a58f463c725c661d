package proc

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Grace is the time between TERM and KILL where nothing else is said, and
// always when the sidecar died.
const Grace = 500 * time.Millisecond

// guardTimeout is how long after the grace the guard may take before it is killed
// itself: a command may have stopped it with SIGSTOP.
const guardTimeout = 3 * time.Second

// environReads is how often an environment that is empty in the middle of an execve
// is read again, some 10 µs each, when there is no guard to find its process.
const environReads = 5000

// Command is a program to start.
type Command struct {
	// Args is the argument vector; Args[0] is the absolute path of the program.
	Args []string
	// Dir is the absolute directory it starts in.
	Dir string
	// Env is its whole environment, to which only MarkerName is added.
	Env []string
	// Stdin, Stdout and Stderr are the program's; nil is the null device. The
	// caller closes its own copies.
	Stdin, Stdout, Stderr *os.File
	// Confine is what it may touch. A level that this binary cannot provide
	// starts nothing.
	Confine Confinement
	// Guards lend it a guard and take it back; nil: it has one of its own.
	Guards *Guards
	// Runs is told by Wait when the program runs, or at least its sandbox does; nil: nobody is.
	Runs func()
}

// Exit is how a program ended.
type Exit struct {
	Code   int    // 0–255; 128 + the signal's number when a signal ended it
	Signal string // "SIGKILL", "" when it ended by itself
	Limit  string // the bound that it reached and was ended for, "" where none
}

// Process is a started Command. Wait must be called once, then Close once.
type Process struct {
	guard    *guard
	guards   *Guards
	marker   string
	reports  *bufio.Reader // one JSON report a line, from the guard
	status   *os.File      // under reports
	forget   func() bool   // takes the context's stop back
	runs     func()
	pid      int  // of the command; 0: never started
	done     bool // the guard has said that nothing is left
	free     bool // and that it can be given another command
	outlived int

	mu    sync.Mutex  // guards life and timer
	life  *os.File    // its end is the guard's order to end everything; nil: given
	timer *time.Timer // kills a guard that does not obey
}

// report is a line from the guard.
type report struct {
	PID      int    `json:"pid,omitempty"`      // it was started
	Runs     bool   `json:"runs,omitempty"`     // it runs
	Error    string `json:"error,omitempty"`    // it could not be started
	Exit     *Exit  `json:"exit,omitempty"`     // it ended
	Done     bool   `json:"done,omitempty"`     // nothing of it is left
	Outlived int    `json:"outlived,omitempty"` // with Done: how many processes had outlived it
	Free     bool   `json:"free,omitempty"`     // with Done: the guard waits for another command
}

// Start starts c under a guard. When ctx ends the command is stopped as by
// Stop(Grace); Wait then still tells how it ended. That the program itself
// could not be started is an error of Wait.
func Start(ctx context.Context, c Command) (*Process, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if len(c.Args) == 0 || !filepath.IsAbs(c.Args[0]) || !filepath.IsAbs(c.Dir) {
		return nil, errors.New("start command: program and directory must be absolute")
	}
	if c.Env == nil {
		c.Env = []string{} // nil would mean ours, with all its secrets
	}
	o := order{marker: rand.Text(), dir: c.Dir, confine: c.Confine.words(), args: c.Args, env: c.Env}
	p, err := begin(c, o)
	if err != nil {
		return nil, fmt.Errorf("start command: %w", err)
	}
	p.marker, p.runs = o.marker, c.Runs
	p.reports = bufio.NewReader(p.status)
	p.forget = context.AfterFunc(ctx, func() { p.Stop(Grace) })
	return p, nil
}

// Wait waits until the program itself has ended; what it left running still
// runs. An error means that it could not be started or that its guard was
// killed.
func (p *Process) Wait() (Exit, error) {
	for {
		r, err := p.next()
		switch {
		case err != nil:
			return Exit{}, errors.New("the guard of the command was killed")
		case r.Error != "":
			return Exit{}, errors.New(r.Error)
		case r.Runs && p.runs != nil:
			p.runs()
		case r.Exit != nil:
			return *r.Exit, nil
		}
	}
}

func (p *Process) next() (report, error) {
	line, err := p.reports.ReadBytes('\n')
	if err != nil {
		return report{}, err
	}
	var r report
	if err := json.Unmarshal(line, &r); err != nil {
		return report{}, err
	}
	if r.PID != 0 {
		p.pid = r.PID
	}
	if r.Done {
		p.done, p.free, p.outlived = true, r.Free, r.Outlived
	}
	return r, nil
}

// Stop asks for the end of everything the command started and does not wait:
// TERM to its group, after grace KILL, then a sweep for what fled. It may be
// called at any time and from any goroutine; only the first call counts.
func (p *Process) Stop(grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life == nil {
		return
	}
	fmt.Fprintf(p.life, "%d", max(0, grace.Milliseconds()))
	p.life.Close()
	p.life = nil
	p.wake()
	p.timer = time.AfterFunc(grace+guardTimeout, func() { p.guard.process.Kill() })
}

// Close ends what is left of the command, waits for that, and returns how many
// processes had outlived it.
func (p *Process) Close() (outlived int, err error) {
	p.forget()
	p.Stop(Grace) // a guard that has nothing left to do does not hear it
	for {
		if _, err := p.next(); err != nil {
			break
		}
	}
	p.status.Close()
	p.mu.Lock()
	alive := p.timer.Stop()
	p.mu.Unlock()
	if alive && p.free && p.guards.keep(p.guard) {
		return p.outlived, nil
	}
	err = p.guard.end()
	if !p.done {
		// The guard was killed, by the command or for not obeying.
		return sweep(p.pid, p.marker, environReads), err
	}
	return p.outlived, err
}
