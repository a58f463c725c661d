package history

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// bodies is the closed set of durable events, by their name.
var bodies = map[string]func(json.RawMessage) (Body, error){
	"session.opened":     as[Opened],
	"session.changed":    as[Changed],
	"run.queued":         as[RunQueued],
	"run.started":        as[RunStarted],
	"run.ended":          as[RunEnded],
	"message.user":       as[UserMessage],
	"message.assistant":  as[AssistantMessage],
	"tool.requested":     as[ToolRequested],
	"tool.decided":       as[ToolDecided],
	"tool.returned":      as[ToolReturned],
	"approval.requested": as[Approval],
	"approval.resolved":  as[ApprovalResolved],
	"question.asked":     as[QuestionAsked],
	"question.answered":  as[QuestionAnswered],
	"subagent.started":   as[SubagentStarted],
	"subagent.ended":     as[SubagentEnded],
	"plan.updated":       as[PlanUpdated],
	"skill.loaded":       as[SkillLoaded],
	"file.changed":       as[FileChanged],
	"context.pruned":     as[ContextPruned],
	"context.compacted":  as[ContextCompacted],
	"memory.flushed":     as[MemoryFlushed],
	"model.switched":     as[ModelSwitched],
	"loop.detected":      as[LoopDetected],
}

// EventData is the Go type of an event's data, for the schema.
func EventData(kind string) reflect.Type {
	b, err := bodies[kind](json.RawMessage("{}"))
	if err != nil {
		return nil
	}
	return reflect.TypeOf(b)
}

// EventTypes lists the durable events this version writes or reads.
func EventTypes() []string { return slices.Sorted(maps.Keys(bodies)) }

// Version is that of the logs this program writes; it works on none of a later one.
const Version = 1

// Opened is the first line of every log.
type Opened struct {
	Version      int       `json:"version"`
	Key          string    `json:"key"`
	WorkspaceURI string    `json:"workspaceUri"`
	Agent        string    `json:"agent"`
	Mode         tool.Mode `json:"mode"`
	RuntimeMode  string    `json:"runtimeMode"`
	Model        string    `json:"model,omitempty"`
	Title        string    `json:"title,omitempty"`
	Ephemeral    bool      `json:"ephemeral,omitempty"`
	Parent       *Parent   `json:"parent,omitempty"`
	Tainted      bool      `json:"tainted,omitempty"` // it is text from outside from its first word, as that of a bundle is
	Group        bool      `json:"group,omitempty"`   // a group has written in it although its key does not say so, as in a fork
}

// Parent is where a sub-agent or a fork comes from.
type Parent struct {
	SessionID string `json:"sessionId"`
	CallID    string `json:"callId,omitempty"`
	AtSeq     int64  `json:"atSeq,omitempty"`
}

// Changed carries what is different; absent members are unchanged.
type Changed struct {
	Title           *string       `json:"title,omitempty"`
	Mode            *tool.Mode    `json:"mode,omitempty"`
	Agent           *string       `json:"agent,omitempty"`
	Model           *string       `json:"model,omitempty"`
	RuntimeMode     *string       `json:"runtimeMode,omitempty"`
	Runner          *string       `json:"runner,omitempty"` // on whose machine the session works; "": this one
	SyncState       *string       `json:"syncState,omitempty"`
	CompactionCount *int          `json:"compactionCount,omitempty"`
	AutoCompact     *bool         `json:"autoCompact,omitempty"`
	Params          *model.Params `json:"params,omitempty"`
	SystemPrompt    *string       `json:"systemPrompt,omitempty"`
	Tainted         *bool         `json:"tainted,omitempty"` // text from outside is part of the conversation
	Closed          *bool         `json:"closed,omitempty"`  // a reset: the next prompt on the key opens another session
	// Moved: another machine goes on from here. What was allowed for the session, and full
	// access, was given on the one before.
	Moved *bool `json:"moved,omitempty"`
}

