package session

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

//go:embed compact.md
var compactPrompt string

// compactor makes the conversation of a session fit the window of a model. Only the
// goroutine that works on a run uses it.
type compactor struct {
	*watchers
	deps      *Deps
	id        string // of the session
	journal   *journal.Journal
	blobs     blobs
	view      *view
	authority *authority
	calls     *caller
	reminders func(config.Agent, tool.Set, *history.Transcript) []string
	failures  int // of summaries in a row
	flushedAt int // the summary, from 1, before which memory was last written down
}

// makeRoom makes the conversation fit before the next request: where the model
// asked for a summary it is made, else each layer is used that is needed, the
// cheapest first. A summary that fails is recorded, and the run goes on; one that
// is needed again and again ends it.
func (k *compactor) makeRoom(r *run) (end stop, ended bool) {
	if focus := r.compactFocus.Swap(nil); focus != nil {
		_ = k.compact(r, wanted{trigger: "manual", focus: *focus}) // recorded either way
	} else {
		k.relieve(r)
	}
	switch {
	case r.ctx.Err() != nil:
		return r.stopFor(r.ctx.Err()), true
	case compaction.Churns(r.compacted):
		return stop{reason: history.StopLimit, message: said.That("Stopped: the conversation was compacted %d times in %d model requests and does not get smaller. Split the task, start a new session, or name fewer and smaller files.",
			compaction.MostCompactions, compaction.ChurnWindow)}, true
	}
	return stop{}, false
}

// relieve uses the layers one after the other until the conversation is under
// its trigger.
func (k *compactor) relieve(r *run) {
	k.view.shorten(r, false)
	k.flushMemory(r)
	if !k.view.crowded(r) {
		return
	}
	want := wanted{trigger: "auto"}
	if !r.lastOnly {
		saw := k.view.request(r) // its provider keeps it; more is left out below
		want.saw = &saw
	}
	if k.view.shorten(r, true); !k.view.crowded(r) {
		return
	}
	if k.prune(r) && !k.view.crowded(r) || !k.view.compaction().Auto || !journal.Read(k.journal, copied).AutoCompact || k.view.canWait(r) {
		return
	}
	k.flushMemory(r)       // where the conversation did not fit before
	_ = k.compact(r, want) // recorded either way
}

// canWait says that one more summary now would end the run, and that the window
// still has room without it: a small one is over its trigger soon.
func (v *view) canWait(r *run) bool {
	return v.bounds(r.model.Info()).Holds(v.used(r)) && compaction.Churns(append(slices.Clone(r.compacted), r.iteration+1))
}

// compactOnRequest is the whole of a run of kind compaction.
func (k *compactor) compactOnRequest(r *run) stop {
	err := k.compact(r, wanted{trigger: "manual", focus: history.TextOf(r.prompt.Prompt)})
	if r.ctx.Err() != nil {
		return r.stopFor(err)
	}
	var failure *model.Error
	if errors.As(err, &failure) {
		return r.stopFor(err)
	}
	return stop{reason: history.StopEndTurn}
}

// wanted is a summary that somebody or something asks for.
type wanted struct {
	trigger string         // auto, manual, overflow
	focus   string         // what it must not lose
	saw     *model.Request // the conversation as the model saw it last; nil: as it is shown now
}

// replacing is what a summary is to stand for.
type replacing struct {
	wanted
	free    int64        // tokens of the trigger that the prompt and the tools leave
	cut     int          // index of the first item that stays
	shown   shown        // the conversation as the model is shown it
	used    int64        // tokens of the next request, with what the provider has reported
	older   history.Size // what the summary replaces
	known   string       // what code adds to it
	carried history.Size // the prompt that stays word for word, of a turn that is cut inside
}

// sizes are the tokens of everything without a summary of these words and with it.
// Both are counted here, in the same way and with the same ratio: what the provider
// has reported is another measure, and one less the other may be below zero.
func (p *replacing) sizes(v *view, r *run, words history.Size) (before, after int64) {
	total := p.shown.total
	name := r.model.Info().Name
	before = v.counted(r, total, v.weighed(name, p.shown.Items))
	after = v.counted(r, total.Minus(p.older).Plus(history.SizeOf(p.known)).Plus(words).Plus(p.carried), v.weighed(name, p.shown.Items[p.cut:]))
	return before, after
}

// compact replaces what is older by a summary that a model writes. It accepts
// only one that gains a tenth; everything else leaves the conversation as it is,
// and says why in the log.
func (k *compactor) compact(r *run, want wanted) error {
	lastOnly := r.lastOnly
	r.lastOnly = false // everything is summarised, and shown again afterwards
	p := k.view.plan(r, want)
	if p.cut == 0 || !compaction.Gains(p.sizes(k.view, r, history.Size{Bytes: leastSummary})) { // not even a short summary would gain enough
		r.lastOnly = lastOnly
		if p.trigger == "manual" {
			recordOrCancel(k.journal, r, history.ContextCompacted{Trigger: p.trigger, DroppedTools: []string{}, Reason: compaction.ErrNothing.Error()})
		}
		return compaction.ErrNothing
	}
	k.show(r.id, "run.state", RunState{State: "compacting", Iteration: r.iteration})
	saved, err := k.saveTranscript(r)
	var summary string
	if err == nil {
		summary, err = k.summarise(r, p)
	}
	var body history.ContextCompacted
	if err == nil {
		body, err = k.view.summary(r, p, summary, saved)
	}
	if err != nil {
		r.lastOnly = lastOnly
		return k.compactFailed(r, p, saved, err)
	}
	k.failures = 0
	k.view.shown = nil
	recordOrCancel(k.journal, r, body)
	k.countCompaction(r, body)
	k.takeUp(r, p.trigger)
	return nil
}

