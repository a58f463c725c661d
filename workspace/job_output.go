package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/jobs"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

//go:embed job_output.md
var jobOutputText string

const (
	// jobPage is how much of a job's output one answer shows, in bytes.
	jobPage = 32 << 10
	// jobWait is the longest that one call may wait, in milliseconds.
	jobWait = bashMaxTimeout
)

type jobOutputArgs struct {
	ID     string `json:"id" jsonschema:"the job"`
	Offset *int64 `json:"offset,omitempty" jsonschema:"byte to begin at (default: where the last call ended)"`
	WaitMs int    `json:"waitMs,omitempty" jsonschema:"default 0, at most 600000"`
}

// newJobOutput is the tool that reads what a job has printed. It is of the domain
// internal: the command itself was judged, and a job of another session is as if
// it were not.
func newJobOutput(v *Vault, session string) tool.Tool {
	return tool.Define(tool.Spec{Name: "job_output", Description: jobOutputText, Effect: tool.Read}, func(in jobOutputArgs) (*tool.Plan, error) {
		switch {
		case in.Offset != nil && *in.Offset < 0:
			return nil, errors.New(`argument "offset" must not be negative`)
		case in.WaitMs < 0 || in.WaitMs > jobWait:
			return nil, fmt.Errorf(`argument "waitMs" must be from 0 to %d`, jobWait)
		}
		return &tool.Plan{
			Title:   "output of " + v.jobTitle(session, in.ID),
			Targets: []tool.Target{{Domain: "internal", Object: "internal:job_output"}},
			Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
				job, err := v.jobs.Find(session, in.ID)
				if err != nil {
					return tool.Failed(err), nil
				}
				waiting, cancel := context.WithTimeout(ctx, time.Duration(in.WaitMs)*time.Millisecond)
				defer cancel()
				read := job.Read(waiting, in.Offset, jobPage)
				r := tool.Result{Text: v.describeJob(job, read, job.ID+" is running", "no new output; ")}
				if end, over := job.Ended(); over && read.Next == read.End {
					r.ExitCode = end.Code
				}
				return r, context.Cause(ctx)
			},
		}, nil
	})
}

// jobTitle names a job for a person.
func (v *Vault) jobTitle(session, id string) string {
	if job, err := v.jobs.Find(session, id); err == nil {
		return job.ID + ": " + job.Command
	}
	return output.OneLine(id)
}

// describeJob is a piece of a job's output with what there is to know about it.
// running says that it has not ended, silent stands before that where it is quiet.
func (v *Vault) describeJob(job *jobs.Job, p jobs.Reading, running, silent string) string {
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
			p.Line = v.settled(p.Text, p.Line)
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
func (v *Vault) settled(text, line string) string {
	if v.secrets.pending == nil {
		return line
	}
	return line[:len(line)-min(v.secrets.pending(text+line), len(line))]
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
