package main

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp/signin"
	"github.com/agent-sidecar/agent-sidecar/workspace/web"
)

// mcpServers lists the MCP servers, signs in to one, or out.
func mcpServers(p *program, words []string) int {
	w := p.wiring()
	w.looking = true
	conf, err := w.openConfig(config.Options{Network: w.networkProblems})
	if err != nil {
		return p.fail("%v", err)
	}
	c := mcpCommand{p, w, conf}
	ops := map[string]func(string) int{"login": c.login, "logout": c.logout}
	switch do := ops[first(words)]; {
	case len(words) == 0:
		return c.list()
	case do != nil && len(words) == 2:
		return do(words[1])
	}
	return p.misused("mcp takes nothing, or: login server, logout server")
}

type mcpCommand struct {
	*program
	w    *wiring
	conf *config.Store
}

// startWait is how long a list of servers waits for them.
const startWait = 10 * time.Second

// standings are how servers are, in words.
var standings = map[mcp.Standing]said.Text{
	mcp.Idle: said.That("starting"), mcp.Ready: said.That("ready"), mcp.Failed: said.That("does not run"), mcp.NeedsSignIn: said.That("needs sign-in"),
}

// list starts the servers to say how they are, and ends them again.
func (p mcpCommand) list() int {
	vault, err := workspace.Open(nil, workspace.Options{Home: p.home, UserHome: p.userHome})
	if err != nil {
		return p.fail("%v", err)
	}
	defer vault.Close()
	f := p.w.thirdParty(p.conf, vault, web.New(version, nil), nil, nil)
	defer f.mcp.Close()
	servers := f.servers()
	if len(servers) == 0 {
		return p.show(p.words("There are no MCP servers: name some as mcp in %s.\n", title(p.conf.Path(), 0)))
	}
	ctx, cancel := interrupted()
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, startWait)
	defer cancel()
	f.mcp.Tools(ctx, servers)
	rows := [][]shown{{p.words("SERVER"), p.words("STATE"), p.words("TOOLS"), p.words("SIGNED IN")}}
	var why []shown
	for _, s := range f.mcp.States(servers) {
		signedIn := shown("-")
		if s.SignedIn {
			signedIn = p.words("yes")
		}
		rows = append(rows, []shown{title(s.Server, 40), title(locale.Say(p.locale(), standings[s.Standing]), 0), showf("%d", s.Tools), signedIn})
		if s.Problem != "" {
			why = append(why, showf("%s: %s\n", title(s.Server, 40), title(s.Problem, 1000)))
		}
	}
	return p.show(aligned(rows) + join(why, ""))
}

// login signs in, which ends with the person's browser, with Ctrl-C, or after five minutes.
func (p mcpCommand) login(name string) int {
	ctx, cancel := interrupted()
	defer cancel()
	m, servers := p.servers()
	err := m.SignIn(ctx, servers, name, signin.Asking{Page: signInPage(p.locale()), Show: p.browse})
	switch {
	case errors.Is(err, context.Canceled):
		p.note("not signed in to %s", title(name, 40))
		return exitCancelled
	case err != nil:
		return p.fail("mcp server %s: %v", title(name, 40), err)
	}
	return p.show(p.words("Signed in to %s.\n", title(name, 40)))
}

func (p mcpCommand) logout(name string) int {
	ctx, cancel := interrupted()
	defer cancel()
	m, servers := p.servers()
	was, untold, err := m.SignOut(ctx, servers, name)
	switch {
	case err != nil:
		return p.fail("mcp server %s: %v", title(name, 40), err)
	case !was:
		return p.show(p.words("Nobody was signed in to %s.\n", title(name, 40)))
	case untold != nil:
		p.note("the tokens are deleted here, but the server could not be told: %v", untold)
	}
	return p.show(p.words("Signed out of %s.\n", title(name, 40)))
}

func (p mcpCommand) servers() (*mcp.Servers, []mcp.Server) {
	return mcp.New(mcp.Options{Version: version, SignIns: p.w.signIns()}), serversBehind(p.conf.Settings(), p.w.network)
}

// browse shows where to sign in, and opens it where a person sits before it.
func (p mcpCommand) browse(address string) error {
	if err := p.out.write(p.words("Open this address in your browser to sign in:\n\n%s\n\nWaiting for 5 minutes. Ctrl-C ends it.\n", lines(address))); err != nil {
		return err
	}
	open := browser(runtime.GOOS, p.env)
	if p.mcpFlags.noOpen || !p.shownOnTerminal() || open == nil {
		return nil
	}
	started := exec.Command(open[0], append(open[1:], address)...)
	if started.Start() == nil {
		_ = started.Process.Release() // a browser stays when this program has ended
	}
	return nil
}

// browser is the program that opens an address, nil where there is no screen to open it on.
func browser(system string, env func(string) string) []string {
	programs := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}
	if known := programs[system]; known != nil {
		return known
	}
	if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []string{"xdg-open"}
}
