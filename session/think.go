package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/model"
)

// Delta is a piece of an answer that is being written (protocol §5).
type Delta struct {
	MessageID string `json:"messageId"`
	Text      string `json:"text"`
}

// InputDelta is a piece of a call's arguments that are being written.
type InputDelta struct {
	CallID string `json:"callId"`
	Tool   string `json:"tool"`
	Text   string `json:"text"`
}

// think asks the model and records its answer. An overflow that only the
// provider could see compacts and asks once more (session §6).
func (s *Session) think(r *run) (answered, error) {
	r.iteration++
	s.show(r.id, "run.state", RunState{State: "thinking", Iteration: r.iteration})
	answer, err := s.askModel(r)
	var failure *model.Error
	if errors.As(err, &failure) && failure.Kind == model.KindOverflow && !r.rescued {
		r.rescued = true
		if s.compact(r, "overflow", "") == nil {
			answer, err = s.askModel(r)
		}
	}
	return answer, err
}

// answered is an answer that stands in the log.
type answered struct {
	AssistantMessage
	cut bool
}

func (s *Session) askModel(r *run) (answered, error) {
	request := s.request(r)
	id := s.newID("m")
	for part, err := range r.model.Stream(r.ctx, request) {
		if err != nil {
			if r.ctx.Err() != nil {
				return answered{}, context.Cause(r.ctx)
			}
			return answered{}, err
		}
		switch p := part.(type) {
		case model.TextDelta:
			s.show(r.id, "message.delta", Delta{id, clean(p.Text)})
		case model.ReasoningDelta:
			s.show(r.id, "reasoning.delta", Delta{id, clean(p.Text)})
		case model.CallDelta:
			s.show(r.id, "tool.input", InputDelta{fmt.Sprintf("%s.%d", id, p.Index), p.Name, clean(p.Text)})
		case model.Retry:
			s.retrying(r, id, p)
			id = s.newID("m")
		case model.Done:
			return s.recordAnswer(r, id, p)
		}
	}
	return answered{}, errors.New("the model's stream ended without an answer")
}

// retrying tells watchers that what they saw of this answer is withdrawn.
func (s *Session) retrying(r *run, id string, p model.Retry) {
	s.show(r.id, "notice", Notice{Severity: "warning", Title: "The model did not finish: " + p.Err.Message, Kind: "message_reset", MessageID: id})
	s.show(r.id, "run.state", RunState{State: "retrying", Detail: p.Err.Error(), Iteration: r.iteration, Attempt: p.Attempt + 1, InMs: p.In.Milliseconds()})
	if p.Switch {
		_ = s.record(r.id, ModelSwitched{From: p.Err.Model, To: p.Model, Reason: string(p.Err.Kind)})
	}
}

func (s *Session) recordAnswer(r *run, id string, done model.Done) (answered, error) {
	a := answered{AssistantMessage{
		MessageID: id, Text: clean(done.Text), Reasoning: clean(done.Reasoning), Calls: s.callsOf(done.Calls),
		Model: done.Model, FinishReason: done.FinishReason, Opaque: done.Opaque,
	}, done.Cut}
	if done.Cut {
		r.cuts++
	}
	if u := done.Usage; u != nil {
		a.Usage = &TokenCount{u.Input, u.Output, u.Cached, u.Cost}
		s.learn(r, a.Usage)
	}
	if done.Quirk != "" {
		s.show(r.id, "notice", Notice{Severity: "info", Title: "The provider refused a parameter; it is left out from now on: " + done.Quirk, Kind: "quirk"})
	}
	s.bound(&a.AssistantMessage)
	if err := s.record(r.id, a.AssistantMessage); err != nil {
		return a, err
	}
	r.usage.add(a.Usage)
	r.usage.Context = s.context(r)
	s.show(r.id, "usage", r.usage)
	return a, nil
}

// callsOf gives every call an id that is unique in the session: the provider's
// where it is one and short enough, else ours (ruling 13).
func (s *Session) callsOf(calls []model.Call) []Call {
	var out []Call
	for _, c := range calls {
		call := Call{CallID: clean(c.ID), Tool: clean(c.Name), Extra: compactOrNil(c.Extra)}
		call.Input, call.Raw = inputOf(c.Arguments)
		if call.CallID == "" || len(call.CallID) > 80 || s.knowsCall(call.CallID, out) {
			call.ProviderID, call.CallID = call.CallID, s.newID("c")
		}
		out = append(out, call)
	}
	return out
}

// knowsCall says whether an id is taken, in the log or in this answer.
func (s *Session) knowsCall(id string, also []Call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.t.callIDs[id] || slices.ContainsFunc(also, func(c Call) bool { return c.CallID == id })
}
