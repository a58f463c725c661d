//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/testclient"
)

// body is the union of what the laws of a crash read in the data of an event.
type body struct {
	ApprovalID      string
	CallID          string
	ClientMessageID string
	Decision        string
	Status          string
	StopReason      string
	Path            string
	Before          string
	Checkpoint      string
	Closed          bool
}

func bodyOf(line testclient.Line) body {
	var b body
	_ = json.Unmarshal(line.Data, &b) // members of another type are none of ours
	return b
}

// builtIn are the events that a power cut takes from nobody who has seen them.
var lasting = []string{"session.opened", "run.started", "run.queued", "run.ended", "approval.requested", "approval.resolved", "context.compacted"}

// afterCrash holds what the crash left against what was promised before it, lets
// the next server live, and checks the laws of the log on what comes of it.
func (h *premises) afterCrash(powerCut bool) {
	t := h.t
	crashed := h.logs()
	for _, bad := range crashed.Broken(true) {
		t.Errorf("as the crash left it: %s", bad)
	}
	h.note(crashed)
	h.kept(crashed, powerCut)
	h.effects(crashed)
	h.checkpoints(crashed)
	h.pieces()
	next := h.live(&durable.Disk{})
	next.hello()
	h.resumed(next, crashed)
	for _, m := range h.said {
		if !h.deleted(h.acks[m].SessionID) {
			next.ask("agent/run", h.prompts[m])
		}
	}
	next.wait("90s")
	for _, id := range sessionsOf(h.logs()) {
		next.ask("agent/run", fmt.Sprintf(`{"sessionId": %q, "prompt": "Go on.", "delivery": "queue"}`, id))
	}
	next.wait("90s")
	h.idle(next)
	next.end()

	end := h.logs()
	for _, bad := range append(end.Broken(false), end.Grew(crashed)...) {
		t.Errorf("after the next life: %s", bad)
	}
	for _, m := range h.said {
		if _, taken := h.acks[m]; !taken && !h.late(m) {
			t.Errorf("message %s was never acknowledged", m)
		}
	}
	h.closed(end)
	h.taken(end)
	marks := h.marks()
	for _, id := range h.story.effects {
		if n := marks[id]; n > 1 {
			t.Errorf("call %s had its effect %d times", id, n)
		}
	}
	for _, bad := range h.model.Problems() {
		t.Error(bad)
	}
	h.outside(powerCut)
}

func (h *premises) logs() testclient.Logs {
	h.t.Helper()
	logs, err := testclient.ReadLogs(h.sidecar())
	if err != nil {
		h.t.Fatal(err)
	}
	return logs
}

func sessionOf(l testclient.Line) string { return strings.Split(l.Log, "/")[2] }

