package session

import (
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// remindAtStart says with a prompt what has changed since the system prompt was
// written: where the session works, and what its agent may do. It stands in the
// user's message, so that the prefix of the conversation holds.
func (w *worker) remindAtStart(r *run) {
	if r.prompt.Kind == "compaction" {
		return
	}
	t := journal.Read(w.journal, copied)
	for _, text := range w.remindersOf(r.agent, &t) {
		remind(w.journal, r, text)
	}
}

// remindersOf are what a prompt to an agent is sent with.
func (w *worker) remindersOf(agent config.Agent, t *history.Transcript) (texts []string) {
	planned := t.Planned || lastReminder(t.Items, planReminder, buildReminder) == planReminder
	for _, text := range []string{
		environmentReminder(w.env, w.deps.environment(), t.Items), unsavedReminder(w.deps.Files.Unsaved(), t.Items),
		modeReminder(agent.Name, agent.ReadOnly, planned), undoReminder(t.Undone),
	} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// modeReminder tells a planning agent, with every prompt, that it may not change
// anything, and an agent that follows one, once, that it may; "" for the others.
func modeReminder(agent string, readOnly, planned bool) string {
	switch {
	case agent == "plan":
		return planReminder
	case planned && !readOnly:
		return buildReminder
	}
	return ""
}
