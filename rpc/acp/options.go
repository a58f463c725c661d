package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// The options that a client can show, and the modes.
const (
	optionMode   = "mode"
	optionModel  = "model"
	optionEffort = "reasoning_effort"

	modeAsk  = "ask"
	modeEdit = "edit"
	modePlan = "plan"
	modeFull = "full_access"
)

// chosen is what a session works with.
type chosen struct{ mode, agent, model, effort string }

func (c *chosen) take(a about) { *c = chosen{a.Mode, a.Agent, a.Model, a.Params.Effort} }

// word is the one word of the selector for it. An agent of the person's own has its name.
func (c chosen) word() string {
	switch {
	case c.mode == modeFull:
		return modeFull
	case c.agent != "" && c.agent != "build":
		return c.agent
	case c.mode == modeAsk:
		return modeAsk
	}
	return modeEdit
}

// modeRow is one word of the selector.
type modeRow struct{ id, name, says string }

// modeRows are all of them: the four words, then the person's own agents.
func (w *workspace) modeRows() []modeRow {
	say := w.front.say
	rows := []modeRow{
		{modeAsk, say(locale.ModeAsk), say(locale.ModeAskSays)},
		{modeEdit, say(locale.ModeEdit), say(locale.ModeEditSays)},
		{modePlan, say(locale.ModePlan), say(locale.ModePlanSays)},
		{modeFull, say(locale.ModeFull), say(locale.ModeFullSays)},
	}
	for _, a := range w.about.Agents {
		if a.Mode == "primary" && a.Name != "build" && a.Name != modePlan {
			rows = append(rows, modeRow{a.Name, a.Name, a.Description})
		}
	}
	return rows
}

// modes are the same for clients that know no options.
func (s *session) modes() *v1.SessionModeState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := &v1.SessionModeState{CurrentModeID: s.chose.word(), AvailableModes: []v1.SessionMode{}}
	for _, row := range s.of.modeRows() {
		state.AvailableModes = append(state.AvailableModes, v1.SessionMode{ID: row.id, Name: row.name, Description: row.says})
	}
	return state
}

// described is what there is to choose from.
type described struct {
	Models  []string
	Efforts map[string][]string
}

// describe asks the server what there is to choose from. It is asked before a place is kept for an answer: what
// stands behind that place waits, and so may the answer of the server.
func (w *workspace) describe(ctx context.Context) (d described, err error) {
	err = w.in.Ask(ctx, "agent/describe", map[string]any{}, &d)
	return d, err
}

// options are the selectors of a session: mode, model, and effort where its model has levels.
func (s *session) options(described described) []v1.SessionConfigOption {
	s.mu.Lock()
	now, say := s.chose, s.of.front.say
	s.mu.Unlock()
	var modes []v1.SessionConfigSelectOption
	for _, row := range s.of.modeRows() {
		modes = append(modes, v1.SessionConfigSelectOption{Value: row.id, Name: row.name, Description: row.says})
	}
	out := []v1.SessionConfigOption{selector(optionMode, say(locale.ModeOption), v1.SessionConfigOptionCategoryMode, now.word(), modes)}
	if models := described.Models; len(models) > 0 {
		current := cmp.Or(now.model, models[0])
		if !slices.Contains(models, current) {
			models = append([]string{current}, models...)
		}
		out = append(out, selector(optionModel, say(locale.ModelOption), v1.SessionConfigOptionCategoryModel, current, named(models)))
		if levels := described.Efforts[current]; len(levels) > 0 {
			effort := now.effort
			if effort == "" {
				effort = effortDefault
			}
			all := append([]v1.SessionConfigSelectOption{{Value: effortDefault, Name: say(locale.EffortDefault)}}, named(levels)...)
			out = append(out, selector(optionEffort, say(locale.EffortOption), v1.SessionConfigOptionCategoryThoughtLevel, effort, all))
		}
	}
	return out
}

// effortDefault is the value of the option where the session says nothing.
const effortDefault = "default"

func named(values []string) []v1.SessionConfigSelectOption {
	var out []v1.SessionConfigSelectOption
	for _, value := range values {
		out = append(out, v1.SessionConfigSelectOption{Value: value, Name: value})
	}
	return out
}

func selector(id, name string, category v1.SessionConfigOptionCategory, current string, options []v1.SessionConfigSelectOption) v1.SessionConfigOption {
	return v1.SessionConfigOption{ID: id, Name: name, Category: category, Select: &v1.SessionConfigSelect{
		CurrentValue: current, Options: v1.SessionConfigSelectOptions{Options: options},
	}}
}

