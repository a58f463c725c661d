package locale

// Approvals, on every surface.
const (
	AllowOnce        Message = "Allow once"
	AllowOnceOf      Message = "Allow once: %s"
	AlwaysAllowOf    Message = "Always allow: %s"
	Reject           Message = "Reject"
	RejectOf         Message = "Reject: %s"
	Review           Message = "Review"
	ReviewOf         Message = "Review diff: %s"
	ReviewOfText     Message = "Review: %s"
	ReviewTooLong    Message = "This editor cannot show the review, and it is too long for a message. Open it to allow this: %s"
	AgentAsks        Message = "The agent asks: %s\n%s"
	AlwaysEverywhere Message = "Always, in every folder: %s"
	AlwaysWorkspace  Message = "Always in this workspace: %s"
)

// What is said of signing in to an MCP server.
const (
	WantsSignIn  Message = "The MCP server %s needs you to sign in before the agent can use its tools."
	SignIn       Message = "Sign in"
	SignedIn     Message = "Signed in to the MCP server %s. New sessions have its tools, others once they are compacted."
	SignInFailed Message = "Not signed in to the MCP server %s: %s"
	SignInByHand Message = "No browser was opened. To sign in, run agent-sidecar mcp login %s in a terminal."
)

// OpenByHand says where a file is that the editor does not show by itself.
const OpenByHand Message = "Open this file: %s"

// EditLabel names an edit of ours in the editor's own list of what can be undone.
const EditLabel Message = "Agent: edit %s"

// Runs.
const (
	ProgressTitle Message = "Agent: %s"
	ProgressFull  Message = "Agent, full access: %s"
	Thinking      Message = "thinking…"
	TryingAgain   Message = "trying again"
	Compacting    Message = "compacting…"
	Retrying      Message = "retrying: %s"
	WaitingForYou Message = "waiting for you: %s"
	callsSoFar    Message = "%d calls"
	oneCall       Message = "1 call"
	Done          Message = "done"
	doneFiles     Message = "done · %d files"
	doneFile      Message = "done · 1 file"
	Cancelled     Message = "cancelled"
	Failed        Message = "failed: %s"
	RunDone       Message = "Agent: done. %s"
	RunFailed     Message = "Agent: %s"
	RunStopped    Message = "Agent: stopped (%s)."
	RunSelection  Message = "Agent: run on the selection"
	FixProblem    Message = "Agent: fix “%s”"
	RunMention    Message = "Agent: “%s”"
	RunPrompt     Message = "Run this prompt"
	RunPromptFile Message = "Agent: run this prompt"
	WhichModel    Message = "Which one shall I use? It is stored in your configuration, and the prompt is run again."
	ChooseModel   Message = "Choose one among the code actions, or name any other with the command %s."
	UseModelOf    Message = "Agent: use the model %s"
	StopRun       Message = "Agent: stop the run"
)

// Full access, told to clients that show it nowhere.
const (
	FullAccess       Message = "full access"
	WentOnElsewhere  Message = "Agent: session %s has also gone on on another machine. It has the lines of that machine now; what was done here is in session %s."
	FullAccessBegins Message = "Agent: session %s has full access. It asks nothing until the mode is changed back or the program ends."
	FullAccessEnds   Message = "Agent: session %s no longer has full access. It asks again."
)

// Where a session works.
const (
	ProgressOn     Message = "Agent on %s: %s"
	ProgressFullOn Message = "Agent on %s, full access: %s"
	WorkOn         Message = "Agent: work on the runner %s"
	WorkHere       Message = "Agent: work on this machine"
	WorksOn        Message = "Agent: session %s works on the runner %s."
	WorksOnNext    Message = "Agent: from its next run on, session %s works on the runner %s."
	WorksHere      Message = "Agent: session %s works on this machine."
	WorksHereNext  Message = "Agent: from its next run on, session %s works on this machine."
)

// Summaries of a conversation.
const (
	Summarised         Message = "The conversation was summarised."
	NothingToSummarise Message = "There is nothing older to summarise."
	NotSummarised      Message = "No summary was made: %s"
	AutoCompactOff     Message = "Three summaries in a row have failed: automatic summaries are off for this session."
)

// Undo.
const (
	undoneFiles   Message = "Agent: %d files are as they were before."
	undoneFile    Message = "Agent: 1 file is as it was before."
	NothingUndone Message = "Agent: there is nothing to undo."
	LeftAsItIs    Message = "Agent: left as it is: %s"
	Restored      Message = "Agent: went back to before “%s”. The next prompt continues in session %s."
	WouldGoBack   Message = "Agent: going back to before “%s” would change no file. To do it, run the command again with confirm: true."
	WouldRestore  Message = "Agent: going back to before “%s” would restore these files: %s. To do it, run the command again with confirm: true."
)

