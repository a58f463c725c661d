package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
)

// modelPatience is how long doctor waits for the first sign of a model.
const modelPatience = 20 * time.Second

// checkModel says whether the model of new sessions answers. What was not heard from
// is not called ok.
func (d *doctor) checkModel(config *config.Store) {
	settings := *config.Settings()
	settings.Retry.MaxAttempts = 1 // it is to be said what is so now
	w := d.wiring()
	catalog, problems := w.catalog(&settings)
	for _, problem := range problems {
		d.say(false, "config", said.Plain(problem))
	}
	defer catalog.Close()
	for _, name := range settings.Fallback { // one that lacks something is found out only when its turn comes
		if _, err := catalog.Open(name); err != nil {
			d.say(false, "fallback", because(err))
		}
	}
	m, err := catalog.Open(first(w.chain(&settings, "", settings.Fallback)))
	switch {
	case err == nil:
		d.askModel(m)
		return
	case !errors.Is(err, model.ErrNoModel) || d.offline:
		d.say(false, "model", because(err))
		return
	}
	ctx, cancel := shortly()
	defer cancel()
	if found, models, ok := catalog.FindLocal(ctx); ok {
		d.say(true, "model", said.That("local server %s at %s: %s", found.Name, found.BaseURL, control.Title(strings.Join(models, ", "), 200)))
		return
	}
	d.say(false, "model", because(w.advised(err, catalog, config.Path())))
}

// askModel sends one small request and goes with the first sign of an answer.
func (d *doctor) askModel(m model.Model) {
	name := m.Info().Provider + "/" + m.Info().Name
	if d.offline {
		d.tell("info", "model", said.That("%s, which was not asked (--offline)", name))
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), modelPatience, fmt.Errorf("no answer within %s", modelPatience))
	defer cancel()
	few := int64(16) // the least that every service takes
	for part, err := range m.Stream(ctx, model.Request{Messages: []model.Message{{Role: "user", Text: "Say ok."}}, Params: model.Params{MaxTokens: &few}}) {
		if _, again := part.(model.Retry); again {
			continue // another key, or without what the service refuses
		}
		if err != nil {
			d.say(false, "model", said.That("%s: %s", whyNot(name, err), err.Error()))
			return
		}
		d.say(true, "model", said.That("%s answers", name))
		return
	}
	d.say(false, "model", said.That("%s does not answer: its answer does not end", name))
}

// whyNot is what became of a question to a model, in plain words.
func whyNot(name string, err error) said.Text {
	failed, ok := errors.AsType[*model.Error](err)
	if !ok {
		return said.That("%s does not answer", name)
	}
	kind := failed.Kind
	if n := len(failed.Attempts); kind == model.KindUnavailable && n > 0 {
		kind = failed.Attempts[n-1].Kind
	}
	switch kind {
	case model.KindAuth:
		return said.That("%s refuses the key", name)
	case model.KindNotFound:
		return said.That("%s is not a model of this server", name)
	case model.KindNetwork:
		return said.That("%s is not reachable", name)
	case model.KindQuota:
		return said.That("%s answers, but the account has no credit left", name)
	case model.KindRateLimited, model.KindOverloaded:
		return said.That("%s answers, but takes no request now", name)
	}
	return said.That("%s does not answer as it should", name)
}
