package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/hooks"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp"
	"github.com/agent-sidecar/agent-sidecar/workspace/web"
)

// checkOwn says what is there of the person's own: the configuration file,
// agents, hooks, external tools and MCP servers. The servers are really started,
// and ended again; nothing is remembered of what they say.
func (d *doctor) checkOwn(config *config.Store) {
	vault, err := workspace.Open(nil, workspace.Options{Home: d.home, UserHome: d.userHome})
	if err != nil {
		d.say(false, "home", because(err))
		return
	}
	defer vault.Close()
	builtIn := agents()
	w := d.wiring()
	w.looking = true
	f := w.thirdParty(config, vault, web.New(version, nil), nil, nil)
	defer f.mcp.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	tools := f.tools(ctx)

	s := config.Settings()
	d.checkConfig(config)
	d.listAgents(s.Agents, len(builtIn))
	d.checkSkills(config)
	d.checkHooks(s)
	var names []string
	for _, t := range tools {
		if name := t.Spec().Name; !strings.HasPrefix(name, tool.MCPPrefix) && !slices.Contains(notExternal, name) {
			names = append(names, name)
		}
	}
	if s.Tools.Enabled {
		d.tell("info", "tools", orNone(names))
	}
	d.checkWeb(s)
	d.checkNetwork(s)
	for _, server := range s.Servers {
		count := 0
		for _, t := range tools {
			if mcp.Owns(server.Name, t.Spec().Name, serversOf(s)) {
				count++
			}
		}
		switch {
		case count > 0:
			d.say(true, "mcp", said.That("%s: %d tools", server.Name, count))
		case !slices.ContainsFunc(f.mcp.Problems(), func(m mcp.Problem) bool { return m.Server == server.Name }): // else it stands above, at its place
			d.tell("warn", "mcp", said.That("%s: it has no tools, or takes longer than 5 s to start", server.Name))
		}
	}
}

// notExternal are tools that come and go and are nobody's own.
var notExternal = []string{"web_search", tool.ToolSearch, tool.MCPCall}

// checkConfig says what is wrong in the files below the home, and at a server's
// name what is wrong with the server. A warning costs nothing.
func (d *doctor) checkConfig(config *config.Store) {
	found := config.Settings().Diagnostics
	if len(found) == 0 {
		d.say(true, "config", said.Plain(config.Path()))
	}
	for _, problem := range found {
		if problem.Severity == "error" {
			d.say(false, "config", said.Plain(problem.String()))
		} else {
			d.tell("warn", "config", said.Plain(problem.String()))
		}
	}
}

// listAgents names the agents of the person's own. The built-in ones come first.
func (d *doctor) listAgents(all []config.Agent, builtIn int) {
	var names []string
	for _, a := range all[min(builtIn, len(all)):] {
		names = append(names, a.Name)
	}
	if len(names) > 0 {
		d.tell("info", "agents", said.Plain(strings.Join(names, ", ")))
	}
}

// checkHooks says which hooks there are and which could not be started.
func (d *doctor) checkHooks(s *config.Settings) {
	runner := &hooks.Runner{Home: d.home, UserHome: d.userHome}
	for _, kind := range []string{config.ChatParams, config.ChatSystem, config.ToolBefore, config.ToolAfter} {
		for i, h := range s.Hooks[kind] {
			name := fmt.Sprintf("%s %d: %s", kind, i+1, h.Name())
			if err := runner.Find(h); err != nil {
				d.say(false, "hook", said.Plain(name+": "+err.Error()))
				continue
			}
			d.say(true, "hook", said.Plain(name))
		}
	}
}

func orNone(names []string) said.Text {
	if len(names) == 0 {
		return said.That("none")
	}
	return said.Plain(strings.Join(names, ", "))
}

// checkWeb says which provider searches go to.
func (d *doctor) checkWeb(s *config.Settings) {
	switch found := s.Search; {
	case found == nil:
		d.tell("info", "search", said.That("no provider is configured, so there is no web_search (docs/web.md)"))
	case found.APIKey == "" && found.APIKeyEnv != "" && d.env(found.APIKeyEnv) == "":
		d.tell("warn", "search", said.That("%s: the variable %s, which should contain its key, is empty", found.Provider, found.APIKeyEnv))
	default:
		d.tell("info", "search", said.Plain(strings.TrimSpace(found.Provider+" "+found.URL)))
	}
}
