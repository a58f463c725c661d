package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
)

// localLook is how long a run without a model looks for a server of this machine.
const localLook = 500 * time.Millisecond

// listLook is how long a server that the environment names may take to list its models.
const listLook = 2 * time.Second

// envProvider has the address that OPENAI_BASE_URL is.
const envProvider = "openai"

// advised is err, with advice that fits what there is where no model is set up.
func (w *wiring) advised(err error, catalog *model.Catalog, path string) error {
	missing, is := errors.AsType[*model.NotSetError](err)
	if !is || !missing.Detail.IsZero() {
		return err
	}
	if url := w.env("OPENAI_BASE_URL"); url != "" {
		ctx, cancel := context.WithTimeout(context.Background(), listLook)
		defer cancel()
		lists, _ := catalog.Lists(ctx, envProvider)
		return whichModel(url, lists)
	}
	ctx, cancel := context.WithTimeout(context.Background(), localLook)
	defer cancel()
	return &model.NotSetError{Message: missing.Message, Detail: advice(ctx, catalog, path)}
}

// whichModel is the error where the environment names a server and no model of it, with the
// models that it lists, or why there is no list.
func whichModel(url string, lists []model.ModelList) error {
	if len(lists) > 0 {
		url = lists[0].BaseURL // a provider of that name in the configuration comes before the environment
	}
	at := control.Title(secrets.Redact(url), 200)
	e := &model.NotSetError{
		Message: said.That("Which model? The server at %s lists none.", at),
		Detail:  said.That("Check the address, or give the name of the model with --model %s/<name>, or in OPENAI_MODEL.", envProvider),
	}
	var names []string
	for _, l := range lists {
		if l.Kind != "" {
			e.Message = said.That("Which model? The server at %s does not say which it has: %s", at, control.Title(l.Message, 400))
		}
		for _, m := range l.Models {
			names = append(names, control.Title(m.Name, 100))
		}
	}
	if len(names) > 0 {
		e.Message = said.That("Which model? The server at %s has: %s.", at, control.Title(strings.Join(names, ", "), 300))
		e.Detail = said.That("Choose one from the list in the editor, give it with --model %s/%s, or set OPENAI_MODEL.", envProvider, names[0])
	}
	return e
}

// advice says how a model is set up, for a person: with the keys, the providers and the
// servers that there are, or the ways to get one. path is that of the configuration.
func advice(ctx context.Context, catalog *model.Catalog, path string) said.Text {
	var found said.Text
	add := func(one said.Text) {
		if found.IsZero() {
			found = one
			return
		}
		found = said.That("%s %s", found, one)
	}
	example := ""
	for _, p := range catalog.Ready() {
		name := control.Title(secrets.Redact(p.Name), 40)
		if p.KeyEnv != "" {
			add(said.That("%s is set: name a model as %s/<name>.", control.Title(secrets.Redact(p.KeyEnv), 60), name))
		} else {
			add(said.That("The provider %q has a key: name a model as %s/<name>.", name, name))
		}
		example = cmp.Or(example, name)
	}
	if found.IsZero() {
		if server, models, ok := catalog.FindLocal(ctx); ok {
			add(said.That("%s answers at %s: name a model as %s/%s.", server.Name, server.BaseURL, server.Name, control.Title(models[0], 100)))
			example = server.Name
		}
	}
	if !found.IsZero() {
		return said.That(`%s Choose it in the editor, give it with --model %s/<name>, or write it as "model" into %s. agent-sidecar models %s lists the names.`, found, example, path, example)
	}
	return said.That("There are three ways. A key: where the terminal or the editor is started, set ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY or that of another known service, and choose one of its models (in the terminal with --model anthropic/<name>). "+
		"Your own server: start Ollama, LM Studio, llama.cpp or vLLM, and choose its model (--model ollama/<name>), or set OPENAI_BASE_URL and OPENAI_MODEL. "+
		`The configuration: write "model", and "providers" for another service, into %s. agent-sidecar models lists what there is.`, path)
}

// unset prints that no model is set up, and below it what can be done.
func (p *program) unset(missing *model.NotSetError) int {
	return p.failedWith(missing.Message, missing.Detail)
}

// failedWith prints why a command could not do its work, and below it the detail.
func (p *program) failedWith(message, detail said.Text) int {
	code := p.fail("%s", title(locale.Say(p.locale(), message), 2000))
	if !detail.IsZero() {
		p.err.say("  %s\n", title(locale.Say(p.locale(), detail), 2000))
	}
	return code
}

// models prints which models the providers have, as --model takes them: all that
// there are, or those of one. Why there is no list is on stderr; the exit code is then
// 1 where one was asked for, or where there is none at all.
func (p *program) models(words []string) int {
	config, err := config.Open(p.home, config.Options{})
	if err != nil {
		return p.fail("%v", err)
	}
	p.warn(config)
	w := p.wiring()
	catalog, problems := w.catalog(config.Settings())
	defer catalog.Close()
	for _, problem := range problems {
		p.note("configuration: %s", title(problem, 400))
	}
	ctx, cancel := interrupted()
	defer cancel()
	asked := first(words)
	lists, known := (&modelLists{w, config, catalog}).Lists(ctx, asked)
	if !known {
		return p.fail("there is no provider %q; agent-sidecar models lists all of them", title(asked, 100))
	}
	if len(lists) == 0 {
		return p.failedWith(said.That("There is no provider to ask."), advice(ctx, catalog, config.Path()))
	}
	var listed []shown
	for _, l := range lists {
		if l.Kind != "" {
			p.fail("%s: %s", title(l.Provider, 100), title(l.Message, 400))
		}
		for _, m := range l.Models {
			line := title(l.Provider+"/"+m.Name, 0)
			if m.Window > 0 {
				line += showf("\t%d", m.Window)
			}
			listed = append(listed, line+"\n")
		}
	}
	if len(listed) == 0 {
		return exitFailed
	}
	return p.show(join(listed, ""))
}
