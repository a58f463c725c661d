package session

import (
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// remindAtStart says with a prompt what has changed since the system prompt was
// written: where the session works, and what its agent may do. It is in the
// user's message, so that the prefix of the conversation holds.
func (w *worker) remindAtStart(r *run) {
	if r.prompt.Kind == "compaction" {
		return
	}
	t := journal.Read(w.journal, copied)
	reminders := w.reminders(r.agent, r.tools)
	reminders.Said = &w.across.said
	for _, text := range reminders.Texts(&t) {
		remind(w.journal, r, text)
	}
}

// remindersOf are what a prompt to an agent is sent with.
func (w *worker) remindersOf(agent config.Agent, offered tool.Set, t *history.Transcript) []string {
	return w.reminders(agent, offered).Texts(t)
}

func (w *worker) reminders(agent config.Agent, offered tool.Set) system.Reminders {
	return system.Reminders{Start: w.env, Now: w.root.place().environment(), Unsaved: w.root.place().Files.Unsaved(), Agent: agent, Tools: offered}
}

func reminder(id, text string) history.UserMessage {
	return history.UserMessage{MessageID: id, Content: history.Text(system.Reminder(text)), Synthetic: true}
}

// remind adds a word of the sidecar's own to the conversation.
func remind(j *journal.Journal, r *run, text string) {
	recordOrCancel(j, r, reminder(j.NewID("m"), text))
}

// copied is the state as it is now. Without the lock the run may read its items, which are only
// added to, and its numbers and texts; not its maps, its queue or its open questions.
func copied(t *history.Transcript) history.Transcript { return *t }
