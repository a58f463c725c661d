package main

import (
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// undo brings the files of this directory back to before a call, an earlier undo, a
// run or behind an event of a session; without one to before its last run.
func (p *program) undo(words []string) int {
	if len(words) == 0 {
		return p.misused("undo: of which session? agent-sidecar sessions lists them")
	}
	back, err := p.openWith(p.wiring(), nil, &terminal{out: p.out})
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	s, err := back.Sessions.Get(sessionID(words[0]))
	if err != nil {
		return p.fail("%s", title(string(p.words("%v", err)), 400))
	}
	ctx, cancel := interrupted()
	defer cancel()
	to := session.UndoTo{Paths: p.files}
	switch {
	case len(words) == 1:
		if to.RunID, err = s.LastRun(ctx); err == nil && to.RunID == "" {
			return p.fail("session %s has not run yet", s.ID())
		}
	case strings.HasPrefix(words[1], s.ID()+"-r"):
		to.RunID = words[1]
	default:
		to.CallID = words[1]
		if seq, bad := strconv.ParseInt(words[1], 10, 64); bad == nil {
			to.CallID, to.Seq = "", &seq
		}
	}
	if err != nil {
		return p.fail("%v", err)
	}
	done, err := s.Undo(ctx, to, p.merge, p.dryRun, func() {})
	if err != nil {
		if len(done.Changes) > 0 { // what was done before it failed
			p.show(undone(p.locale(), s.ID(), done, p.dryRun))
		}
		return p.fail("undo: %s", title(err.Error(), 400))
	}
	code := p.show(undone(p.locale(), s.ID(), done, p.dryRun))
	if len(done.Conflicts) > 0 {
		return 1
	}
	return code
}

// undone says what an undo did, one path a line.
func undone(lang, sessionID string, done session.Undone, dry bool) shown {
	var out []shown
	for _, c := range done.Changes {
		from := shown("")
		if c.From != "" {
			from = inWords(lang, " from %s", title(c.From, 200))
		}
		verb := undoVerbs[c.Kind]
		if dry {
			verb = said.That("would be %s", verb)
		}
		out = append(out, inWords(lang, "%s: %s%s\n", verb, title(c.Path, 200), from))
	}
	for _, c := range done.Conflicts {
		out = append(out, inWords(lang, "left as it is: %s: %s\n", title(c.Path, 200), title(locale.Conflict(lang, string(c.Reason), c.With...), 300)))
	}
	switch {
	case len(done.Changes)+len(done.Conflicts) == 0:
		out = append(out, inWords(lang, "There is nothing to undo.\n"))
	case len(done.Changes) > 0 && !dry:
		out = append(out, inWords(lang, "To take this back: agent-sidecar undo %s '%s'\n", sessionID, done.Changes[0].CallID))
	}
	return join(out, "")
}

// undoVerbs are what an undo does with a file that was created, deleted and so on.
var undoVerbs = map[string]said.Text{
	"created": said.That("brought back"), "deleted": said.That("removed"), "modified": said.That("restored"), "moved": said.That("moved back"),
}
