package main

import (
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// config shows the configuration that holds, each value with where it comes from,
// or reads, writes or takes out one key of the person's own file. The exit code
// is 1 when the file cannot be used or the change is refused.
func (p *program) config(words []string) int {
	w := p.wiring()
	conf, err := w.openConfig(config.Options{Network: w.networkProblems})
	if err != nil {
		return p.fail("%v", err)
	}
	c := configuration{p, conf}
	op, words := first(words), rest(words)
	switch {
	case op == "" || op == "get" && len(words) == 0:
		return c.list()
	case op == "get" && len(words) == 1:
		value, place, err := c.settings().Value(words[0])
		if err != nil {
			return p.fail("%v", err)
		}
		return max(p.show(showf("%s\t%s\n", string(value), place.String())), c.complain())
	case op == "set" && len(words) == 2:
		value, err := config.ParseValue(words[0], words[1])
		if err == nil {
			err = conf.Set(words[0], value)
		}
		return c.written(err, "set "+words[0])
	case op == "reset" && len(words) == 1:
		return c.written(conf.Reset(words[0]), "reset "+words[0])
	}
	return p.misused("config takes nothing, or: get [key], set key value, reset key")
}

// configuration is the one of a home, as the command shows and changes it.
type configuration struct {
	*program
	conf *config.Store
}

// settings is what holds, with the model that the environment names where the
// configuration names none.
func (c configuration) settings() *config.Settings {
	now := *c.conf.Settings()
	catalog, _ := c.wiring().catalog(&now) // what is wrong there, doctor says
	if d := catalog.Default(); d != "" && now.Model == "" {
		now.Name("model", d, config.Source{Source: "environment"})
	}
	return &now
}

func (c configuration) list() int {
	now := c.settings()
	values := now.Shown()
	var out []shown
	longest := 0
	for _, k := range config.Keys {
		longest = max(longest, len(k.Path))
	}
	for _, k := range config.Keys {
		value := title(string(values[k.Path]), 0)
		if value == "null" {
			value = "-"
		}
		// A long value moves its own place to the right and nobody else's.
		out = append(out, showf("%-*s  %-24s  %s\n", longest, k.Path, value, now.Sources[k.Path].String()))
	}
	return max(c.show(join(out, "")), c.complain())
}

// complain prints what is wrong with the configuration; 1 when something of it
// does not hold.
func (c configuration) complain() int {
	code := 0
	for _, d := range c.conf.Settings().Diagnostics {
		c.err.say("%s\n", c.words("%s", said.That("%s: %s", locale.Status(c.locale(), d.Severity), d.String())))
		if d.Severity == "error" {
			code = 1
		}
	}
	return code
}

// written says what became of a change, and writes it into the audit.
func (c configuration) written(err error, what string) int {
	if err != nil {
		return c.fail("%v", err)
	}
	config.Begin(nil, c.home) // the audit is no sign that this home is an old one
	log, err := audit.Open(nil, audit.Path(c.home, "none", "config"))
	if err == nil {
		_, err = log.Append(audit.Entry{Mode: tool.ModeAgent, Decision: "config", Domain: tool.DomainConfig, Targets: []string{what}, By: "client"})
	}
	if err != nil {
		c.note("the change is made, but the audit cannot be written: %v", err)
	}
	return c.complain()
}
