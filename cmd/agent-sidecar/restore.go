package main

import (
	"context"
	"strconv"

	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// restore goes back to a prompt of a session: a new session that ends before it, and the
// files as they were then. Without a number it lists the prompts.
func restore(p *program, words []string) int {
	if len(words) == 0 {
		return p.misused("restore: of which session? agent-sidecar sessions lists them")
	}
	back, err := p.openWith(p.wiring(), nil, &terminal{out: p.out})
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	ctx, cancel := interrupted()
	defer cancel()
	id := sessionID(words[0])
	if len(words) == 1 {
		return listPrompts(ctx, p, back, id)
	}
	seq, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return p.misused("restore: %q is not the number of a prompt; agent-sidecar restore %s lists them", words[1], id)
	}
	done, err := back.Sessions.Restore(ctx, store.Restore{SessionID: id, Seq: seq, DryRun: p.dryRun, Anyway: p.skipConflicts}, func() {})
	if err != nil {
		return p.fail("restore: %v", err)
	}
	return showRestored(p, id, done)
}

// listPrompts shows which prompts there are to go back to.
func listPrompts(ctx context.Context, p *program, back *rpc.Backend, id string) int {
	all, err := back.Sessions.Prompts(ctx, id)
	if err != nil {
		return p.fail("%v", err)
	}
	if len(all) == 0 {
		return p.fail("session %s has no prompt yet", title(id, 40))
	}
	rows := [][]shown{{p.words("NUMBER"), p.words("PROMPT")}}
	for _, prompt := range all {
		rows = append(rows, []shown{showf("%d", prompt.Seq), title(prompt.Title, 80)})
	}
	return p.show(aligned(rows))
}

// showRestored says what came of it; files that would stay as they are stop it.
func showRestored(p *program, id string, done store.Restored) int {
	out := []shown{undone(p.locale(), id, done.Undone, true)}
	code := 0
	switch {
	case done.Session != nil:
		out = []shown{undone(p.locale(), id, done.Undone, false), p.words("To continue from before that prompt: agent-sidecar run --session %s\n", done.Session.ID())}
	case len(done.Conflicts) > 0:
		code = exitFailed
		out = append(out, p.words("Nothing was done. To leave those files as they are: --skip-conflicts\n"))
	}
	if printed := p.show(join(out, "")); printed != 0 {
		return printed
	}
	return code
}
