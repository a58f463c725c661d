package main

import (
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// usesMemory says that memory files are on, and believed: an untrusted workspace has
// none.
func usesMemory(config *config.Store, v *workspace.Vault) bool {
	return config.Settings().Memory.Enabled && config.TrustedAll(v.Roots())
}

// foreignMemory are the memory files that a person is asked about.
func foreignMemory(config *config.Store, v *workspace.Vault) []rpc.ForeignMemory {
	if !usesMemory(config, v) {
		return nil
	}
	var out []rpc.ForeignMemory
	for _, f := range v.ForeignMemory(time.Now()) {
		out = append(out, rpc.ForeignMemory{Name: f.Name, Text: f.Text, Accept: func() error { return v.AcceptMemory(f.Name, f.Hash) }})
	}
	return out
}

// askMemory asks about memory files that were changed outside.
func (a asking) askMemory(back *rpc.Backend) {
	if !a.t.yes && !a.t.CanAnswer() {
		return
	}
	for _, f := range back.ForeignMemory() {
		a.t.line(lines(strings.TrimRight(f.Text, "\n"))) // all of it: a yes is to all of it
		if !a.t.confirm(a.t.words("%s was changed outside; this is what it says. Use it?", f.Name), a.t.words("Use it"), a.t.words("Not now")) {
			continue
		}
		if err := f.Accept(); err != nil {
			a.note("%v", err)
		}
	}
}
