package workspace

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

//go:embed bash.md
var bashText string

const (
	bashTimeout    = 120_000 // milliseconds
	bashMaxTimeout = 600_000 // milliseconds
	mostReads      = 20      // closed files that one command may name

	// commandBytes is under what Linux takes as one argument (128 KiB).
	commandBytes = 120 << 10
)

type bashArgs struct {
	Command     string     `json:"command" jsonschema:"the command, as bash reads it"`
	TimeoutMs   int        `json:"timeoutMs,omitempty" jsonschema:"stop it after so many milliseconds (default 120000, at most 600000)"`
	Workdir     string     `json:"workdir,omitempty" jsonschema:"directory to start in (default: the first workspace folder)"`
	Description string     `json:"description,omitempty" jsonschema:"what it does, in a few words, for the person who approves it"`
	Background  bool       `json:"background,omitempty" jsonschema:"start it as a job and return at once"`
	Needs       tool.Needs `json:"needs,omitempty" words:"network,git,direct,unconfined" jsonschema:"what it needs beyond the sandbox"`
	Reads       []string   `json:"reads,omitempty" jsonschema:"files that may hold secrets and that it has to read"`
	Reason      string     `json:"reason,omitempty" jsonschema:"why it needs that; required with needs and reads"`
}

// newBash is the tool that runs shell commands. Every call is alone; the
// session is whose jobs they become in the background.
func newBash(v *Vault, session string) tool.Tool {
	b := bash{v: v, session: session}
	return tool.Define(tool.Spec{Name: "bash", Description: bashText, Effect: tool.Exec}, b.plan)
}

type bash struct {
	v       *Vault
	session string

	// Of a call that was allowed.
	grant  tool.Grant
	opens  []string // absolute paths that it may read although they are closed
	asked  []Path   // of what the call names in reads
	begins func()   // told when its sandbox is ready and the command starts; nil: nobody is
}

func (b bash) plan(in bashArgs) (*tool.Plan, error) {
	if in.TimeoutMs == 0 && !in.Background {
		in.TimeoutMs = bashTimeout
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	dir, err := b.v.workdir(in.Workdir)
	if err != nil {
		return nil, fmt.Errorf("workdir: %w", err)
	}
	p := &tool.Plan{
		Title:   in.title(),
		Targets: []tool.Target{{Domain: tool.DomainBash, Object: "shell:" + in.Command}},
		Command: in.Command,
		Dir:     dir.Abs(),
		Needs:   in.Needs,
	}
	if !dir.InVault() {
		for _, object := range dir.Objects() {
			p.Targets = append(p.Targets, tool.Target{Domain: tool.DomainRead, Object: object})
		}
	}
	reads, err := b.reads(in.Reads)
	if err != nil {
		return nil, err
	}
	for _, path := range reads {
		p.Reads = append(p.Reads, path.Object())
		for _, object := range path.Objects() {
			p.Targets = append(p.Targets, tool.Target{Domain: tool.DomainRead, Object: object})
		}
	}
	p.Preview = func(_ context.Context, would tool.Grant) (tool.Preview, error) {
		text := in.preview(dir, reads)
		if would.Needs.Has(tool.NeedGit) {
			text += b.v.repositoryShown(dir.Abs(), would.Needs)
		}
		return tool.Preview{Kind: "command", Text: text}, nil
	}
	p.Run = func(ctx context.Context, grant tool.Grant, sink tool.Sink) (tool.Result, error) {
		opens, err := b.v.openedBy(grant.Opens)
		if err != nil {
			return tool.Failed(err), nil
		}
		return bash{v: b.v, session: b.session, grant: grant, opens: opens, asked: reads}.run(ctx, in, dir, sink)
	}
	return p, nil
}

func (in bashArgs) title() string {
	if in.Background {
		return "bash in the background: " + output.OneLine(in.Command)
	}
	return "bash: " + output.OneLine(in.Command)
}

func (in bashArgs) check() error {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return errors.New(`argument "command" is empty`)
	case strings.ContainsRune(in.Command, 0):
		return errors.New(`argument "command" contains a NUL character`)
	case len(in.Command) > commandBytes:
		return fmt.Errorf(`argument "command" is too long (%d bytes, at most %d); write a script file and run that`, len(in.Command), commandBytes)
	case in.TimeoutMs < 0 || in.TimeoutMs > bashMaxTimeout:
		return fmt.Errorf(`argument "timeoutMs" must be from 1 to %d`, bashMaxTimeout)
	case len(in.Reads) > mostReads:
		return fmt.Errorf(`argument "reads" names %d files, at most %d`, len(in.Reads), mostReads)
	case len(in.Reads) > 0 && strings.TrimSpace(in.Reason) == "":
		return errors.New(`argument "reason" is missing: say why the command has to read ` + pathname.Printable(strings.Join(in.Reads, ", ")))
	case len(in.Needs) > 0 && strings.TrimSpace(in.Reason) == "":
		return errors.New(`argument "reason" is missing: say why the command needs ` + in.Needs.String())
	}
	return nil
}

