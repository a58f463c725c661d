package surface

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// InLanguage is an event with its sentences for people in the language of the client: a
// question, how a run ended, why it goes in circles. The log has them in English, and
// what is read back from there is in English where a sentence names something.
func InLanguage(lang string, b history.Body) history.Body {
	switch b := b.(type) {
	case history.Approval:
		return Asked(lang, b)
	case history.RunEnded:
		b.Message = locale.Said(lang, b.Message)
		b.Error = Failure(lang, b.Error)
		return b
	case history.LoopDetected:
		b.Reason = locale.Said(lang, b.Reason)
		return b
	}
	return b
}

// Asked is a question in the language of the client.
func Asked(lang string, a history.Approval) history.Approval {
	a.Title = locale.Said(lang, a.Title)
	a.Reason = locale.Said(lang, a.Reason)
	if a.Domain == tool.DomainPlan {
		a.Labels = map[string]string{"once": locale.AcceptPlan.In(lang), "reject": locale.KeepPlanning.In(lang)}
	}
	if a.Preview != nil && len(a.Preview.Verdicts) > 0 {
		shown := *a.Preview
		shown.Verdicts = slices.Clone(shown.Verdicts)
		for i := range shown.Verdicts {
			shown.Verdicts[i].Why = locale.Said(lang, shown.Verdicts[i].Why)
		}
		a.Preview = &shown
	}
	return a
}

// Failure is why a run failed in the language of the client.
func Failure(lang string, e *history.RunError) *history.RunError {
	if e == nil {
		return nil
	}
	in := *e
	in.Message = locale.Said(lang, e.Message)
	in.Detail = locale.Said(lang, e.Detail)
	return &in
}
