package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp"
	"github.com/agent-sidecar/agent-sidecar/workspace/web"
)

// Who has found a diagnostic that is not about the text of the configuration.
const (
	toolsSource = "tools"
	mcpSource   = "mcp"
)

// foreign are the tools that a person has added: external tools, MCP servers and a search provider. It carries
// the configuration to those who run them, and what is wrong with them back to where the configuration's own
// defects are shown.
type thirdParty struct {
	config   *config.Store
	mcp      *mcp.Servers
	external *workspace.External
	search   func() []tool.Tool // web_search where a provider is configured
	host     []tool.Tool        // of the editor
	network  func(*config.Settings) outbound.Settings
	changes  changes
}

// foreign starts nothing: the editor waits. browses says whether an address can be opened for the person; nil: never.
func (w *wiring) thirdParty(config *config.Store, vault *workspace.Vault, pages *web.Web, host []tool.Tool, browses func() bool) *thirdParty {
	f := &thirdParty{config: config, host: host, external: workspace.NewExternal(vault, readToolFile), search: w.search(config, pages), network: w.network}
	dir := w.userHome
	if !filepath.IsAbs(dir) {
		dir = w.home
	}
	home := w.home
	if w.looking {
		home = "" // what servers say is remembered for this process only
	}
	f.mcp = mcp.New(mcp.Options{
		Version: version, Home: home, Dir: dir, SignIns: w.signIns(), Browses: browses, Changed: f.report,
		Roots:     func() []mcp.Root { return rootsOf(vault) },
		KeepEnv:   func() []string { return config.Settings().Sandbox.KeepEnv },
		SecretEnv: func() func(name, value string) bool { return config.Settings().SecretVariable(os.Getenv) },
	})
	return f
}

// tools are those of one run. Servers that are not there any more end here, and
// new ones start.
func (f *thirdParty) tools(ctx context.Context) []tool.Tool {
	s := f.config.Settings()
	tools := append(f.search(), f.external.Tools(s.Tools.Enabled)...)
	servers := f.servers()
	onDemand := f.mcp.OnDemand(servers)
	tools = append(tools, f.mcp.Tools(ctx, servers)...)
	f.report()
	return append(append(onDemand, tools...), f.host...) // no external tool has the name of one
}

// servers are those of the configuration, as they are started.
func (f *thirdParty) servers() []mcp.Server { return serversBehind(f.config.Settings(), f.network) }

// serversBehind are those of a configuration with the way to each of them.
func serversBehind(s *config.Settings, network func(*config.Settings) outbound.Settings) []mcp.Server {
	servers := serversOf(s)
	for i := range servers {
		if servers[i].URL != "" {
			servers[i].Network = network(s)
		}
	}
	return servers
}

// ready are the tools that are there without starting or waiting for anything.
func (f *thirdParty) ready() []tool.Tool {
	s := f.config.Settings()
	tools := append(f.mcp.OnDemand(serversOf(s)), f.search()...)
	tools = append(append(tools, f.external.Tools(s.Tools.Enabled)...), f.mcp.Ready()...)
	return append(tools, f.host...)
}

// reading lets read take the resources of MCP servers.
func (f *thirdParty) reading(tools []tool.Tool) []tool.Tool {
	for i, t := range tools {
		if t.Spec().Name == "read" {
			tools[i] = f.mcp.Reading(t)
		}
	}
	return tools
}

// toExplain are those that are ready, and the tool that is asked about where its
// server does not run: to explain a call starts nothing.
func (f *thirdParty) toExplain(asked string) []tool.Tool {
	tools := f.ready()
	if slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Spec().Name == asked }) {
		return tools
	}
	if t, ok := mcp.ToExplain(serversOf(f.config.Settings()), asked); ok {
		tools = append(tools, t)
	}
	return tools
}

// report shows what is wrong where it can be mended: in the tool's own file, and
// at the server's name in the configuration.
func (f *thirdParty) report() {
	var found []config.Diagnostic
	for _, p := range f.external.Problems() {
		d := config.Diagnostic{Source: toolsSource, File: p.File, Line: p.Line, Column: p.Column, Severity: "error", Message: p.Message}
		if p.Warning {
			d.Severity = "warning"
		}
		found = append(found, d)
	}
	f.config.Report(toolsSource, found)
	found = nil
	s := f.config.Settings()
	for _, p := range f.mcp.Problems() {
		d := config.Diagnostic{Source: mcpSource, Severity: "warning", Message: "mcp server " + p.Server + ": " + p.Message}
		if p.Down {
			d.Severity = "error"
		}
		for _, server := range s.Servers {
			if server.Name == p.Server && server.Source == "config" {
				d.File, d.Line, d.Column = f.config.Path(), server.Line, server.Column
			}
		}
		found = append(found, d)
	}
	f.config.Report(mcpSource, found)
	f.changes.happened()
}

// rootsOf are the folders that are open, as servers are told of them.
func rootsOf(vault *workspace.Vault) []mcp.Root {
	var roots []mcp.Root
	for _, dir := range vault.Roots() {
		roots = append(roots, mcp.Root{URI: fileuri.Of(dir), Name: filepath.Base(dir)})
	}
	return roots
}

func serversOf(s *config.Settings) []mcp.Server {
	var servers []mcp.Server
	for _, m := range s.Servers {
		server := mcp.Server{
			Name: m.Name, Command: m.Command, URL: m.URL, Env: m.Env, Headers: m.Headers,
			Timeout: time.Duration(m.TimeoutMs) * time.Millisecond,
		}
		if o := m.OAuth; o != nil {
			server.OAuth = mcp.OAuth{ClientID: o.ClientID, ClientSecretEnv: o.ClientSecretEnv, Scopes: o.Scopes}
		}
		servers = append(servers, server)
	}
	return servers
}

// readToolFile lets control say what a tool.jsonc means.
func readToolFile(name string, text []byte) (workspace.ExternalSpec, []workspace.ExternalProblem, bool) {
	f, found, ok := config.ReadToolFile(text)
	var problems []workspace.ExternalProblem
	for _, d := range found {
		problems = append(problems, workspace.ExternalProblem{Line: d.Line, Column: d.Column, Warning: d.Severity == "warning", Message: d.Message})
	}
	spec := workspace.ExternalSpec{
		Description: f.Description, Schema: f.Schema, Command: f.Command, Timeout: time.Duration(f.TimeoutMs) * time.Millisecond,
		Network: f.Domain == "web_fetch" || f.Domain == "web_search",
	}
	if object := f.Object(name); object != "" {
		spec.Target = tool.Target{Domain: f.Domain, Object: object}
	}
	return spec, problems, ok
}

// sessionTools are the tools that sessions do not bring themselves.
type sessionTools struct {
	vault *workspace.Vault
	pages *web.Web
	added *thirdParty
}

func (t *sessionTools) Tools(of session.ToolOwner, folder string) []tool.Tool {
	tools := t.added.reading(t.vault.Tools(workspace.Owner{Session: of.ID(), Folder: folder, MayRead: of.MayRead}))
	return append(tools, t.pages.Fetch(judgeOf(of)))
}

func (t *sessionTools) ToolsToExplain(of session.ToolOwner, asked string) []tool.Tool {
	tools := append(t.added.reading(t.vault.ToolsToExplain(workspace.Owner{Session: of.ID(), MayRead: of.MayRead})), t.pages.Fetch(judgeOf(of)))
	return append(tools, t.added.toExplain(asked)...)
}

func (t *sessionTools) ThirdPartyTools(ctx context.Context) []tool.Tool { return t.added.tools(ctx) }
