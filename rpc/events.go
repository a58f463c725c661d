package rpc

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Event makes the server a session.Notifier: a durable event goes to the client
// that wants events, and to every surface that shows what happens. It does not
// block.
func (s *Server) Event(o history.Origin, e history.Event) {
	if a, asks := e.Body.(history.Approval); asks {
		s.surfaces.Board.Expect(a)
	}
	if s.client.wants(e.Type()) {
		if w, err := e.Wire(o); err != nil {
			s.report("encode an event", err)
		} else if payload, err := wire.EncodeJSON(w); err != nil {
			s.report("encode an event", err)
		} else {
			s.conn.Event(wire.Event{Session: o.Session, Stream: strings.Join(o.AgentPath, "/"), Seq: e.Seq, Payload: payload})
		}
	}
	s.surfaces.Event(o, e)
}

// Ephemeral passes on what is shown and not kept. Text is joined, values are
// replaced by newer ones, the rest is queued as it comes (O8).
func (s *Server) Ephemeral(o history.Origin, e history.Ephemeral) {
	s.surfaces.Ephemeral(o, e)
	if !s.client.wants(e.Type) {
		return
	}
	stream := strings.Join(o.AgentPath, "/")
	part := func(key, text string, with func(string) any) wire.TextPart {
		return wire.TextPart{Session: o.Session, Stream: stream, Key: e.Type + "\x00" + key, AfterSeq: e.After, Text: text, Encode: func(joined string) json.RawMessage {
			whole := e
			whole.Data = with(joined)
			return ephemeralJSON(o, whole)
		}}
	}
	switch d := e.Data.(type) {
	case session.Delta:
		s.conn.Delta(part(d.MessageID, d.Text, func(t string) any { d.Text = t; return d }))
	case session.InputDelta:
		s.conn.Delta(part(d.CallID, d.Text, func(t string) any { d.Text = t; return d }))
	case session.ToolOutput:
		s.conn.Output(part(d.CallID+d.Stream, d.Text, func(t string) any { d.Text = t; return d }))
	case session.Notice:
		e.Data = d.In(s.client.Locale)
		s.conn.Note(o.Session, stream, e.After, ephemeralJSON(o, e))
	case history.Usage:
		s.conn.Latest(o.Session, "usage"+e.Run, wire.EventMethod, ephemeralJSON(o, e))
	default:
		s.conn.Note(o.Session, stream, e.After, ephemeralJSON(o, e))
	}
}

// ephemeralJSON is the params of agent/event of an ephemeral event.
func ephemeralJSON(o history.Origin, e history.Ephemeral) json.RawMessage {
	data, err := wire.EncodeJSON(e.Data)
	if err != nil {
		data = json.RawMessage("{}")
	}
	after := e.After
	raw, err := wire.EncodeJSON(history.WireEvent{SessionID: o.Session, AfterSeq: &after, Time: wireTime(),
		RunID: e.Run, AgentPath: o.AgentPath, ParentCall: o.ParentCall, Type: e.Type, Data: data})
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// replayer reads events again that did not fit into the outbox.
type replayer struct{ s *Server }

// Events implements wire.EventLog over the session's own log, page by page, so that
// no lock is held while the client reads.
func (r replayer) Events(id, stream string, after, upTo int64, yield func(order int64, payload []byte) bool) error {
	of, err := r.s.back.Sessions.Get(id)
	if err != nil {
		return err
	}
	q := history.PageQuery{After: after, Before: upTo + 1}
	if stream != "" {
		q.Agent = strings.Split(stream, "/")
	}
	for {
		page, err := of.Events(context.Background(), q)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if !r.s.client.wants(e.Type) {
				continue
			}
			order := e.Seq
			if e.AfterSeq != nil {
				order = *e.AfterSeq
			}
			payload, err := wire.EncodeJSON(e)
			if err != nil {
				return err
			}
			if !yield(order, payload) {
				return nil
			}
		}
		if !page.HasMore {
			return nil
		}
		q.After = page.NextAfter
	}
}