// setMode chooses a mode, for clients that know no options.
func (f *front) setMode(ctx context.Context, c *wire.Call, p v1.SetSessionModeRequest) (v1.SetSessionModeResponse, error) {
	s, err := f.find(p.SessionID)
	if err != nil {
		return v1.SetSessionModeResponse{}, err
	}
	return v1.SetSessionModeResponse{}, s.choose(ctx, c, optionMode, p.ModeID)
}

// setOption chooses a value of an option, and answers with all of them.
func (f *front) setOption(ctx context.Context, c *wire.Call, p v1.SetSessionConfigOptionRequest) (v1.SetSessionConfigOptionResponse, error) {
	var none v1.SetSessionConfigOptionResponse
	s, err := f.find(p.SessionID)
	if err != nil {
		return none, err
	}
	if p.Select == nil {
		return none, wire.InvalidParams("value", "must be the id of a value")
	}
	all, err := s.of.describe(ctx)
	if err == nil {
		err = s.choose(ctx, c, p.ConfigID, p.Select.Value)
	}
	if err != nil {
		return none, err
	}
	return v1.SetSessionConfigOptionResponse{ConfigOptions: s.options(all)}, nil
}

// choose asks the server for what an option means. The answer to the client comes before what follows from it.
func (s *session) choose(ctx context.Context, c *wire.Call, option, value string) error {
	params := map[string]any{"sessionId": s.id}
	switch option {
	case optionModel:
		params["model"] = value
	case optionEffort:
		params["params"] = map[string]any{"reasoningEffort": value}
		if value == effortDefault {
			params["params"] = map[string]any{"reasoningEffort": nil}
		}
	case optionMode:
		if err := s.modeParams(ctx, value, params); err != nil {
			return err
		}
	default:
		return wire.InvalidParams("configId", "there is no option of that id")
	}
	var got struct{ Session about }
	if err := s.of.in.AskInTurn(ctx, "agent/session/update", params, &got, c.Reserve); err != nil {
		return err
	}
	s.mu.Lock()
	s.chose.take(got.Session)
	s.mu.Unlock()
	return nil
}

// modeParams is what a word of the selector means. Full access needs the person's yes first.
func (s *session) modeParams(ctx context.Context, word string, params map[string]any) error {
	switch word {
	case modeAsk:
		params["mode"], params["agent"] = "ask", "build"
	case modeEdit:
		params["mode"], params["agent"] = "agent", "build"
	case modeFull:
		if !s.confirmFullAccess(ctx) {
			return &wire.Error{Code: wire.CodeFailed, Kind: "confirmation_required", Message: "full access was not confirmed"}
		}
		params["mode"], params["confirm"], params["agent"] = modeFull, true, "build"
	default:
		if !slices.ContainsFunc(s.of.modeRows(), func(row modeRow) bool { return row.id == word }) {
			return wire.InvalidParams("modeId", "there is no mode of that id")
		}
		params["agent"] = word
		s.mu.Lock()
		if s.chose.mode == modeFull {
			params["mode"] = "agent"
		}
		s.mu.Unlock()
	}
	return nil
}

// changed shows another mode, agent or model of the session.
func (s *session) changed(e history.WireEvent) {
	var b struct {
		Mode, Agent, Model *string
		Params             *struct {
			Effort string `json:"reasoningEffort"`
		}
	}
	if json.Unmarshal(e.Data, &b) != nil {
		return
	}
	s.mu.Lock()
	for value, into := range map[*string]*string{b.Mode: &s.chose.mode, b.Agent: &s.chose.agent, b.Model: &s.chose.model} {
		if value != nil {
			*into = *value
		}
	}
	if b.Params != nil {
		s.chose.effort = b.Params.Effort
	}
	before, now := s.told, s.chose
	s.told = now
	s.mu.Unlock()
	if now == before {
		return
	}
	if now.word() != before.word() {
		s.Send(v1.SessionUpdate{CurrentModeUpdate: &v1.CurrentModeUpdate{CurrentModeID: now.word()}})
	}
	s.Later(func() *v1.SessionUpdate { // the server is asked for the values
		all, err := s.of.describe(s.of.front.leaving)
		if err != nil {
			return nil // the workspace is being closed
		}
		return &v1.SessionUpdate{ConfigOptionUpdate: &v1.ConfigOptionUpdate{ConfigOptions: s.options(all)}}
	})
}
