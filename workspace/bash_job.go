package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/jobs"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// atOnce is how long a job is watched, from when it starts, before its call returns: what
// cannot start, or has nothing to do, says so in that time, and is no job then.
const atOnce = 500 * time.Millisecond

// start runs c as a job of the session. A cancel that comes before the call has
// returned stops it: nobody knows of it yet.
func (b bash) start(ctx context.Context, in bashArgs, c proc.Command, sink tool.Sink) (tool.Result, error) {
	var result tool.Result // of the whole command, as if it had not been in the background
	var cause error
	var goesOn atomic.Bool
	out := output.New(sink)
	w := b.watch(sink) // until the call returns; what goes on is followed by nobody
	begun := make(chan struct{})
	b.begins = sync.OnceFunc(func() { close(begun) })
	job, err := b.v.jobs.Start(b.session, sink.CallID(), shortCommand(in.Command), out, func(ctx context.Context) jobs.End {
		end := b.command(ctx, in, c, w, out)
		result, cause = end.finish(ctx, in, out)
		if goesOn.Load() && end.stopped != stoppedByCaller {
			tellPerson(sink, end.forPerson(in))
		}
		return end.ofJob(ctx, in)
	})
	if err != nil {
		w.over()
		return tool.Failed(err), nil
	}
	select { // a busy machine may take long to prepare its sandbox
	case <-begun:
	case <-job.Done():
	case <-ctx.Done():
	}
	enough := time.NewTimer(atOnce)
	defer enough.Stop()
	select {
	case <-job.Done():
	case <-ctx.Done():
		job.Stop(context.Cause(ctx))
		<-job.Done()
	case <-enough.C:
		goesOn.Store(true)
		changes := w.runsOn()
		return tool.Result{Text: w.withTogether(b.v.beginning(ctx, job)), Changes: changes}, nil
	}
	b.v.jobs.Forget(b.session, job)
	if cause != nil {
		return result, cause
	}
	const note = "(it ended at once, so there is no background job)"
	if result.Spilled != nil {
		result.Spilled.Note = output.JoinNotes(result.Spilled.Note, note)
	} else {
		result.Text = output.JoinNotes(strings.TrimSuffix(result.Text, "\n"), note)
	}
	return result, nil
}

// forPerson is how the command came to its end, where nobody stopped it.
func (end commandEnd) forPerson(in bashArgs) tool.JobEnd {
	e := tool.JobEnd{Command: shortCommand(in.Command), Signal: end.exit.Signal, Code: end.exit.Code}
	switch {
	case end.begun == nil:
		e.NotStarted = end.err.Error()
	case end.stopped == stoppedByClock:
		e.TimedOut = in.TimeoutMs
	case end.err != nil:
		e.Failed = end.err.Error()
	}
	return e
}

// how says for the model how the command came to its end.
func (end commandEnd) how(ctx context.Context, in bashArgs) string {
	switch {
	case end.begun == nil:
		return "could not be started: " + end.err.Error()
	case end.stopped == stoppedByCaller:
		return context.Cause(ctx).Error()
	case end.stopped == stoppedByClock:
		return fmt.Sprintf("timed out after %d ms and was stopped", in.TimeoutMs)
	case end.err != nil:
		return "failed: " + end.err.Error()
	case end.exit.Signal != "":
		return fmt.Sprintf("was ended by signal %s (exit code %d)", end.exit.Signal, end.exit.Code)
	}
	return fmt.Sprintf("ended with exit code %d", end.exit.Code)
}

func (end commandEnd) ofJob(ctx context.Context, in bashArgs) jobs.End {
	out := jobs.End{How: end.how(ctx, in), Note: output.JoinNotes(outlivedNote(end.outlived), end.note)}
	if end.begun != nil && end.stopped == notStopped && end.err == nil {
		out.Code = &end.exit.Code
	}
	return out
}

// shortCommand is a command among others, in one line.
func shortCommand(command string) string { return tool.CutLine(output.OneLine(command), 80) }

// tellPerson says how a job ended, where somebody listens.
func tellPerson(sink tool.Sink, end tool.JobEnd) {
	if teller, ok := sink.(tool.Teller); ok {
		teller.JobEnded(end)
	}
}

// reads resolves the files that a command asks to read although they are closed. Each must
// be there, in a folder, and no directory.
func (b bash) reads(names []string) (out []Path, err error) {
	for _, name := range names {
		p, err := b.v.Path(name)
		if err != nil {
			return nil, fmt.Errorf("reads: %w", err)
		}
		if !p.InVault() {
			return nil, fmt.Errorf("reads: %s is not in the workspace; a command that needs it needs \"unconfined\"", pathname.Printable(p.Display()))
		}
		info, err := os.Lstat(p.Abs())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("reads: %s does not exist", pathname.Printable(p.Display()))
		case err != nil:
			return nil, fmt.Errorf("reads: %s: %w", pathname.Printable(p.Display()), openat.Plain(err))
		case info.IsDir():
			return nil, fmt.Errorf("reads: %s is a directory; name the files in it", pathname.Printable(p.Display()))
		}
		out = append(out, p)
	}
	return out, nil
}

// openedBy are the absolute paths of objects that a decision opens. One that is in no
// folder is not closed by the Vault and left out.
func (w *places) openedBy(objects []string) (paths []string, err error) {
	for _, object := range objects {
		abs, err := w.absolute(object)
		if err != nil {
			return nil, err
		}
		if w.asSeen(abs).root != nil {
			paths = append(paths, abs)
		}
	}
	return paths, nil
}
