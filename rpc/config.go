package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

type configParams struct {
	Op    configOp        `json:"op"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

func (p *configParams) Check() error {
	err := cmp.Or(needs("op", string(p.Op)), oneOf("op", p.Op, configOps))
	if err != nil || p.Op == configGet {
		return err
	}
	if p.Key != "" && p.Op == configSet && (len(p.Value) == 0 || string(p.Value) == "null") {
		return wire.Missing("value")
	}
	return needs("key", p.Key)
}

type configResult struct {
	Effective   map[string]json.RawMessage `json:"effective"`
	Sources     map[string]config.Source   `json:"sources"`
	Diagnostics []configProblem            `json:"diagnostics"`
}

// configProblem is a diagnostic of the configuration, lines and columns from 1.
type configProblem struct {
	Source   string `json:"source"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

// settings shows and writes the person's configuration and rules.
type settings struct {
	conf      *config.Store
	workspace Folders
	audit     *auditor
}

// config shows the effective configuration, secrets as «set», and writes single
// keys of the user's file for a settings view. What decides what may run is not
// written here: neither a client nor what speaks through it gives itself
// permission.
func (s *settings) config(_ context.Context, c *wire.Call, p configParams) (configResult, error) {
	c.Reserve() // what a change causes comes behind the answer
	var err error
	switch p.Op {
	case configSet:
		err = s.conf.Set(p.Key, p.Value)
	case configReset:
		err = s.conf.Reset(p.Key)
	default:
		s.conf.Reload() // as it is now, and not as it was at the last run
	}
	if refused, ok := errors.AsType[*config.RefusedError](err); ok {
		return configResult{}, wire.InvalidParams(refused.Field, refused.Reason)
	}
	if err != nil {
		return configResult{}, failed(kindInvalidConfig, "%v", err).With("path", s.conf.Path()) // it names the file
	}
	if p.Op != configGet {
		s.audit.note("config", string(p.Op)+" "+p.Key, "client")
	}
	return s.configNow(p)
}

// configNow is everything, or after get with a key that one alone.
func (s *settings) configNow(p configParams) (configResult, error) {
	now := s.conf.Settings()
	out := configResult{now.Shown(), now.Sources, []configProblem{}}
	if p.Op == configGet && p.Key != "" {
		value, place, err := now.Value(p.Key)
		if err != nil {
			return configResult{}, wire.InvalidParams("key", err.Error())
		}
		out.Effective, out.Sources = map[string]json.RawMessage{p.Key: value}, map[string]config.Source{p.Key: place}
	}
	for _, d := range now.Diagnostics {
		out.Diagnostics = append(out.Diagnostics, configProblem{d.Source, d.File, d.Line, d.Column, d.Severity, d.Message})
	}
	return out, nil
}

// configKey chains reads and writes of the configuration, so that a get after a
// set shows it.
func configKey(json.RawMessage) string { return "config" }

// auditor writes down what belongs to no session.
type auditor struct {
	link *link
	of   func(name string) *audit.Log
}

// write adds an entry to the audit of the configuration.
func (a *auditor) write(e audit.Entry) {
	e.Mode = tool.ModeAgent
	if _, err := a.of("config").Append(e); err != nil {
		a.link.Report("audit", err)
	}
}

// note writes down an answer, or what a client did.
func (a *auditor) note(decision, title, by string) {
	a.write(audit.Entry{Decision: decision, Domain: tool.DomainConfig, Targets: []string{title}, By: by})
}