// sessionsOf are the sessions of the logs. The log of a sub-agent makes none: a
// fork begins with those.
func sessionsOf(logs testclient.Logs) []string {
	var ids []string
	for _, l := range logs.Lines() {
		if id := sessionOf(l); !l.Child && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// kept: what a client has seen and what it was promised is in the logs.
func (h *premises) kept(crashed testclient.Logs, powerCut bool) {
	type place struct {
		session string
		seq     int64
	}
	root := map[place]testclient.Line{}
	for _, l := range crashed.Lines() {
		if !l.Child {
			root[place{sessionOf(l), l.Seq}] = l
		}
	}
	for _, e := range h.events {
		if e.Seq == 0 || powerCut && !slices.Contains(lasting, e.Type) {
			continue
		}
		if l, ok := root[place{e.SessionID, e.Seq}]; !ok || l.Type != e.Type {
			if h.deleted(e.SessionID) {
				continue
			}
			h.t.Errorf("event %d %s of session %s was seen, and the log has %q", e.Seq, e.Type, e.SessionID, l.Type)
		}
	}
	for m, a := range h.acks {
		if l := root[place{a.SessionID, a.Seq}]; bodyOf(l).ClientMessageID != m && !h.deleted(a.SessionID) {
			h.t.Errorf("message %s was acknowledged as %+v, and the log has %s", m, a, l.Raw)
		}
	}
	resolved := map[string]string{}
	for _, l := range crashed.Lines() {
		if l.Type == "approval.resolved" {
			resolved[bodyOf(l).ApprovalID] = bodyOf(l).Decision
		}
	}
	for id, decision := range h.approved {
		if resolved[id] != decision && !h.deleted(strings.Split(id, "-")[0]) {
			h.t.Errorf("%s to %s was applied, and the log says %q", decision, id, resolved[id])
		}
	}
}

// deleted: a story may delete a session; then nothing of it is promised.
func (h *premises) deleted(id string) bool {
	return slices.ContainsFunc(h.story.deeds, func(d string) bool {
		return strings.HasPrefix(d, "agent/session/delete") && strings.Contains(d, fmt.Sprintf("%q", id))
	})
}

// late: words for a run that ended with the crash have nobody to hear them.
func (h *premises) late(m string) bool { return strings.Contains(h.prompts[m], `"steer"`) }

// effects: what has been done was decided before, and what has returned was done.
func (h *premises) effects(crashed testclient.Logs) {
	decided, returned := map[string]string{}, map[string]string{}
	for _, l := range crashed.Lines() {
		switch b := bodyOf(l); l.Type {
		case "tool.decided":
			decided[b.CallID] = b.Decision
		case "tool.returned":
			returned[b.CallID] = b.Status
		}
	}
	marks := h.marks()
	for _, id := range h.story.effects {
		n := marks[id]
		if n > 1 || n == 1 && decided[id] != "allow" {
			h.t.Errorf("call %s had its effect %d times, and the log decides %q", id, n, decided[id])
		}
		if n == 0 && returned[id] == "completed" {
			h.t.Errorf("call %s has returned, and its effect is not there", id)
		}
		if returned[id] == "" && h.modelHeard(id) {
			h.t.Errorf("the model was told what came of call %s, and the log does not say it", id)
		}
	}
}

// modelHeard: before the server died a request held the result of a call.
func (h *premises) modelHeard(id string) bool {
	for _, r := range h.heard {
		if bytes.Contains(r.Body, []byte(`"tool_call_id":"`+id+`"`)) {
			return true
		}
	}
	return false
}

// resumed: the next server knows every session that the crash left, at rest.
func (h *premises) resumed(next *life, crashed testclient.Logs) {
	for _, id := range sessionsOf(crashed) {
		var got struct {
			Session          struct{ State string }
			PendingApprovals []json.RawMessage
		}
		raw := next.ask("agent/session/resume", fmt.Sprintf(`{"sessionId": %q}`, id))
		if err := json.Unmarshal(raw, &got); err != nil || got.Session.State != atRest(crashed, id) && got.Session.State != "interrupted" || len(got.PendingApprovals) > 0 {
			h.t.Errorf("resume %s: %s", id, raw)
		}
	}
}

// atRest is the state of a session in which nothing runs: a reset has closed some.
func atRest(logs testclient.Logs, id string) string {
	state := "idle"
	for _, l := range logs.Lines() {
		if !l.Child && l.Type == "session.changed" && sessionOf(l) == id && bodyOf(l).Closed {
			state = "closed"
		}
	}
	return state
}

// idle: in the end nothing runs and nothing waits.
func (h *premises) idle(next *life) {
	var list struct {
		Sessions []struct{ ID, State string }
	}
	raw := next.ask("agent/session/list", `{}`)
	if err := json.Unmarshal(raw, &list); err != nil {
		h.t.Fatalf("%v: %s", err, raw)
	}
	var ids []string
	logs := h.logs()
	for _, s := range list.Sessions {
		ids = append(ids, s.ID)
		if s.State != atRest(logs, s.ID) {
			h.t.Errorf("in the end session %s is %s", s.ID, s.State)
		}
	}
	for _, id := range sessionsOf(logs) {
		if !slices.Contains(ids, id) {
			h.t.Errorf("session %s is not listed: %s", id, raw)
		}
	}
}

// note remembers what is open as a crash leaves it.
func (h *premises) note(crashed testclient.Logs) {
	if h.open == nil {
		h.open, h.pending = map[string]bool{}, map[string]bool{}
	}
	open, pending := map[string]bool{}, map[string]bool{}
	for _, l := range crashed.Lines() {
		switch b := bodyOf(l); l.Type {
		case "run.started":
			open[l.Log+" "+l.Run] = true
		case "run.ended":
			delete(open, l.Log+" "+l.Run)
		case "approval.requested":
			pending[b.ApprovalID] = true
		case "approval.resolved":
			delete(pending, b.ApprovalID)
		}
	}
	maps.Copy(h.open, open)
	maps.Copy(h.pending, pending)
}

// closed: what was open at a crash is closed once, and nothing was resurrected.
func (h *premises) closed(end testclient.Logs) {
	interrupted := map[string]int{}
	unresolved := map[string]bool{}
	for _, l := range end.Lines() {
		switch b := bodyOf(l); l.Type {
		case "run.ended":
			if b.StopReason == "interrupted" {
				interrupted[l.Log+" "+l.Run]++
			}
		case "approval.requested":
			unresolved[b.ApprovalID] = true
		case "approval.resolved":
			delete(unresolved, b.ApprovalID)
			if h.pending[b.ApprovalID] && b.Decision != "restart" {
				h.t.Errorf("approval %s was open at the crash and is resolved %q", b.ApprovalID, b.Decision)
			}
		}
	}
	for run := range h.open {
		if interrupted[run] != 1 {
			h.t.Errorf("run %s was open at the crash and ended interrupted %d times", run, interrupted[run])
		}
	}
	for run, n := range interrupted {
		if !h.open[run] {
			h.t.Errorf("run %s ended interrupted %d times and was not open at the crash", run, n)
		}
	}
	for id := range unresolved {
		h.t.Errorf("approval %s is never resolved", id)
	}
}

// taken: every message was taken in exactly once.
func (h *premises) taken(end testclient.Logs) {
	began, spoken := map[string]int{}, map[string]int{}
	for _, l := range end.Lines() {
		switch m := bodyOf(l).ClientMessageID; {
		case m == "":
		case l.Type == "run.started":
			began[m]++
		case l.Type == "run.queued", l.Type == "message.user":
			spoken[m]++
		}
	}
	for _, m := range h.said {
		if h.deleted(h.acks[m].SessionID) || h.late(m) && began[m]+spoken[m] == 0 {
			continue
		}
		if began[m] > 1 || spoken[m] > 1 || began[m]+spoken[m] == 0 {
			h.t.Errorf("message %s began %d runs and was queued or heard %d times", m, began[m], spoken[m])
		}
	}
}
