package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/hooks"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp"
)

// checkOwn says what is there of the person's own: the configuration file,
// agents, hooks, external tools and MCP servers. The servers are really started,
// and ended again; nothing is remembered of what they say.
func (p *program) checkOwn(config *config.Store, say func(bool, string, string)) {
	vault, err := workspace.Open(nil, workspace.Options{Home: p.home, UserHome: p.userHome})
	if err != nil {
		say(false, "home", err.Error())
		return
	}
	defer vault.Close()
	builtIn := agents()
	w := p.wiring()
	w.looking = true
	pages := w.web(nil)
	config.UseAgents(builtIn, func() []string { return toolNames(append(vault.Tools("describe"), pages.Fetch("describe"))) })
	f := w.foreign(config, vault, pages)
	defer f.mcp.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	tools := f.tools(ctx)

	s := config.Settings()
	p.checkConfig(config, say)
	p.listAgents(s.Agents, len(builtIn))
	p.checkHooks(s, say)
	var names []string
	for _, t := range tools {
		if name := t.Spec().Name; !strings.HasPrefix(name, "mcp__") && name != "web_search" {
			names = append(names, name)
		}
	}
	if s.Tools.Enabled {
		p.tell("info", "tools", orNone(names))
	}
	p.checkWeb(s)
	for _, server := range s.Servers {
		count := 0
		for _, t := range tools {
			if mcp.Owns(server.Name, t.Spec().Name, serversOf(s)) {
				count++
			}
		}
		switch {
		case count > 0:
			say(true, "mcp", fmt.Sprintf("%s: %d tools", server.Name, count))
		case !slices.ContainsFunc(f.mcp.Problems(), func(m mcp.Problem) bool { return m.Server == server.Name }): // else it stands above, at its place
			p.tell("warn", "mcp", server.Name+": it has no tools, or takes longer than 5 s to start")
		}
	}
}

// checkConfig says what is wrong in the files below the home, and at a server's
// name what is wrong with the server. A warning costs nothing.
func (p *program) checkConfig(config *config.Store, say func(bool, string, string)) {
	found := config.Settings().Diagnostics
	if len(found) == 0 {
		say(true, "config", config.Path())
	}
	for _, d := range found {
		if d.Severity == "error" {
			say(false, "config", d.String())
		} else {
			p.tell("warn", "config", d.String())
		}
	}
}

// listAgents names the agents of the person's own. The built-in ones come first.
func (p *program) listAgents(all []config.Agent, builtIn int) {
	var names []string
	for _, a := range all[min(builtIn, len(all)):] {
		names = append(names, a.Name)
	}
	if len(names) > 0 {
		p.tell("info", "agents", strings.Join(names, ", "))
	}
}

// checkHooks says which hooks there are and which could not be started.
func (p *program) checkHooks(s *config.Settings, say func(bool, string, string)) {
	runner := &hooks.Runner{Home: p.home, UserHome: p.userHome}
	for _, kind := range []string{config.ChatParams, config.ChatSystem, config.ToolBefore, config.ToolAfter} {
		for i, h := range s.Hooks[kind] {
			name := fmt.Sprintf("%s %d: %s", kind, i+1, h.Name())
			if err := runner.Find(h); err != nil {
				say(false, "hook", name+": "+err.Error())
				continue
			}
			say(true, "hook", name)
		}
	}
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
