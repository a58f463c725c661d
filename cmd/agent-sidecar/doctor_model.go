package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
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
		d.say(false, "config", problem)
	}
	defer catalog.Close()
	for _, name := range settings.Fallback { // one that lacks something is found out only when its turn comes
		if _, err := catalog.Open(name); err != nil {
			d.say(false, "fallback", err.Error())
		}
	}
	m, err := catalog.Open(first(w.chain(&settings, "", settings.Fallback)))
	switch {
	case err == nil:
		d.askModel(m)
		return
	case !errors.Is(err, model.ErrNoModel) || d.offline:
		d.say(false, "model", err.Error())
		return
	}
	ctx, cancel := shortly()
	defer cancel()
	if found, models, ok := catalog.FindLocal(ctx); ok {
		d.say(true, "model", fmt.Sprintf("local server %s at %s: %s", found.Name, found.BaseURL, control.Title(strings.Join(models, ", "), 200)))
		return
	}
	d.say(false, "model", w.advised(err, catalog, config.Path()).Error())
}

// askModel sends one small request and goes with the first sign of an answer.
func (d *doctor) askModel(m model.Model) {
	name := m.Info().Provider + "/" + m.Info().Name
	if d.offline {
		d.tell("info", "model", name+", which was not asked (--offline)")
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
			d.say(false, "model", name+" "+whyNot(err)+": "+err.Error())
			return
		}
		d.say(true, "model", name+" answers")
		return
	}
	d.say(false, "model", name+" does not answer: its answer does not end")
}

// whyNot is what became of a question to a model, in plain words.
func whyNot(err error) string {
	failed, ok := errors.AsType[*model.Error](err)
	if !ok {
		return "does not answer"
	}
	kind := failed.Kind
	if n := len(failed.Attempts); kind == model.KindUnavailable && n > 0 {
		kind = failed.Attempts[n-1].Kind
	}
	switch kind {
	case model.KindAuth:
		return "refuses the key"
	case model.KindNotFound:
		return "is not a model of this server"
	case model.KindNetwork:
		return "is not reachable"
	case model.KindQuota:
		return "answers, but the account has no credit left"
	case model.KindRateLimited, model.KindOverloaded:
		return "answers, but takes no request now"
	}
	return "does not answer as it should"
}
