package session

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// The reminders, word for word.
const (
	planReminder  = "You are in plan mode. You MUST NOT edit files or run anything that changes state; investigate and answer with a plan."
	buildReminder = "You just finished plan mode. You may now change files; carry the plan out."
)

// What the sidecar says in a user's message stands between these.
const (
	reminderOpens  = "<system-reminder>\n"
	reminderCloses = "\n</system-reminder>"
)

// remind adds a word of the sidecar's own to the conversation.
func remind(j *journal.Journal, r *run, text string) {
	recordOrCancel(j, r, reminder(j.NewID("m"), text))
}

// reminderOf closes where the sidecar says so, whatever names and commands are in it.
func reminderOf(text string) string {
	return reminderOpens + strings.ReplaceAll(text, "</", "‹/") + reminderCloses
}

func reminder(id, text string) history.UserMessage {
	return history.UserMessage{MessageID: id, Content: history.Text(reminderOf(text)), Synthetic: true}
}

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

// copied is the state as it is now. Without the lock the run may read its items, which are only
// added to, and its numbers and texts; not its maps, its queue or its open questions.
func copied(t *history.Transcript) history.Transcript { return *t }

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

// lastReminder is the newest of those that begin with one of the prefixes, "" where
// the model sees none.
func lastReminder(items []history.Item, prefixes ...string) string {
	for k := len(items) - 1; k >= 0; k-- {
		text, ok := strings.CutPrefix(history.TextOf(items[k].Blocks), reminderOpens)
		if ok && !items[k].Prompt && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) }) {
			return strings.TrimSuffix(text, reminderCloses)
		}
	}
	return ""
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