// Request is what is wanted of an agent, as it was sent. What is empty is the session's.
type Request struct {
	Prompt          []Block `json:"prompt"`
	Agent           string  `json:"agent,omitempty"`
	Model           string  `json:"model,omitempty"`
	ClientMessageID string  `json:"clientMessageId,omitempty"`
	Kind            string  `json:"kind,omitempty"` // prompt, compaction, continuation or memory; "" = prompt
	Limits          *Limits `json:"limits,omitempty"`
	System          string  `json:"system,omitempty"` // added to the system prompt of this run
	Typed           string  `json:"typed,omitempty"`  // by the person, where a prompt command made the prompt of it
}

// RunQueued records a request that waits; the run's id is that of its later
// run.started.
type RunQueued struct {
	ItemID string `json:"itemId"`
	Request
}

// RunStarted records a request that is worked on, with what was left to the session. It is
// a Request of which those are never left out.
type RunStarted struct {
	Prompt          []Block `json:"prompt"`
	Agent           string  `json:"agent"`
	Model           string  `json:"model"`
	ClientMessageID string  `json:"clientMessageId,omitempty"`
	Kind            string  `json:"kind"`
	Limits          *Limits `json:"limits,omitempty"`
	System          string  `json:"system,omitempty"`
	Typed           string  `json:"typed,omitempty"`
}

// RunEnded is the last line of a run.
type RunEnded struct {
	StopReason StopReason   `json:"stopReason"`
	Usage      Usage        `json:"usage"`
	Changes    []FileChange `json:"changes"`
	Error      *RunError    `json:"error,omitempty"`
	Message    said.Text    `json:"message,omitzero"` // "Stopped: …" for a person
	Audit      string       `json:"audit,omitempty"`  // the audit's last hash
	WayMs      *int64       `json:"wayMs,omitempty"`  // of its calls together, and of reaching the runner; nil on this machine
}

// RunError says why a run ended badly: Message for a person, cause first; Detail for
// who looks into it, such as the address that was asked and the status.
type RunError struct {
	Kind     string          `json:"kind"`
	Message  said.Text       `json:"message"`
	Detail   said.Text       `json:"detail,omitzero"`
	Attempts []model.Attempt `json:"attempts,omitempty"`
}

// UserMessage is text that joined a run after its prompt: steering and
// reminders. Synthetic text was written by the sidecar.
type UserMessage struct {
	MessageID       string  `json:"messageId"`
	Content         []Block `json:"content"`
	ClientMessageID string  `json:"clientMessageId,omitempty"`
	Steering        bool    `json:"steering,omitempty"`
	Synthetic       bool    `json:"synthetic,omitempty"`
	Ignored         bool    `json:"ignored,omitempty"`
}

// AssistantMessage is one complete answer of the model.
type AssistantMessage struct {
	MessageID    string            `json:"messageId"`
	Text         string            `json:"text"`
	Reasoning    string            `json:"reasoning,omitempty"`
	Calls        []Call            `json:"calls,omitempty"`
	Usage        *TokenCount       `json:"usage,omitempty"`
	Model        string            `json:"model"`
	FinishReason string            `json:"finishReason,omitempty"`
	Opaque       *model.Opaque     `json:"opaque,omitempty"`
	Artifact     *tool.ArtifactRef `json:"artifact,omitempty"`
	// ShortTo: results up to this seq were shown to the model by name alone; 0 is none.
	ShortTo int64 `json:"shortTo,omitempty"`
}

// Call is a tool call of an answer. Input is the arguments as a JSON object; null
// where they are none. Raw is their text where that is none, or where Input is what was
// understood of it.
type Call struct {
	CallID string          `json:"callId"`
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
	Raw    string          `json:"raw,omitempty"`
	// Said is the name that the model wrote, where it is none that providers take
	// back: Tool is that name made plain, and the call does not run.
	Said string `json:"said,omitempty"`
	// ProviderID is the provider's id where callId is ours.
	ProviderID string          `json:"providerId,omitempty"`
	Extra      json.RawMessage `json:"extra,omitempty"`
}

