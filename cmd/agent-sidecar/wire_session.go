package main

import (
	"context"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/web"
)

// surroundings are where the sessions of a workspace work.
type surroundings struct {
	w      *wiring
	vault  *workspace.Vault
	config *config.Store
}

func (a *surroundings) Facts() control.Facts {
	s := a.config.Settings()
	box := sandboxSettings(a.config)()
	report := a.w.sandbox().Report(box)
	return control.Facts{
		Layers: s.Layers, Rules: s.Rules, Trusted: a.config.TrustedAll(a.vault.Roots()), Unread: s.Unread, Workspace: a.vault.WorkspaceID(),
		Home: a.w.home, UserHome: a.w.userHome, Roots: a.vault.Roots(), Resolver: a.vault,
		Offline: report.Network == "off", GitKept: report.KeepsRepositories(),
		Box: control.Box{Unasked: s.Sandbox.AutoAllow == "workspace", Whole: report.Keeps(box, a.w.userHome)},
	}
}

func (a *surroundings) Environment() session.Environment { return environment(a.vault) }

func (a *surroundings) Instructions(documents []string) []session.Layer {
	return a.w.instructions(a.vault, a.config.TrustedAll(a.vault.Roots()), documents)
}

func (a *surroundings) Memory() string {
	if !usesMemory(a.config, a.vault) {
		return ""
	}
	return a.vault.Memory(time.Now())
}

// sessionTools are the tools that sessions do not bring themselves.
type sessionTools struct {
	vault *workspace.Vault
	pages *web.Web
	added *foreign
}

func (t *sessionTools) Tools(id, folder string) []tool.Tool {
	return append(t.vault.ToolsIn(id, folder), t.pages.Fetch(id))
}

func (t *sessionTools) ToolsToExplain(id, asked string) []tool.Tool {
	return append(append(t.vault.ToolsToExplain(id), t.pages.Fetch(id)), t.added.toExplain(asked)...)
}

func (t *sessionTools) ForeignTools(ctx context.Context) []tool.Tool { return t.added.tools(ctx) }

// sessionModels opens the models of the configuration, and counts for them.
type sessionModels struct {
	*model.Counter
	w       *wiring
	catalog *model.Catalog
	config  *config.Store
}

func (m *sessionModels) OpenModel(name string, fallback []string) (model.Model, error) {
	settings := m.config.Settings()
	m.w.follow(m.catalog, settings)
	opened, err := m.catalog.Open(m.w.chain(settings, name, fallback)...)
	return opened, m.w.advised(err, m.catalog, m.config.Path())
}

func (m *sessionModels) DefaultModel() string {
	return first(m.w.modelNames(m.config.Settings(), m.catalog))
}

// audits are those of the sessions of a workspace.
type audits struct {
	w         *wiring
	workspace string
}

func (a audits) Audit(sessionID string) *audit.Log { return a.w.audit(a.workspace, sessionID) }
func (a audits) AuditSessions() *audit.Log         { return a.w.auditSessions() }
