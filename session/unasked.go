package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// tellUnasked shows, once in a workspace, that commands run without a question, and how
// that is turned off.
func (l *caller) tellUnasked(r *run) {
	if !l.root.said.toldUnasked.Swap(true) && config.TellOnce(l.deps.Disk, l.deps.Home, l.deps.WorkspaceID, "sandbox_unasked") {
		l.show(r.id, "notice", Notice{Severity: "info", Kind: "sandbox_unasked", Title: said.That("In this workspace, commands run in the sandbox without asking you first. To be asked again, run: agent-sidecar config set agents.runtime.sandbox.autoAllow off")})
	}
}

// inSandbox notes in an allowed call that it is allowed because the sandbox keeps it: it
// runs there or not at all.
func (l *caller) inSandbox(r *run, j *invocation) {
	is := j.authorized.decision.Sandbox
	if is == tool.Sandboxed { // else it leaves nothing
		l.deps.Unasked.Begin(time.Now())
	}
	if is != tool.NoSandbox {
		l.tellUnasked(r)
	}
}

// leaves says that a command is to have the network or to leave the sandbox: then it can
// start what others have left where nobody looks.
func leaves(p *tool.Plan, d control.Decision) bool {
	return p.Command != "" && (d.Network || p.Needs.Has(tool.NeedNetwork) || p.Needs.Has(tool.NeedUnconfined))
}

// unaskedShown says, beside a question about a command that leaves the sandbox, what has
// changed in dependency and build folders since commands ran there without a question, or
// since the person last said yes to such a one. "" where none has run so.
func (v *previewer) unaskedShown(ctx context.Context, p *tool.Plan, d control.Decision) string {
	since, known := v.deps.Unasked.Since()
	if !known || !leaves(p, d) {
		return ""
	}
	count, first, all := v.root.place().Files.Unfollowed(ctx, since)
	if count == 0 && all {
		return ""
	}
	atLeast := ""
	if !all {
		atLeast = "at least "
	}
	var b strings.Builder
	fmt.Fprintf(&b, "files ignored by git (dependencies, build output) that changed since commands began to run without asking, or since you last allowed a command like this one: %s%d\n", atLeast, count)
	for _, name := range first {
		fmt.Fprintf(&b, "  %s\n", control.Title(v.root.redactor.RedactAgain(name), 200))
	}
	if more := count - len(first); more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	b.WriteString("\n")
	return b.String()
}

// seenUnasked is told of an answer to a question that was made at that time: who says yes
// has seen what was changed until then.
func (l *caller) seenUnasked(p *tool.Plan, d control.Decision, answer string, at time.Time) {
	if _, known := l.deps.Unasked.Since(); known && leaves(p, d) && slices.Contains([]string{"once", "session", "always"}, answer) {
		l.deps.Unasked.Seen(at)
	}
}
