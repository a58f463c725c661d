package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// runPrompt works on one prompt in this directory with a real model, and asks in
// the terminal.
func (p *program) runPrompt(words []string) int {
	prompt := strings.TrimSpace(strings.Join(words, " "))
	if prompt == "" {
		return p.misused(`run: no prompt given. For example: agent-sidecar run "explain main.go"`)
	}
	if p.goOn && p.session != "" || p.resume && (p.goOn || p.session != "") {
		return p.misused("run: only one of --continue, --session and --resume")
	}
	chosen, known := selector[p.mode]
	if !known {
		return p.misused("run: %q is none of ask, edit, plan", p.mode)
	}
	p.agent = cmp.Or(p.agent, chosen.agent)
	t := p.terminal()
	a := asking{p, t}
	w := p.wiring()
	err := a.findModel(w)
	if missing, is := errors.AsType[*model.NotSetError](err); is {
		return p.unset(missing)
	}
	if err != nil {
		return p.fail("%v", err)
	}
	back, err := p.openWith(w, nil, t)
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	a.askTrust(back)
	if !t.CanAnswer() {
		t.line(t.words("Not interactive: anything that needs approval is refused (use --yes to allow it)."))
	}
	s, err := a.sessionToRun(back)
	if err != nil {
		return p.fail("%v", err)
	}
	if err := goTo(s, p.runner, chosen.mode); err != nil {
		return p.fail("%v", err)
	}
	ended, err := p.prompt(s, session.Prompt{Request: history.Request{Prompt: history.Text(prompt), Agent: p.agent, Model: p.model}})
	if err != nil {
		return p.fail("%v", err)
	}
	for _, d := range back.Config.Settings().Diagnostics {
		if d.Source == mcpSource || d.Source == toolsSource { // they are only found when a run begins
			p.note("%s", title(d.String(), 400))
		}
	}
	refused := t.tellUnanswered()
	code := p.conclude(ended)
	if refused && (code == 0 || code == exitFailed) {
		return exitRefused
	}
	return code
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

// conclude turns the end of a run into an exit code and, where it went wrong,
// into words.
func (p *program) conclude(e session.Ended) int {
	switch {
	case e.Error != nil:
		return p.failedWith(e.Error.Message, e.Error.Detail)
	case e.StopReason == history.StopCancelled:
		p.err.say("%s\n", inWords(p.locale(), "cancelled"))
		return exitCancelled
	case slices.Contains([]history.StopReason{history.StopLimit, history.StopMaxTurns, history.StopMaxTokens, history.StopDoomLoop}, e.StopReason):
		return exitLimit
	case e.StopReason != history.StopEndTurn:
		return exitFailed
	}
	return 0
}

