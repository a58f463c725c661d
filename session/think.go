package session

import (
	"cmp"
	"context"
	"errors"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// think asks the model and records its answer. After an overflow that only the provider
// could see, tools and results are made to fit and it is asked once more; then the
// conversation is compacted, then the last turn alone is sent; the history stays as it is.
func (w *worker) think(r *run) (answered, error) {
	r.iteration++
	w.show(r.id, "run.state", RunState{State: "thinking", Iteration: r.iteration})
	answer, err := w.askModel(r)
	if overflows(err) {
		again, hopeless := w.overflowed(r, err)
		if hopeless != nil {
			return answer, hopeless
		}
		if again {
			answer, err = w.askModel(r)
		}
	}
	if overflows(err) && w.room.rescue(r, err) {
		w.show(r.id, "run.state", RunState{State: "thinking", Iteration: r.iteration})
		answer, err = w.askModel(r)
	}
	older := journal.Read(w.journal, (*history.Transcript).LastTurn) > 0
	if overflows(err) && older && !r.lastOnly && r.ctx.Err() == nil {
		r.lastOnly = true
		w.show(r.id, "notice", Notice{Severity: "warning", Title: said.That("The conversation does not fit the model's window: only the last turn is sent from now on in this run."), Kind: "last_turn_only"})
		answer, err = w.askModel(r)
	}
	if overflows(err) {
		err = cmp.Or(w.roomless(r, roomHopeless, err.Error()), err)
	}
	return answer, err
}

// rescue makes room after the provider has said that there is none: every layer
// at once. It says whether asking again is worth it.
func (k *compactor) rescue(r *run, err error) bool {
	var failure *model.Error
	if errors.As(err, &failure) {
		k.view.learnWindow(r.model.Info().Name, failure.Window)
	}
	before := k.view.used(r)
	k.view.shorten(r, true)
	k.prune(r)
	return k.compact(r, wanted{trigger: "overflow"}) == nil || r.ctx.Err() == nil && compaction.Gains(before, k.view.used(r))
}

// answered is an answer that is in the log.
type answered struct {
	history.AssistantMessage
	cut     bool
	dropped int   // calls beyond those that one answer may have
	refused *stop // the provider's content filter ended the answer: the run ends too
}

func (w *worker) askModel(r *run) (answered, error) {
	request, asked := w.view.request(r), w.view.shownSize(r)
	if r.reporting {
		request.ToolChoice = "none"
	}
	shown := w.newAnswerShown(r)
	for part, err := range r.model.Stream(r.ctx, request) {
		if err != nil {
			if shown.began {
				w.withdraw(r, shown.id, said.That("The model did not finish its answer."))
			}
			if r.ctx.Err() != nil {
				err = context.Cause(r.ctx)
			}
			return answered{}, err
		}
		switch p := part.(type) {
		case model.TextDelta:
			shown.showText(shown.text.next(p.Text))
		case model.ReasoningDelta:
			shown.showReasoning(shown.reasoning.next(p.Text))
		case model.CallDelta:
			shown.showInput(p.Index, p.ID, p.Name, p.Text)
		case model.Retry:
			w.retrying(r, shown.id, p, shown.began)
			shown = w.newAnswerShown(r)
		case model.Switch:
			switched(w.journal, r, p)
		case model.Done:
			shown.rest()
			return w.recordAnswer(r, shown.id, asked, p, shown.names)
		}
	}
	return answered{}, errors.New("the model's stream ended without an answer")
}

// retrying tells watchers that what they saw of this answer is withdrawn.
func (w *worker) retrying(r *run, id string, p model.Retry, shown bool) {
	if shown {
		w.withdraw(r, id, said.That("The model did not finish: %s", p.Err.Message))
	}
	w.show(r.id, "run.state", RunState{State: "retrying", Detail: p.Err.Error(), Iteration: r.iteration, Attempt: p.Attempt + 1, InMs: p.In.Milliseconds()})
	switched(w.journal, r, p)
}

// withdraw tells watchers that the words they saw of an answer do not count.
func (w *worker) withdraw(r *run, id string, why said.Text) {
	w.show(r.id, "notice", Notice{Severity: "warning", Title: why, Kind: "message_reset", MessageID: id})
}

func (w *worker) recordAnswer(r *run, id string, asked history.Size, done model.Done, names *callNames) (answered, error) {
	a := answered{history.AssistantMessage{
		MessageID: id, Text: unlessBlank(history.Clean(done.Text)), Reasoning: history.Clean(done.Reasoning), Calls: callsOf(w.root.redactor, w.id, r, done.Calls, names),
		Model: done.Model, FinishReason: done.FinishReason, Opaque: done.Opaque, ShortTo: w.view.micro.UpTo(),
	}, done.Cut, 0, nil}
	if done.Filtered {
		if a.FinishReason == "" || a.FinishReason == "stop" || a.FinishReason == "tool_calls" {
			a.FinishReason = "content_filter" // a second word of the provider said so
		}
		a.refused = refusedBy(a.FinishReason, history.Clean(done.Refusal))
	}
	a.AssistantMessage = placeholder.Redacted(w.root.redactor, a.AssistantMessage) // before something of it is stored beside the log
	if r.cuts++; !done.Cut {
		r.cuts = 0
	}
	r.text, r.by = a.Text, a.Model
	w.root.spend(w.deps, w.origin, done)
	if a.Usage = history.Reported(done.Usage); a.Usage != nil && !done.Part {
		w.view.learn(r, a.Usage)
	}
	if done.Moved {
		w.show(r.id, "notice", quirkNotice("responses", ""))
	}
	for _, name := range append([]string{done.Quirk}, done.Also...) {
		if name != "" {
			w.show(r.id, "notice", quirkNotice(name, r.model.Info().Server))
		}
	}
	w.tellImages(r, done)
	w.tellCut(r, done)
	w.tellForeign(r, done)
	if a.dropped = max(0, len(a.Calls)-mostCalls); a.dropped > 0 {
		w.show(r.id, "notice", Notice{Severity: "warning", Title: said.That("The answer had %d calls; only the first %d are run.", len(a.Calls), mostCalls), Kind: "calls_dropped"})
	}
	w.bound(&a.AssistantMessage)
	if err := w.journal.Append(r.id, a.AssistantMessage); err != nil {
		return a, err
	}
	if done.Part {
		w.view.shown = nil // what is reported says nothing of what is shown
	} else if a.Usage != nil && a.Usage.InputTokens > 0 {
		w.view.sawUpTo(asked)
	}
	r.usage.Add(a.Usage)
	r.usage.Context = w.view.context(r)
	w.show(r.id, "usage", r.usage)
	return a, nil
}

// tellEffort says once that a model takes no effort.
func (w *worker) tellEffort(r *run) {
	info := r.model.Info()
	asked := info.Provider + "/" + info.Name
	if r.params.Effort == "" || info.Efforts != nil || w.across.effortTold[asked] {
		return
	}
	w.across.effortTold[asked] = true
	w.show(r.id, "notice", Notice{Severity: "info", Kind: "effort", Title: said.That("%s is not known to have levels of effort, so reasoningEffort is not sent.", info.Name)})
}

// tellForeign says once behind a switch that what another has sealed is not sent.
func (w *worker) tellForeign(r *run, done model.Done) {
	before, asked := w.across.askedLast, done.Provider+"/"+done.Model
	w.across.askedLast = asked
	again := before == asked || before == "" && journal.Read(w.journal, (*history.Transcript).AnsweredLast) == done.Model
	if done.Foreign > 0 && !again {
		w.show(r.id, "notice", Notice{Severity: "info", Kind: "sealed", Title: said.That(
			"The reasoning of another model is sealed for its own provider and API, so it is not sent to %s. It is sent again once the session goes back there.", done.Model)})
	}
}

// tellImages says once which images a model does not see, and again when there
// are more of them.
func (w *worker) tellImages(r *run, done model.Done) {
	asked := done.Provider + "/" + done.Model
	told := w.across.imagesTold[asked]
	w.across.imagesTold[asked] = done.Left
	if n := done.Left.NoVision; n > told.NoVision && done.Quirk != "images" {
		w.show(r.id, "notice", Notice{Severity: "warning", Kind: "images", Title: said.That(
			"%s is not known to accept images, so %s sent. If it does accept them, set vision for it under providers in the configuration.", done.Model, imagesNot(n))})
	}
	if n := done.Left.NoFiles; n > told.NoFiles && done.Quirk != "images" {
		w.show(r.id, "notice", Notice{Severity: "warning", Kind: "images", Title: said.That(
			"%s is not known to read PDF files, so %s sent.", done.Model, filesNot(n))})
	}
	if n := done.Left.TooMany; n > told.TooMany {
		w.show(r.id, "notice", Notice{Severity: "info", Kind: "images", Title: said.That(
			"Only the newest %d images of this conversation are sent. The others (%d) are replaced by a line of text.", model.MaxImages, n)})
	}
}

// imagesNot and filesNot say how many were left out, in the sentences above.
func imagesNot(n int) said.Text {
	if n == 1 {
		return said.That("1 image was not")
	}
	return said.That("%d images were not", n)
}

func filesNot(n int) said.Text {
	if n == 1 {
		return said.That("1 file was not")
	}
	return said.That("%d files were not", n)
}
