package convert

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"

	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// mostText is how much of a result is shown, in bytes.
const mostText = 30 << 10

// kinds are the protocol's kinds of our tools; others are other.
var kinds = map[string]v1.ToolKind{
	"read": v1.ToolKindRead, "ls": v1.ToolKindRead,
	"glob": v1.ToolKindSearch, "grep": v1.ToolKindSearch, "symbols": v1.ToolKindSearch, "references": v1.ToolKindSearch,
	"memory_search": v1.ToolKindSearch,
	"write":         v1.ToolKindEdit, "edit": v1.ToolKindEdit, "apply_patch": v1.ToolKindEdit, "rename": v1.ToolKindEdit, "memory": v1.ToolKindEdit,
	"move": v1.ToolKindMove, "delete": v1.ToolKindDelete,
	"bash": v1.ToolKindExecute, "job_output": v1.ToolKindExecute, "job_kill": v1.ToolKindExecute,
	"web_fetch": v1.ToolKindFetch, "web_search": v1.ToolKindFetch,
	"task": v1.ToolKindThink, "compact": v1.ToolKindThink, "tasks_update": v1.ToolKindThink, "tasks_list": v1.ToolKindThink,
	"plan_ready": v1.ToolKindSwitchMode,
}

// Kind is the kind of a tool.
func Kind(tool string) v1.ToolKind {
	if kind, known := kinds[tool]; known {
		return kind
	}
	return v1.ToolKindOther
}

// Tail is the end of a text, from the beginning of a character.
func Tail(text []byte, most int) []byte {
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// Result is a result as the client is shown it under an id, without the texts of files. Of a terminal the
// client has seen the output.
func Result(id string, terminal bool, b history.ToolReturned) v1.ToolCallUpdate {
	done := v1.ToolCallUpdate{ToolCallID: id, Status: v1.ToolCallStatusFailed}
	if b.Status == history.StatusCompleted {
		done.Status = v1.ToolCallStatusCompleted
	}
	text := b.Text
	if len(text) > mostText {
		text = string(Tail([]byte(text), mostText))
	}
	if !terminal {
		done.Content = []v1.ToolCallContent{Text(text)}
	} else {
		exit := map[string]any{"terminal_id": id, "exit_code": b.ExitCode, "signal": nil}
		done.Meta = Meta("terminal_exit", exit)
	}
	raw := map[string]any{"durationMs": b.DurationMs}
	if b.ExitCode != nil {
		raw["exitCode"] = *b.ExitCode
	}
	if b.Truncated {
		raw["truncated"] = true
	}
	if b.Artifact != nil {
		raw["artifact"] = b.Artifact
		done.Content = append(done.Content, v1.ToolCallContent{Content: &v1.Content{Content: v1.ContentBlock{ResourceLink: &v1.ResourceLink{
			Name: filepath.Base(b.Artifact.Path), URI: b.Artifact.FileURI, MIMEType: b.Artifact.MIMEType,
		}}}})
	}
	done.RawOutput, _ = json.Marshal(raw) // of our own types
	return done
}

// Locations are the files that a call is about, as far as its input says so.
func Locations(root, tool string, input json.RawMessage) []v1.ToolCallLocation {
	if k := Kind(tool); k == v1.ToolKindExecute || k == v1.ToolKindOther || k == v1.ToolKindFetch {
		return nil
	}
	var in struct {
		Path   string `json:"path"`
		Offset int    `json:"offset"`
	}
	if json.Unmarshal(input, &in) != nil || in.Path == "" || strings.Contains(in.Path, ":") {
		return nil
	}
	at := v1.ToolCallLocation{Path: Absolute(root, in.Path)}
	if in.Offset > 0 {
		at.Line = &in.Offset
	}
	return []v1.ToolCallLocation{at}
}

// Absolute is a path of the server as the client needs it; root is the first folder.
func Absolute(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, filepath.FromSlash(path))
}

// Text is a text in a call.
func Text(text string) v1.ToolCallContent {
	return v1.ToolCallContent{Content: &v1.Content{Content: v1.ContentBlock{Text: &v1.TextContent{Text: text}}}}
}

// Meta is a _meta with one member.
func Meta(name string, value any) json.RawMessage {
	raw, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		return nil
	}
	return raw
}

// StopReasons are the protocol's words for how a run ended, by our own.
var StopReasons = map[string]v1.StopReason{
	"end_turn": v1.StopReasonEndTurn, "max_tokens": v1.StopReasonMaxTokens, "refusal": v1.StopReasonRefusal,
	"max_turns": v1.StopReasonMaxTurnRequests, "limit": v1.StopReasonMaxTurnRequests, "doom_loop": v1.StopReasonMaxTurnRequests,
	"cancelled": v1.StopReasonCancelled, "interrupted": v1.StopReasonCancelled,
}
