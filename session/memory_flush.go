package session

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

//go:embed memory_flush.md
var flushPrompt string

const (
	mostFlushTurns = 4               // answers, the last of which says that all is written
	flushTime      = 2 * time.Minute // for all of them
	maxFlushResult = 50 << 10        // bytes of a result
)

// flushTools are those that can be called in a silent turn.
var flushTools = []string{memoryName, "read", "ls", "glob", "grep"}

// flushMemory lets the model write down what must last before the conversation is
// summarised, once for each summary. It is a turn inside the run that needs the
// room, and a silent one: no message of it stays in the conversation, no word of it
// is shown, and nobody is asked. What it changed is recorded like every other
// change. A failure changes nothing.
func (s *Session) flushMemory(r *run) {
	t := journal.Read(s.journal, copied)
	cycle := t.Info.CompactionCount + 1
	if t.Flushed || s.across.flushedAt == cycle || !s.view.flushDue(r) || !s.mayFlush(r) {
		return
	}
	request := s.view.request(r) // with the same tools, so that the provider's cached prefix holds
	request.Messages = append(request.Messages, model.Message{Role: "user", Text: flushPrompt})
	if !s.view.fits(r, request) {
		return
	}
	s.across.flushedAt = cycle
	ctx, cancel := context.WithTimeout(r.ctx, flushTime)
	defer cancel()
	paths, err := s.silentTurn(ctx, r, request)
	if err != nil && r.ctx.Err() == nil {
		s.deps.Log.Warn().Err(err).Msg("memory was not written down before a summary")
	}
	if len(paths) > 0 {
		slices.Sort(paths)
		s.recordOrCancel(r, history.MemoryFlushed{Paths: slices.Compact(paths)})
	}
}

// flushDue says that the conversation is over the threshold, which lies below that
// of the automatic summary.
func (v *view) flushDue(r *run) bool {
	if at := v.flushAt(r); at > 0 {
		return v.used(r) > at
	}
	return journal.Read(v.journal, (*history.Transcript).Total).Chars*10 > v.compaction().MaxChars*9
}

// flushAt is in tokens; 0 where neither the window nor a cap is known.
func (v *view) flushAt(r *run) int64 {
	m, info := v.deps.Config.Settings().Memory, r.model.Info()
	return flushThreshold(cmp.Or(info.Window, info.MaxInput), v.bounds(info).Trigger, m.ReserveTokensFloor, m.SoftTokens)
}

// flushThreshold is min(window − reserve − soft, 0.9 × trigger), where reserve and
// soft are at most a quarter and a twentieth of the window.
func flushThreshold(window, trigger, reserve, soft int64) int64 {
	at := trigger * 9 / 10
	if window > 0 {
		at = min(at, window-min(reserve, window/4)-min(soft, window/20))
	}
	return at
}

// mayFlush says that there is memory that could be written without asking anybody:
// judged is an entry like the one that the model would make. That leaves out groups,
// workspaces that are not trusted, tainted conversations, agents that may not write
// and folders that are links.
func (s *Session) mayFlush(r *run) bool {
	m := s.deps.Config.Settings().Memory
	if s.parent != nil || !m.Enabled || !m.Flush || r.agent.NoFlush || s.deps.ReadOnly != nil && s.deps.ReadOnly() {
		return false
	}
	t, ok := r.tools.Lookup(memoryName)
	if !ok {
		return false
	}
	plan, err := t.Plan(json.RawMessage(`{"kind": "daily", "text": "x"}`))
	return err == nil && s.silentPolicy(r).Decide(plan).Verdict == control.Allow
}

// silentPolicy judges what is done in the silent turn as in mode agent: full access
// is given for what a person can watch.
func (s *Session) silentPolicy(r *run) control.Policy {
	f := s.facts(r.agent)
	f.Mode = "agent"
	return control.NewPolicy(f)
}

// fits says that a request is within the window, as far as that is known: one that
// is sent beside the conversation must not be what the provider refuses.
func (v *view) fits(r *run, request model.Request) bool {
	info := r.model.Info()
	return v.bounds(info).Fits(v.tokens(info.Name, sizeOfRequest(request)))
}

// silentTurn asks until the model says that all is written, or the window is full.
// It gives the files that were changed, also where it ends with an error.
func (s *Session) silentTurn(ctx context.Context, r *run, request model.Request) (paths []string, err error) {
	tools := tool.NewSet(s.deps.Tools(s.id, "")...).Only(flushTools...) // what is read here is not read in the conversation
	for range mostFlushTurns {
		if !s.view.fits(r, request) {
			return paths, nil
		}
		done, err := s.hear(ctx, r, request)
		if err != nil || len(done.Calls) == 0 {
			return paths, err
		}
		names := s.newCallNames()
		for i := range done.Calls {
			names.of(i, "") // ids of ours: the provider's may come again in the conversation
		}
		answer := model.Message{Role: "assistant", Text: done.Text, Calls: done.Calls, Opaque: done.Opaque}
		request.Messages = append(request.Messages, answer)
		for i, c := range s.callsOf(r, done.Calls, names) {
			answer.Calls[i].ID = cmp.Or(answer.Calls[i].ID, c.CallID)
			text, changed := s.silentCall(r, tools, c, done.Cut)
			paths = append(paths, changed...)
			request.Messages = append(request.Messages, model.Message{Role: "tool", CallID: answer.Calls[i].ID, Text: cutText(text, maxFlushResult)})
		}
		if r.ctx.Err() != nil {
			return paths, context.Cause(r.ctx)
		}
	}
	return paths, nil
}

// hear asks the model and shows nothing of what it says, but who it is.
func (s *Session) hear(ctx context.Context, r *run, request model.Request) (model.Done, error) {
	for part, err := range r.model.Stream(ctx, request) {
		if err != nil {
			return model.Done{}, err
		}
		s.switched(r, part) // the next request goes to whoever answers now
		if done, ok := part.(model.Done); ok {
			r.spend(done.Usage)
			if done.Filtered {
				return model.Done{}, filteredError(done)
			}
			return done, nil
		}
	}
	return model.Done{}, errors.New("the model's stream ended without an answer")
}

// silentCall takes a call along its line like every other, but asks nobody and
// records only what it changed.
func (s *Session) silentCall(r *run, tools tool.Set, c history.Call, cut bool) (text string, changed []string) {
	j := &step{call: c, started: time.Now(), input: c.Input, begun: make(chan struct{})}
	j.ctx, j.done = s.stoppable(r, c.CallID)
	defer j.done()
	var ok bool
	switch j.tool, ok = tools.Lookup(c.Tool); {
	case !ok || c.Said != "" || !has(r.tools, c.Tool):
		return "Error: nothing was run: only memory, read, ls, glob and grep can be called now", nil
	case cut || c.Raw != "":
		return "Error: the arguments are cut off or not valid JSON, so nothing was run", nil
	}
	s.hookBefore(r, j)
	if _, err := s.makePlan(j, c.Tool); err != nil {
		return "Error: " + s.book.Hide(err.Error()), nil
	}
	if j.refused != nil {
		j.word = j.refused.over(j.plan)
	} else {
		d := s.silentPolicy(r).Decide(j.plan)
		j.word = word{allow: d.Verdict == control.Allow, decision: d, by: d.By, text: d.Refusal}
	}
	j.word = s.audited(r, j)
	if !j.word.allow {
		return s.book.Hide(j.word.text), nil
	}
	s.execute(r, j)
	r.note(s, j)
	for _, f := range s.recordChanges(r, j) {
		changed = append(changed, f.Path)
	}
	return j.result.Text, changed
}
