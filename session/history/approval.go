package history

import (
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Approval is a question to a person. It is also the data of
// approval.requested.
type Approval struct {
	ApprovalID string           `json:"approvalId"`
	SessionID  string           `json:"sessionId"`
	RunID      string           `json:"runId"`
	CallID     string           `json:"callId"`
	AgentPath  []string         `json:"agentPath"`
	Seq        int64            `json:"seq"`
	CreatedAt  string           `json:"createdAt"`
	Title      said.Text        `json:"title"`
	Reason     said.Text        `json:"reason"`
	Risk       string           `json:"risk"`
	Domain     tool.Domain      `json:"domain"`
	Targets    []string         `json:"targets"`
	Tool       string           `json:"tool"`
	Input      json.RawMessage  `json:"input"`
	Rule       control.RuleRef  `json:"rule"`
	Preview    *ApprovalPreview `json:"preview,omitempty"`
	Always     []control.Offer  `json:"always"`
	Decisions  []string         `json:"decisions"`
	Runner     string           `json:"runner,omitempty"` // on whose machine the call would work; "": this one
	Answerable
}

// Answerable is what an answer to an approval is about, and how it can be given.
type Answerable struct {
	Digest   string `json:"digest"`
	Editable bool   `json:"editable,omitempty"`
	// Labels are words for single decisions, in the language of the client, where
	// the usual ones ("Always allow") would mislead. A surface shows them instead.
	Labels map[string]string `json:"labels,omitempty"`
	// Subject is what labels speak of, for a menu that shows no question beside
	// them: a folder, a file. It is only in memory.
	Subject string `json:"-"`
}

// ApprovalPreview is what a person looks at before saying yes.
type ApprovalPreview struct {
	Kind       string  `json:"kind"`
	Text       string  `json:"text"`
	ArtifactID string  `json:"artifactId,omitempty"`
	Places     []Place `json:"places,omitempty"`
	// Documents are the files of a diff, each as the URIs of two documents, which are
	// there as long as the question is open.
	Documents []DiffDocuments `json:"documents,omitempty"`
	// Starts are the files of the workspace that a command starts, or that a runner in
	// it reads: what they hold is a part of what is asked.
	Starts []StartedFile `json:"starts,omitempty"`
	// Verdicts are the last lines of Text as parts, one each; none where Text is cut.
	Verdicts []CommandVerdict `json:"verdicts,omitempty"`
	// Whole is all of a preview whose Text is cut. It is only in memory, where no
	// command can change it, and what a review shows.
	Whole string `json:"-"`
}

// CommandVerdict is what is decided about one command of a script, or one file that it
// names, and why.
type CommandVerdict struct {
	Decision string    `json:"decision"`
	Why      said.Text `json:"why"`
	Text     string    `json:"text"`
	Depth    int       `json:"depth,omitempty"`
}

// StartedFile is a file that a command starts. Changed says that an earlier yes does
// not cover what it holds now.
type StartedFile struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed,omitempty"`
}

// DiffDocuments are a file before and after a change that is asked about: as URIs,
// and in memory only as texts.
type DiffDocuments struct {
	Path       string `json:"path"`
	Before     string `json:"before"`
	After      string `json:"after"`
	BeforeText string `json:"-"`
	AfterText  string `json:"-"`
	Moved      bool   `json:"-"` // what is shown does not have the path that goes
}

// Place is a zero-based line range of a document, end exclusive.
type Place struct {
	URI   string `json:"uri"`
	Start int    `json:"startLine"`
	End   int    `json:"endLine"`
}

// ApprovalResolved says what became of a question.
type ApprovalResolved struct {
	ApprovalID string         `json:"approvalId"`
	CallID     string         `json:"callId"`
	Decision   string         `json:"decision"` // once, session, always, reject, cancelled, superseded, restart
	By         string         `json:"by"`
	Rule       *control.Rule  `json:"rule,omitempty"`
	Grants     []control.Rule `json:"grants,omitempty"` // session: what holds from now on
	Feedback   string         `json:"feedback,omitempty"`
	Mode       *tool.Mode     `json:"mode,omitempty"` // of a plan: the mode in which it is carried out; nil: as it was
}
