package workspace

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/jobs"
)

//go:embed job_kill.md
var jobKillText string

type jobKillArgs struct {
	ID string `json:"id" jsonschema:"the job"`
}

// newJobKill is the tool that stops a job; it is of the domain internal, as
// job_output is.
func newJobKill(v *Vault, session string) tool.Tool {
	return tool.Define(tool.Spec{Name: "job_kill", Description: jobKillText, Effect: tool.Exec}, func(in jobKillArgs) (*tool.Plan, error) {
		return &tool.Plan{
			Title:   "stop " + v.jobTitle(session, in.ID),
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:job_kill"}},
			Run: func(ctx context.Context, _ tool.Grant, _ tool.Sink) (tool.Result, error) {
				job, err := v.jobs.Find(session, in.ID)
				if err != nil {
					return tool.Failed(err), nil
				}
				return tool.Result{Text: killed(ctx, job)}, context.Cause(ctx)
			},
		}, nil
	})
}

// killed stops a job, waits until nothing of it runs, and says what became of it.
func killed(ctx context.Context, job *jobs.Job) string {
	already := ""
	if _, over := job.Ended(); over {
		already = " before"
	}
	job.Stop(jobs.ErrKilled)
	select {
	case <-job.Done():
	case <-ctx.Done():
		return fmt.Sprintf("%s is being stopped", job.ID)
	}
	job.Know()
	end, _ := job.Ended()
	text := fmt.Sprintf("%s (%s) %s%s.", job.ID, job.Command, end.How, already)
	if n := job.Unread(); n > 0 {
		text += fmt.Sprintf(" job_output has %d bytes of it that you have not read.", n)
	}
	if end.Note != "" {
		text += "\n" + end.Note
	}
	return text
}
