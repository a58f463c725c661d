package questions

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Forward asks person what somebody else than the model asks, whose name is before each
// question, and notes in j what became of it. ok is false where nobody answers.
func Forward(ctx context.Context, j *journal.Journal, person Person, in Session, callID, from string, all []tool.Inquiry) (answers []tool.Reply, ok bool, err error) {
	k := asker{j, person, in}
	for len(all) > 0 {
		if !person.CanQuestion() {
			return nil, false, nil
		}
		now := all[:min(len(all), mostQuestions)]
		q := k.hidden(history.QuestionAsked{CallID: callID, From: from, Questions: forwarded(from, now)})
		done := in.Waiting(callID)
		r, err := k.await(ctx, &q)
		done()
		if err != nil || len(r.Answers) == 0 {
			return nil, false, err
		}
		for _, a := range r.Answers {
			answers = append(answers, tool.Reply{Choices: a.Choices, Text: a.Text})
		}
		all = all[len(now):]
	}
	return answers, true, nil
}

// forwarded are questions as people see them.
func forwarded(from string, all []tool.Inquiry) []history.Question {
	out := make([]history.Question, len(all))
	for i, q := range all {
		out[i] = history.Question{
			Question: control.Title(from+": "+q.Text, maxQuestion), Header: control.Title("MCP "+from, maxHeader),
			Options: []history.QuestionOption{}, Multiple: q.Multiple && len(q.Options) > 1,
		}
		for _, o := range q.Options {
			out[i].Options = append(out[i].Options, history.QuestionOption{Label: control.Title(o, maxLabel)})
		}
	}
	return out
}