// plan decides what a summary would replace.
func (v *view) plan(r *run, want wanted) replacing {
	info := r.model.Info()
	tokens, b := v.measure(info.Name), v.bounds(info)
	p, t := replacing{wanted: want, used: v.used(r)}, journal.Read(v.journal, copied)
	p.shown = *v.shownTo(r, t)
	p.free = max(b.Room()-tokens(r.fixed), 0)
	if p.trigger == "overflow" { // what is believed of the window has just been shown to be wrong
		p.free = min(p.free, tokens(p.shown.total))
	}
	c := compaction.Cutting{Turns: v.recentTurns(), Budget: p.free * 4 / 10, Willing: p.trigger == "manual", Full: p.free}
	p.cut = compaction.Cut(&p.shown.Transcript, c, tokens)
	p.older = history.SizeOf(p.shown.Summary).Plus(history.SizeOfBlocks(p.shown.Carried))
	for _, it := range p.shown.Items[:p.cut] {
		p.older = p.older.Plus(it.Size)
	}
	facts, carried := t.FactsBefore(p.cut), p.shown.CarriedBy(p.cut)
	if carried != nil {
		facts.Last = "" // it is behind the summary
	}
	p.known = compaction.Appendix(facts, t.Plan, int(max(p.free*3/8, leastAppendix)))
	p.carried = history.SizeOfBlocks(carried)
	return p
}

// summary is the event of what a model wrote, or why it is not accepted.
func (v *view) summary(r *run, p replacing, words, saved string) (history.ContextCompacted, error) {
	c := v.compaction()
	body := history.ContextCompacted{Trigger: p.trigger, OK: true, Transcript: saved, DroppedTools: []string{}}
	t := journal.Read(v.journal, copied)
	body.KeepFrom = t.Seq + 1
	if p.cut < len(t.Items) {
		body.KeepFrom = t.Items[p.cut].Seq
	}
	for _, it := range t.Items[:p.cut] {
		if it.Result != nil {
			body.DroppedTools = append(body.DroppedTools, it.Result.Tool)
		}
	}
	slices.Sort(body.DroppedTools)
	body.DroppedTools = slices.Compact(body.DroppedTools)
	head := fmt.Sprintf("%s\n[conversation compacted; transcript: %s]\n\n%s\n", c.SummaryPrefix, saved, compaction.Words(words, c.SummaryPrefix))
	body.Summary = head + p.known
	body.Before, body.After = p.sizes(v, r, history.SizeOf(head))
	if !compaction.Gains(body.Before, body.After) {
		return body, compaction.ErrGain
	}
	return body, nil
}

// leastSummary is what a summary has at least, with its heading, in bytes.
const leastSummary = 600

// leastAppendix is what code may add to a summary in the smallest window, in
// bytes; in others it is an eighth of what is free.
const leastAppendix = 600

// countCompaction says what was done: to those who list sessions, and in the
// program's log.
func (k *compactor) countCompaction(r *run, body history.ContextCompacted) {
	r.compacted = append(r.compacted, r.iteration+1)
	count := journal.Read(k.journal, copied).Info.CompactionCount
	recordOrCancel(k.journal, r, history.Changed{CompactionCount: &count})
	k.deps.Log.Info().Str("session", k.id).Str("trigger", body.Trigger).Int64("before", body.Before).Int64("after", body.After).
		Int("summaryBytes", len(body.Summary)).Strs("droppedTools", body.DroppedTools).Int("compactionCount", count).Msg("compacted")
}

// takeUp tells the model what the summary has taken from it: the reminders, and, after a summary that nobody asked for, that it may go on.
func (k *compactor) takeUp(r *run, trigger string) {
	t := journal.Read(k.journal, copied)
	for _, word := range k.reminders(r.agent, r.tools, &t) {
		said := func(it history.Item) bool { return history.TextOf(it.Blocks) == system.Reminder(word) }
		if r.prompt.Kind != "compaction" && !slices.ContainsFunc(t.Items, said) {
			remind(k.journal, r, word)
		}
	}
	if trigger != "manual" && !journal.Read(k.journal, (*history.Transcript).Unanswered) {
		recordOrCancel(k.journal, r, history.UserMessage{MessageID: k.journal.NewID("m"), Content: history.Text("Continue if you have next steps."), Synthetic: true})
	}
}

// compactFailed records a summary that was not accepted.
func (k *compactor) compactFailed(r *run, p replacing, saved string, err error) error {
	if r.ctx.Err() != nil {
		return err
	}
	before, _ := p.sizes(k.view, r, history.Size{})
	recordOrCancel(k.journal, r, history.ContextCompacted{Trigger: p.trigger, Before: before, After: before, DroppedTools: []string{}, Transcript: saved, Reason: err.Error()})
	k.failures++
	if k.failures >= compaction.MostFailures && journal.Read(k.journal, copied).AutoCompact {
		off := false
		recordOrCancel(k.journal, r, history.Changed{AutoCompact: &off})
		k.show(r.id, "notice", Notice{Severity: "warning", Title: said.That("Three summaries in a row have failed: automatic summaries are off for this session."), Kind: "auto_compact_off"})
	}
	return err
}
