package control

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

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/proc"
)

// MaxHookBytes bounds what a hook is told and what it may answer (control §8).
const MaxHookBytes = 1 << 20

const (
	hookLastWords = 2 << 10                // of stderr, in bytes
	hookLostPipe  = 200 * time.Millisecond // for a pipe that a foreign process still holds
)

// HookRunner runs the user's hooks: programs of the person, named in their own
// configuration, started as written, without a shell and outside the sandbox,
// like any program that they start themselves. It is one of the three places of
// this package that touch the world (ruling 50); it decides nothing.
type HookRunner struct {
	// Home is the sidecar's, where hooks start and where a relative program lies:
	// beside the configuration, never in a workspace, which could bring its own.
	Home     string
	UserHome string          // the person's, for ~/
	Env      func() []string // the whole environment, without secrets
}

// HookOutcome is what the hooks of one kind made of a call.
type HookOutcome struct {
	Call HookCall
	// Refused is why it must not happen, "" when it may, in words for the model; By
	// is the hook that says so, or is required and failed: then the last of Acts
	// says how.
	Refused string
	By      string
	Acts    []HookAct
}

// Changed says that a hook has changed something.
func (o HookOutcome) Changed() bool {
	for _, a := range o.Acts {
		if a.Err == nil {
			return true
		}
	}
	return false
}

// HookAct is something that a person should know: a hook changed something, or
// failed.
type HookAct struct {
	Name   string
	Number int   // in the list of its kind, from 1
	Err    error // nil: it changed something
}

// Run runs hooks one after the other, each with what the one before has made of
// the call. One that fails changes nothing; a required one that fails refuses.
// When ctx ends, what runs is stopped and the call is as it was then; it is refused
// where a required one has not seen it.
func (r *HookRunner) Run(ctx context.Context, hooks []Hook, call HookCall) HookOutcome {
	out := HookOutcome{Call: call}
	for i, h := range hooks {
		if call.Tool != "" && !h.covers(call.Tool) {
			continue
		}
		changed, refused, err := r.one(ctx, h, &out.Call)
		switch {
		case ctx.Err() != nil:
			for _, unseen := range hooks[i:] { // what one of them had to see, it has not seen
				if unseen.Required && (call.Tool == "" || unseen.covers(call.Tool)) {
					out.Refused, out.By = fmt.Sprintf("the required hook %s was cancelled", unseen.Name()), unseen.Name()
					break
				}
			}
			return out
		case err != nil:
			out.Acts = append(out.Acts, HookAct{h.Name(), i + 1, err})
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
			out.Acts = append(out.Acts, HookAct{h.Name(), i + 1, nil})
		}
	}
	return out
}

func (r *HookRunner) one(ctx context.Context, h Hook, call *HookCall) (changed bool, refused *string, err error) {
	switch {
	case h.broken != "":
		return false, nil, errors.New(h.broken)
	case call.Untold != "":
		return false, nil, errors.New(call.Untold)
	}
	told, err := json.Marshal(call)
	if err != nil {
		return false, nil, err
	}
	if len(told) > MaxHookBytes {
		return false, nil, fmt.Errorf("what it would be told is over %d MiB", MaxHookBytes>>20)
	}
	said, err := r.start(ctx, h, told)
	if err != nil {
		return false, nil, err
	}
	return call.take(said)
}

// errHookSlow is why a hook that takes too long is stopped.
var errHookSlow = errors.New("it took too long")

// start runs one command to its end: told goes to its stdin, what it says on
// stdout comes back. Nothing of it runs any more when start returns.
func (r *HookRunner) start(ctx context.Context, h Hook, told []byte) ([]byte, error) {
	args, err := r.resolve(h.Command)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, h.Timeout, errHookSlow)
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
		if said, _ = io.ReadAll(io.LimitReader(outOurs, MaxHookBytes+1)); len(said) > MaxHookBytes {
			p.Stop(0)
		}
	})
	work.Go(func() { lastWords = lastBytes(errsOurs, hookLastWords) })

	exit, err := p.Wait()
	ended := context.Cause(ctx)
	_, closeErr := p.Close()
	// Everything it left behind is dead, unless it belongs to somebody else.
	inOurs.SetWriteDeadline(time.Now())
	outOurs.SetReadDeadline(time.Now().Add(hookLostPipe))
	errsOurs.SetReadDeadline(time.Now().Add(hookLostPipe))
	work.Wait()
	switch {
	case len(said) > MaxHookBytes:
		return nil, fmt.Errorf("its answer is over %d MiB", MaxHookBytes>>20)
	case errors.Is(ended, errHookSlow):
		return nil, fmt.Errorf("%w: more than %s", errHookSlow, h.Timeout)
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
func (r *HookRunner) resolve(command []string) ([]string, error) {
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
func (r *HookRunner) Find(h Hook) error {
	if h.broken != "" {
		return errors.New(h.broken)
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
		return ": " + Title(secrets.Redact(string(last)), 200)
	}
	return ""
}
