package main

import (
	"fmt"
	"strconv"
	"strings"

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
		return p.fail("%s", title(err.Error(), 400))
	}
	ctx, cancel := interrupted()
	defer cancel()
	to := session.UndoTo{Paths: p.files}
	switch {
	case len(words) == 1:
		if to.RunID, err = s.LastRun(ctx); err == nil && to.RunID == "" {
			err = fmt.Errorf("session %s has not run yet", s.ID())
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
			p.show(undone(s.ID(), done, p.dryRun))
		}
		return p.fail("undo: %s", title(err.Error(), 400))
	}
	code := p.show(undone(s.ID(), done, p.dryRun))
	if len(done.Conflicts) > 0 {
		return 1
	}
	return code
}

// undone says what an undo did, one path a line.
func undone(sessionID string, done session.Undone, dry bool) shown {
	var out []shown
	verb := map[string]shown{"created": "brought back", "deleted": "removed", "modified": "restored", "moved": "moved back"}
	would := shown("")
	if dry {
		would = "would be "
	}
	for _, c := range done.Changes {
		from := shown("")
		if c.From != "" {
			from = " from " + title(c.From, 200)
		}
		out = append(out, showf("%s%s: %s%s\n", would, verb[c.Kind], title(c.Path, 200), from))
	}
	for _, c := range done.Conflicts {
		out = append(out, showf("left as it is: %s: %s\n", title(c.Path, 200), title(locale.Conflict("", string(c.Reason), c.With...), 300)))
	}
	switch {
	case len(done.Changes)+len(done.Conflicts) == 0:
		out = append(out, "There is nothing to undo.\n")
	case len(done.Changes) > 0 && !dry:
		out = append(out, showf("To take this back: agent-sidecar undo %s '%s'\n", sessionID, done.Changes[0].CallID))
	}
	return join(out, "")
}