// workdir resolves the directory a command starts in; it must exist.
func (w *places) workdir(s string) (Path, error) {
	if s == "" {
		s = "."
	}
	p, err := w.Path(s)
	if err != nil {
		return Path{}, err
	}
	info, err := os.Stat(p.Abs())
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Path{}, fmt.Errorf("%s does not exist", pathname.Printable(p.Display()))
	case err != nil:
		return Path{}, openat.Plain(err)
	case !info.IsDir():
		return Path{}, fmt.Errorf("%s is not a directory", pathname.Printable(p.Display()))
	}
	return p, nil
}

// preview is everything that a person approves. Each line of the command has a
// prompt in front, so that none can pass for one of ours.
func (in bashArgs) preview(dir Path, reads []Path) string {
	var b strings.Builder
	shown := output.Visible(in.Command)
	script := strings.ReplaceAll(strings.TrimRight(shown, "\n"), "\n", "\n> ")
	fmt.Fprintf(&b, "$ %s\n\ndirectory: %s\n", script, pathname.Printable(dir.Abs()))
	if shown != in.Command {
		b.WriteString("The command contains invisible characters; they are written as \\u….\n")
	}
	if in.Background {
		b.WriteString("runs in the background, until it ends, is stopped, or the session ends\n")
	}
	if in.Description != "" {
		fmt.Fprintf(&b, "the model says: %s\n", output.OneLine(in.Description))
	}
	if len(in.Needs) > 0 {
		fmt.Fprintf(&b, "needs: %s, because: %s\n", output.OneLine(in.Needs.String()), output.OneLine(in.Reason))
	}
	for _, path := range reads {
		fmt.Fprintf(&b, "reads: %s, because: %s\n", path.title(), output.OneLine(in.Reason))
	}
	return b.String()
}

var errTimedOut = errors.New("the command's time is over")

func (b bash) run(ctx context.Context, in bashArgs, dir Path, sink tool.Sink) (r tool.Result, err error) {
	if err := b.v.again(dir); err != nil {
		return tool.Failed(err), nil
	}
	for _, path := range b.asked {
		if err := b.v.again(path); err != nil {
			return tool.Failed(err), nil
		}
	}
	args, err := sandbox.ShellArgs(in.Command)
	if err != nil {
		return tool.Failed(err), nil
	}
	c := proc.Command{Args: args, Dir: dir.Abs()}
	if in.Background {
		return b.start(ctx, in, c, sink)
	}
	out := output.New(sink)
	return b.command(ctx, in, c, b.watch(sink), out).finish(ctx, in, out)
}

// watch follows what the command of a call changes, nil where it cannot change anything.
func (b bash) watch(sink tool.Sink) *watch {
	if b.grant.Sandbox == tool.SandboxedReadOnly {
		return nil
	}
	return b.v.watchFiles(callOf(sink))
}

// commandEnd is how one command came to its end.
type commandEnd struct {
	begun    *sandboxRun // nil: it could not be prepared, and err says why
	stopped  stopCause
	exit     proc.Exit
	outlived int
	note     string // what the sandbox did, "" when that is nothing
	err      error
}

// stopCause is who ended a command before its own end.
type stopCause int

const (
	notStopped stopCause = iota
	stoppedByCaller
	stoppedByClock
)

