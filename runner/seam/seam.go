// Package seam is what a sidecar and its worker on another machine say to each other: the
// methods, their parameters and results, and the connection that carries them. It does
// nothing itself.
//
// The sidecar asks and the worker answers; the worker asks nothing. Between the answers it
// only tells: live output of a call, the end of a job, a change that an undo has made.
package seam

import (
	"encoding/json"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// The methods. Those of one family begin with the same words.
const (
	Hello = "worker/hello"

	Session = "worker/session" // a notification, before the first plan and whenever it is other than it was

	Plan    = "worker/plan"
	Preview = "worker/plan/preview"
	Forget  = "worker/plan/forget" // a notification
	Run     = "worker/run"
	Cancel  = "worker/cancel" // a notification
	Said    = "worker/said"   // a notification of the worker
	Ended   = "worker/ended"  // a notification of the worker
	Alive   = "worker/alive"  // a notification of both; as a question, how long the way is

	Resolve = "worker/resolve"
	Look    = "worker/look"
	Object  = "worker/resolve/folder"

	JobNews = "worker/jobs/news"
	JobStop = "worker/jobs/stop"
	JobEnd  = "worker/jobs/end"

	Create = "worker/artifact/create"
	Write  = "worker/artifact/write"
	Close  = "worker/artifact/close"
	Find   = "worker/artifact/find"
	List   = "worker/artifact/list"
	Bytes  = "worker/artifact/bytes"
	Remove = "worker/artifact/remove"
	Copy   = "worker/artifact/copy"
	Dirs   = "worker/artifact/folders"

	Compare = "worker/changes/compare"
	Text    = "worker/changes/text"
	More    = "worker/changes/more"
	Lost    = "worker/changes/lost"
	Since   = "worker/changes/since"
	Started = "worker/changes/started"

	Undo   = "worker/undo"
	Undone = "worker/undo/done" // a notification of the worker

	Get = "worker/get"

	SyncTake   = "worker/sync/take"
	SyncBundle = "worker/sync/bundle"
	SyncRead   = "worker/sync/read"
	SyncWrite  = "worker/sync/write"
	SyncLay    = "worker/sync/lay"
	SyncSettle = "worker/sync/settle"
)

// Beat is how often each side says that it is there, and Silence how long the other may
// say nothing before it counts as gone.
const (
	Beat    = 5 * time.Second
	Silence = 30 * time.Second
)

// Greeting is what a worker must know to begin. Both sides must be of one version.
type Greeting struct {
	Version string
	Schema  string
	Folders []Folder // where sessions work
	// Settings are the person's for what runs there, until the worker is told others.
	Settings Settings
}

// Folder is one that sessions work in. Its Path is absolute, or begins with "~/". Make says that
// it is made where it is not there.
type Folder struct {
	Name, Path string
	Make       bool
}

// Settings are those parts of the person's configuration that the hands go by. None of
// them is a secret.
type Settings struct {
	Sandbox     sandbox.Settings
	KeepEnv     []string // names of variables that commands keep
	SecretNames []string // names of variables that no command gets, whatever they contain
	ArtifactDir string   // below the folder
}

// Machine is what a worker says of where it is.
type Machine struct {
	System      string // as Go names it
	Home        string // of the worker, absolute
	UserHome    string
	Roots       []string // the folders, resolved
	WorkspaceID string
	Tools       []tool.Spec // those of every session
}

// Owner is a session that tools work for, as it is now.
type Owner struct {
	Session  string
	Reading  control.Reading
	Settings Settings
}

// ToPlan asks what a call would do.
type ToPlan struct {
	Session string // of which the worker was told
	Tool    string
	Input   string // JSON as the model wrote it, which need not be any
	// Explain asks for a plan that is judged and never run.
	Explain bool
}

// Planned is a plan, or why there is none. A plan beside an Error is one that is outdated.
type Planned struct {
	Plan     *PlanData
	Error    string
	Outdated bool
	// Looks are answers to what judging the plan is going to ask about paths, in its
	// order. They bind nobody: what is not among them is asked.
	Looks []Looked
}

// PlanData is a tool.Plan as far as it can be sent.
type PlanData struct {
	ID         int64 // by which the worker knows it; it forgets old ones
	Plan       Call
	HasPreview bool
}

// Call is a tool.Plan without what cannot be sent: Preview and Run.
type Call struct {
	Tool        string
	Effect      tool.Effect
	Title       string
	Targets     []tool.Target
	Below       bool
	Command     string
	Dir         string
	Needs       tool.Needs
	Reads       []string
	Destructive bool
	Why         string
	Input       json.RawMessage
	Base        []string
	Starts      []tool.StartedFile
	Digest      string
	Lock        []string
}

// ToPreview asks for the preview of a plan.
type ToPreview struct {
	ToPlan
	ID    int64
	Grant tool.Grant
}

// ToRun asks for what was planned to be done. Where the worker does not have the plan any
// more it plans again, and runs nothing whose digest is another one.
type ToRun struct {
	ToPlan
	ID     int64
	Digest string
	Grant  tool.Grant

	Key    string // names the run on this connection
	CallID string
	Line   string
	Jobs   bool // somebody hears how a job ends
}

// Ran is what came of a run. Error is a defect or a cancelled context.
type Ran struct {
	Result tool.Result
	Error  string
	Job    bool // it has left a job that goes on, of which more is told
	Jobs   bool // the session has jobs, or had some
	Took   time.Duration
}

// Piece is live output of a run.
type Piece struct{ Key, Stream, Text string }

// JobOver says how the job of a run has ended.
type JobOver struct {
	Key string
	End tool.JobEnd
}

// Question is one that a policy asks about paths: the method of that name, with what of
// its parameters it has. Predicates cannot be sent: Below and Tracked answer with all
// objects that they would ask theirs about, the asker chooses, and ObjectsOf are all
// objects of the chosen ones.
type Question struct {
	Ask     string
	Dir     string   `json:",omitempty"`
	Word    string   `json:",omitempty"`
	Links   bool     `json:",omitempty"`
	Ends    []string `json:",omitempty"`
	Objects []string `json:",omitempty"`
}

// Answer is what the method of a Question gives back.
type Answer struct {
	Walk  *tool.Walk `json:",omitempty"`
	Yes   bool       `json:",omitempty"` // Directory, Ignored; there is a text; planted
	All   bool       `json:",omitempty"` // complete, whole; shadows
	Text  string     `json:",omitempty"`
	Names []string   `json:",omitempty"`
}

// Looked is a question and its answer.
type Looked struct {
	Question Question
	Answer   Answer
}

// Seen is how the place of a session is.
type Seen struct {
	Branch       string
	Roots        []string
	ReadOnly     bool
	Instructions []workspace.Instruction
	Memory       string
	Sandbox      sandbox.Report
}

// ToSee asks for what of Seen is not free.
type ToSee struct {
	Documents []string // for Instructions, with room for so many bytes
	Room      int64
	Memory    bool
	Sandbox   *sandbox.Settings // under which Seen.Sandbox is; nil: it is not asked for
}

// JobOf names a job by the call that started it.
type JobOf struct{ Session, CallID string }

// ToCreate begins an artifact, which ToWrite fills and Kept ends. Key names it on this
// connection.
type ToCreate struct{ Key, Session, Tool, CallID, MIME string }

// ToWrite is a piece of an artifact.
type ToWrite struct {
	Key  string
	Data []byte
}

// Kept is a finished artifact.
type Kept struct {
	Ref     tool.ArtifactRef
	Path    string
	Session string
}

// ToCopy gives the session To artifacts of From.
type ToCopy struct {
	From, To string
	Files    []string
}

// ToList asks for the artifacts of a session: those with the IDs, or where there are none all.
type ToList struct {
	Session string
	IDs     []string
	Named   bool
}

// Range is a part of an artifact's file.
type Range struct {
	Path string
	At   int64
	Size int
}

// Compared is how a file is now beside what it was.
type Compared struct {
	Now     tool.Change
	Differs bool
}

// KeptText is the text of a kept content.
type KeptText struct {
	Text   string
	IsText bool
	Size   int
}

// LostOf asks what a call had changed when its process died.
type LostOf struct{ Line, CallID string }

// Changes are changes; Known is false where nobody knows.
type Changes struct {
	Changes []tool.Change
	Known   bool
}

// Unfollowed counts files that git ignores and that are other since a time.
type Unfollowed struct {
	Count int
	First []string
	All   bool
}

// DiffOf asks what is different in a file since it had the content Was.
type DiffOf struct{ Object, Was string }

// ToUndo brings files back to what they were before changes.
type ToUndo struct {
	Key           string
	Changes       []tool.Change
	Merge, DryRun bool
}

// OneUndone is a change that an undo has made.
type OneUndone struct {
	Key    string
	Change tool.Change
}

// AllUndone is what came of an undo.
type AllUndone struct {
	Done      []tool.Change
	Conflicts []tool.Conflict
	Error     string
}

// File is the content of a file and the objects that it is read by.
type File struct {
	Objects []string
	Data    []byte
}
