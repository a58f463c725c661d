package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// config shows the configuration that holds, each value with where it comes from,
// or reads, writes or takes out one key of the person's own file. The exit code
// is 1 when the file cannot be used or the change is refused.
func (p *program) config(words []string) int {
	config, err := control.OpenStore(p.home, control.StoreOptions{})
	if err != nil {
		return p.fail("%v", err)
	}
	op, words := first(words), rest(words)
	switch {
	case op == "" || op == "get" && len(words) == 0:
		return p.showConfig(config)
	case op == "get" && len(words) == 1:
		value, place, err := p.settings(config).Value(words[0])
		if err != nil {
			return p.fail("%v", err)
		}
		return max(p.show(fmt.Appendf(nil, "%s\t%s\n", control.Title(string(value), 0), control.Title(place.String(), 0))), p.complain(config))
	case op == "set" && len(words) == 2:
		value, err := control.ParseValue(words[0], words[1])
		if err == nil {
			err = config.Set(words[0], value)
		}
		return p.written(config, err, "set "+words[0])
	case op == "reset" && len(words) == 1:
		return p.written(config, config.Reset(words[0]), "reset "+words[0])
	}
	return p.misused("config takes nothing, or: get [key], set key value, reset key")
}

func rest(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return words[1:]
}

// settings is what holds, with the model that the environment names where the
// configuration names none.
func (p *program) settings(config *control.Store) *control.Settings {
	now := *config.Settings()
	catalog, _ := p.wiring().catalog(&now) // what is wrong there, doctor says
	if d := catalog.Default(); d != "" && now.Model == "" {
		now.Name("model", d, control.Source{Source: "environment"})
	}
	return &now
}

func (p *program) showConfig(config *control.Store) int {
	now := p.settings(config)
	shown := now.Shown()
	var b bytes.Buffer
	longest := 0
	for _, k := range control.Keys {
		longest = max(longest, len(k.Path))
	}
	for _, k := range control.Keys {
		value := control.Title(string(shown[k.Path]), 0)
		if value == "null" {
			value = "-"
		}
		// A long value moves its own place to the right and nobody else's.
		fmt.Fprintf(&b, "%-*s  %-24s  %s\n", longest, k.Path, value, control.Title(now.Sources[k.Path].String(), 0))
	}
	return max(p.show(b.Bytes()), p.complain(config))
}

// complain prints what is wrong with the configuration; 1 when something of it
// does not hold.
func (p *program) complain(config *control.Store) int {
	code := 0
	for _, d := range config.Settings().Diagnostics {
		fmt.Fprintf(p.err, "%s: %s\n", d.Severity, control.Title(d.String(), 0))
		if d.Severity == "error" {
			code = 1
		}
	}
	return code
}

// written says what became of a change, and writes it into the audit.
func (p *program) written(config *control.Store, err error, what string) int {
	if _, ok := errors.AsType[*control.RefusedError](err); ok {
		return p.fail("%s", control.Title(err.Error(), 0))
	}
	if err != nil {
		return p.fail("%v", err)
	}
	audit, err := control.OpenAudit(nil, control.AuditPath(p.home, "none", "config"))
	if err == nil {
		_, err = audit.Append(control.AuditEntry{Mode: "agent", Decision: "config", Domain: "config", Targets: []string{what}, By: "client"})
	}
	if err != nil {
		fmt.Fprintf(p.err, "agent-sidecar: the change is made, but the audit cannot be written: %v\n", err)
	}
	return p.complain(config)
}