// asWritten says that the text of the arguments goes back to the model: what it wrote
// where that is an object, or where it could not be understood. Else Input goes back.
func (c Call) asWritten() bool {
	input := len(c.Input) > 0 && c.Input[0] == '{'
	return c.Raw != "" && (!input || c.Raw[0] == '{' && json.Valid([]byte(c.Raw)))
}

// ToolRequested says that a call is about to be judged.
type ToolRequested struct {
	CallID string          `json:"callId"`
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
	Title  string          `json:"title"`
}

// ToolDecided is the decision over a call; Answer is a person's word.
type ToolDecided struct {
	CallID   string          `json:"callId"`
	Decision string          `json:"decision"` // "allow" or "deny"
	Rule     string          `json:"rule"`
	Source   string          `json:"source"`
	By       string          `json:"by"`
	Answer   string          `json:"answer,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"` // where a hook or a person changed it, or it was understood
}

// ToolReturned is the result of a call. Text is what the model sees.
type ToolReturned struct {
	CallID     string            `json:"callId"`
	Tool       string            `json:"tool"`
	Status     Status            `json:"status"` // completed, failed, rejected, cancelled, interrupted
	Text       string            `json:"text"`
	Truncated  bool              `json:"truncated,omitempty"`
	Artifact   *tool.ArtifactRef `json:"artifact,omitempty"`
	Changes    []FileChange      `json:"changes,omitempty"`
	ExitCode   *int              `json:"exitCode,omitempty"`
	DurationMs int64             `json:"durationMs"`
	// WayMs is how long the call has waited for the way to its runner and back: before it
	// ran, for its plan, and of DurationMs all but the work. nil on this machine.
	WayMs  *int64     `json:"wayMs,omitempty"`
	Images []ImageRef `json:"images,omitempty"`
	// Followed says of an interrupted call that the log has what it had changed.
	Followed bool `json:"followed,omitempty"`
}

// ImageRef is an image beside the log.
type ImageRef struct {
	MIMEType string `json:"mimeType"`
	Blob     string `json:"blob"`
	Bytes    int64  `json:"bytes"`
}

// SubagentStarted opens the bracket around a sub-agent's events.
type SubagentStarted struct {
	Agent  string `json:"agent"`
	CallID string `json:"callId"`
	Path   string `json:"path"` // "explore#1"
	Prompt string `json:"prompt"`
}

// SubagentEnded closes it.
type SubagentEnded struct {
	CallID    string     `json:"callId"`
	Path      string     `json:"path"`
	Status    Status     `json:"status"` // completed, failed, cancelled, interrupted
	Usage     Usage      `json:"usage"`
	Calls     int        `json:"calls"`
	Citations *Citations `json:"citations,omitempty"`
}

// Citations counts what an explorer cited and what of it holds.
type Citations struct {
	OK  int `json:"ok"`
	Bad int `json:"bad"`
}

// SkillLoaded says that the model has loaded a skill.
type SkillLoaded struct {
	CallID string `json:"callId"`
	Name   string `json:"name"`
	Source string `json:"source"` // "home" or "workspace"
	Path   string `json:"path"`   // of its SKILL.md
	// AllowedTools are the only tools that run until the run ends; nil: the skill does not say.
	AllowedTools *[]string `json:"allowedTools,omitempty"`
}

// PlanUpdated is the task list.
type PlanUpdated struct {
	Items []PlanItem `json:"items"`
}

// PlanItem is one line of the task list.
type PlanItem struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Status string `json:"status"`
}

