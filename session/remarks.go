package session

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/system"
)

// remarks are what the sidecar has to say about a step, under its result: what ran
// where that is not what was sent, what arguments were taken for, how a sub-agent can be resumed, what a placeholder
// is, which files a command did not see as they are, and the loop guard's warning,
// which hears here what came of the call. It is called in the order of the calls.
func (l *caller) remarks(r *run, j *invocation) string {
	note := joinLines(aboutArguments(j), j.note)
	if j.result.Status == history.StatusCancelled {
		note = ""
	}
	return joinLines(l.ownWords(j), note, l.aboutPlaceholders(j), commandReminder(j.unsaved), r.observe(j))
}

// maxOwnWords is how much of arguments that a person changed the model is told, in
// bytes.
const maxOwnWords = 4 << 10

// ownWords tell the model what ran where that is not what it sent.
func (l *caller) ownWords(j *invocation) string {
	if !j.edited || !j.authorized.allow {
		return ""
	}
	return "(The user changed the input of this call before it ran: " + cutText(string(l.root.redactor.RedactJSON(j.plan.Input, "")), maxOwnWords) + ")"
}

// aboutPlaceholders tells the model once, with the first secret that is kept from it,
// what is there.
func (l *caller) aboutPlaceholders(j *invocation) string {
	hidden := j.whole != "" || j.spilled != nil && strings.Contains(j.spilled.Text+j.spilled.Head+j.spilled.Tail, "«secret:")
	if l.toldOfPlaceholders || !hidden {
		return ""
	}
	l.toldOfPlaceholders = true
	return "(A text such as «secret:kind#1» stands for a secret that is kept from you. Write it exactly so to keep the secret in the file that it came from; it works in write, edit and apply_patch, and nowhere else.)"
}

// commandReminder stands with the result of a command that did not see the text of
// some files.
func commandReminder(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return system.Reminder(system.Unsaved(files))
}
