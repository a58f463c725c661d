package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// summaryWall is how long one summary may take to be written.
const summaryWall = 10 * time.Minute

// summarise asks for a summary: the conversation as the model saw it, with the
// same tools but forbidden to call them, so that the provider's cached prefix
// holds. Where that does not fit, less and less of it.
func (k *compactor) summarise(r *run, p replacing) (string, error) {
	ask := compactPrompt
	ask += fmt.Sprintf("\nWrite at most %d words.", compaction.MostWords(p.free))
	if p.focus != "" {
		ask += "\nPay special attention to: " + p.focus
	}
	m := k.summariser(r, p)
	summary, err := k.summariseWith(r, m, p, ask)
	if err != nil && m != r.model && r.ctx.Err() == nil { // the model of the run can always be asked
		k.deps.Log.Warn().Err(err).Str("model", m.Info().Name).Msg("summary")
		return k.summariseWith(r, r.model, p, ask)
	}
	return summary, err
}

// summariser is the model that writes the summary: the configured one; where the
// conversation is too long for the run's, the one of the run before it, which has
// seen it (switching to a smaller window compacts first). A model that the agent
// may not work with is never shown its conversation.
func (k *compactor) summariser(r *run, p replacing) model.Model {
	before := journal.Read(k.journal, func(t *history.Transcript) string { return t.ModelBefore })
	if name := k.view.compaction().Model; name != "" && r.agent.MayUse(name) {
		m, err := k.deps.Models.OpenModel(name, nil)
		if err == nil {
			return m
		}
		k.deps.Log.Warn().Err(err).Str("model", name).Msg("the configured model for summaries cannot be used")
	}
	own := k.view.bounds(r.model.Info())
	if before == "" || before == r.prompt.Model || own.Fits(p.used) || !r.agent.MayUse(before) {
		return r.model
	}
	if m, err := k.deps.Models.OpenModel(before, nil); err == nil {
		if b := k.view.bounds(m.Info()); b.Usable == 0 || b.Usable > own.Usable {
			return m
		}
	}
	return r.model
}

// summariseWith asks one model, in the largest form that should fit its window;
// where the model says that it does not, in the next smaller one.
func (k *compactor) summariseWith(r *run, m model.Model, p replacing, ask string) (summary string, err error) {
	err = compaction.ErrEndless
	b := k.view.bounds(m.Info())
	smallest := int64(-1) // of those that did not fit
	for request, form := range k.view.forms(r, p, ask) {
		tokens := k.view.tokens(m.Info().Name, sizeOfRequest(request))
		if tried := smallest >= 0; !tried && form != lastForm && !b.Fits(tokens) || tried && form != cutForm && tokens*10 > smallest*9 {
			continue
		}
		request.Params.MaxTokens = k.view.summaryTokens(r, m.Info(), tokens)
		if summary, err = k.askSummary(r, m, request, p); !overflows(err) {
			return summary, err
		}
		if failure, ok := errors.AsType[*model.Error](err); ok {
			k.view.learnWindow(m.Info().Name, failure.Window)
		}
		smallest = tokens
	}
	return summary, err
}

// resultCuts are how much of each tool result is cut away, in percent, one try
// after another, for a summariser that overflows.
var resultCuts = []int{10, 20, 50, 100}

// What a form leaves out of the conversation.
const (
	cutForm  = iota // nothing, or parts of results
	dropForm        // its oldest turns or steps too
	lastForm        // nothing smaller follows
)

// forms are the requests that ask for the summary, from the whole conversation to
// its newest part without results: first the whole, then the older part alone
// with less and less of its results, then without its oldest turns, and where one
// turn is too long without its oldest steps.
func (v *view) forms(r *run, p replacing, ask string) iter.Seq2[model.Request, int] {
	return func(yield func(model.Request, int) bool) {
		whole := v.request(r)
		if p.saw != nil {
			whole = *p.saw
		}
		whole.ToolChoice = "none"
		whole.Messages = append(whole.Messages, model.Message{Role: "user", Text: ask})
		if !yield(whole, cutForm) {
			return
		}
		for _, percent := range resultCuts {
			if !yield(v.shortened(r, p, 0, percent, ask), cutForm) {
				return
			}
		}
		last := 0
		for _, turns := range []bool{true, false} {
			for k := 1; k < p.cut; k++ {
				it := p.shown.Items[k]
				if it.Prompt != turns || !turns && (k <= last || it.Answer == nil) || !p.shown.Divides(k) {
					continue
				}
				if last = k; !yield(v.shortened(r, p, k, 100, ask), dropForm) {
					return
				}
			}
		}
		yield(v.shortened(r, p, last, 100, ask), lastForm)
	}
}

// shortened is the older part from one item on, with so much of every tool result
// cut away.
func (v *view) shortened(r *run, p replacing, from, percent int, ask string) model.Request {
	older := p.shown.Transcript
	if from > 0 {
		older.Carried = p.shown.CarriedBy(from)
	}
	older.Items = p.shown.Items[from:p.cut]
	request := v.blank(r)
	messages := older.Messages(v.blobs.get, model.Message{Role: "system", Text: r.system})
	for i := range messages {
		if m := &messages[i]; m.Role == "tool" {
			m.Text, m.Images = cutText(m.Text, len(m.Text)*(100-percent)/100), nil
		}
	}
	request.Messages = append(messages, model.Message{Role: "user", Text: ask})
	request.ToolChoice = "none"
	return request
}

