package history

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Transcript is the fold over a log: everything a session is, and nothing that
// its log does not say. Replaying a log gives the same Transcript.
type Transcript struct {
	Seq     int64
	Opened  Opened
	Info    Info  // but for UpdatedAt: see Describe
	updated int64 // time of the last event, in Unix milliseconds

	SystemPrompt *string
	AutoCompact  bool
	Tainted      bool // text from the web or an MCP server is, or was, in it
	Heard        Heard
	Grants       []control.Rule
	Acks         map[string]Ack
	Plan         []PlanItem
	Turns        int
	Undos        int       // undos so far
	Watched      tool.Mode // the last mode that was not full access
	Closed       bool      // a reset has closed it: its key is free for the next one
	replaying    bool      // items are not measured yet

	Shown
	CallsSoFar
	Runs
	Spent
}

// NewTranscript is that of an empty log.
func NewTranscript() *Transcript {
	return &Transcript{AutoCompact: true, Acks: map[string]Ack{}, CallsSoFar: CallsSoFar{CallIDs: CallIDs{}, requested: map[string]bool{}}}
}

// Otherwise is the mode of the session where it has no full access, or has lost it.
func (t *Transcript) Otherwise() tool.Mode { return cmp.Or(t.Watched, tool.ModeAgent) }

// Describe is Info with what only its owner knows, and the time of the last event.
func (t *Transcript) Describe(id, state string) Info {
	info := t.Info
	info.ID, info.State = id, state
	if t.updated != 0 {
		info.UpdatedAt = Stamp(time.UnixMilli(t.updated))
	}
	return info
}

// replayed ends a replay. What is left of the items is measured now: most of a long log is
// behind its summaries.
func (t *Transcript) replayed() {
	t.replaying = false
	t.results = resultIndex{}
	for i := range t.Items {
		t.Items[i] = t.Items[i].measured()
	}
}

// Apply folds one event in. It is the only writer of a Transcript.
func (t *Transcript) Apply(e Event) error {
	if e.Seq != t.Seq+1 {
		return fmt.Errorf("seq %d follows %d", e.Seq, t.Seq)
	}
	t.Seq = e.Seq
	t.updated = e.Time.UnixMilli()
	switch b := e.Body.(type) {
	case Opened:
		if b.Version > Version {
			return fmt.Errorf("the log is of version %d, and this program knows version %d: a newer agent-sidecar wrote it", b.Version, Version)
		}
		t.open_(e, b)
	case Changed:
		t.change(b)
	case RunQueued:
		if t.requeue(b) {
			break // it keeps the ack it was given
		}
		q := QueueItem{b.ItemID, e.Run, b.Prompt, b.ClientMessageID, Stamp(e.Time)}
		t.Queue = append(t.Queue, Queued{q, b})
		t.ack(b.ClientMessageID, Ack{RunID: e.Run, Disposition: "queued", QueuePosition: len(t.Queue), Seq: e.Seq})
	case RunStarted:
		t.start(e, b)
	case RunEnded:
		t.end(e, b)
	case UserMessage:
		t.ack(b.ClientMessageID, Ack{RunID: e.Run, Disposition: "steered", Seq: e.Seq})
		if !b.Ignored {
			t.hear(itemOf(e))
		}
	case AssistantMessage:
		t.answer(e, b)
	case ToolRequested:
		t.requested[b.CallID] = true
	case ToolReturned:
		t.OpenCalls = slices.DeleteFunc(t.OpenCalls, func(c Call) bool { return c.CallID == b.CallID })
		if b.Status == StatusInterrupted {
			t.lost = append(t.lost, b.CallID)
		}
		t.Heard.hear(b.Tool)
		t.add(itemOf(e))
		if len(t.OpenCalls) == 0 {
			t.release()
		}
	case Approval:
		t.Pending = append(t.Pending, b)
	case ApprovalResolved:
		t.Pending = slices.DeleteFunc(t.Pending, func(a Approval) bool { return a.ApprovalID == b.ApprovalID })
		t.Grants = append(t.Grants, b.Grants...)
	case QuestionAsked:
		t.Asked = append(t.Asked, b)
	case QuestionAnswered:
		t.Asked = slices.DeleteFunc(t.Asked, func(q QuestionAsked) bool { return q.QuestionID == b.QuestionID })
	case SubagentStarted:
		t.Sent = t.Sent.With(e.Seq, b)
		t.Children = append(t.Children, b)
	case SubagentEnded:
		t.Children = slices.DeleteFunc(t.Children, func(c SubagentStarted) bool { return c.Path == b.Path })
		if !slices.Contains(t.Ended, b.Path) { // one that was resumed ends again
			t.Ended = append(t.Ended, b.Path)
		}
		t.Info.Usage.Plus(b.Usage)
	case FileChanged:
		t.undo(e, b)
	case PlanUpdated:
		t.Plan = b.Items
	case ModelSwitched:
		t.SwitchedTo = b.To
	case MemoryFlushed:
		t.Flushed = true
	case ContextPruned:
		t.prune(b)
	case ContextCompacted:
		t.compact(b)
	}
	return nil
}

