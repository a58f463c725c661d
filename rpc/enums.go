package rpc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/codegen"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// The sets of words that a client sends and that the protocol alone knows. Each member is
// checked against its set once, with its params.
type (
	artifactView     string
	artifactEncoding string
	queueOp          string
	cancelQueue      string
	replay           string
	restoreSkip      string
	rulesOp          string
	configOp         string
	mcpOp            string
)

const (
	viewRange artifactView = "range"
	viewLines artifactView = "lines"
	viewHead  artifactView = "head"
	viewTail  artifactView = "tail"
	viewGrep  artifactView = "grep"
	viewMeta  artifactView = "meta"

	encodingUTF8   artifactEncoding = "utf8"
	encodingBase64 artifactEncoding = "base64"

	queueList   queueOp = "list"
	queueRemove queueOp = "remove"
	queueUpdate queueOp = "update"
	queueClear  queueOp = "clear"

	cancelKeeps  cancelQueue = "keep"
	cancelClears cancelQueue = "clear"

	replayNone   replay = "none"
	replayEvents replay = "events"

	skipConflicts restoreSkip = "conflicts"

	rulesList      rulesOp = "list"
	rulesAdd       rulesOp = "add"
	rulesRemove    rulesOp = "remove"
	rulesTemplates rulesOp = "templates"

	configGet   configOp = "get"
	configSet   configOp = "set"
	configReset configOp = "reset"

	mcpList    mcpOp = "list"
	mcpSignIn  mcpOp = "signIn"
	mcpSignOut mcpOp = "signOut"
)

var (
	artifactViews     = []artifactView{viewRange, viewLines, viewHead, viewTail, viewGrep, viewMeta}
	artifactEncodings = []artifactEncoding{encodingUTF8, encodingBase64}
	queueOps          = []queueOp{queueList, queueRemove, queueUpdate, queueClear}
	cancelQueues      = []cancelQueue{cancelKeeps, cancelClears}
	replays           = []replay{replayNone, replayEvents}
	restoreSkips      = []restoreSkip{skipConflicts}
	configOps         = []configOp{configGet, configSet, configReset}
	mcpOps            = []mcpOp{mcpList, mcpSignIn, mcpSignOut}
	mcpServerStates   = []MCPServerState{MCPIdle, MCPReady, MCPFailed, MCPNeedsSignIn}
	usageBy           = []ledger.By{ledger.ByDay, ledger.ByModel, ledger.BySession}

	// these the sessions know, too
	modes     = []tool.Mode{tool.ModeAsk, tool.ModeAgent, tool.ModeFullAccess}
	planModes = []tool.Mode{tool.ModeAsk, tool.ModeAgent}       // in which a plan is carried out
	decisions = []string{"once", "session", "always", "reject"} // that an answer to a question may be
)

// oneOf is the check of a member that is one of a set, or left out.
func oneOf[W ~string](member string, word W, set []W) error {
	if word == "" || slices.Contains(set, word) {
		return nil
	}
	if len(set) == 2 {
		return wire.InvalidParams(member, fmt.Sprintf("%q is neither %s nor %s", word, set[0], set[1]))
	}
	return wire.InvalidParams(member, fmt.Sprintf("%q is none of %s", word, strings.Join(texts(set), ", ")))
}

func texts[W ~string](set []W) []string {
	out := make([]string, len(set))
	for i, w := range set {
		out[i] = string(w)
	}
	return out
}

