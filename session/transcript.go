package session

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
)

// Transcript is the fold over a log: everything a session is, and nothing that
// its log does not say. Replaying a log gives the same Transcript.
type Transcript struct {
	seq    int64
	opened Opened
	info   Info

	params       model.Params
	systemPrompt *string
	autoCompact  bool
	tainted      bool // text from the web or an MCP server is, or was, in it

	items   []item  // what the model sees, since the last accepted summary
	summary string  // the accepted summary, "" before the first
	carried []Block // the prompt of a turn that was cut inside

	run     *openRun // the run that has started and not ended
	queue   []queued
	pending []Approval
	grants  []control.Rule
	lost    []string // calls of this run that were interrupted
	open    []Call   // calls of the last answer without a result, in order
	held    []item   // what a person said while the model was busy; it follows the batch
	// interrupted is what a process that died was doing; nil after the next run
	// has started.
	interrupted *Interrupted
	children    []SubagentStarted
	acks        map[string]Ack
	plan        []PlanItem
	turns       int
	callIDs     map[string]bool // every call so far
	lastBy      string          // the agent of the last run
	planned     bool            // the run before this one was a plan's

	reported   int64 // tokens, prompt and answer of the last reported usage
	reportedBy string
	since      size // what came after it
}

// item is one message of the conversation.
type item struct {
	seq    int64
	turn   int
	blocks []Block           // a user's words; nil for the others
	answer *AssistantMessage // the model's
	result *ToolReturned     // a tool's
	size   size

	prompt   bool // it begins a turn
	steering bool // said while the run was under way
}

// size is how much text there is; it is counted once, when the item is made.
type size struct {
	bytes, chars int64
	images       int64
}

func (s size) plus(o size) size {
	return size{s.bytes + o.bytes, s.chars + o.chars, s.images + o.images}
}

func sizeOf(texts ...string) size {
	var s size
	for _, t := range texts {
		s.bytes += int64(len(t))
		s.chars += int64(utf8.RuneCountInString(t))
	}
	return s
}

type openRun struct {
	id      string
	started RunStarted
	seq     int64
}

type queued struct {
	QueueItem
	entry RunQueued
}

// Ack answers a prompt (protocol §3 RunAck).
type Ack struct {
	SessionID     string `json:"sessionId"`
	RunID         string `json:"runId"`
	Disposition   string `json:"disposition"` // started, steered, queued
	QueuePosition int    `json:"queuePosition,omitempty"`
	Seq           int64  `json:"seq"`
	// Owed says that nobody works on the run yet: the caller calls Work.
	Owed bool `json:"-"`
}

func newTranscript() *Transcript {
	return &Transcript{autoCompact: true, acks: map[string]Ack{}, callIDs: map[string]bool{}}
}

// apply folds one event in. It is the only writer of a Transcript.
func (t *Transcript) apply(e Event) error {
	if e.Seq != t.seq+1 {
		return fmt.Errorf("seq %d follows %d", e.Seq, t.seq)
	}
	t.seq = e.Seq
	t.info.UpdatedAt = e.Time.UTC().Format(timeLayout)
	switch b := e.Body.(type) {
	case Opened:
		t.open_(e, b)
	case Changed:
		t.change(b)
	case RunQueued:
		q := QueueItem{b.ItemID, e.Run, b.Prompt, b.ClientMessageID, t.info.UpdatedAt}
		t.queue = append(t.queue, queued{q, b})
		t.ack(b.ClientMessageID, Ack{RunID: e.Run, Disposition: "queued", QueuePosition: len(t.queue), Seq: e.Seq})
	case RunStarted:
		t.start(e, b)
	case RunEnded:
		t.end(e, b)
	case UserMessage:
		t.ack(b.ClientMessageID, Ack{RunID: e.Run, Disposition: "steered", Seq: e.Seq})
		if !b.Ignored {
			t.hear(item{seq: e.Seq, blocks: b.Content, steering: b.Steering, size: sizeOfBlocks(b.Content)})
		}
	case AssistantMessage:
		t.answer(e, b)
	case ToolReturned:
		t.open = slices.DeleteFunc(t.open, func(c Call) bool { return c.CallID == b.CallID })
		if b.Status == "interrupted" {
			t.lost = append(t.lost, b.CallID)
		}
		s := sizeOf(b.Text)
		s.images = int64(len(b.Images))
		t.add(item{seq: e.Seq, result: &b, size: s})
		if len(t.open) == 0 {
			t.release()
		}
	case Approval:
		t.pending = append(t.pending, b)
	case ApprovalResolved:
		t.pending = slices.DeleteFunc(t.pending, func(a Approval) bool { return a.ApprovalID == b.ApprovalID })
		t.grants = append(t.grants, b.Grants...)
	case SubagentStarted:
		t.children = append(t.children, b)
	case SubagentEnded:
		t.children = slices.DeleteFunc(t.children, func(c SubagentStarted) bool { return c.Path == b.Path })
		t.info.Usage.InputTokens += b.Usage.InputTokens
		t.info.Usage.OutputTokens += b.Usage.OutputTokens
	case PlanUpdated:
		t.plan = b.Items
	case ContextCompacted:
		t.compact(b)
	}
	return nil
}