func (t *Transcript) open_(e Event, b Opened) {
	t.Opened = b
	t.Info.SessionKey, t.Info.Title, t.Info.Agent, t.Info.Mode, t.Watched = b.Key, b.Title, b.Agent, b.Mode, b.Mode
	t.Info.Model, t.Info.RuntimeMode, t.Info.SyncState = b.Model, b.RuntimeMode, "local_only"
	t.Info.CreatedAt, t.Info.Parent, t.Tainted = Stamp(e.Time), b.Parent, b.Tainted
}

func (t *Transcript) change(b Changed) {
	set(&t.Info.Title, b.Title)
	set(&t.Info.Mode, b.Mode)
	if t.Info.Mode != tool.ModeFullAccess {
		t.Watched = t.Info.Mode
	}
	set(&t.Info.Agent, b.Agent)
	set(&t.Info.Model, b.Model)
	set(&t.Last.Model, b.Model)
	if t.Run != nil && b.Model != nil {
		t.Run.chosen = b.Model
	}
	set(&t.Info.RuntimeMode, b.RuntimeMode)
	set(&t.Info.Runner, b.Runner)
	set(&t.Info.SyncState, b.SyncState)
	set(&t.Info.CompactionCount, b.CompactionCount)
	set(&t.AutoCompact, b.AutoCompact)
	set(&t.Tainted, b.Tainted)
	set(&t.Closed, b.Closed)
	if b.Moved != nil && *b.Moved {
		t.Grants, t.Info.Mode = nil, t.Otherwise()
	}
	set(&t.Info.Params, b.Params)
	if b.SystemPrompt != nil {
		t.SystemPrompt = b.SystemPrompt
	}
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (t *Transcript) start(e Event, b RunStarted) {
	t.Run = &OpenRun{ID: e.Run, Started: b, After: e.After, seq: e.Seq}
	t.Interrupted, t.lost = nil, nil
	was := len(t.Queue)
	t.Queue = slices.DeleteFunc(t.Queue, func(q Queued) bool { return q.RunID == e.Run })
	if len(t.Queue) == was { // a queued prompt keeps the ack it was given
		t.ack(b.ClientMessageID, Ack{RunID: e.Run, Disposition: "started", Seq: e.Seq})
	}
	t.ModelBefore, t.Model = t.Model, b.Model
	if b.Kind == "compaction" {
		return
	}
	if len(b.Prompt) == 0 { // a run that is tried again: its prompt is there
		return
	}
	t.Turns++
	t.Planned = t.lastBy == "plan" && b.Agent != "plan"
	if t.Info.Title == "" {
		t.Info.Title = TitleOf(b.Words())
	}
	if b.Kind == "prompt" {
		t.asked(b.Prompt)
	}
	t.add(itemOf(e))
}

func (t *Transcript) end(e Event, b RunEnded) {
	t.Queue = slices.DeleteFunc(t.Queue, func(q Queued) bool { return q.RunID == e.Run })
	t.Info.Usage.Plus(b.Usage)
	t.Info.Usage.Context = b.Usage.Context
	if t.Run != nil && t.Run.ID == e.Run {
		if t.Run.Started.Kind != "compaction" {
			t.Last = LastRun{t.Run.Started, b.StopReason, t.Run.After, b.Usage}
			set(&t.Last.Model, t.Run.chosen)
		}
		t.Run = nil
		t.release()
		if b.StopReason == StopInterrupted {
			t.Interrupted = &Interrupted{RunID: e.Run, CallIDs: append([]string{}, t.lost...)}
		}
	}
}

func (t *Transcript) answer(e Event, b AssistantMessage) {
	for _, c := range b.Calls {
		t.CallIDs.add(c.CallID)
	}
	t.add(itemOf(e))
	t.Undone, t.told = nil, nil // it has been told
	if t.Run != nil {
		t.lastBy = t.Run.Started.Agent // not of a run that only sent a sub-agent
		t.Run.Usage.Add(b.Usage)
	}
	t.ShortTo = max(t.ShortTo, b.ShortTo)
	if b.Usage != nil && b.Usage.InputTokens > 0 { // what was held comes after it
		t.Reported, t.ReportedBy, t.since = b.Usage.InputTokens+b.Usage.OutputTokens, b.Model, len(t.Items)
	}
	t.OpenCalls, t.requested = slices.Clone(b.Calls), map[string]bool{}
	if len(b.Calls) == 0 {
		t.release()
	}
}

func (t *Transcript) add(i Item) {
	i.turn = t.Turns
	if !t.replaying {
		i = i.measured()
	}
	t.Items = append(t.Items, i)
}

// hear takes in a person's words. While the model is answering, or its calls
// have no results yet, they wait: steering follows the batch.
func (t *Transcript) hear(i Item) {
	if i.steering && t.Unanswered() {
		t.held = append(t.held, i)
		return
	}
	t.add(i)
}

// release lets what was held be heard.
func (t *Transcript) release() {
	for _, i := range t.held {
		t.add(i)
	}
	t.held = nil
}

// Unanswered says that the model's word comes next: the conversation does not
// end with an answer of it that is by itself.
func (t *Transcript) Unanswered() bool {
	if len(t.Items) == 0 {
		return true
	}
	last := t.Items[len(t.Items)-1].Answer
	return last == nil || len(last.Calls) > 0
}

// compact replaces what is older than KeepFrom by the summary. The prompt of a
// turn that is cut inside stays, word for word.
func (t *Transcript) compact(b ContextCompacted) {
	if !b.OK {
		return
	}
	cut := slices.IndexFunc(t.Items, func(i Item) bool { return i.Seq >= b.KeepFrom })
	if cut < 0 {
		cut = len(t.Items)
	}
	t.Edits++
	t.Facts = t.FactsBefore(cut)
	t.Carried = t.CarriedBy(cut)
	t.Items, t.results = slices.Clone(t.Items[cut:]), resultIndex{}
	t.Summary = b.Summary
	t.Info.CompactionCount++
	t.Flushed = false
	t.Reported, t.ReportedBy, t.since = 0, "", 0 // usage from before says nothing about now
}

// Total is the size of everything the model sees, without the system prompt.
func (t *Transcript) Total() Size {
	s := SizeOf(t.Summary).Plus(SizeOfBlocks(t.Carried))
	for _, i := range t.Items {
		s = s.Plus(i.Size)
	}
	return s
}

// Since are the items that came after what was last reported; all of them where
// nothing was, or where that was before the last summary.
func (t *Transcript) Since() []Item { return t.Items[t.since:] }

// mostSearched is how much of a prompt can be searched, in characters.
const mostSearched = 1000

// asked remembers what a search looks at.
func (t *Transcript) asked(prompt []Block) {
	t.LastPrompt = control.Title(TextOf(prompt), mostSearched)
	if t.FirstPrompt == "" {
		t.FirstPrompt = t.LastPrompt
	}
}

// TitleOf is the first line of a prompt, at most 60 characters.
func TitleOf(blocks []Block) string { return control.Title(TextOf(blocks), 60) }
