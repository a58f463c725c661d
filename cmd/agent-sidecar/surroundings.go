package main

import (
	"runtime"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// surroundings are where the sessions of a workspace work.
type surroundings struct {
	w      *wiring
	vault  *workspace.Vault
	config *config.Store
}

func (a *surroundings) Facts() control.Facts {
	s := a.config.Settings()
	settings := sandboxSettings(a.config)()
	report := a.w.sandbox().Report(settings)
	return control.Facts{
		Layers: s.Layers, Rules: s.Rules, Trusted: a.config.TrustedAll(a.vault.Roots()), Unread: s.Unread, Scope: control.Scope{Workspace: a.vault.WorkspaceID()},
		Home: a.w.home, UserHome: a.w.userHome, Roots: a.vault.Roots(), Resolver: a.vault, Readables: control.Readables{Skills: a.w.readableSkills()},
		Sandbox: control.Sandbox{
			Unasked: s.Sandbox.AutoAllow == "workspace", Whole: report.Keeps(settings, a.w.userHome),
			Offline: report.Network == "off", GitKept: report.KeepsRepositories(),
		},
	}
}

func (a *surroundings) Environment() system.Environment {
	return system.Environment{Folders: a.vault.Roots(), Branch: a.vault.Branch(), OS: runtime.GOOS, Date: time.Now().Format(time.DateOnly)}
}

func (a *surroundings) Instructions(documents []string) []system.Layer {
	return a.w.instructions(func(room int64) []workspace.Instruction { return a.vault.Instructions(documents, room) }, a.config.TrustedAll(a.vault.Roots()))
}

func (a *surroundings) Skills() []skills.Folder {
	return a.w.skillFolders(a.vault, a.config.TrustedAll(a.vault.Roots()))
}

func (a *surroundings) Memory() string {
	if !usesMemory(a.config, a.vault) {
		return ""
	}
	return a.vault.Memory(time.Now())
}