// vocabulary is the words that the protocol's texts are one of, and where. Sets are
// open: these are the ones that this version says. Tests hold them against
// PROTOCOL.md and against every conversation.
var vocabulary = []codegen.Words{
	{Name: "SessionState", Values: []string{"idle", "running", "waiting_approval", "interrupted", "closed"}, Members: []string{"Session.state", "SessionStatus.state"}},
	{Name: "Mode", Values: texts(modes), Members: []string{"Session.mode", "SessionOpened.mode", "SessionChanged.mode", "SessionUpdateParams.mode", "ExplainResult.mode"}},
	{Name: "Delivery", Values: texts(session.Deliveries), Members: []string{"RunParams.delivery"}},
	{Name: "Disposition", Values: []string{"started", "steered", "queued"}, Members: []string{"RunResult.disposition"}},
	{Name: "StopReason", Values: []string{"end_turn", "max_turns", "max_tokens", "limit", "doom_loop", "refusal", "cancelled", "error", "interrupted"}, Members: []string{"RunResult.stopReason", "RunEnded.stopReason", "AgentProgress.stopReason"}},
	{Name: "RunErrorKind", Values: []string{"model_auth", "model_rate_limited", "model_quota", "model_overloaded", "context_window_exceeded", "model_rejected", "model_not_found", "content_filter", "model_server_error", "model_unreachable", "model_not_set", "MODEL_UNAVAILABLE", "hook_failed", "runner_unreachable", "runner_not_configured", "internal"}, Members: []string{"RunError.kind", "ModelAttempt.kind"}},
	{Name: "ModelListErrorKind", Values: []string{"no_list", "model_auth", "model_rate_limited", "model_quota", "model_overloaded", "model_rejected", "model_server_error", "model_unreachable"}, Members: []string{"ModelListError.kind"}},
	{Name: "RunKind", Values: []string{"prompt", "compaction", "continuation"}, Members: []string{"RunStarted.kind", "RunQueued.kind"}},
	{Name: "RunPhase", Values: []string{"thinking", "tool_calling", "waiting_approval", "retrying", "compacting", "finished", "error"}, Members: []string{"RunState.state", "AgentProgress.state"}},
	{Name: "ToolStatus", Values: []string{"completed", "failed", "rejected", "cancelled", "interrupted"}, Members: []string{"ToolReturned.status"}},
	{Name: "SubagentStatus", Values: []string{"completed", "failed", "cancelled", "interrupted"}, Members: []string{"SubagentEnded.status"}},
	{Name: "Decision", Values: decisions, Members: []string{"ApproveParams.decision", "Approval.decisions", "ApprovalCapabilities.decisions"}},
	{Name: "ApproveStatus", Values: []string{"applied", "already_resolved", "stale", "not_found"}, Members: []string{"ApproveResult.status"}},
	{Name: "Resolution", Values: []string{"once", "session", "always", "reject", "cancelled", "superseded", "restart"}, Members: []string{"ApprovalResolved.decision"}},
	{Name: "ResolvedBy", Values: []string{"client", "code_action", "message_request", "code_lens", "rule", "cancel", "stale", "restart"}, Members: []string{"ApprovalResolved.by"}},
	{Name: "AnswerStatus", Values: []string{"applied", "already_resolved", "not_found"}, Members: []string{"AnswerResult.status"}},
	{Name: "AnsweredBy", Values: []string{"client", "message_request", "cancel", "nobody", "restart"}, Members: []string{"QuestionAnswered.by"}},
	{Name: "Verdict", Values: []string{"allow", "ask", "deny"}, Members: []string{"ToolDecided.decision", "ExplainResult.decision", "Rule.decision", "ListedRule.decision", "RuleParams.decision", "RuleMatch.decision", "Judgement.decision", "JudgementStep.decision", "CommandVerdict.decision"}},
	{Name: "DecidedBy", Values: []string{"rule", "default", "mode", "hard_limit", "agent", "sandbox", "hook", "client", "code_action", "message_request", "code_lens", "cancel", "nobody"}, Members: []string{"ToolDecided.by", "ExplainResult.by", "Judgement.by"}},
	{Name: "Risk", Values: []string{"read", "write", "execute", "network", "destructive", "loop"}, Members: []string{"Approval.risk", "ExplainResult.risk"}},
	{Name: "Domain", Values: []string{"read", "edit", "bash", "web_fetch", "web_search", "mcp", "tool", "limit", "doom_loop", "config", "plan"}, Members: []string{"Approval.domain", "ExplainResult.domain"}},
	{Name: "PreviewKind", Values: []string{"diff", "command", "text", "plan"}, Members: []string{"ApprovalPreview.kind"}},
	{Name: "ChangeKind", Values: []string{"created", "modified", "deleted", "moved"}, Members: []string{"FileChange.kind", "FileChanged.kind", "ChangedFile.kind"}},
	{Name: "PlanStatus", Values: []string{"pending", "in_progress", "completed", "cancelled"}, Members: []string{"PlanItem.status"}},
	{Name: "BlockType", Values: []string{"text", "image", "resource_link", "artifact"}, Members: []string{"ContentBlock.type"}},
	{Name: "NoticeSeverity", Values: []string{"info", "warning", "error"}, Members: []string{"Notice.severity"}},
	{Name: "CompactionTrigger", Values: []string{"auto", "manual", "overflow"}, Members: []string{"ContextCompacted.trigger"}},
	{Name: "Applied", Values: []string{"now", "queued-change"}, Members: []string{"SessionUpdateResult.applied"}},
	{Name: "AgentMode", Values: []string{"primary", "subagent"}, Members: []string{"AgentInfo.mode"}},
	{Name: "ArtifactView", Values: texts(artifactViews), Members: []string{"ArtifactParams.view"}},
	{Name: "ArtifactEncoding", Values: texts(artifactEncodings), Members: []string{"ArtifactParams.encoding", "ArtifactResult.encoding"}},
	{Name: "McpOp", Values: texts(mcpOps), Members: []string{"McpParams.op"}},
	{Name: "MCPServerState", Values: texts(mcpServerStates), Members: []string{"MCPServer.state"}},
	{Name: "QueueOp", Values: texts(queueOps), Members: []string{"QueueParams.op"}},
	{Name: "CancelQueue", Values: texts(cancelQueues), Members: []string{"CancelParams.queue"}},
	{Name: "Replay", Values: texts(replays), Members: []string{"SessionResumeParams.replay"}},
	{Name: "RulesOp", Values: texts([]rulesOp{rulesList, rulesAdd, rulesRemove, rulesTemplates}), Members: []string{"RulesParams.op"}},
	{Name: "RuleSource", Values: []string{"built-in", "settings", "config", "inline", "always"}, Members: []string{"ListedRule.source"}},
	{Name: "ConfigOp", Values: texts(configOps), Members: []string{"ConfigParams.op"}},
	{Name: "ConfigOrigin", Values: []string{"default", "config", "inline"}, Members: []string{"ConfigSource.source"}},
	{Name: "RunnerState", Values: texts([]RunnerState{RunnerReached, RunnerReaching, RunnerNotReached}), Members: []string{"Runner.state"}},
	{Name: "SemanticKind", Values: texts([]tool.LanguageKind{tool.LanguageDefinition, tool.LanguageReferences, tool.LanguageSymbols, tool.LanguageHover, tool.LanguageRename}), Members: []string{"SemanticParams.kind"}},
	{Name: "SandboxLevel", Values: []string{"namespaces", "landlock", "seatbelt", "none"}, Members: []string{"Sandbox.level"}},
	{Name: "SandboxNetwork", Values: []string{"off", "tcp-only", "open"}, Members: []string{"Sandbox.network"}},
	{Name: "SandboxAutoAllow", Values: []string{"workspace", "off"}, Members: []string{"Sandbox.autoAllow"}},
	{Name: "SandboxFiles", Values: []string{"full", "partial"}, Members: []string{"Sandbox.files"}},
}