// In the place of a document that cannot be shown as text.
const (
	NoText  Message = "(This is not text: %d bytes.)"
	TooLong Message = "(This is too long to show here: %d bytes.)"
)

// AskUnasked is asked once where commands could run in the sandbox without a question and
// the person has not yet said whether they may.
const (
	AskUnasked    Message = "Run commands in the sandbox without asking you?"
	UnaskedReason Message = "There a command can change only the workspace, has no network and cannot read your keys. Anything that needs more still asks. Until you answer, every command asks."
	RunUnasked    Message = "Run them without asking"
	KeepAsking    Message = "Keep asking"
)

// Trust.
const (
	TrustFolder    Message = "Do you trust the files in %s?"
	TrustIt        Message = "Trust this folder"
	TrustThem      Message = "Trust these folders"
	NotNow         Message = "Not now"
	AnswerInPrompt Message = "Answer in a prompt"
	AnswerQuestion Message = "Agent: answer: %s"
	AcceptPlan     Message = "Accept the plan"
	KeepPlanning   Message = "Keep planning"
	PageAsks       Message = "The agent asks"
	UseIt          Message = "Use it"
	UseSettings    Message = "Use these settings"
	UseMemory      Message = "%s was changed outside. Use it?"
	MemoryReason   Message = "What it says becomes part of every prompt here. Until you approve it, it is left out."
	TrustReason    Message = "Until you trust it, I ignore its AGENTS.md and ask before every edit, command and download."
	AcceptInline   Message = "Apply the editor's settings for agent-sidecar?"
	InlineReason   Message = "They allow more than your own configuration does, and settings can come from a repository."
)

// Connections.
const (
	MarkerVersion  Message = "agent-sidecar uses version 1 of its protocol, and the client names no version that it knows; it is treated as a plain LSP client."
	ConfigProblems Message = "agent-sidecar configuration: %s"
	ConfigMended   Message = "agent-sidecar configuration: read again, without problems"
	FolderIgnored  Message = "agent-sidecar ignores the workspace folder %s: it can work only in folders on a disk."
)

// The transcript document.
const (
	PageTitle         Message = "Agent session %s"
	PageWaits         Message = "Waiting for you"
	PageFullAccess    Message = "**Full access**: nothing is asked in this session."
	PageFullBegins    Message = "**Full access begins**: nothing is asked from here on."
	PageFullEnds      Message = "**Full access ends**: questions are asked again."
	PageYou           Message = "You"
	PageYouMeanwhile  Message = "You (while it worked)"
	PageAgent         Message = "Agent"
	PageSubagent      Message = "Sub-agent"
	PageSummarised    Message = "*The conversation was summarised: %d → %d tokens.*"
	PageNotSummarised Message = "*No summary was made*: %s"
	PageOtherModel    Message = "*Another model is asked*: %s instead of %s (%s)"
	PageFailed        Message = "**Failed**: %s"
	PageExit          Message = " (exit %d)"
	PageTruncated     Message = "truncated"
	PageOpenOutput    Message = "Open full output"
)

// statuses are how calls, tasks, runs and sessions ended or where they are, verdicts and
// severities, by their names on the wire.
var statuses = map[string]Message{
	"ok":          "ok",
	"completed":   "completed",
	"failed":      "failed",
	"error":       "error",
	"cancelled":   "cancelled",
	"rejected":    "rejected",
	"denied":      "denied",
	"interrupted": "interrupted",
	"pending":     "pending",
	"in_progress": "in progress",
	"end_turn":    "done",
	"max_turns":   "limit of model turns",
	"max_tokens":  "limit of output",
	"limit":       "limit",
	"doom_loop":   "going in circles",
	"refusal":     "refused by the provider",
	"created":     "created",
	"modified":    "modified",
	"deleted":     "deleted",
	"moved":       "moved",
	"idle":        "idle",
	"running":     "running",
	"closed":      "closed",
	"allow":       "allow",
	"ask":         "ask",
	"deny":        "deny",
	"warning":     "warning",

	"waiting_approval": "waiting_approval",
}

// What was spent, in a terminal and in editors.
const (
	UsageTitle     Message = "Usage"
	UsageNone      Message = "Nothing was spent in this time."
	UsageDay       Message = "Day"
	UsageModel     Message = "Model"
	UsageSession   Message = "Session"
	usageInput     Message = "Input"
	usageCached    Message = "of it cached"
	usageWritten   Message = "of it written to the cache"
	usageOutput    Message = "Output"
	usageCost      Message = "Cost"
	UsageTotal     Message = "Total"
	UsageUnknown   Message = "cost not known"
	UsageSaid      Message = "%s to %s: %d input tokens (%d cached), %d output tokens, %s."
	usageEstimated Message = "~: computed from prices, because the provider reports no cost."
	usageUnpriced  Message = "%d tokens are of models whose price is not known; they are in no cost."
	usageBroken    Message = "%d lines could not be read and were left out."
)
