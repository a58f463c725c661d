package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

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

// reminderOf closes where the sidecar says so, whatever names and commands are in it.
func reminderOf(text string) string {
	return reminderOpens + strings.ReplaceAll(text, "</", "‹/") + reminderCloses
}

func reminder(id, text string) history.UserMessage {
	return history.UserMessage{MessageID: id, Content: history.Text(reminderOf(text)), Synthetic: true}
}

// What the sidecar says in a user's message stands between these.
const (
	reminderOpens  = "<system-reminder>\n"
	reminderCloses = "\n</system-reminder>"
)

// The reminders, word for word.
const (
	planReminder  = "You are in plan mode. You MUST NOT edit files or run anything that changes state; investigate and answer with a plan."
	buildReminder = "You just finished plan mode. You may now change files; carry the plan out."
)

// copied is the state as it is now. Without the lock the run may read its items, which are only
// added to, and its numbers and texts; not its maps, its queue or its open questions.
func copied(t *history.Transcript) history.Transcript { return *t }

// undoReminder tells the model that files are not as it left them.
func undoReminder(paths []string) string {
	const most = 20
	if len(paths) == 0 {
		return ""
	}
	more := ""
	if len(paths) > most {
		more = fmt.Sprintf(" and %d more", len(paths)-most)
		paths = paths[:most]
	}
	return "The user has undone changes to these files: " + control.Title(asName(strings.Join(paths, ", ")), 2000) + more + ". Read them again before you change them, and do not make the same changes again without being asked."
}

// remind adds a word of the sidecar's own to the conversation.
func remind(j *journal.Journal, r *run, text string) {
	recordOrCancel(j, r, reminder(j.NewID("m"), text))
}
