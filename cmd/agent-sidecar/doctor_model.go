package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// How long doctor waits for the first sign of a model, and for all of its answer.
const (
	modelPatience  = 20 * time.Second
	answerPatience = time.Minute
)

// checkModel says whether the model of new sessions answers, calls tools and has a window to
// work in. What was not heard from is not called ok.
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

// askModel asks a model to call one tool, and says whether it does and how large its window
// is.
func (d *doctor) askModel(m model.Model) {
	info := m.Info()
	name := info.Provider + "/" + info.Name
	if d.offline {
		d.tell("info", "model", said.That("%s, which was not asked (--offline)", name))
		return
	}
	heard, err := hear(m, tryTool)
	if refusedTools(err) {
		if _, plain := hear(m); plain == nil {
			d.say(false, "model", said.That("%s answers, but its server takes no tools: %s %s", name, err.Error(), session.MakesCalls(info)))
			d.tellWindow(m.Info())
			return
		}
	}
	if err != nil {
		d.say(false, "model", said.That("%s: %s", whyNot(name, err), err.Error()))
		return
	}
	d.tellTools(name, m.Info(), heard)
	d.tellWindow(m.Info())
}

// tryTool is the tool that doctor asks for. Nothing runs.
var tryTool = model.Tool{Name: "report", Description: "Reports one word.", Schema: []byte(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`)}

// hear asks one small question, with tools if there are any, and gives the answer.
func hear(m model.Model, tools ...model.Tool) (model.Done, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	silent := time.AfterFunc(modelPatience, func() { cancel(fmt.Errorf("no answer within %s", modelPatience)) })
	defer silent.Stop()
	endless := time.AfterFunc(answerPatience, func() { cancel(fmt.Errorf("its answer did not end within %s", answerPatience)) })
	defer endless.Stop()
	few := int64(256) // enough for a call, and for a little thinking before it
	ask := "Call the tool report with the word ok."
	if len(tools) == 0 {
		ask = "Say ok."
	}
	request := model.Request{Messages: []model.Message{{Role: "user", Text: ask}}, Tools: tools, Params: model.Params{MaxTokens: &few}}
	for part, err := range m.Stream(ctx, request) {
		switch p := part.(type) {
		case model.Done:
			return p, err
		case model.Retry: // another key, or without what the service refuses
		default:
			silent.Stop()
		}
		if err != nil {
			return model.Done{}, err
		}
	}
	return model.Done{}, errors.New("its answer does not end")
}

// aboutTools is what a server says that takes no tools.
var aboutTools = lazy.Regexp(`(?i)\btools?\b|function.?call`)

// refusedTools says that a question may have been refused because of its tool.
func refusedTools(err error) bool {
	failed, is := errors.AsType[*model.Error](err)
	return is && aboutTools().MatchString(failed.Message)
}

// tellTools says whether a model has called the tool.
func (d *doctor) tellTools(name string, info model.Info, heard model.Done) {
	offered := func(tool string) bool { return tool == tryTool.Name }
	called := slices.ContainsFunc(heard.Calls, func(c model.Call) bool { return offered(c.Name) })
	switch {
	case called && slices.Contains(append(heard.Also, heard.Quirk), "tools"): // learned just now
		d.tell("info", "model", said.That("%s answers. Its server offers no tools for it, so they are described in the system prompt, and it calls them. %s", name, session.ReadsCalls(info.Server)))
	case called:
		d.say(true, "model", said.That("%s answers and calls tools", name))
	case model.WrittenCall(heard.Text, offered) != "":
		d.say(false, "model", said.That("%s answers, but writes calls of tools as text, so nothing would run. %s", name, session.MakesCalls(info)))
	case heard.Cut:
		d.tell("info", "model", said.That("%s answers, but was cut short, so it is not known whether it calls tools.", name))
	default:
		d.tell("warn", "model", said.That("%s answers, but did not call a tool when asked to. Without that it cannot do anything here. %s", name, session.MakesCalls(info)))
	}
}

// smallWindow is from where on a window has room for the tools and some work, in tokens.
const smallWindow = 16_000

// tellWindow says how large the window of a model is, where that is known from, and how a
// small one of a local server is made larger.
func (d *doctor) tellWindow(info model.Info) {
	window := cmp.Or(info.Window, info.MaxInput)
	from, known := windowSources[info.Known]
	if !known {
		from = said.That("from the server, %s", control.Title(string(info.Known), 100))
	}
	more := session.MoreRoom(info.Server)
	switch {
	case window == 0:
		d.tell("info", "window", said.That("not known. If it is small, set window for this model under providers in the configuration."))
	case window < smallWindow && !more.IsZero():
		d.tell("warn", "window", said.That("%d tokens (%s), which is small for an agent. %s", window, from, more))
	case window < smallWindow:
		d.tell("warn", "window", said.That("%d tokens (%s), which is small for an agent.", window, from))
	default:
		d.tell("ok", "window", said.That("%d tokens (%s)", window, from))
	}
}

// windowSources are the words for where a window is known from.
var windowSources = map[model.Source]said.Text{
	model.SourceConfiguration: said.That("from your configuration"),
	model.SourceTable:         said.That("from the table of known models"),
	model.SourceServer:        said.That("from the server's answer to a long request"),
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
	case model.KindRejected:
		return said.That("%s refuses the question", name)
	case model.KindQuota:
		return said.That("%s answers, but the account has no credit left", name)
	case model.KindRateLimited, model.KindOverloaded:
		return said.That("%s answers, but takes no request now", name)
	}
	return said.That("%s does not answer as it should", name)
}