// command runs c confined, with all it needs but program and directory, to its end
// or until ctx or its time is over. The end of ctx counts although the command may
// have ended meanwhile: it was told to. Who called has the last word on out. What
// changes until then, or until somebody ends w before, is what the command changed.
func (b bash) command(ctx context.Context, in bashArgs, c proc.Command, w *watch, out *output.Output) (end commandEnd) {
	timed, cancel := ctx, context.CancelFunc(func() {})
	if in.TimeoutMs > 0 {
		timed, cancel = context.WithTimeoutCause(ctx, time.Duration(in.TimeoutMs)*time.Millisecond, errTimedOut)
	}
	defer cancel()
	keep := b.v.keepEnv()
	c.Env = b.v.environ(keep, c.Dir)
	wants := b.wants(in.Background)
	end.begun, end.exit, end.outlived, end.err = b.v.run(timed, w, wants, c, keep, out, b.begins)
	if end.begun == nil {
		return end
	}
	end.note = end.begun.close(end.exit.Code != 0, end.err, out)
	if b.grant.Needs.Has(tool.NeedGit) && end.begun.is.Level != proc.None && b.v.signsGit(c.Dir) {
		end.note = output.JoinNotes(end.note, "("+unsigned+")")
	}
	end.stopped = stopperOf(ctx, timed)
	return end
}

// wants is the sandbox of a command. What it sees of artifacts is the session's at the top.
func (b bash) wants(job bool) sandbox.Policy {
	g := b.grant
	return sandbox.Policy{Needs: g.Needs, Bounds: g.Bounds, Sandbox: g.Sandbox, Apart: g.Origin.Apart, Job: job, Opens: b.opens, Session: cmp.Or(g.Origin.Root, b.session)}
}

// stopperOf says who ended a command: the end of ctx, or that of timed, which is ctx
// with a time limit.
func stopperOf(ctx, timed context.Context) stopCause {
	switch {
	case ctx.Err() != nil:
		return stoppedByCaller
	case timed.Err() != nil:
		return stoppedByClock
	}
	return notStopped
}

// finish makes the result. The error is the cause of the end of ctx.
func (end commandEnd) finish(ctx context.Context, in bashArgs, out *output.Output) (tool.Result, error) {
	if end.begun == nil { // nothing ran
		return stopped(out, end.err.Error()), nil
	}
	return end.result(ctx, "command", in.TimeoutMs, out)
}

// result is what came of what was called what and ran at most so many milliseconds.
func (end commandEnd) result(ctx context.Context, what string, timeoutMs int, out *output.Output) (r tool.Result, err error) {
	switch {
	case end.stopped == stoppedByCaller:
		r, err = stopped(out, output.JoinNotes(end.note, what+" was cancelled and stopped")), context.Cause(ctx)
	case end.stopped == stoppedByClock:
		r = stopped(out, output.JoinNotes(end.note, fmt.Sprintf("%s timed out after %d ms and was stopped", what, timeoutMs)))
	case end.err != nil:
		r = stopped(out, output.JoinNotes(end.note, what+" failed: "+end.err.Error()))
	default:
		r = out.Finish(output.JoinNotes(exitNote(end.exit, end.outlived, out), end.note))
		r.Failed = end.exit.Code != 0 || end.begun.undid
		r.ExitCode = &end.exit.Code
	}
	r.Changes = end.begun.changes
	return r, err
}

func stopped(out *output.Output, note string) tool.Result {
	r := out.Finish(note)
	r.Failed = true
	return r
}

// limitNames are what a command may use, in words and as a key of the configuration.
var limitNames = map[string][2]string{
	proc.LimitProcesses: {"processes", "maxProcesses"}, proc.LimitMemory: {"memory", "maxMemoryMb"}, proc.LimitDisk: {"disk space", "maxDiskMb"},
}

// exitNote says how a command ended where that is not simply well.
func exitNote(exit proc.Exit, outlived int, out *output.Output) string {
	var note string
	switch {
	case exit.Limit != "":
		note = fmt.Sprintf("(ended: it reached the bound of %s; the person can raise it with sandbox.%s)", limitNames[exit.Limit][0], limitNames[exit.Limit][1])
	case exit.Signal != "":
		note = fmt.Sprintf("(ended by signal %s, exit code %d)", exit.Signal, exit.Code)
	case exit.Code != 0:
		note = fmt.Sprintf("(exit code %d)", exit.Code)
	case out.Empty():
		note = "(no output, exit code 0)"
	}
	return output.JoinNotes(note, outlivedNote(outlived))
}

func outlivedNote(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("(processes left running in the background were stopped: %d)", n)
}
