package main

import (
	"context"
	"errors"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/store"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

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

// nameModel finds the model of an endpoint for which none was named: the only one
// that it has.
func (a asking) nameModel(ctx context.Context, w *wiring, catalog *model.Catalog, url string) error {
	lists, _ := catalog.Lists(ctx, "openai")
	var names []string
	for _, list := range lists {
		if list.Kind != "" {
			return whichModel(url, lists)
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
		return whichModel(url, lists)
	}
	a.t.line(a.t.words("Model: %s, the only one of %s", title(names[0], 100), url))
	w.model = "openai/" + names[0]
	return nil
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
	config, err := w.openConfig(config.Options{})
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
