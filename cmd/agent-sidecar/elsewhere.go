package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/schema"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/web"
)

// elsewhere is where sessions of a workspace work whose hands are on another machine. The
// Vault is the one here: what a person points at in the editor is read from there.
type elsewhere struct {
	w      *wiring
	config *config.Store
	vault  *workspace.Vault
	pages  *web.Web
	added  *thirdParty
}

// hands reach for a worker with dial, which works in folders. changed is told when the way
// there is another one.
func (e *elsewhere) hands(dial runner.Dial, folders []seam.Folder, here func(uri string) string, changed func()) *runner.Hands {
	settings := settingsOf(e.config)
	return runner.New(dial, func() seam.Greeting {
		return seam.Greeting{Version: version, Schema: schema.Hash(), Folders: folders, Settings: settings()}
	}, here, changed)
}

// place is that of hands. Commands run there without a question only where it is isolated.
func (e *elsewhere) place(name string, hands *runner.Hands, isolated bool) *session.Place {
	return &session.Place{
		Runner: name, Surroundings: &distantSurroundings{elsewhere: e, runner: name, isolated: isolated, hands: hands}, Files: distantFiles{hands, e.vault},
		Tools: &distantTools{hands, e.pages, e.added}, Artifacts: hands.Artifacts(), Jobs: hands,
	}
}

// distantFiles are those of a worker, but for what a person points at.
type distantFiles struct {
	*runner.Hands
	vault *workspace.Vault
}

// Attachment implements session.Files.
func (f distantFiles) Attachment(uri string, max int64, mayRead func(object string) bool) ([]byte, error) {
	return f.vault.Attachment(uri, max, mayRead)
}

// distantTools are those of a worker, and those that need no hands. External tools are
// programs of this machine and are left out.
type distantTools struct {
	hands *runner.Hands
	pages *web.Web
	added *thirdParty
}

func (t *distantTools) Tools(of session.ToolOwner, _ string) []tool.Tool {
	return append(t.added.reading(ofVault(t.hands.Tools(of))), t.pages.Fetch(judgeOf(of)))
}

// ofVault are the tools that a Vault has: a worker that offers others is not believed.
func ofVault(tools []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(tools, func(t tool.Tool) bool { return !slices.Contains(workspace.ToolNames, t.Spec().Name) })
}

func (t *distantTools) ToolsToExplain(of session.ToolOwner, asked string) []tool.Tool {
	tools := append(t.added.reading(ofVault(t.hands.ToolsToExplain(of))), t.pages.Fetch(judgeOf(of)))
	return append(tools, t.added.toExplain(asked)...)
}

func (t *distantTools) ThirdPartyTools(ctx context.Context) []tool.Tool { return t.added.tools(ctx) }

// distantSurroundings are where a worker is.
type distantSurroundings struct {
	*elsewhere
	runner   string
	isolated bool
	hands    *runner.Hands

	mu       sync.Mutex // guards what follows: how commands are confined there under settings
	settings *sandbox.Settings
	report   sandbox.Report
}

// confined is how commands are confined there under the settings of now.
func (a *distantSurroundings) confined() sandbox.Report {
	now := sandboxSettings(a.config)()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.settings == nil || !a.settings.Equal(now) {
		a.settings = &now
		a.report = a.hands.Look(seam.ToSee{Sandbox: &now}).Sandbox
	}
	return a.report
}

// Facts implements session.Surroundings. Where no worker was reached there are no folders.
func (a *distantSurroundings) Facts() control.Facts {
	s := a.config.Settings()
	m := a.hands.Machine()
	report := a.confined()
	facts := control.Facts{
		Layers: s.Layers, Rules: s.Rules, Trusted: a.config.TrustedAll(a.vault.Roots()), Unread: s.Unread, Scope: control.Scope{Workspace: a.vault.WorkspaceID(), Runner: a.runner},
		Home: m.Home, UserHome: m.UserHome, Roots: m.Roots, Resolver: a.hands,
		Sandbox: control.Sandbox{
			Unasked: a.isolated && s.Sandbox.AutoAllow == "workspace", Whole: report.Keeps(sandboxSettings(a.config)(), m.UserHome),
			Offline: report.Network == "off", GitKept: report.KeepsRepositories(),
		},
	}
	if a.runner == "" {
		facts.Skills = a.w.readableSkills()
	}
	return facts
}

// Environment implements session.Surroundings.
func (a *distantSurroundings) Environment() system.Environment {
	m := a.hands.Machine()
	return system.Environment{Folders: m.Roots, Branch: a.hands.Look(seam.ToSee{}).Branch, OS: m.System, Date: time.Now().Format(time.DateOnly)}
}

// Instructions implements session.Surroundings.
func (a *distantSurroundings) Instructions(documents []string) []system.Layer {
	return a.w.instructions(func(room int64) []workspace.Instruction {
		return a.hands.Look(seam.ToSee{Documents: documents, Room: room}).Instructions
	}, a.config.TrustedAll(a.vault.Roots()))
}

// Skills implements session.Surroundings. Of another machine only the person's own are known
// here: those of the folders are over there.
func (a *distantSurroundings) Skills() []skills.Folder {
	return a.w.skillFolders(a.vault, a.runner == "" && a.config.TrustedAll(a.vault.Roots()))
}

// Memory implements session.Surroundings.
func (a *distantSurroundings) Memory() string {
	if !usesMemory(a.config, a.vault) {
		return ""
	}
	return a.hands.Look(seam.ToSee{Memory: true}).Memory
}

func seamFolders(folders []rpc.Folder) (out []seam.Folder) {
	for _, f := range folders {
		out = append(out, seam.Folder{Name: f.Name, Path: f.Path})
	}
	return out
}
