// Package hooks runs the programs that a person has hooked in, and takes what they
// answer. It decides nothing: what a hook makes of a call is judged afterwards.
package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

// MaxBytes bounds what a hook is told and what it may answer.
const MaxBytes = 1 << 20

const (
	maxLastWords = 2 << 10                // of stderr, in bytes
	lostPipe     = 200 * time.Millisecond // for a pipe that a foreign process still holds
)

// Runner runs the user's hooks: programs of the person, named in their own
// configuration, started as written, without a shell and outside the sandbox,
// like any program that they start themselves.
type Runner struct {
	// Home is the sidecar's, where hooks start and where a relative program lies:
	// beside the configuration, never in a workspace, which could bring its own.
	Home     string
	UserHome string          // the person's, for ~/
	Env      func() []string // the whole environment, without secrets
}

// Outcome is what the hooks of one kind made of a call.
type Outcome struct {
	Call Call
	// Refused is why it must not happen, "" when it may, in words for the model; By
	// is the hook that says so, or is required and failed: then the last of Acts
	// says how.
	Refused string
	By      string
	Acts    []Act
}

// Changed says that a hook has changed something.
func (o Outcome) Changed() bool {
	for _, a := range o.Acts {
		if a.Err == nil {
			return true
		}
	}
	return false
}

// Act is something that a person should know: a hook changed something, or
// failed.
type Act struct {
	Name   string
	Number int   // in the list of its kind, from 1
	Err    error // nil: it changed something
}

// Run runs hooks one after the other, each with what the one before has made of
// the call. One that fails changes nothing; a required one that fails refuses.
// When ctx ends, what runs is stopped and the call is as it was then; it is refused
// where a required one has not seen it.
func (r *Runner) Run(ctx context.Context, hooks []config.Hook, call Call) Outcome {
	out := Outcome{Call: call}
	for i, h := range hooks {
		if call.Tool != "" && !h.Covers(call.Tool) {
			continue
		}
		changed, refused, err := r.one(ctx, h, &out.Call)
		switch {
		case ctx.Err() != nil:
			for _, unseen := range hooks[i:] { // what one of them had to see, it has not seen
				if unseen.Required && (call.Tool == "" || unseen.Covers(call.Tool)) {
					out.Refused, out.By = fmt.Sprintf("the required hook %s was cancelled", unseen.Name()), unseen.Name()
					break
				}
			}
			return out
		case err != nil:
			out.Acts = append(out.Acts, Act{h.Name(), i + 1, err})
			if h.Required {
				out.Refused, out.By = fmt.Sprintf("the required hook %s failed", h.Name()), h.Name()
				return out
			}
		case refused != nil:
			out.Refused, out.By = "no reason given", h.Name()
			if text := strings.TrimSpace(*refused); text != "" {
				out.Refused = text
			}
			return out
		case changed:
			out.Acts = append(out.Acts, Act{h.Name(), i + 1, nil})
		}
	}
	return out
}

func (r *Runner) one(ctx context.Context, h config.Hook, call *Call) (changed bool, refused *string, err error) {
	switch {
	case h.Broken != "":
		return false, nil, errors.New(h.Broken)
	case call.Untold != "":
		return false, nil, errors.New(call.Untold)
	}
	told, err := json.Marshal(call)
	if err != nil {
		return false, nil, err
	}
	if len(told) > MaxBytes {
		return false, nil, fmt.Errorf("its input would be over %d MiB", MaxBytes>>20)
	}
	said, err := r.start(ctx, h, told)
	if err != nil {
		return false, nil, err
	}
	return call.take(said)
}

// errSlow is why a hook that takes too long is stopped.
var errSlow = errors.New("it took too long")

// start runs one command to its end: told goes to its stdin, what it says on
// stdout comes back. Nothing of it runs any more when start returns.
func (r *Runner) start(ctx context.Context, h config.Hook, told []byte) ([]byte, error) {
	args, err := r.resolve(h.Command)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, h.Timeout, errSlow)
	defer cancel()
	in, inOurs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer inOurs.Close()
	outOurs, out, err := proc.OutputPipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	defer outOurs.Close()
	errsOurs, errs, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	defer errsOurs.Close()
	p, err := proc.Start(ctx, proc.Command{Args: args, Dir: r.Home, Env: r.Env(), Stdin: in, Stdout: out, Stderr: errs})
	in.Close()
	out.Close()
	errs.Close()
	if err != nil {
		return nil, err
	}

	var said, lastWords []byte
	var work sync.WaitGroup
	work.Go(func() {
		_, _ = inOurs.Write(told) // a hook need not read
		inOurs.Close()
	})
	work.Go(func() {
		if said, _ = io.ReadAll(io.LimitReader(outOurs, MaxBytes+1)); len(said) > MaxBytes {
			p.Stop(0)
		}
	})
	work.Go(func() { lastWords = lastBytes(errsOurs, maxLastWords) })

	exit, err := p.Wait()
	ended := context.Cause(ctx)
	_, closeErr := p.Close()
	// Everything it left behind is dead, unless it belongs to somebody else.
	inOurs.SetWriteDeadline(time.Now())
	outOurs.SetReadDeadline(time.Now().Add(lostPipe))
	errsOurs.SetReadDeadline(time.Now().Add(lostPipe))
	work.Wait()
	switch {
	case len(said) > MaxBytes:
		return nil, fmt.Errorf("its answer is over %d MiB", MaxBytes>>20)
	case errors.Is(ended, errSlow):
		return nil, fmt.Errorf("%w: more than %s", errSlow, h.Timeout)
	case ended != nil:
		return nil, ended
	case err != nil || closeErr != nil:
		return nil, errors.Join(err, closeErr)
	case exit.Code != 0:
		return nil, fmt.Errorf("it ended with %d%s", exit.Code, lastLine(lastWords))
	}
	return said, nil
}

// resolve makes the program absolute: this program by its own name, one in the
// person's home, one beside the configuration, or one that PATH names without a
// relative directory in it.
func (r *Runner) resolve(command []string) ([]string, error) {
	program := command[0]
	var err error
	switch rest, inHome := strings.CutPrefix(program, "~/"); {
	case program == "agent-sidecar":
		program, err = os.Executable()
	case inHome && r.UserHome != "":
		program = filepath.Join(r.UserHome, rest)
	case filepath.IsAbs(program):
	case strings.ContainsAny(program, `/\`):
		program = filepath.Join(r.Home, program)
	default:
		program, err = exec.LookPath(program)
	}
	if err != nil {
		return nil, err
	}
	return append([]string{program}, command[1:]...), nil
}

// Find says what is wrong with a hook before it is needed: how it is configured,
// or that its program cannot be started. It starts nothing.
func (r *Runner) Find(h config.Hook) error {
	if h.Broken != "" {
		return errors.New(h.Broken)
	}
	command, err := r.resolve(h.Command)
	if err == nil {
		_, err = exec.LookPath(command[0])
	}
	return err
}

// lastBytes reads to the end and keeps the last bytes.
func lastBytes(r io.Reader, most int) []byte {
	var tail []byte
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		tail = append(tail, buf[:n]...)
		tail = tail[max(0, len(tail)-most):]
		if err != nil {
			return tail
		}
	}
}

func lastLine(text []byte) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if last := lines[len(lines)-1]; len(last) > 0 {
		return ": " + control.Title(secrets.Redact(string(last)), 200)
	}
	return ""
}
