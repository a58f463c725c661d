package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// exitCancelled is the exit code of a run that the person stopped.
const exitCancelled = 130

// runPrompt works on one prompt in this directory with a real model, and asks in
// the terminal.
func (p *program) runPrompt(words []string) int {
	prompt := strings.TrimSpace(strings.Join(words, " "))
	if prompt == "" {
		return p.misused(`run: what shall be done? For example: agent-sidecar run "explain main.go"`)
	}
	t := p.terminal()
	w := p.wiring()
	if err := p.findModel(w, t); err != nil {
		return p.fail("%v", err)
	}
	back, err := p.openWith(w, nil, t)
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	p.askTrust(back, t)
	if !t.CanAnswer() {
		t.line("Nobody is at the terminal, so everything that has to be asked is refused; --yes allows it.")
	}
	s, _, err := back.Sessions.New(session.NewSession{Agent: p.agent, Model: p.model})
	if err != nil {
		return p.fail("%v", err)
	}
	ended, err := p.prompt(s, session.Prompt{Blocks: history.Text(prompt)})
	if err != nil {
		return p.fail("%v", err)
	}
	for _, d := range back.Config.Settings().Diagnostics {
		if d.Source == mcpSource || d.Source == toolsSource { // they are only found when a run begins
			fmt.Fprintf(p.err, "agent-sidecar: %s\n", control.Title(d.String(), 400))
		}
	}
	return p.conclude(ended)
}

// terminal is the person in front of this process, or whoever writes into the
// pipe that it reads. Nobody is behind the null device.
func (p *program) terminal() *terminal {
	t := &terminal{out: p.out, yes: p.yes}
	if info, err := p.in.Stat(); err == nil && !isNull(info) {
		t.in, t.typed = bufio.NewReader(p.in), isTerminal(p.in)
	}
	return t
}

// prompt runs one prompt. The first Ctrl-C cancels it, the second leaves.
func (p *program) prompt(s *session.Session, prompt session.Prompt) (session.Ended, error) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	over := make(chan struct{})
	defer close(over)
	go func() {
		for stops := 0; ; stops++ {
			select {
			case <-over:
				return
			case <-signals:
				if stops > 0 {
					if p.leaving != nil {
						p.leaving()
					}
					os.Exit(exitCancelled)
				}
				fmt.Fprintln(p.err, "\ncancelling; once more to leave")
				s.Cancel(session.CancelAll, "cancelled in the terminal")
			}
		}
	}()
	return s.Run(context.Background(), prompt)
}

// nameModel finds the model of an endpoint for which none was named: the only one
// that it has.
func (p *program) nameModel(ctx context.Context, w *wiring, catalog *model.Catalog, t *terminal, url string) error {
	listed, err := catalog.List(ctx, "openai")
	if err != nil {
		return fmt.Errorf("set OPENAI_MODEL: %s does not say which models it has: %w", url, err)
	}
	var names []string
	for _, l := range listed {
		names = append(names, l.Name)
	}
	if len(names) != 1 {
		return fmt.Errorf("set OPENAI_MODEL to one of the models of %s: %s", url, control.Title(strings.Join(names, ", "), 300))
	}
	t.line(fmt.Sprintf("Model: %s, the only one of %s", control.Title(names[0], 100), url))
	w.model = "openai/" + names[0]
	return nil
}

// conclude turns the end of a run into an exit code and, where it went wrong,
// into words.
func (p *program) conclude(e session.Ended) int {
	switch {
	case e.Error != nil:
		return p.fail("%s", control.Title(e.Error.Message, 2000))
	case e.StopReason == "cancelled":
		fmt.Fprintln(p.err, "cancelled")
		return exitCancelled
	case e.StopReason != "end_turn":
		return 1
	}
	return 0
}

// askTrust asks once whether the files here may be believed (ruling 84).
func (p *program) askTrust(back *rpc.Backend, t *terminal) {
	for _, root := range back.Config.Untrusted(back.Roots()) {
		if !t.confirm(fmt.Sprintf("Do you trust the files in %s? Until then every edit and command is asked about.", root)) {
			return
		}
		if err := back.Config.TrustWorkspace(root); err != nil {
			fmt.Fprintf(p.err, "agent-sidecar: %v\n", err)
		}
	}
	p.askMemory(back, t)
}

// findModel makes sure that there is a model to ask: a configured one, one of
// the environment, or a local server that the person agrees to.
func (p *program) findModel(w *wiring, t *terminal) error {
	config, err := control.OpenStore(p.home, control.StoreOptions{})
	if err != nil {
		return err
	}
	for _, d := range config.Settings().Diagnostics {
		fmt.Fprintf(p.err, "agent-sidecar: %s\n", control.Title(d.String(), 400))
	}
	catalog, problems := w.catalog(config.Settings())
	for _, problem := range problems {
		fmt.Fprintf(p.err, "agent-sidecar: configuration: %s\n", control.Title(problem, 400))
	}
	defer catalog.Close()
	_, err = catalog.Open(w.chain(config.Settings(), "", config.Settings().Fallback)...)
	if !errors.Is(err, model.ErrNoModel) {
		return err
	}
	ctx, cancel := shortly()
	defer cancel()
	if url := p.env("OPENAI_BASE_URL"); url != "" {
		return p.nameModel(ctx, w, catalog, t, url)
	}
	found, models, ok := catalog.FindLocal(ctx)
	if !ok {
		return err
	}
	t.line(fmt.Sprintf("Found a local model server: %s at %s with %s", found.Name, found.BaseURL, control.Title(strings.Join(models, ", "), 200)))
	if !t.confirm(fmt.Sprintf("Use %s?", models[0])) {
		return err
	}
	w.local, w.model = []model.Provider{found}, found.Name+"/"+models[0]
	return nil
}
