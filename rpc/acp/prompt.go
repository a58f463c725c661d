package acp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

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
	params := map[string]any{"sessionId": s.id, "prompt": blocks}
	var meta promptMeta
	if len(p.Meta) > 0 && json.Unmarshal(p.Meta, &meta) == nil {
		if meta.Steering {
			params["delivery"] = "steer"
		}
		if d := meta.AgentSidecar.Delivery; d != "" {
			params["delivery"] = d
		}
		if id := meta.AgentSidecar.ClientMessageID; id != "" {
			params["clientMessageId"], params["await"] = id, true // it may be of a run that has ended
		}
	}
	over := sync.OnceFunc(s.of.promptEnds)
	s.of.promptBegins(s)
	defer over()
	taken := make(chan inside.Answer, 1)
	var of *run // set before the answer is handed on
	id := s.of.in.Post("agent/run", params, func(a inside.Answer) {
		of = s.waitFor(a, &waiting{c, over})
		taken <- a
	})
	c.Release() // the next prompt of the session waits in its queue, and not here
	var got inside.Answer
	select {
	case got = <-taken:
	case <-ctx.Done():
		s.of.in.Notify("$/cancelRequest", map[string]any{"id": id})
		got = <-taken
	}
	if got.Err != nil {
		return v1.PromptResponse{}, got.Err
	}
	var end ran
	if err := json.Unmarshal(got.Result, &end); err != nil {
		return v1.PromptResponse{}, err
	}
	if of == nil { // it has waited for the end
		s.Settle()
		return s.ended(end)
	}
	if end, err = s.await(ctx, of); err != nil {
		return v1.PromptResponse{}, err
	}
	return s.ended(end)
}

// run is a run that has not ended. Its session guards it; end and next are not changed once it is done.
type run struct {
	id      string
	prompts []*waiting
	next    *run // goes on with what this one has begun, and belongs to the same prompts
	end     ran
	done    chan struct{}
}

// waiting is a prompt that is answered when a run has ended.
type waiting struct {
	call *wire.Call
	over func() // what is open for it alone is taken back
}

// waitFor lets a prompt wait for the run that it has begun, or joined. It is called before anything of that run is heard.
func (s *session) waitFor(a inside.Answer, w *waiting) *run {
	var ack ran
	if a.Err != nil || json.Unmarshal(a.Result, &ack) != nil || ack.StopReason != "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.runs[ack.RunID]
	if of == nil {
		of = &run{id: ack.RunID, done: make(chan struct{})}
		s.runs[ack.RunID] = of
	}
	of.prompts = append(of.prompts, w)
	return of
}

// await waits until a run, and what goes on with it, has ended. When ctx ends, the run is cancelled.
func (s *session) await(ctx context.Context, of *run) (ran, error) {
	stop := ctx.Done()
	for {
		select {
		case <-of.done:
			if of.next == nil {
				return of.end, nil
			}
			of = of.next
		case <-stop:
			stop = nil // it is told once; its end comes within a second
			s.of.in.Post("agent/cancel", map[string]any{"sessionId": s.id, "runId": of.id}, func(inside.Answer) {})
		case <-s.of.gone:
			return ran{}, inside.ErrGone
		}
	}
}

// runBegins notes which run is at work, and one that carries out a plan which was accepted in it.
func (s *session) runBegins(e history.WireEvent) {
	var b struct{ Kind string }
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.runs[s.running]; b.Kind == "continuation" && s.runs[e.RunID] == nil && before != nil {
		before.next = &run{id: e.RunID, done: make(chan struct{})}
		s.runs[e.RunID] = before.next
	}
	if e.Type == "run.started" {
		s.running = e.RunID
	}
}

// runEnds answers the prompts that wait for a run, unless another one goes on with it. Their places are kept in
// the turn of its end: what the next run shows comes behind the answers.
func (s *session) runEnds(e history.WireEvent) {
	s.mu.Lock()
	of := s.runs[e.RunID]
	delete(s.runs, e.RunID)
	if s.running == e.RunID {
		s.running = ""
	}
	var answered []*waiting
	if of != nil && of.next != nil {
		of.next.prompts = append(of.next.prompts, of.prompts...)
	} else if of != nil {
		answered = of.prompts
	}
	s.mu.Unlock()
	if of == nil {
		return
	}
	end := ran{RunID: e.RunID}
	_ = json.Unmarshal(e.Data, &end) // of our own type
	for _, w := range answered {
		w.over()
	}
	if end.Message != "" && end.StopReason != string(v1.StopReasonEndTurn) {
		s.Notice("warning", end.Message)
	}
	s.Then(func() {
		for _, w := range answered {
			w.call.Reserve()
		}
		of.end = end
		close(of.done)
	})
}

// idle waits until no run of the session that somebody waits for is going on.
func (s *session) idle(ctx context.Context) {
	s.mu.Lock()
	var open []*run
	for _, of := range s.runs {
		open = append(open, of)
	}
	s.mu.Unlock()
	for _, of := range open {
		select {
		case <-of.done:
		case <-s.of.gone:
		case <-ctx.Done():
		}
	}
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
