package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/prompts"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp"
	"github.com/agent-sidecar/agent-sidecar/workspace/web"
)

// ownFiles are what people have written for the agent here.
type ownFiles struct {
	lists *modelLists
	vault *workspace.Vault
	here  *session.Place
	added *thirdParty
	pages *web.Web
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
	for _, p := range f.added.mcp.Prompts() {
		found.Commands = append(found.Commands, prompts.OfServer(p.Server, p.Name, p.Description, p.Hint))
	}
	found.Servers = serverTexts{f.added, f.here, f.pages}
	return found
}

// serverTexts are what MCP servers and the web have for the prompts of people.
type serverTexts struct {
	added *thirdParty
	here  *session.Place
	pages *web.Web
}

// Prompt implements prompts.Servers.
func (t serverTexts) Prompt(ctx context.Context, server, name string, words []string) (text string, ok bool, err error) {
	config := t.added.servers()
	if !slices.ContainsFunc(config, func(s mcp.Server) bool { return s.Name == server }) {
		return "", false, nil
	}
	if err := t.denied(server + "/prompt:" + name); err != nil {
		return "", true, err
	}
	text, err = t.added.mcp.Prompt(ctx, config, server, name, words)
	return text, true, err
}

// Resource implements prompts.Servers.
func (t serverTexts) Resource(ctx context.Context, named string) (path, text string, ok bool, err error) {
	config := t.added.servers()
	server, uri, _ := strings.Cut(named, ":")
	if isPage[server] && strings.HasPrefix(uri, "//") {
		if text, err = t.pages.Page(ctx, t.judge(named), named); err != nil {
			err = &prompts.PageError{Err: err}
		}
		return named, text, true, err
	}
	if !slices.ContainsFunc(config, func(s mcp.Server) bool { return s.Name == server }) {
		return "", "", false, nil
	}
	if err := t.denied(server + "/resource:" + uri); err != nil {
		return "", "", true, err
	}
	return t.added.mcp.Resource(ctx, config, named)
}

// denied is why a rule keeps even the person from it: what they type is their yes, and
// takes nothing from what they have denied.
func (t serverTexts) denied(object string) error {
	plan := &tool.Plan{Tool: tool.MCPCall, Effect: tool.Net, Targets: []tool.Target{{Domain: tool.DomainMCP, Object: "mcp:" + object}}}
	if d := control.NewPolicy(t.here.Surroundings.Facts()).Decide(plan); d.Verdict == control.Deny {
		return errors.New(d.Reason.String())
	}
	return nil
}

// isPage are the schemes of addresses that a prompt may name.
var isPage = map[string]bool{"http": true, "https": true}

// judge lets the page through that a person has typed, unless a rule denies it. Where it leads to, and what is on
// this machine or network, is judged as if the model had asked for it.
func (t serverTexts) judge(typed string) web.Judge {
	policy := control.NewPolicy(t.here.Surroundings.Facts())
	first, _ := web.ParseAddress(typed)
	return func(object string) web.Judgement {
		d := policy.Decide(&tool.Plan{Tool: "web_fetch", Effect: tool.Net, Targets: []tool.Target{{Domain: tool.DomainWebFetch, Object: object}}})
		verdict := verdictOf[d.Verdict]
		if verdict == web.Asked && object == first.Object() {
			verdict = web.Allowed
		}
		return web.Judgement{Verdict: verdict, Opened: d.Opens}
	}
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
	for _, a := range e.Attached {
		r.Prompt = append(r.Prompt, history.Block{Type: "resource_link", URI: a.Path, Text: a.Text})
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