// summaryTokens clamps what the summary may have, so that it fits into the window
// behind the conversation. nil leaves it to the model: nobody has set a limit.
func (v *view) summaryTokens(r *run, info model.Info, request int64) *int64 {
	most := v.compaction().OutputBudget
	if r.params.MaxTokens != nil && (most == 0 || *r.params.MaxTokens < most) {
		most = *r.params.MaxTokens
	}
	if most == 0 {
		return nil
	}
	if info.MaxOutput > 0 {
		most = min(most, info.MaxOutput)
	}
	if info.Window > 0 {
		const least = 256
		most = min(most, max(info.Window-request, least))
	}
	return &most
}

// askSummary asks once, in the form that the provider takes: one that refuses to
// be told not to call tools gets the conversation as one text.
func (k *compactor) askSummary(r *run, m model.Model, request model.Request, p replacing) (string, error) {
	refuses := func() bool { return m.Info().TextTools() || slices.Contains(m.Info().Quirks, "tool_choice") }
	if refuses() {
		return k.hearSummary(r, m, asOneText(request), p)
	}
	summary, err := k.hearSummary(r, m, request, p)
	if errors.Is(err, &model.Error{Kind: model.KindRejected}) || errors.Is(err, compaction.ErrCalls) && refuses() { // it was asked without the word
		return k.hearSummary(r, m, asOneText(request), p)
	}
	return summary, err
}

// hearSummary listens until the summary has ended, or is not worth to wait for.
func (k *compactor) hearSummary(r *run, m model.Model, request model.Request, p replacing) (string, error) {
	ctx, cancel := context.WithTimeoutCause(r.ctx, summaryWall, compaction.ErrEndless)
	defer cancel()
	var heard strings.Builder
	checked := 0
	for part, err := range m.Stream(ctx, request) {
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return "", err
		}
		if m == r.model { // the next request is asked of it too
			switched(k.journal, r, part)
		}
		switch d := part.(type) {
		case model.Retry:
			k.show(r.id, "run.state", RunState{State: "retrying", Detail: d.Err.Error(), Iteration: r.iteration, Attempt: d.Attempt + 1, InMs: d.In.Milliseconds()})
			heard.Reset()
			checked = 0
		case model.TextDelta:
			heard.WriteString(d.Text)
			if heard.Len() < checked+1<<10 {
				continue
			}
			checked = heard.Len()
			switch {
			case compaction.Repeats(heard.String()):
				return "", compaction.ErrRepeats
			case k.view.tokens(m.Info().Name, history.Size{Bytes: int64(heard.Len())}) > k.view.tokens(m.Info().Name, p.older):
				return "", compaction.ErrGain // longer than what it is to replace
			}
		case model.Done:
			k.root.spend(k.deps, k.origin, d)
			r.usage.Add(history.Reported(d.Usage))
			summary := strings.TrimSpace(history.Clean(d.Text))
			switch {
			case d.Filtered:
				return "", filteredError(d)
			case len(d.Calls) > 0:
				return "", compaction.ErrCalls
			case summary == "":
				return "", compaction.ErrEmpty
			case compaction.Repeats(summary):
				return "", compaction.ErrRepeats
			}
			return summary, nil
		}
	}
	return "", compaction.ErrEndless
}

// filteredError is an answer that the provider's content filter ended, where only a
// whole one is of use.
func filteredError(d model.Done) error {
	words := cmp.Or(d.Refusal, "the provider's content filter ended the answer")
	return &model.Error{Kind: model.KindContentFilter, Message: words, Provider: d.Provider, Model: d.Model}
}

// asOneText gives the conversation to a provider that refuses to be told not to
// call tools. The last message asks; the first is the system prompt, which the
// summary does not need, with what is behind it.
func asOneText(request model.Request) model.Request {
	n := len(request.Messages) - 1
	var b strings.Builder
	b.WriteString(request.Messages[n].Text)
	b.WriteString("\n\n<conversation>\n")
	for _, m := range request.Messages[1:n] {
		fmt.Fprintf(&b, "[%s] %s\n", m.Role, m.Text)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "[call] %s %s\n", c.Name, c.Arguments)
		}
	}
	b.WriteString("</conversation>")
	return model.Request{Messages: []model.Message{{Role: "user", Text: b.String()}}, Params: request.Params}
}

// sizeOfRequest is what is sent.
func sizeOfRequest(request model.Request) history.Size {
	var n history.Size
	for _, m := range request.Messages {
		n = n.Plus(history.SizeOf(m.Text).Framed(len(m.Calls)))
		n.Images += int64(len(m.Images))
		for _, c := range m.Calls {
			n = n.Plus(history.SizeOf(c.Name, c.Arguments))
		}
	}
	for _, t := range request.Tools {
		n = n.Plus(history.SizeOf(t.Name, t.Description, string(t.Schema)))
	}
	return n
}
