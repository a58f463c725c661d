package workspace

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/jobs"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
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
	select { // a busy machine may take long to prepare its box
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

// beginning is what the model is told of a job that goes on.
func (v *Vault) beginning(ctx context.Context, job *jobs.Job) string {
	now, cancel := context.WithCancel(ctx)
	cancel() // nothing is waited for
	return v.describeJob(job, job.Read(now, nil, jobPage), "running in the background as "+job.ID, "")
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
func shortCommand(command string) string {
	r := []rune(output.OneLine(command))
	if len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return string(r)
}

// tellPerson says how a job ended, where somebody listens.
func tellPerson(sink tool.Sink, end tool.JobEnd) {
	if teller, ok := sink.(tool.Teller); ok {
		teller.JobEnded(end)
	}
}

// JobNews says for the model what has ended of a session's jobs since it was asked
// last, and that the model has not seen.
func (v *Vault) JobNews(sessionID string) []string {
	var news []string
	for _, j := range v.jobs.News(sessionID) {
		end, _ := j.Ended()
		text := fmt.Sprintf("The background job %s (%s) %s.", j.ID, j.Command, end.How)
		if n := j.Unread(); n > 0 {
			text += fmt.Sprintf(" job_output has %d bytes of it that you have not read.", n)
		}
		news = append(news, output.JoinNotes(text, end.Note))
	}
	return news
}

// StopJob stops the job that a call has started, if it runs, because a person said
// so. It does not wait.
func (v *Vault) StopJob(sessionID, callID string) (stopped bool) {
	return v.jobs.StopCall(sessionID, callID)
}

// EndJobs stops all jobs of a session and returns when nothing of them runs. What its
// commands had apart from those of other sessions is thrown away.
func (v *Vault) EndJobs(sessionID string) {
	v.jobs.EndSession(sessionID)
	_ = v.temps.Remove(sessionID) // what is left of it is swept later
}