func (t *Transcript) open_(e Event, b Opened) {
	t.opened = b
	t.info.SessionKey, t.info.Title, t.info.Agent, t.info.Mode = b.Key, b.Title, b.Agent, b.Mode
	t.info.Model, t.info.RuntimeMode, t.info.SyncState = b.Model, b.RuntimeMode, "local_only"
	t.info.CreatedAt, t.info.Parent = t.info.UpdatedAt, b.Parent
}

func (t *Transcript) change(b Changed) {
	set(&t.info.Title, b.Title)
	set(&t.info.Mode, b.Mode)
	set(&t.info.Agent, b.Agent)
	set(&t.info.Model, b.Model)
	set(&t.info.RuntimeMode, b.RuntimeMode)
	set(&t.info.SyncState, b.SyncState)
	set(&t.info.CompactionCount, b.CompactionCount)
	set(&t.autoCompact, b.AutoCompact)
	set(&t.tainted, b.Tainted)
	set(&t.params, b.Params)
	if b.SystemPrompt != nil {
		t.systemPrompt = b.SystemPrompt
	}
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (t *Transcript) start(e Event, b RunStarted) {
	t.run = &openRun{id: e.Run, started: b, seq: e.Seq}
	t.interrupted, t.lost = nil, nil
	was := len(t.queue)
	t.queue = slices.DeleteFunc(t.queue, func(q queued) bool { return q.RunID == e.Run })
	if len(t.queue) == was { // a queued prompt keeps the ack it was given
		t.ack(b.ClientMessageID, Ack{RunID: e.Run, Disposition: "started", Seq: e.Seq})
	}
	if b.Kind == "compaction" {
		return
	}
	t.turns++
	t.planned, t.lastBy = t.lastBy == "plan" && b.Agent != "plan", b.Agent
	if t.info.Title == "" {
		t.info.Title = titleOf(b.Prompt)
	}
	t.add(item{seq: e.Seq, blocks: b.Prompt, prompt: true, size: sizeOfBlocks(b.Prompt)})
}

func (t *Transcript) end(e Event, b RunEnded) {
	t.queue = slices.DeleteFunc(t.queue, func(q queued) bool { return q.RunID == e.Run })
	t.info.Usage.InputTokens += b.Usage.InputTokens
	t.info.Usage.OutputTokens += b.Usage.OutputTokens
	t.info.Usage.CachedTokens += b.Usage.CachedTokens
	t.info.Usage.Context, t.info.Usage.Cost = b.Usage.Context, addCost(t.info.Usage.Cost, b.Usage.Cost)
	if t.run != nil && t.run.id == e.Run {
		t.run = nil
		t.release()
		if b.StopReason == "interrupted" {
			t.interrupted = &Interrupted{RunID: e.Run, CallIDs: nonNil(t.lost)}
		}
	}
}

func addCost(a, b *Cost) *Cost {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return &Cost{a.Amount + b.Amount, a.Currency}
}

func (t *Transcript) answer(e Event, b AssistantMessage) {
	s := sizeOf(b.Text)
	for _, c := range b.Calls {
		s = s.plus(sizeOf(c.Tool, string(c.Input), c.Raw))
		t.callIDs[c.CallID] = true
	}
	t.add(item{seq: e.Seq, answer: &b, size: s})
	t.open = slices.Clone(b.Calls)
	if len(b.Calls) == 0 {
		t.release()
	}
	if b.Usage != nil && b.Usage.InputTokens > 0 {
		t.reported, t.reportedBy, t.since = b.Usage.InputTokens+b.Usage.OutputTokens, b.Model, size{}
	}
}

func (t *Transcript) add(i item) {
	i.turn = t.turns
	t.items = append(t.items, i)
	t.since = t.since.plus(i.size)
}

// hear takes in a person's words. While the model is answering, or its calls
// have no results yet, they wait: steering follows the batch (session §3).
func (t *Transcript) hear(i item) {
	if i.steering && t.unanswered() {
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

// unanswered says that the model's word comes next: the conversation does not
// end with an answer of it that stands by itself.
func (t *Transcript) unanswered() bool {
	if len(t.items) == 0 {
		return true
	}
	last := t.items[len(t.items)-1].answer
	return last == nil || len(last.Calls) > 0
}

// lastTurn is the index of the prompt that began the last turn, 0 where that was
// cut away.
func (t *Transcript) lastTurn() int {
	for k := len(t.items) - 1; k > 0; k-- {
		if t.items[k].prompt {
			return k
		}
	}
	return 0
}

// divides says that everything before item k is older than everything from it
// on, so that a summary can replace it, and that no call is separated from its
// result. What a person said during a batch stands behind it, although it is
// older: there is no boundary.
func (t *Transcript) divides(k int) bool {
	if k <= 0 || k >= len(t.items) || t.items[k].result != nil {
		return false
	}
	at := t.items[k].seq
	return !slices.ContainsFunc(t.items[:k], func(i item) bool { return i.seq >= at })
}

func (t *Transcript) ack(id string, a Ack) {
	if id != "" {
		t.acks[id] = a
	}
}

// compact replaces what is older than KeepFrom by the summary. The prompt of a
// turn that is cut inside stays, word for word.
func (t *Transcript) compact(b ContextCompacted) {
	if !b.OK {
		return
	}
	cut := slices.IndexFunc(t.items, func(i item) bool { return i.seq >= b.KeepFrom })
	if cut < 0 {
		cut = len(t.items)
	}
	t.carried = t.carriedBy(cut)
	t.items = slices.Clone(t.items[cut:])
	t.summary = b.Summary
	t.info.CompactionCount++
	t.reported, t.reportedBy, t.since = 0, "", size{} // usage from before says nothing about now
}

// carriedBy is the prompt of the turn that a cut before item k goes through, nil
// where it goes between two turns.
func (t *Transcript) carriedBy(k int) []Block {
	if k >= len(t.items) || t.items[k].prompt {
		return nil
	}
	carried := t.carried
	for _, i := range t.items[:k] {
		if i.prompt {
			carried = i.blocks
		}
	}
	return carried
}

// turnStarts are the indexes at which turns begin; 0 where the prompt of the
// first is in the summary.
func (t *Transcript) turnStarts() []int {
	var starts []int
	for k, i := range t.items {
		if k == 0 || i.prompt {
			starts = append(starts, k)
		}
	}
	return starts
}

// total is the size of everything the model sees, without the system prompt.
func (t *Transcript) total() size {
	s := sizeOf(t.summary).plus(sizeOfBlocks(t.carried))
	for _, i := range t.items {
		s = s.plus(i.size)
	}
	return s
}

func sizeOfBlocks(blocks []Block) size {
	var s size
	for _, b := range blocks {
		switch b.Type {
		case "image":
			s.images++
		default:
			s = s.plus(sizeOf(b.Text, b.URI))
		}
	}
	return s
}

// titleOf is the first line of a prompt, at most 60 characters.
func titleOf(blocks []Block) string { return control.Title(TextOf(blocks), 60) }
