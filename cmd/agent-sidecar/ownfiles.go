package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/prompts"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// ownFiles are what people have written for the agent here.
type ownFiles struct {
	lists *modelLists
	vault *workspace.Vault
	here  *session.Place
}

// Skills implements rpc.OwnFiles.
func (f ownFiles) Skills() skills.Found { return skills.Look(f.here.Surroundings.Skills()) }

// Commands implements rpc.OwnFiles.
func (f ownFiles) Commands() prompts.Found {
	conf := f.lists.config
	conf.Reload()
	found := prompts.Look(f.lists.w.promptFolders(f.vault, conf.TrustedAll(f.vault.Roots())))
	agents := conf.Settings().Agents
	agent := func(is func(config.Agent) bool) func(name string) bool {
		return func(name string) bool {
			return slices.ContainsFunc(agents, func(a config.Agent) bool { return a.Name == name && is(a) })
		}
	}
	may := prompts.Choices{
		Agent:    agent(config.Agent.Primary),
		ReadOnly: agent(func(a config.Agent) bool { return a.ReadOnly }),
		Model:    func(name string) bool { return slices.Contains(f.lists.Models(), name) },
	}
	for i, c := range found.Commands {
		found.Commands[i] = c.Held(may)
	}
	return found
}

// workspacePrompts are where a folder has prompts.
var workspacePrompts = []string{".agents/prompts", ".github/prompts"}

// promptFolders are the person's folders of prompts, and those of the workspace where it is
// trusted.
func (w *wiring) promptFolders(vault *workspace.Vault, trusted bool) []skills.Folder {
	return ownFolders(w.ownDirs("prompts"), vault, trusted, workspacePrompts)
}

// ownDirs are where the person has files of a kind: in the sidecar's home, and where other
// agents read them, too.
func (w *wiring) ownDirs(kind string) []string {
	dirs := []string{filepath.Join(w.home, kind)}
	if w.userHome != "" {
		dirs = append(dirs, filepath.Join(w.userHome, ".agents", kind))
	}
	return dirs
}

// ownFolders are the person's directories, and those of a trusted workspace by their names in
// its folders. The person's come first: a repository cannot take the name of a file in them.
func ownFolders(dirs []string, vault *workspace.Vault, trusted bool, inWorkspace []string) (out []skills.Folder) {
	for _, dir := range dirs {
		out = append(out, skills.Folder{Source: skills.Home, Path: filepath.ToSlash(dir), Files: homeFiles(dir)})
	}
	if !trusted {
		return out
	}
	for _, own := range vault.OwnFiles(inWorkspace...) {
		out = append(out, skills.Folder{Source: skills.Workspace, Path: filepath.ToSlash(own.Path), Files: own.Files})
	}
	return out
}

// requestOf is a prompt of the terminal, as typed and as a command has made it.
func requestOf(agent, model, typed string, prompt []history.Block, e prompts.Expansion) history.Request {
	r := history.Request{Prompt: prompt, Agent: agent, Model: model}
	if typed != "" { // what was typed is the first block
		r.Prompt = append(history.Text(e.Text), prompt[1:]...)
	}
	if e.Text != typed {
		r.Typed = history.Clean(typed)
	}
	if e.Compact {
		r.Kind = "compaction"
	}
	return r
}

// insteadOf is what does in a terminal what an editor does with a command.
var insteadOf = map[string]string{
	"usage": "agent-sidecar usage", "undo": "agent-sidecar undo", "model": "agent-sidecar run --model <name>", "plan": `agent-sidecar run "/plan <what>"`,
}

// notHere says why a command does not run in a terminal, and what to type in its place.
func notHere(err error) error {
	if unknown, is := errors.AsType[*prompts.UnknownError](err); is {
		return misuse{told(said.That("there is no command /%s, but there is /%s. To send the text as it is, begin it with //", title(unknown.Name, 100), title(strings.Join(unknown.Near, ", /"), 400)))}
	}
	editors, is := errors.AsType[*prompts.ClientError](err)
	if !is {
		return err
	}
	if other := insteadOf[editors.Name]; other != "" {
		return misuse{told(said.That("/%s is for editors; here it is: %s", editors.Name, other))}
	}
	return misuse{told(said.That("/%s is for editors", editors.Name))}
}
