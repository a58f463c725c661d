package main

import (
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp/signin"
)

// signIns keeps the tokens of MCP servers in the home.
func (w *wiring) signIns() *signin.Keeper {
	return &signin.Keeper{Home: w.home, Disk: w.ownDisk(), Env: w.env}
}

// signInPage is what the browser shows at the end of a sign-in.
func signInPage(language string) func(accepted bool) signin.Page {
	return func(accepted bool) signin.Page {
		title, text := said.That("Signing in"), said.That("agent-sidecar has the answer and goes on. You can close this window.")
		if !accepted {
			title, text = said.That("Not signed in"), said.That("agent-sidecar cannot use this answer. You can close this window.")
		}
		return signin.Page{Language: locale.Tag(language), Title: locale.Say(language, title), Text: locale.Say(language, text)}
	}
}
