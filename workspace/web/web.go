// Package web fetches pages and asks a search provider. It judges every connection
// at the moment it is made, turns what comes back into text, and says of all of it
// that strangers wrote it. It knows no Vault, keeps no cookies, runs no script,
// and decides nothing about permission: who is asked is control's.
package web

import (
	"context"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Judge says what a session may do with an address now. It is asked when a call
// is planned, when it runs, and for each redirect. The nil Judge refuses.
type Judge func(object string) Judgement

func (j Judge) of(to Address) Judgement {
	if j == nil {
		return Judgement{}
	}
	return j(to.Object())
}

// Verdict is what permission says about an address. The zero Verdict refuses.
type Verdict int

// The verdicts.
const (
	Denied Verdict = iota
	Asked          // a person would be asked
	Allowed
)

// Judgement is what a session may do with an address.
type Judgement struct {
	Verdict Verdict
	// Opened says that a rule names this very host, which opens a development
	// server: its port, and addresses on this machine or network.
	Opened bool
}

// Web is the way to the network. It contains no state; its methods are safe for
// concurrent use.
type Web struct {
	version string // of this program, for servers to see
	network
}

// New connects to nothing. version is this program's, for servers to see; out says before each
// request how connections leave this machine, nil: directly.
func New(version string, out func() outbound.Settings) *Web {
	if out == nil {
		out = func() outbound.Settings { return outbound.Settings{} }
	}
	return &Web{version: version, network: network{connect: connect, out: out}}
}

// agent is what servers see.
func (w *Web) agent() string { return "agent-sidecar/" + w.version }

// ended tells apart why a context ended: the caller's own end is an error, a time
// limit of ours a result.
func ended(ctx context.Context, result tool.Result) (tool.Result, error) {
	if ctx.Err() != nil {
		return tool.Result{Failed: true}, context.Cause(ctx)
	}
	return result, nil
}
