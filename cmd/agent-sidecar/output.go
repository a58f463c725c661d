package main

import (
	_ "embed" // what a model is told about the form of its last answer
	"fmt"
	"os"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

//go:embed output_schema.md
var outputSchema string

//go:embed output_again.md
var outputAgain string

// mostSchema bounds a schema, in bytes: it is in each request.
const mostSchema = 64 << 10

// outputTries is how often a last answer is asked for.
const outputTries = 2

// readSchema is the form that the last answer must have, nil where any will do.
func readSchema(file string) (*tool.OutputSchema, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, misuse{fmt.Errorf("--output-schema: %w", err)}
	}
	defer f.Close()
	text, err := textOf(f, file)
	if err == nil && len(text) > mostSchema {
		err = tooLong(file, mostSchema)
	}
	if err != nil {
		return nil, misuse{err}
	}
	schema, err := tool.NewOutputSchema([]byte(text))
	if err != nil {
		return nil, misuse{fmt.Errorf("--output-schema: %w", err)}
	}
	return schema, nil
}

// answer runs a request until its last answer has the form that was asked for, at most
// twice. Both tries share the limits.
func (r *promptRun) answer(s *session.Session, request history.Request, foreign bool) (err error) {
	if r.schema != nil {
		request.System = fmt.Sprintf(outputSchema, r.schema.Text)
	}
	before := s.Info().Usage
	for try := 1; ; try++ {
		if r.limits != (history.Limits{}) {
			request.Limits = &r.limits
		}
		if r.ended, err = r.prompt(s, session.Prompt{Request: request, Foreign: foreign}); err != nil {
			return err
		}
		r.result.take(r.ended)
		if r.schema == nil || r.ended.StopReason != history.StopEndTurn {
			return nil
		}
		if r.result.Output, r.unfit = r.schema.Check(r.ended.Text); r.unfit == nil || try == outputTries {
			return nil
		}
		r.t.line("  ! " + r.words("The answer does not fit the schema: %s", title(r.unfit.Error(), 400)))
		if r.limits = left(r.limits, before, s.Info().Usage); spentUp(r.limits) {
			r.ended.StopReason, r.ended.Message = history.StopLimit, said.That("Stopped: the budget was used up before the answer could be asked for again.")
			r.result.StopReason, r.result.Message = r.ended.StopReason, r.ended.Message
			return nil
		}
		request.Kind, request.Prompt = "continuation", history.Text(fmt.Sprintf(outputAgain, control.Title(r.unfit.Error(), 2000)))
	}
}

// left is what of the limits of a run is not spent.
func left(l history.Limits, before, now history.Usage) history.Limits {
	if l.MaxTokens != nil {
		n := *l.MaxTokens - (now.InputTokens + now.OutputTokens - before.InputTokens - before.OutputTokens)
		l.MaxTokens = &n
	}
	if l.MaxCost != nil && now.Cost != nil {
		n := *l.MaxCost - now.Cost.Amount
		if before.Cost != nil {
			n += before.Cost.Amount
		}
		l.MaxCost = &n
	}
	return l
}

// spentUp says that nothing is left of a limit; 0 would be none.
func spentUp(l history.Limits) bool {
	return l.MaxTokens != nil && *l.MaxTokens <= 0 || l.MaxCost != nil && *l.MaxCost <= 0
}
