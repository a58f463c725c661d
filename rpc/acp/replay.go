package acp

import (
	"context"
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/inside"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// replay shows what was said in a session, in the order of its log. Nothing of it runs again.
func (s *session) replay(ctx context.Context) error {
	s.hold()
	s.Load()
	after := int64(0)
	defer func() {
		s.Loaded()
		s.release(after)
	}()
	for {
		var page struct {
			Events    []history.WireEvent
			NextAfter int64
			HasMore   bool
		}
		if err := s.of.in.Ask(ctx, "agent/events", map[string]any{"sessionId": s.id, "after": after}, &page); err != nil {
			return err
		}
		for _, e := range page.Events {
			s.Event(e)
		}
		if after = page.NextAfter; !page.HasMore {
			return nil
		}
	}
}

// hold keeps what happens while the log is shown.
func (s *session) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = true
}

// held says whether an event is kept for later.
func (s *session) held(e history.WireEvent) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds {
		s.later = append(s.later, e)
	}
	return s.holds
}

// release shows what was kept, without what the log had already, up to a seq.
func (s *session) release(seen int64) {
	for {
		s.mu.Lock()
		later := s.later
		s.later = nil
		s.holds = len(later) > 0
		s.mu.Unlock()
		if len(later) == 0 {
			return
		}
		for _, e := range later {
			if e.Seq > seen || e.Seq == 0 && e.AfterSeq != nil && *e.AfterSeq >= seen {
				s.of.show(s, e)
			}
		}
	}
}

// begin tells the client which commands there are, behind the answer to the call that has opened the session.
func (s *session) begin(c *wire.Call) {
	c.Reserve()
	s.of.in.Post("agent/commands", map[string]any{}, func(a inside.Answer) { s.showCommands(a) })
}

// showCommands lists the commands that a prompt can begin with.
func (s *session) showCommands(a inside.Answer) {
	var listed struct {
		Commands []struct {
			Name, Description, ArgumentHint, Request string
		}
	}
	if a.Err != nil || json.Unmarshal(a.Result, &listed) != nil {
		return
	}
	update := &v1.AvailableCommandsUpdate{}
	for _, c := range listed.Commands {
		if c.Request != "" {
			continue
		}
		command := v1.AvailableCommand{Name: c.Name, Description: c.Description}
		if c.ArgumentHint != "" {
			command.Input = &v1.UnstructuredCommandInput{Hint: c.ArgumentHint}
		}
		update.AvailableCommands = append(update.AvailableCommands, command)
	}
	s.Send(v1.SessionUpdate{AvailableCommandsUpdate: update})
}
