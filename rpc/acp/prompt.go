package acp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/convert"
	"github.com/agent-sidecar/agent-sidecar/rpc/acp/inside"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// ran is the end of a run as the server says it.
type ran struct {
	RunID      string          `json:"runId"`
	StopReason string          `json:"stopReason"`
	Message    string          `json:"message"`
	Usage      json.RawMessage `json:"usage"`
	Error      *struct {
		Kind     string          `json:"kind"`
		Message  string          `json:"message"`
		Attempts json.RawMessage `json:"attempts"`
	} `json:"error"`
}

// promptMeta is what a client that knows the sidecar says beside a prompt.
type promptMeta struct {
	AgentSidecar struct {
		Delivery        string `json:"delivery"`
		ClientMessageID string `json:"clientMessageId"`
	} `json:"agentSidecar"`
	Steering bool `json:"steering"` // what other agents call a prompt for the run under way
}

// prompt gives a prompt to a session and answers when its run has ended. Everything that the run
// has shown is sent before.
func (f *front) prompt(ctx context.Context, c *wire.Call, p v1.PromptRequest) (v1.PromptResponse, error) {
	s, err := f.find(p.SessionID)
	if err != nil {
		return v1.PromptResponse{}, err
	}
	blocks, err := convert.Blocks(p.Prompt)
	if err != nil {
		return v1.PromptResponse{}, err
	}
	params := map[string]any{"sessionId": s.id, "prompt": blocks, "await": true}
	var meta promptMeta
	if len(p.Meta) > 0 && json.Unmarshal(p.Meta, &meta) == nil {
		if meta.Steering {
			params["delivery"] = "steer"
		}
		if d := meta.AgentSidecar.Delivery; d != "" {
			params["delivery"] = d
		}
		if id := meta.AgentSidecar.ClientMessageID; id != "" {
			params["clientMessageId"] = id
		}
	}
	s.of.promptBegins(s)
	defer s.of.promptEnds()
	ended := make(chan inside.Answer, 1)
	id := s.of.in.Post("agent/run", params, func(a inside.Answer) { ended <- a })
	c.Release() // the next prompt of the session waits in its queue, and not here
	var got inside.Answer
	select {
	case got = <-ended:
	case <-ctx.Done():
		s.of.in.Notify("$/cancelRequest", map[string]any{"id": id})
		got = <-ended
	}
	if got.Err != nil {
		return v1.PromptResponse{}, got.Err
	}
	var end ran
	if err := json.Unmarshal(got.Result, &end); err != nil {
		return v1.PromptResponse{}, err
	}
	end = s.goesOn(ctx, end)
	s.Settle()
	return s.ended(end)
}

// goesOn waits for the run that carries out a plan which was accepted in the run of a prompt: it belongs to
// that prompt, and what it shows comes before the answer.
func (s *session) goesOn(ctx context.Context, end ran) ran {
	for {
		s.mu.Lock()
		next := s.next[end.RunID]
		delete(s.next, end.RunID)
		s.mu.Unlock()
		if next == nil {
			return end
		}
		select {
		case end = <-next.ended:
		case <-ctx.Done():
			s.of.in.Post("agent/cancel", map[string]any{"sessionId": s.id, "runId": next.id}, func(inside.Answer) {})
			select {
			case end = <-next.ended:
			case <-s.of.gone:
			}
		case <-s.of.gone:
			return end
		}
	}
}

// continuation is a run that nobody has prompted.
type continuation struct {
	id    string
	ended chan ran // gets one
}

// runBegins notes which run is at work, and one that goes on with what another has begun, from when it waits.
func (s *session) runBegins(e history.WireEvent) {
	var b struct{ Kind string }
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.Kind == "continuation" && s.runs[e.RunID] == nil && s.running != "" {
		s.runs[e.RunID] = &continuation{e.RunID, make(chan ran, 1)}
		s.next[s.running] = s.runs[e.RunID]
	}
	if e.Type == "run.started" {
		s.running = e.RunID
	}
}

// runEnds says how such a run has ended.
func (s *session) runEnds(e history.WireEvent) {
	s.mu.Lock()
	run := s.runs[e.RunID]
	delete(s.runs, e.RunID)
	if s.running == e.RunID {
		s.running = ""
	}
	s.mu.Unlock()
	if run == nil {
		return
	}
	end := ran{RunID: e.RunID}
	_ = json.Unmarshal(e.Data, &end) // of our own type
	run.ended <- end
}

// ended is the answer to a prompt.
func (s *session) ended(end ran) (v1.PromptResponse, error) {
	if end.Error != nil {
		e := wire.Internal("%s", end.Error.Message)
		e.Kind = end.Error.Kind
		return v1.PromptResponse{}, e.With("attempts", end.Error.Attempts).With("sessionId", s.shown).With("runId", end.RunID)
	}
	reason, known := convert.StopReasons[end.StopReason]
	if !known {
		return v1.PromptResponse{}, wire.Internal("the run ended with %s", end.StopReason)
	}
	if end.Message != "" && reason != v1.StopReasonEndTurn {
		s.Notice("warning", end.Message)
	}
	meta, err := json.Marshal(map[string]any{"agentSidecar": map[string]any{"runId": end.RunID, "stopReason": end.StopReason, "usage": end.Usage}})
	return v1.PromptResponse{StopReason: reason, Meta: meta}, err
}

// cancel is the Stop of a session: what runs and what waits.
func (f *front) cancel(_ context.Context, p v1.CancelNotification) error {
	s, err := f.find(p.SessionID)
	if err != nil {
		return err
	}
	s.of.in.Post("agent/cancel", map[string]any{"sessionId": s.id, "queue": "clear"}, func(inside.Answer) {})
	return nil
}

// isKind says whether an error is of a kind of the server's.
func isKind(err error, kind string) bool {
	e, is := errors.AsType[*wire.Error](err)
	return is && e.Kind == kind
}
