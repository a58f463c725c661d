package history

// The parts of a transcript that follow are in its fold as JSON, but for what is read from
// the log, and for the ids of calls.

// Shown is what the model sees of a session.
type Shown struct {
	Items   []Item `json:"-"` // since the last accepted summary
	Edits   int    // how often those that were there have become others; else they are only added to
	results resultIndex
	held    []Item            // what a person said while the model was busy; it follows the batch
	Summary string            // the accepted summary, "" before the first
	Carried []Block           // the prompt of a turn that was cut inside
	Facts   Facts             // what code knows of everything before Items
	ShortTo int64             // results up to this seq were shown to the model by name alone
	Flushed bool              // memory was written down since the last summary
	Undone  []string          // files that undos have made other than the model's last answer knows them
	told    map[string]string // what the last answer knows of files that undos have touched since

	FirstPrompt string // of what a person asked, cut; for searching
	LastPrompt  string
}

// CallsSoFar are the tool calls of a session, and the sub-agents that they sent.
type CallsSoFar struct {
	Pending   []Approval      `json:"-"`
	Asked     []QuestionAsked // questions of the model that nobody has answered yet
	OpenCalls []Call          // calls of the last answer without a result, in order
	requested map[string]bool // those of the last answer that were judged
	lost      []string        // calls of this run that were interrupted
	CallIDs   CallIDs         `json:"-"` // every call so far
	Children  []SubagentStarted
	Ended     []string // the paths of sub-agents that have ended
	Sent      Sent     // the calls that sent them
}

// Waits says that a person is asked something.
func (c *CallsSoFar) Waits() bool { return len(c.Pending)+len(c.Asked) > 0 }

// Runs are the runs of a session: the open one, those that wait, and the last one.
type Runs struct {
	Run   *OpenRun // the run that has started and not ended
	Queue []Queued
	// Interrupted is what a process that died was doing; nil after the next run
	// has started.
	Interrupted *Interrupted
	Last        LastRun // the last run that has ended, but for summaries
	lastBy      string  // its agent
	Planned     bool    // the run before this one was a plan's
	Model       string  // of the run that started last
	ModelBefore string  // of the run before it
	SwitchedTo  string  // the model that is asked since the last model.switched
}

// Spent is what providers have reported of tokens.
type Spent struct {
	Reported   int64 // tokens, prompt and answer of the last reported usage
	ReportedBy string
	since      int // the index in Items of what came after it
}

// OpenRun is a run that has started.
type OpenRun struct {
	ID      string
	Started RunStarted
	After   int64 // of a sub-agent's: the root's seq when it started
	Usage   Usage // of its answers in the log
	seq     int64
	chosen  *string // the model that the session was given meanwhile
}

// LastRun is what the last run was asked, and how it ended. Its model is that of the
// session where one was chosen for it since the run began.
type LastRun struct {
	RunStarted
	StopReason StopReason // "" before the first has ended
	After      int64      // as in OpenRun
	Usage      Usage      // as in its run.ended
}

// Unfinished says that the run did not end by itself, so that it can be run again.
func (l LastRun) Unfinished() bool {
	return l.StopReason == StopError || l.StopReason == StopCancelled || l.StopReason == StopInterrupted
}

// Queued is a prompt that waits, with the event that says so.
type Queued struct {
	QueueItem
	Entry RunQueued
}

// Interrupted is what the process before this one was doing when it died.
type Interrupted struct {
	RunID   string   `json:"runId"`
	CallIDs []string `json:"callIds"`
}
