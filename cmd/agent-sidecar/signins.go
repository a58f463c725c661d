package main

import (
	"context"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/tool"
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

// browsesFor says whether an address can be opened for somebody.
func browsesFor(somebody session.Approver) func() bool {
	browser, is := somebody.(tool.Browser)
	return func() bool { return is && browser.CanBrowse() }
}

// mcpList is the servers of a workspace as a client sees them.
type mcpList struct{ added *thirdParty }

// Servers implements rpc.MCP.
func (l mcpList) Servers() []rpc.MCPServer {
	var all []rpc.MCPServer
	for _, s := range l.added.mcp.States(l.added.servers()) {
		all = append(all, rpc.MCPServer{Name: s.Server, State: rpc.MCPServerState(s.Standing), Tools: s.Tools, Problem: s.Problem, SignedIn: s.SignedIn, MaySignIn: s.Web})
	}
	return all
}

// Changed implements rpc.MCP.
func (l mcpList) Changed() <-chan struct{} { return l.added.changes.next() }

// SignIn implements rpc.MCP.
func (l mcpList) SignIn(ctx context.Context, server, language string, show func(address string)) error {
	return l.added.mcp.SignIn(ctx, l.added.servers(), server, signin.Asking{Page: signInPage(language), Show: func(address string) error {
		show(address)
		return nil
	}})
}

// SignOut implements rpc.MCP.
func (l mcpList) SignOut(ctx context.Context, server string) (untold, err error) {
	_, untold, err = l.added.mcp.SignOut(ctx, l.added.servers(), server)
	return untold, err
}

// changes tells those who wait that something is other than it was. The zero one works.
type changes struct {
	mu   sync.Mutex // guards what is below
	wait chan struct{}
}

func (c *changes) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wait == nil {
		c.wait = make(chan struct{})
	}
	return c.wait
}

func (c *changes) happened() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wait != nil {
		close(c.wait)
		c.wait = nil
	}
}
