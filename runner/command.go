package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

// Command is how a worker is reached: by programs of the person's.
type Command struct {
	Up, Connect []string // Up may be empty
	Copy        *Copy    // nil: Connect starts a worker that is installed there
	Env         []string // all of it
	Dir         string   // absolute, where they start
}

const (
	// farewell is how long a command may take to end by itself once its input has ended;
	// then it is stopped.
	farewell = 2 * time.Second
	// stderrWait is how long the last words of a dead command are waited for: something of
	// another user may have its stderr open.
	stderrWait = 200 * time.Millisecond
)

// Dial starts the command. What it says on stderr is part of the error where it fails.
func (c Command) Dial(ctx context.Context) (Pipe, error) {
	if len(c.Up) > 0 {
		if err := c.Run(ctx, c.Up); err != nil {
			return Pipe{}, fmt.Errorf("up: %w", err)
		}
	}
	words := c.Connect
	if c.Copy != nil {
		words = c.Copy.connect(words)
	}
	started, err := proc.StartPiped(words, c.Env, c.Dir)
	if err != nil {
		return Pipe{}, err
	}
	p := &process{Piped: started, ended: make(chan struct{})}
	p.work.Go(func() { output.Copy(&p.said, started.Stderr) })
	p.work.Go(p.wait)
	if c.Copy != nil {
		if err := c.Copy.start(ctx, c.Connect, started.Stdout, started.Stdin); err != nil {
			started.Stdin.Close()
			started.Stdout.Close()
			return Pipe{}, why(err, p.close())
		}
	}
	return Pipe{In: started.Stdout, Out: started.Stdin, Close: p.close}, nil
}

// Run runs one of the commands to its end, or that of ctx.
func (c Command) Run(ctx context.Context, args []string) error {
	started, err := proc.StartPiped(args, c.Env, c.Dir)
	if err != nil {
		return err
	}
	started.Stdin.Close()
	p := &process{Piped: started, ended: make(chan struct{})}
	p.work.Go(func() { output.Copy(&p.said, started.Stderr) })
	p.work.Go(func() { output.Copy(&p.said, started.Stdout) })
	stop := context.AfterFunc(ctx, func() { started.Stop(proc.Grace) })
	defer stop()
	p.wait()
	p.work.Wait()
	started.Stdout.Close()
	started.Stderr.Close()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return p.failed()
}

// process is a command that runs.
type process struct {
	*proc.Piped
	said  output.LastWords
	work  sync.WaitGroup // the readers of its output, and of its end
	ended chan struct{}  // closed when nothing of it is left
	exit  proc.Exit      // read after ended
	err   error          // read after ended
}

func (p *process) wait() {
	defer close(p.ended)
	exit, err := p.Wait()
	_, closeErr := p.Process.Close()
	p.exit = exit
	p.err = errors.Join(err, closeErr)
	p.Stderr.SetReadDeadline(time.Now().Add(stderrWait))
	p.Stdout.SetReadDeadline(time.Now().Add(stderrWait))
}

// close ends the command and returns when nothing of it is left; its error is how it ended,
// where that was no good end. Its pipes are closed already.
func (p *process) close() error {
	late := time.AfterFunc(farewell, func() { p.Stop(proc.Grace) })
	<-p.ended
	late.Stop()
	p.work.Wait()
	p.Stderr.Close()
	return p.failed()
}

// failed is how the command ended, with its last words; nil where it was content.
func (p *process) failed() error {
	err := p.err
	switch {
	case err != nil:
	case p.exit.Signal != "":
		err = fmt.Errorf("it was ended by %s", p.exit.Signal)
	case p.exit.Code != 0:
		err = fmt.Errorf("it ended with exit code %d", p.exit.Code)
	default:
		return nil
	}
	if words := p.said.Last(); words != "" {
		return fmt.Errorf("%w; it said: %s", err, words)
	}
	return err
}
