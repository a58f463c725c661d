package convert

import (
	"encoding/json"
	"slices"

	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
)

// Approval is a question of the server, as much of it as is shown or answered.
type Approval struct {
	ApprovalID string          `json:"approvalId"`
	SessionID  string          `json:"sessionId"`
	CallID     string          `json:"callId"`
	AgentPath  []string        `json:"agentPath"`
	Title      string          `json:"title"`
	Reason     string          `json:"reason"`
	Risk       string          `json:"risk"`
	Domain     string          `json:"domain"`
	Tool       string          `json:"tool"`
	Input      json.RawMessage `json:"input"`
	Preview    *struct {
		Kind      string `json:"kind"`
		Text      string `json:"text"`
		Documents []struct {
			Path   string `json:"path"`
			Before string `json:"before"`
			After  string `json:"after"`
		} `json:"documents"`
	} `json:"preview"`
	Always []struct {
		ID    string `json:"id"`
		Label string `json:"label"`
	} `json:"always"`
	Decisions []string          `json:"decisions"`
	Digest    string            `json:"digest"`
	Labels    map[string]string `json:"labels"`
}

// Options are what a person can answer to a question, in the order in which they are shown: once, no, for the
// session, always. answers is what each means, as agent/approve takes it.
func Options(lang string, a Approval) (options []v1.PermissionOption, answers map[string]map[string]any) {
	answers = map[string]map[string]any{}
	say := func(m locale.Message) string { return m.In(lang) }
	offer := func(id, label string, kind v1.PermissionOptionKind, answer map[string]any) {
		options = append(options, v1.PermissionOption{OptionID: id, Name: label, Kind: kind})
		answers[id] = answer
	}
	takes := func(decision string) bool { return slices.Contains(a.Decisions, decision) }
	label := func(decision, usual string) string {
		if said := a.Labels[decision]; said != "" {
			return said
		}
		return usual
	}
	if takes("once") {
		offer("once", label("once", say(locale.AllowOnce)), v1.PermissionOptionKindAllowOnce, map[string]any{"decision": "once"})
	}
	if takes("reject") {
		offer("reject", label("reject", say(locale.Reject)), v1.PermissionOptionKindRejectOnce, map[string]any{"decision": "reject"})
		if a.SessionID != "" && a.Domain != "plan" {
			offer("reject_stop", say(locale.RejectAndStop), v1.PermissionOptionKindRejectOnce, map[string]any{"decision": "reject", "interrupt": true})
		}
	}
	if takes("session") {
		offer("session", say(locale.AllowSession), v1.PermissionOptionKindAllowAlways, map[string]any{"decision": "session"})
	}
	if takes("always") {
		for _, rule := range a.Always {
			offer("always:"+rule.ID, rule.Label, v1.PermissionOptionKindAllowAlways, map[string]any{"decision": "always", "always": rule.ID})
		}
		if len(a.Always) == 0 {
			offer("always", label("always", say(locale.AlwaysAllow)), v1.PermissionOptionKindAllowAlways, map[string]any{"decision": "always"})
		}
	}
	return options, answers
}
