package testclient

import (
	"encoding/json"
	"strings"
)

// event holds an agent/event against O1 to O5 and O7.
func (w *wire) event(raw json.RawMessage) {
	e := parseEvent(raw)
	if e.bad != "" {
		w.bad("agent/event %s", e.bad)
		return
	}
	w.anyEvent = true
	s := w.sessions[e.SessionID]
	if s == nil {
		s = &sessionOnWire{calls: newCalls(), text: map[string]string{}, subs: map[string]int64{}}
		w.sessions[e.SessionID] = s
	}
	replay := w.replaying(e.SessionID)
	w.sequence(s, e, replay)
	w.run(e, replay)
	w.onDisk(e)
	w.orderOfChild(s, e, replay)
	if replay {
		return
	}
	if len(e.Path) > 0 && e.Parent != "" && !s.calls.children[e.Parent] && s.calls.known(e.Parent) {
		w.bad("O5: %s of %v lies outside its subagent.started and subagent.ended", e.Type, e.Path)
	}
	w.texts(s, e)
	// What has a seq is the root's, also a sub-agent's approval.
	if e.Seq != nil && !w.optOut {
		w.callOrder(s, e)
	}
}

// orderOfChild checks that a sub-agent's durable events come in their order.
func (w *wire) orderOfChild(s *sessionOnWire, e event, replay bool) {
	if e.SubSeq == nil || e.Seq != nil {
		return
	}
	path := strings.Join(e.Path, "/")
	if was := s.subs[path]; !replay && *e.SubSeq <= was {
		w.bad("O1: subSeq %d of %s after %d", *e.SubSeq, path, was)
	}
	s.subs[path] = max(s.subs[path], *e.SubSeq)
}

// callOrder checks O4 and O5 for what began on this connection: a client that
// resumed a session may see the end of a call whose begin it never saw.
func (w *wire) callOrder(s *sessionOnWire, e event) {
	id := e.body.CallID
	switch e.Type {
	case "tool.decided", "tool.returned", "subagent.ended":
		if !s.calls.known(id) {
			return
		}
	case "approval.resolved":
		if _, known := s.calls.approvals[e.body.ApprovalID]; !known {
			return
		}
	}
	for _, bad := range s.calls.event(e) {
		w.bad("%s", bad)
	}
}

// replaying is true while a resume that asked for events is not answered.
func (w *wire) replaying(session string) bool {
	for _, all := range w.asked {
		for _, r := range all {
			if r.method == "agent/session/resume" && !r.answered && r.params.str("sessionId") == session && r.params.str("replay") == "events" {
				return true
			}
		}
	}
	return false
}

func (w *wire) sequence(s *sessionOnWire, e event, replay bool) {
	child := len(e.Path) > 0 && e.Type != "subagent.started" && e.Type != "subagent.ended" && e.SubSeq != nil
	switch {
	case e.Seq != nil && (e.AfterSeq != nil || child):
		w.bad("an event carries seq or afterSeq, not both: %s", e.Type)
	case e.Seq == nil && e.AfterSeq == nil && e.SessionID != "":
		w.bad("%s carries neither seq nor afterSeq", e.Type)
	case e.Seq != nil && e.SessionID == "":
		w.bad("%s carries a seq and belongs to no session", e.Type) // a config approval is in no log
	}
	if e.Type == "gap" {
		s.gap = true
	}
	if e.Seq == nil {
		if e.AfterSeq != nil && *e.AfterSeq > s.seq && s.seq > 0 && !w.optOut && !replay {
			w.bad("%s comes after seq %d, but only %d was sent", e.Type, *e.AfterSeq, s.seq)
		}
		return
	}
	seq := *e.Seq
	switch {
	case replay || s.seq == 0 || s.forked && seq > s.seq: // what a fork begins with is paged, not sent
	case seq <= s.seq:
		w.bad("O1: seq %d after %d", seq, s.seq)
	case seq != s.seq+1 && !w.optOut:
		w.bad("O1: seq %d after %d: it rises by 1", seq, s.seq)
	}
	s.seq = max(s.seq, seq)
	s.forked = e.Type == "session.opened" && e.body.Parent.AtSeq > 0
}

// run checks that nothing of a run follows its run.ended (O3).
func (w *wire) run(e event, replay bool) {
	if e.RunID == "" || replay {
		return
	}
	run := w.runOf(e.RunID)
	if run.first == 0 {
		run.first = w.at
		run.session = e.SessionID
	}
	if run.session != e.SessionID { // a fork ends what goes on in the other session
		return
	}
	if run.ended {
		w.bad("O3: %s of run %s after its run.ended", e.Type, e.RunID)
	}
	if e.Type == "run.ended" && len(e.Path) == 0 {
		run.ended = true
	}
}

// onDisk checks that a durable event is exactly the line of the log (O1). A
// session without a log was deleted or was ephemeral.
func (w *wire) onDisk(e event) {
	seq, child := e.Seq, false
	if seq == nil {
		seq, child = e.SubSeq, true
	}
	if seq == nil {
		return
	}
	found := false
	for _, l := range w.logs {
		if !l.of(e.SessionID) || l.child() != child {
			continue
		}
		found = true
		if i := *seq - 1; i >= 0 && i < int64(len(l.events)) && sameEvent(l.events[i], e) {
			return
		}
	}
	if found {
		w.bad("O1: event %d (%s) of session %s is not in the log as it was sent", *seq, e.Type, e.SessionID)
	}
}

// sameEvent compares what a line of the log and an event have in common.
func sameEvent(line, e event) bool {
	return line.Type == e.Type && line.RunID == e.RunID && line.Time == e.Time && respace(string(line.Data)) == respace(string(e.Data))
}

// texts checks O7: joined deltas equal the final text.
func (w *wire) texts(s *sessionOnWire, e event) {
	id := e.body.MessageID
	if id == "" {
		return
	}
	switch {
	case e.Type == "message.delta":
		s.text[id] += e.body.Text
	case e.Type == "notice" && e.body.Kind == "message_reset":
		delete(s.text, id)
	case e.Type == "message.assistant":
		text, any := s.text[id]
		same := text == e.body.Text
		if w.resumed[e.SessionID] {
			same = strings.HasSuffix(e.body.Text, text) // the first deltas may have come before
		}
		if any && !same && !s.gap && e.body.Artifact == nil {
			w.bad("O7: the deltas of message %s joined are %q, its text is %q", id, shorten(text, 80), shorten(e.body.Text, 80))
		}
		delete(s.text, id)
	}
}
