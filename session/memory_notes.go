package session

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What is noted steers later sessions, and nobody was asked. So each entry says where it is
// from, and a person hears of all entries of a run at once, when it ends.

// mostNoted is how many entries a notice shows, and maxNoted how much of each, in
// characters.
const (
	mostNoted = 5
	maxNoted  = 120
)

// originOf is where what is written down now comes from.
func (l *caller) originOf(r *run) tool.Origin {
	heard := journal.Read(l.journal, func(t *history.Transcript) []string { return t.Heard.Words() })
	return tool.Origin{Session: l.id, Root: l.root.id, Run: r.id, Read: heard, Apart: l.root.apart()}
}

// note keeps what a call has written into memory, to be told.
func (r *run) note(book *placeholder.Redactor, j *invocation) {
	if j.call.Tool != memoryName || j.result.Status != history.StatusCompleted {
		return
	}
	var in struct{ Text string }
	if json.Unmarshal(j.plan.Input, &in) != nil {
		return
	}
	r.noted.texts = append(r.noted.texts, "“"+control.Title(book.RedactAgain(history.Clean(strings.TrimSpace(in.Text))), maxNoted)+"”")
	for _, c := range j.changes {
		if !slices.Contains(r.noted.paths, c.Path) {
			r.noted.paths = append(r.noted.paths, c.Path)
		}
	}
}
