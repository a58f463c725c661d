package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
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

// asking is what a person in front of a terminal is asked before a run.
type asking struct {
	*program
	t *terminal
}

// sessionToRun is the session that was named, the newest one, or a new one.
func (a asking) sessionToRun(back *rpc.Backend) (*session.Session, error) {
	id := sessionID(a.session)
	if a.goOn || a.resume {
		all, err := back.Sessions.List(store.Query{})
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, errors.New("there is no session here to go on with")
		}
		if id = all[0].ID; a.resume {
			id = a.t.pickSession(all)
		}
		if id == "" {
			return nil, errors.New("no session was chosen; --session names one")
		}
	}
	if id == "" {
		s, _, err := back.Sessions.New(session.NewSession{Agent: a.agent, Model: a.model})
		return s, err
	}
	s, err := back.Sessions.Get(id)
	if err != nil {
		return nil, err
	}
	a.t.line(showf("Session %s: %s", s.ID(), title(s.Info().Title, 80)))
	return s, nil
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

// nameModel finds the model of an endpoint for which none was named: the only one
// that it has.
func (a asking) nameModel(ctx context.Context, w *wiring, catalog *model.Catalog, url string) error {
	lists, _ := catalog.Lists(ctx, "openai")
	var names []string
	for _, list := range lists {
		if list.Kind != "" {
			return fmt.Errorf("set OPENAI_MODEL: %s does not say which models it has: %s", url, list.Message)
		}
		for _, m := range list.Models {
			names = append(names, m.Name)
		}
	}
	if len(names) > 1 && !a.t.yes && a.t.CanAnswer() {
		a.t.line(a.t.words("%s has these models:", url))
		if name := a.t.pick(names); name != "" {
			a.t.line(a.t.words("Set OPENAI_MODEL=%s to keep it.", name))
			w.model = "openai/" + name
			return nil
		}
	}
	if len(names) != 1 {
		return fmt.Errorf("set OPENAI_MODEL to one of the models of %s: %s", url, control.Title(strings.Join(names, ", "), 300))
	}
	a.t.line(a.t.words("Model: %s, the only one of %s", title(names[0], 100), url))
	w.model = "openai/" + names[0]
	return nil
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

// askTrust asks once whether the files here may be believed.
func (a asking) askTrust(back *rpc.Backend) {
	for _, root := range back.Config.Untrusted(back.Folders.Roots()) {
		a.t.line(a.t.words("Trust this folder? %s", root))
		if !a.t.confirm("  "+title(locale.TrustReason.In(a.t.lang), 0), title(locale.TrustIt.In(a.t.lang), 0), title(locale.NotNow.In(a.t.lang), 0)) {
			return
		}
		if err := back.Config.TrustWorkspace(root); err != nil {
			a.note("%v", err)
		}
	}
	a.askMemory(back)
	a.askUnasked(back)
}

// askUnasked asks once whether commands may run in the sandbox without a question. With
// --yes nobody is asked: that is a yes to what this run does, and not to later ones.
func (a asking) askUnasked(back *rpc.Backend) {
	if a.t.yes || !a.t.CanAnswer() || !back.UnaskedOpen() {
		return
	}
	a.t.line(title(locale.AskUnasked.In(a.t.lang), 0))
	yes := a.t.confirm("  "+title(locale.UnaskedReason.In(a.t.lang), 0), title(locale.RunUnasked.In(a.t.lang), 0), title(locale.KeepAsking.In(a.t.lang), 0))
	if !yes && !a.t.CanAnswer() {
		return // the input has ended: that is no answer
	}
	if err := back.Config.AnswerUnasked(yes); err != nil {
		a.note("%v", err)
		return
	}
	entry := audit.Entry{Mode: tool.ModeAgent, Decision: "reject", Domain: tool.DomainConfig, Targets: []string{locale.AskUnasked.In("")}, By: "client"}
	if yes {
		entry.Decision = "always"
	}
	if _, err := back.Audit("config").Append(entry); err != nil {
		a.note("the answer is stored, but the audit cannot be written: %v", err)
	}
}

// findModel makes sure that there is a model to ask: a configured one, one of
// the environment, or a local server that the person agrees to.
func (a asking) findModel(w *wiring) error {
	config, err := config.Open(a.home, config.Options{})
	if err != nil {
		return err
	}
	for _, d := range config.Settings().Diagnostics {
		a.note("%s", title(d.String(), 400))
	}
	catalog, problems := w.catalog(config.Settings())
	for _, problem := range problems {
		a.note("configuration: %s", title(problem, 400))
	}
	defer catalog.Close()
	_, err = catalog.Open(w.chain(config.Settings(), "", config.Settings().Fallback)...)
	if !errors.Is(err, model.ErrNoModel) || a.model != "" {
		return err
	}
	err = w.advised(err, catalog, config.Path())
	ctx, cancel := shortly()
	defer cancel()
	if url := a.env("OPENAI_BASE_URL"); url != "" {
		return a.nameModel(ctx, w, catalog, url)
	}
	if w.model = a.pickModel(context.Background(), catalog, config); w.model != "" {
		return nil
	}
	found, models, ok := catalog.FindLocal(ctx)
	if !ok {
		return err
	}
	a.t.line(a.t.words("Found a local model server: %s at %s with %s", found.Name, found.BaseURL, title(strings.Join(models, ", "), 200)))
	if !a.t.confirm(a.t.words("Use %s?", models[0]), a.t.words("Use it"), a.t.words("Not now")) {
		return err
	}
	w.local, w.model = []model.Provider{found}, found.Name+"/"+models[0]
	return nil
}
