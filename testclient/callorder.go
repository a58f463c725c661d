package testclient

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// callOrder follows calls, approvals and sub-agents through a log or over the
// wire: O4 and O5.
type callOrder struct {
	calls     map[string]stage
	approvals map[string]string // approvalId -> callId; "" once resolved
	children  map[string]bool   // callId of an open sub-agent
}

type stage int

const (
	unheard stage = iota
	requested
	decided
	returned
)

func newCalls() *callOrder {
	return &callOrder{calls: map[string]stage{}, approvals: map[string]string{}, children: map[string]bool{}}
}

func (o *callOrder) known(id string) bool { return o.calls[id] != unheard }

// event gives what is wrong with e, as O4 goes: tool.requested, then
// approval.*, then tool.decided, then tool.returned. A call that could not be
// decoded, or that never ran because its run ended, has no tool.decided. What ran,
// or what a person refused, was decided.
func (o *callOrder) event(e event) (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	id := e.body.CallID
	if path := e.body.AgentPath; len(path) > 0 && id != "" {
		id = strings.Join(path, "/") + "/" + id // a sub-agent's call; its ids may be the root's too
	}
	at := o.calls[id]
	switch e.Type {
	case "tool.requested":
		if at != unheard {
			bad("O4: call %q is requested twice", id)
		}
		o.calls[id] = requested
	case "tool.decided":
		if at != requested {
			bad("O4: call %q is decided when it is %s", id, at)
		}
		if a, open := o.openApproval(id); open {
			bad("O4: call %q is decided while approval %q is open", id, a)
		}
		o.calls[id] = decided
	case "tool.returned":
		switch {
		case at == returned:
			bad("O4: call %q returns twice", id)
		case at == unheard:
			bad("O4: call %q returns and was never requested", id)
		case at != decided && (e.body.Status == "completed" || e.body.Status == "rejected"):
			bad("O4: call %q is %s without a decision", id, e.body.Status)
		}
		if o.children[id] {
			bad("O5: call %q returns before its sub-agent has ended", id)
		}
		if a, open := o.openApproval(id); open {
			bad("O4: call %q returns while approval %q is open", id, a)
		}
		o.calls[id] = returned
	case "approval.requested":
		if _, twice := o.approvals[e.body.ApprovalID]; twice {
			bad("approval %q is requested twice", e.body.ApprovalID)
		}
		if at >= decided && id != "" {
			bad("O4: approval %q for call %q, which is %s", e.body.ApprovalID, id, at)
		}
		o.approvals[e.body.ApprovalID] = "call " + id
	case "approval.resolved":
		if was, known := o.approvals[e.body.ApprovalID]; !known || was == "" {
			bad("approval %q is resolved and was not open", e.body.ApprovalID)
		}
		o.approvals[e.body.ApprovalID] = ""
	case "subagent.started":
		if at == returned && id != "" {
			bad("O5: sub-agent of call %q starts after the call returned", id)
		}
		o.children[id] = true
	case "subagent.ended":
		if id != "" && !o.children[id] {
			bad("O5: sub-agent of call %q ends and was not open", id)
		}
		delete(o.children, id)
	}
	return problems
}

func (o *callOrder) openApproval(callID string) (string, bool) {
	for _, id := range slices.Sorted(maps.Keys(o.approvals)) {
		if callID != "" && o.approvals[id] == "call "+callID {
			return id, true
		}
	}
	return "", false
}

// end gives what is still open.
func (o *callOrder) end() (problems []string) {
	for _, id := range slices.Sorted(maps.Keys(o.calls)) {
		if o.calls[id] != returned {
			problems = append(problems, fmt.Sprintf("call %q was requested and never returned", id))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(o.approvals)) {
		if o.approvals[id] != "" {
			problems = append(problems, fmt.Sprintf("approval %q was never resolved", id))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(o.children)) {
		problems = append(problems, fmt.Sprintf("O5: the sub-agent of call %q never ended", id))
	}
	return problems
}

func (s stage) String() string {
	return [...]string{"not requested yet", "requested", "decided already", "returned already"}[s]
}
