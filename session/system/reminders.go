package system

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Reminders are what a prompt is sent with: what has changed since the system prompt was
// written, and what the agent may do.
type Reminders struct {
	Start, Now Environment
	Unsaved    []string // files that are edited and not saved
	Agent      config.Agent
	Tools      tool.Set // that are offered
	Said       *Said    // what was taken in of the conversation so far; nil: nothing
}

// Texts are those that a model which sees t has to be told.
func (r Reminders) Texts(t *history.Transcript) []string {
	said := r.Said
	if said == nil {
		said = &Said{}
	}
	said.take(t)
	planned := t.Planned || said.last(planReminder, buildReminder) == planReminder
	texts := []string{
		environmentReminder(r.Start, r.Now, said), unsavedReminder(r.Unsaved, said),
		modeReminder(r.Agent, planned, r.Tools, said), undoReminder(t.Undone),
	}
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// Said are the reminders that a model sees in a conversation. It is taken in as it grows.
type Said struct {
	edits, taken int
	texts        []string // each once, the newest last
}

func (s *Said) take(t *history.Transcript) {
	if s.edits != t.Edits {
		*s = Said{edits: t.Edits}
	}
	for ; s.taken < len(t.Items); s.taken++ {
		it := &t.Items[s.taken]
		if it.Prompt || it.Blocks == nil {
			continue
		}
		if text, ok := strings.CutPrefix(history.TextOf(it.Blocks), reminderOpens); ok {
			text = strings.TrimSuffix(text, reminderCloses)
			s.texts = append(slices.DeleteFunc(s.texts, func(was string) bool { return was == text }), text)
		}
	}
}

// last is the newest of those that begin with one of the prefixes, "" where the model
// sees none.
func (s *Said) last(prefixes ...string) string {
	for _, text := range slices.Backward(s.texts) {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) }) {
			return text
		}
	}
	return ""
}

// unlessSaid is news, which begins with begin, or over where there are none any more; ""
// where the model was told the same last.
func unlessSaid(in *Said, begin, over, news string) string {
	said := in.last(begin, over)
	switch {
	case news == said || news == "" && said == over:
		return ""
	case news == "":
		return over
	}
	return news
}

// Reminder is text in a message of the user, marked as the sidecar's own. It closes where the sidecar says so, whatever names and commands are in it.
func Reminder(text string) string {
	return reminderOpens + strings.ReplaceAll(text, "</", "‹/") + reminderCloses
}

// What the sidecar says in a user's message is between these.
const (
	reminderOpens  = "<system-reminder>\n"
	reminderCloses = "\n</system-reminder>"
)

// The reminders, word for word.
const (
	planReminder  = "You are in plan mode. You MUST NOT edit files or run anything that changes state; investigate and answer with a plan."
	buildReminder = "You just finished plan mode. You may now change files; carry the plan out."
)

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

// modeReminder tells a planning agent, with every prompt, that it may not change
// anything, and how to plan where the model does not see that; and an agent that follows one, once, that it may; "" for the others.
func modeReminder(agent config.Agent, planned bool, offered tool.Set, said *Said) string {
	switch {
	case agent.Name == planAgent:
		own, _ := ownPrompt(agent)
		whole := planReminder + "\n\n" + offeredLines(AgentPrompt(planAgent), offered)
		if own == "" || slices.Contains(said.texts, whole) {
			return planReminder
		}
		return whole
	case planned && !agent.ReadOnly:
		return buildReminder
	}
	return ""
}

// asName keeps a name that somebody else has chosen, of a branch above all, from
// being more than a name: it begins no line and closes no reminder.
func asName(s string) string { return control.Title(strings.ReplaceAll(s, "<", "‹"), 0) }
