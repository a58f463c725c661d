package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

//go:embed job_output.md
var jobOutputText string

// jobWait is the longest that one call may wait, in milliseconds.
const jobWait = bashMaxTimeout

type jobOutputArgs struct {
	ID     string `json:"id" jsonschema:"the job"`
	Offset *int64 `json:"offset,omitempty" jsonschema:"byte to begin at (default: where the last call ended)"`
	WaitMs int    `json:"waitMs,omitempty" jsonschema:"default 0, at most 600000"`
}

// newJobOutput is the tool that reads what a job has printed. It is of the domain
// internal: the command itself was judged, and a job of another session is as if
// it were not.
func newJobOutput(v *Vault, session string) tool.Tool {
	return tool.Define(tool.Spec{Name: "job_output", Description: jobOutputText, Effect: tool.Read, Tolerant: true}, func(in jobOutputArgs) (*tool.Plan, error) {
		switch {
		case in.Offset != nil && *in.Offset < 0:
			return nil, errors.New(`argument "offset" must not be negative`)
		case in.WaitMs < 0 || in.WaitMs > jobWait:
			return nil, fmt.Errorf(`argument "waitMs" must be from 0 to %d`, jobWait)
		}
		return &tool.Plan{
			Title:   "output of " + v.jobTitle(session, in.ID),
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:job_output"}},
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
