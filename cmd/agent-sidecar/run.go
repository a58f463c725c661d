package main

import (
	"bufio"
	"cmp"
	"context"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// promptRun is one start of `run`.
type promptRun struct {
	*program
	t      *terminal
	lines  sync.Mutex         // one line of JSON at a time
	schema *tool.OutputSchema // nil: the last answer may be anything
	unfit  error              // what is wrong with the last answer that was checked
	result runResult
	ended  session.Ended
}

// runPrompt works on one prompt in this directory with a real model, and asks in
// the terminal.
func runPrompt(p *program, words []string) int {
	r := &promptRun{program: p, result: runResult{Type: "run.result", Changes: []history.FileChange{}}}
	err := r.work(words)
	r.result.ExitCode = r.exitCode(err)
	switch {
	case r.json:
		r.line(r.result)
	case r.result.Output != nil:
		r.line(r.result.Output)
	}
	return r.result.ExitCode
}

// work runs the prompt until its end, which is in the result. An error is why nothing was run.
func (r *promptRun) work(words []string) error {
	prompt, err := request(r.program, words)
	if err != nil {
		return misuse{err}
	}
	if prompt == nil {
		return misuse{told(said.That(`no prompt given. For example: agent-sidecar run "explain main.go"`))}
	}
	if r.goOn && r.session != "" || r.resume && (r.goOn || r.session != "") {
		return misuse{told(said.That("only one of --continue, --session and --resume"))}
	}
	if r.schema, err = readSchema(r.schemaFile); err != nil {
		return err
	}
	if r.profile != "" {
		conf, err := r.wiring().openConfig(config.Options{})
		if err != nil {
			return err
		}
		r.follow(conf.Settings().Profile)
	}
	chosen, known := selector[r.mode]
	if !known {
		return misuse{told(said.That("%q is none of ask, edit, plan", r.mode))}
	}
	r.agent = cmp.Or(r.agent, chosen.agent)
	leave := r.findPerson()
	defer leave()
	a := asking{r.program, r.t}
	w := r.wiring()
	if err := a.findModel(w); err != nil {
		return err
	}
	back, err := r.open(w)
	if err != nil {
		return err
	}
	defer closeBackend(back)
	a.askTrust(back)
	if !r.t.CanAnswer() {
		r.t.line(r.words("Not interactive: anything that needs approval is refused (use --yes to allow it)."))
	}
	typed := strings.TrimSpace(strings.Join(words, " ")) // only that is the person's; a file and a pipe give no commands
	asked, err := back.Own.Commands().Expand(context.Background(), typed)
	if err != nil {
		return notHere(err)
	}
	r.agent, r.model = cmp.Or(asked.Command.Agent, r.agent), cmp.Or(asked.Command.Model, r.model)
	s, err := a.sessionToRun(back)
	if err != nil {
		return err
	}
	r.result.SessionID = s.ID()
	if err := goTo(s, r.runner, chosen.mode); err != nil {
		return err
	}
	if err := r.answer(s, requestOf(r.agent, r.model, typed, prompt, asked), asked.Foreign); err != nil {
		return err
	}
	for _, d := range back.Config.Settings().Diagnostics {
		if d.Source == mcpSource || d.Source == toolsSource { // they are only found when a run begins
			r.note("%s", title(d.String(), 400))
		}
	}
	return nil
}

// follow takes what a profile says and the command line does not.
func (r *promptRun) follow(p config.Profile) {
	if r.mode == "" && (r.agent == "" || selector[p.Mode].agent == "") { // a mode may be an agent
		r.mode = p.Mode
	}
	r.agent, r.model = cmp.Or(r.agent, p.Agent), cmp.Or(r.model, p.Model)
	if r.limits.MaxTokens == nil && p.Budget.Tokens > 0 {
		r.limits.MaxTokens = &p.Budget.Tokens
	}
	if r.limits.MaxCost == nil && p.Budget.Cost > 0 {
		r.limits.MaxCost = &p.Budget.Cost
	}
}

// open opens this directory, with a client that reads events where --json wants them.
func (r *promptRun) open(w *wiring) (*rpc.Backend, error) {
	dir, err := directory(nil)
	if err != nil {
		return nil, err
	}
	ws := workspaceOf(dir, r.t)
	if r.json {
		ws.Notifier = &eventLines{terminal: r.t, write: r.line}
	}
	return w.open(ws)
}

// selector is what a person chooses with one word: the mode of the session, and the agent.
var selector = map[string]struct {
	mode  tool.Mode
	agent string
}{"": {}, "ask": {tool.ModeAsk, ""}, "edit": {tool.ModeAgent, ""}, "plan": {tool.ModeAgent, "plan"}}

// goTo puts a session where --runner says and into a mode; "" leaves each as it is.
func goTo(s *session.Session, runner string, mode tool.Mode) error {
	var u session.Update
	if runner != "" {
		where := runner
		if where == session.Local {
			where = ""
		}
		u.Runner = &where
	}
	if mode != "" {
		u.Mode = &mode
	}
	if u == (session.Update{}) {
		return nil
	}
	_, err := s.Update(u)
	return err
}

// terminal is the person in front of this process, or whoever writes into the
// pipe that it reads. Nobody is behind the null device.
func (p *program) terminal() *terminal {
	t := &terminal{out: p.out, yes: p.yes, lang: p.locale()}
	if info, err := p.in.Stat(); err == nil && !isNull(info) {
		t.in, t.typed = bufio.NewReader(p.in), isTerminal(p.in)
	}
	return t
}

// findPerson finds the terminal that a run asks at. What is piped in is what the run is
// about, and nothing in it is an answer: the person is then asked at the terminal that shows
// the output, if there is one.
func (r *promptRun) findPerson() (leave func()) {
	r.t = r.terminal()
	r.t.counts = r.limits.MaxCost != nil
	if r.json || r.schemaFile != "" {
		r.t.out = r.err // stdout is for programs
	}
	if r.t.typed {
		return func() {}
	}
	r.t.in = nil
	if !piped(r.in) || !r.shownOnTerminal() {
		return func() {}
	}
	tty, err := os.Open("/dev/tty")
	if err != nil { // such as on Windows, or where no terminal is in charge
		return func() {}
	}
	r.t.in, r.t.typed = bufio.NewReader(tty), true
	return func() { tty.Close() }
}

// prompt runs one prompt. The first Ctrl-C cancels it, the second leaves.
func (p *program) prompt(s *session.Session, prompt session.Prompt) (session.Ended, error) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, stopSignals()...)
	defer signal.Stop(signals)
	outlivePipes()
	unread := p.unread
	over := make(chan struct{})
	defer close(over)
	go func() {
		for stops := 0; ; stops++ {
			select {
			case <-over:
				return
			case <-unread: // nobody reads what it would say
				unread = nil
				s.Cancel(session.CancelAll, "cancelled: nothing reads its output any longer")
			case <-signals:
				if stops > 0 {
					if p.leaving != nil {
						p.leaving()
					}
					os.Exit(exitCancelled)
				}
				p.err.say("\n%s\n", inWords(p.locale(), "cancelling; press Ctrl-C again to quit"))
				s.Cancel(session.CancelAll, "cancelled in the terminal")
			}
		}
	}()
	return s.Run(context.Background(), prompt)
}
