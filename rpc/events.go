package rpc

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// notifier shows the client what sessions say, and reads it again from their logs.
type notifier struct {
	*link
	surfaces *surface.Surfaces
	store    *store.Store // set by initialize
}

// Event implements session.Notifier: a durable event goes to the client that wants
// events, and to every surface that shows what happens. It does not block.
func (s *notifier) Event(o history.Origin, e history.Event) {
	local := e // what is on the wire is on disk: an event has its sentences in English
	local.Body = surface.InLanguage(s.client.Locale, e.Body)
	if a, asks := local.Body.(history.Approval); asks {
		s.surfaces.Pending.Expect(a)
	}
	if q, asks := local.Body.(history.QuestionAsked); asks {
		s.surfaces.Questions.Expect(q)
	}
	if s.client.wants(e.Type()) {
		w, err := e.Wire(o)
		if err == nil {
			var payload json.RawMessage
			if payload, err = wire.EncodeJSON(w); err == nil {
				s.Conn.Event(wire.Event{Session: o.Session, Stream: strings.Join(o.AgentPath, "/"), Seq: e.Seq, Payload: payload})
			}
		}
		if err != nil {
			s.Report("encode an event", err)
		}
	}
	s.surfaces.Event(o, local)
}

// Ephemeral implements session.Notifier: it passes on what is shown and not kept. Text is joined, values are
// replaced by newer ones, the rest is queued as it comes (O8).
func (s *notifier) Ephemeral(o history.Origin, e history.Ephemeral) {
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
		s.Delta(part(d.MessageID, d.Text, func(t string) any { d.Text = t; return d }))
	case session.InputDelta:
		s.Delta(part(d.CallID, d.Text, func(t string) any { d.Text = t; return d }))
	case session.ToolOutput:
		s.Output(part(d.CallID+d.Stream, d.Text, func(t string) any { d.Text = t; return d }))
	case session.Notice:
		d.Title = locale.Said(s.client.Locale, d.Title)
		e.Data = d
		s.Note(o.Session, stream, e.After, ephemeralJSON(o, e))
	case history.Usage:
		s.Latest(o.Session, "usage"+e.Run, wire.EventMethod, ephemeralJSON(o, e))
	default:
		s.Note(o.Session, stream, e.After, ephemeralJSON(o, e))
	}
}

// EphemeralParams is the params of agent/event of an ephemeral event.
func EphemeralParams(o history.Origin, e history.Ephemeral) history.WireEvent {
	data, err := wire.EncodeJSON(e.Data)
	if err != nil {
		data = json.RawMessage("{}")
	}
	after := e.After
	return history.WireEvent{SessionID: o.Session, AfterSeq: &after, Time: history.Stamp(time.Now()),
		RunID: e.Run, AgentPath: o.AgentPath, ParentCall: o.ParentCall, Type: e.Type, Data: data}
}

func ephemeralJSON(o history.Origin, e history.Ephemeral) json.RawMessage {
	raw, err := wire.EncodeJSON(EphemeralParams(o, e))
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// Events implements wire.EventLog over a session's log, for what did not fit into the
// outbox: page by page, so that no lock is held while the client reads.
func (s *notifier) Events(id, stream string, after, upTo int64, yield func(order int64, payload []byte) bool) error {
	of, err := s.store.Get(id)
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
			if !s.client.wants(e.Type) {
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
