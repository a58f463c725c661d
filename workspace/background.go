package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/jobs"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// background are the commands that go on when their call has returned.
type background struct {
	jobs    jobs.Table
	apart   *sandbox.Temps        // what sessions have as /tmp
	pending func(text string) int // see Options.Pending
}

// JobNews says for the model what has ended of a session's jobs since it was asked
// last, and that the model has not seen.
func (k *background) JobNews(sessionID string) []string {
	var news []string
	for _, j := range k.jobs.News(sessionID) {
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
func (k *background) StopJob(sessionID, callID string) (stopped bool) {
	return k.jobs.StopCall(sessionID, callID)
}

// JobRuns says that the job which a call has started runs.
func (k *background) JobRuns(sessionID, callID string) bool { return k.jobs.RunsOf(sessionID, callID) }

// AnyJobs says that a session has jobs, or had some: without any there is no news.
func (k *background) AnyJobs(sessionID string) bool { return k.jobs.Any(sessionID) }

// EndJobs stops all jobs of a session and returns when nothing of them runs. What its
// commands had apart from those of other sessions is thrown away.
func (k *background) EndJobs(sessionID string) {
	k.jobs.EndSession(sessionID)
	_ = k.apart.Remove(sessionID) // what is left of it is swept later
}

// JobsRun says that a command is in the background, of whatever session.
func (k *background) JobsRun() bool { return k.jobs.Running() }

// describeJob is a piece of a job's output with what there is to know about it.
// running says that it has not ended, silent is before that where it is quiet.
func (k *background) describeJob(job *jobs.Job, p jobs.Reading, running, silent string) string {
	end, over := job.Ended()
	if over {
		job.Know()
	}
	var b strings.Builder
	path := job.Out.Path()
	if lost := p.From - min(p.Asked, p.From); lost > 0 {
		where := "they could not be kept"
		if path != "" {
			where = "they are in " + path + "; use grep, or read with offset and limit"
		}
		fmt.Fprintf(&b, "(bytes %d-%d are left out here: %s)\n", p.Asked, p.From, where)
	}
	if p.Fresh {
		if !over {
			p.Line = k.settled(p.Text, p.Line)
		}
		b.WriteString(cutMarks(p.Text, p.CutBefore, p.CutAfter))
		line := output.LastPart([]byte(p.Line), jobPage-len(p.Text))
		b.WriteString(cutMarks(string(line), len(line) < len(p.Line), false))
	}
	if n := b.Len(); n > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteByte('\n')
	}
	b.WriteByte('(')
	switch {
	case over:
		b.WriteString(job.ID + " " + end.How)
	case !p.Fresh:
		b.WriteString(silent + running)
	default:
		b.WriteString(running)
	}
	switch {
	case p.Next < p.End:
		fmt.Fprintf(&b, "; bytes %d-%d of %d; next offset=%d)", p.From, p.Next, p.End, p.Next)
	case over:
		fmt.Fprintf(&b, "; %d bytes in all", p.End)
		if path != "" {
			b.WriteString(", in " + path)
		}
		b.WriteByte(')')
	default:
		fmt.Fprintf(&b, "; next offset=%d)", p.Next)
	}
	if over && p.Next == p.End {
		return output.JoinNotes(b.String(), end.Note)
	}
	return b.String()
}

// settled is what may be shown of a line that is not finished, behind text: its end
// may be half a secret, which nobody would know for one. It comes with the rest.
func (k *background) settled(text, line string) string {
	if k.pending == nil {
		return line
	}
	return line[:len(line)-min(k.pending(text+line), len(line))]
}

// jobTitle names a job for a person.
func (k *background) jobTitle(session, id string) string {
	if job, err := k.jobs.Find(session, id); err == nil {
		return job.ID + ": " + job.Command
	}
	return output.OneLine(id)
}

// beginning is what the model is told of a job that goes on.
func (k *background) beginning(ctx context.Context, job *jobs.Job) string {
	now, cancel := context.WithCancel(ctx)
	cancel() // nothing is waited for
	return k.describeJob(job, job.Read(now, nil, jobPage), "running in the background as "+job.ID, "")
}

// cutMarks marks the sides on which a text was cut inside a line: beside such a mark
// half a secret is hidden like a whole one.
func cutMarks(text string, before, after bool) string {
	if before {
		text = "…" + text
	}
	if after {
		text += "…"
	}
	return text
}

// jobPage is how much of a job's output one answer shows, in bytes.
const jobPage = 32 << 10