// FileChanged says that a file of the Vault is different.
type FileChanged struct {
	CallID     string `json:"callId"`
	Path       string `json:"path"`
	Kind       string `json:"kind"`
	From       string `json:"from,omitempty"`
	Before     string `json:"before"`
	After      string `json:"after"`
	Checkpoint string `json:"checkpoint"`
	// With are the calls that may have made the change, too, because their commands ran
	// at the same time: "<session>/<call>", of a sub-agent "<session>.<number>/<call>".
	With []string `json:"with,omitempty"`
	// Runner is on whose machine, "" for this one.
	Runner string `json:"runner,omitempty"`
}

// FileChange is a change as the wire shows it.
type FileChange struct {
	URI       string `json:"uri"`
	Path      string `json:"path"`
	Kind      string `json:"kind"`
	From      string `json:"from,omitempty"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
	CallID    string `json:"callId"`
}

// ContextPruned says which results the model no longer sees, or sees shorter, and how many
// tokens that gained.
type ContextPruned struct {
	CallIDs []string `json:"callIds"`
	Tokens  int64    `json:"tokens"`
	// Artifacts are those of results that had none and were written as one before
	// they were taken out, by callId.
	Artifacts map[string]tool.ArtifactRef `json:"artifacts,omitempty"`
	// Texts are what is shown of those that were cut anew for a smaller window, by callId.
	Texts map[string]string `json:"texts,omitempty"`
}

// NothingToCompact is the reason of a summary for which there is nothing that it
// could replace.
const NothingToCompact = "nothing_to_compact"

// ContextCompacted is a summary, accepted (OK) or not.
type ContextCompacted struct {
	Trigger      string   `json:"trigger"` // auto, manual, overflow
	Summary      string   `json:"summary"`
	KeepFrom     int64    `json:"keepFrom"` // seq of the first event still seen as it was
	Before       int64    `json:"before"`   // tokens
	After        int64    `json:"after"`
	DroppedTools []string `json:"droppedTools"`
	Transcript   string   `json:"transcript"`
	OK           bool     `json:"ok"`
	Reason       string   `json:"reason,omitempty"`
}

// MemoryFlushed says that the agent wrote down what must last, in a silent turn
// before a summary, and where.
type MemoryFlushed struct {
	Paths []string `json:"paths"`
}

// ModelSwitched says who answers from now on.
type ModelSwitched struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

// LoopDetected says that the model goes in circles.
type LoopDetected struct {
	CallID string    `json:"callId"`
	Tool   string    `json:"tool"`
	Count  int       `json:"count"`
	Reason said.Text `json:"reason"`
}

func (Opened) kind() string           { return "session.opened" }
func (Changed) kind() string          { return "session.changed" }
func (RunQueued) kind() string        { return "run.queued" }
func (RunStarted) kind() string       { return "run.started" }
func (RunEnded) kind() string         { return "run.ended" }
func (UserMessage) kind() string      { return "message.user" }
func (AssistantMessage) kind() string { return "message.assistant" }
func (ToolRequested) kind() string    { return "tool.requested" }
func (ToolDecided) kind() string      { return "tool.decided" }
func (ToolReturned) kind() string     { return "tool.returned" }
func (Approval) kind() string         { return "approval.requested" }
func (ApprovalResolved) kind() string { return "approval.resolved" }
func (QuestionAsked) kind() string    { return "question.asked" }
func (QuestionAnswered) kind() string { return "question.answered" }
func (SubagentStarted) kind() string  { return "subagent.started" }
func (SubagentEnded) kind() string    { return "subagent.ended" }
func (PlanUpdated) kind() string      { return "plan.updated" }
func (SkillLoaded) kind() string      { return "skill.loaded" }
func (FileChanged) kind() string      { return "file.changed" }
func (ContextPruned) kind() string    { return "context.pruned" }
func (ContextCompacted) kind() string { return "context.compacted" }
func (MemoryFlushed) kind() string    { return "memory.flushed" }
func (ModelSwitched) kind() string    { return "model.switched" }
func (LoopDetected) kind() string     { return "loop.detected" }
