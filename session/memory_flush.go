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
func (k *compactor) flushMemory(r *run) {
	t := journal.Read(k.journal, copied)
	cycle := t.Info.CompactionCount + 1
	if t.Flushed || k.flushedAt == cycle || !k.view.flushDue(r) || !k.mayFlush(r) {
		return
	}
	request := k.view.request(r) // with the same tools, so that the provider's cached prefix holds
	request.Messages = append(request.Messages, model.Message{Role: "user", Text: flushPrompt})
	if !k.view.fits(r, request) {
		return
	}
	k.flushedAt = cycle
	ctx, cancel := context.WithTimeout(r.ctx, flushTime)
	defer cancel()
	paths, err := k.silentTurn(ctx, r, request)
	if err != nil && r.ctx.Err() == nil {
		k.deps.Log.Warn().Err(err).Msg("memory was not written down before a summary")
	}
	if len(paths) > 0 {
		slices.Sort(paths)
		recordOrCancel(k.journal, r, history.MemoryFlushed{Paths: slices.Compact(paths)})
	}
}

// mayFlush says that there is memory that could be written without asking anybody:
// judged is an entry like the one that the model would make. That leaves out groups,
// workspaces that are not trusted, tainted conversations, agents that may not write
// and folders that are links.
func (k *compactor) mayFlush(r *run) bool {
	m := k.deps.Config.Settings().Memory
	if k.session.above != nil || !m.Enabled || !m.Flush || r.agent.NoFlush || k.root.place().Files.ReadOnly() {
		return false
	}
	t, ok := r.tools.Lookup(memoryName)
	if !ok {
		return false
	}
	plan, err := t.Plan(json.RawMessage(`{"kind": "daily", "text": "x"}`))
	return err == nil && k.authority.silent(r).Decide(plan).Verdict == control.Allow
}

// silentTurn asks until the model says that all is written, or the window is full.
// It gives the files that were changed, also where it ends with an error.
func (k *compactor) silentTurn(ctx context.Context, r *run, request model.Request) (paths []string, err error) {
	tools := tool.NewSet(k.root.place().Tools.Tools(k.authority, "")...).Only(flushTools...) // what is read here is not read in the conversation
	for range mostFlushTurns {
		if !k.view.fits(r, request) {
			return paths, nil
		}
		done, err := k.hear(ctx, r, request)
		if err != nil || len(done.Calls) == 0 {
			return paths, err
		}
		names := newCallNames(k.journal)
		for i := range done.Calls {
			names.of(i, "") // ids of ours: the provider's may come again in the conversation
		}
		answer := model.Message{Role: "assistant", Text: done.Text, Calls: done.Calls, Opaque: done.Opaque}
		request.Messages = append(request.Messages, answer)
		for i, c := range callsOf(k.root.redactor, k.id, r, done.Calls, names) {
			answer.Calls[i].ID = cmp.Or(answer.Calls[i].ID, c.CallID)
			text, changed := k.calls.silentCall(r, tools, c, done.Cut)
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
func (k *compactor) hear(ctx context.Context, r *run, request model.Request) (model.Done, error) {
	for part, err := range r.model.Stream(ctx, request) {
		if err != nil {
			return model.Done{}, err
		}
		switched(k.journal, r, part) // the next request goes to anyone who answers now
		if done, ok := part.(model.Done); ok {
			k.root.spend(k.deps, k.origin, done)
			r.usage.Add(history.Reported(done.Usage))
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
func (l *caller) silentCall(r *run, tools tool.Set, c history.Call, cut bool) (text string, changed []string) {
	j := &invocation{call: c, started: time.Now(), input: c.Input, begun: make(chan struct{})}
	j.ctx, j.done = l.stoppable(r, c.CallID)
	defer j.done()
	var ok bool
	switch j.tool, ok = tools.Lookup(c.Tool); {
	case !ok || c.Said != "" || !has(r.tools, c.Tool):
		return "Error: nothing was run: only memory, read, ls, glob and grep can be called now", nil
	case cut || !isObject(c.Input):
		return "Error: the arguments are cut off or not valid JSON, so nothing was run", nil
	}
	l.hookBefore(r, j)
	if _, err := l.makePlan(j, c.Tool); err != nil {
		return "Error: " + l.root.redactor.RedactAgain(err.Error()), nil
	}
	if j.refused != nil {
		j.authorized = j.refused.over(j.plan)
	} else {
		d := l.authority.silent(r).Decide(j.plan)
		j.authorized = authorization{allow: d.Verdict == control.Allow, decision: d, by: d.By, text: d.Refusal}
	}
	j.authorized = l.audited(r, j)
	if !j.authorized.allow {
		return l.root.redactor.RedactAgain(j.authorized.text), nil
	}
	l.execute(r, j)
	r.note(l.root.redactor, j)
	for _, f := range l.recordChanges(r, j) {
		changed = append(changed, f.Path)
	}
	return joinLines(j.result.Text, aboutArguments(j)), changed
}
