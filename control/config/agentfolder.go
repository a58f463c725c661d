package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// maxAgentFiles bounds how many files of <home>/agents are read.
const maxAgentFiles = 200

// agentFolder is the user's agents, <home>/agents/*.md, as the Store last saw
// them. It belongs to the Store and is guarded by its lock; it reads for
// config.go what is beside the configuration.
type agentFolder struct {
	dir     string
	builtIn []Agent
	tools   []string // the names of the tools; nil: not known
	stamps  map[string]durable.Stamp
	files   map[string]agentFile // by file name
	trouble string               // why the folder cannot be read
}

// look reads what has changed since the last time; it costs one stat a file
// otherwise. A file that was good and is broken now stays as it was, with what is
// wrong with the new one: a mistake while it is edited does not take an agent, or
// its restrictions, away.
func (f *agentFolder) look() (changed bool) {
	names, trouble := f.list()
	stamps, files := map[string]durable.Stamp{}, map[string]agentFile{}
	for _, name := range names {
		path := filepath.Join(f.dir, name)
		stamps[name] = durable.StampOf(path)
		old, known := f.files[name]
		if known && f.stamps[name] == stamps[name] {
			files[name] = old
			continue
		}
		now := readAgent(path)
		if !now.usable && old.usable {
			old.found = now.found
			old.say("warning", place{1, 1}, "the last good version of this agent is used")
			now = old
		}
		files[name] = now
	}
	changed = trouble != f.trouble || !maps.Equal(stamps, f.stamps)
	f.stamps, f.files, f.trouble = stamps, files, trouble
	return changed
}

// list names the files that may be agents. What editors leave beside them begins
// with a dot.
func (f *agentFolder) list() (names []string, trouble string) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ""
	}
	if err != nil {
		return nil, fmt.Sprintf("the agents cannot be read: %v", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || filepath.Ext(e.Name()) != ".md" || e.IsDir() {
			continue
		}
		if len(names) == maxAgentFiles {
			return names, fmt.Sprintf("there are more than %d agent files; those behind %s are not read", maxAgentFiles, control.Title(names[len(names)-1], 120))
		}
		names = append(names, e.Name())
	}
	return names, trouble
}

// readAgent reads one file. Only a regular file is opened: a pipe would wait.
func readAgent(path string) agentFile {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("not a regular file")
	case info.Size() > maxAgentBytes:
		return readAgentFile(path, make([]byte, maxAgentBytes+1)) // too large, however long
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		f := agentFile{path: path}
		f.say("error", place{1, 1}, "the agent cannot be read: %v", err)
		return f
	}
	return readAgentFile(path, text)
}

// roster is the built-in agents, as the user's files narrow them, then the user's
// own in the order of their files, and everything that is wrong with the files.
func (f *agentFolder) roster() (agents []Agent, found []Diagnostic) {
	agents = slices.Clone(f.builtIn)
	if f.trouble != "" {
		found = append(found, Diagnostic{Source: "agent", File: f.dir, Line: 1, Column: 1, Severity: "error", Message: f.trouble})
	}
	owner := map[string]string{} // of a name: the file that has it
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		file := f.files[name]
		file.found = slices.Clip(file.found)
		if file.usable {
			agents = f.enlist(agents, owner, &file)
		} else {
			f.askFor(agents, strings.TrimSuffix(name, ".md"), &file)
			if said := file.agent.Name; said != agentName(strings.TrimSuffix(name, ".md")) {
				f.askFor(agents, said, &file)
			}
		}
		found = append(found, file.found...)
	}
	return agents, found
}

// askFor lets a built-in agent ask about everything while the file that is to
// narrow it cannot be read: what it takes away is not known.
func (f *agentFolder) askFor(agents []Agent, name string, file *agentFile) {
	i := slices.IndexFunc(agents[:len(f.builtIn)], func(b Agent) bool { return b.Name == agentName(name) })
	if i < 0 {
		return
	}
	var asks []control.Rule
	for _, domain := range control.Domains() {
		if domain != tool.DomainInternal {
			asks = append(asks, control.Rule{Domain: domain, Pattern: "*", Decision: "ask"})
		}
	}
	agents[i].Further = append(slices.Clip(agents[i].Further), asks)
	file.say("warning", place{1, 1}, "until it is fixed, every call of the agent %q asks", agents[i].Name)
}

func (f *agentFolder) enlist(agents []Agent, owner map[string]string, file *agentFile) []Agent {
	a := file.agent
	if taken, twice := owner[a.Name]; twice {
		file.say("error", place{1, 1}, "the agent %q is already in %s; this file is not used", a.Name, filepath.Base(taken))
		return agents
	}
	owner[a.Name] = file.path
	i := slices.IndexFunc(agents, func(b Agent) bool { return b.Name == a.Name })
	if i >= 0 {
		narrowed, err := agents[i].narrowedBy(a)
		if err != nil {
			file.say("error", place{1, 1}, "%v", err)
			f.askFor(agents, a.Name, file)
			return agents
		}
		a = narrowed
	}
	if a.Mode == "" {
		a.Mode = "primary"
	}
	f.checkTools(file, a)
	if i >= 0 {
		agents[i] = a
		return agents
	}
	return append(agents, a)
}

// checkTools warns about names that give the agent nothing. Servers and external
// tools may come later, so theirs are not judged.
func (f *agentFolder) checkTools(file *agentFile, a Agent) {
	if len(file.agent.Tools) == 0 || f.tools == nil {
		return
	}
	for _, t := range file.agent.Tools {
		switch {
		case a.Mode == "subagent" && slices.Contains(sessionTools, t):
			file.say("warning", file.toolsAt, "a sub-agent never has the tool %q", t)
		case !strings.HasPrefix(t, "mcp__") && !slices.Contains(f.tools, t) && !slices.Contains(sessionTools, t):
			file.say("warning", file.toolsAt, "there is no tool %q", control.Title(t, 80))
		}
	}
}

// sessionTools act on the session itself; a sub-agent has none of them.
var sessionTools = []string{"task", "compact", "skill", "tasks_update", "tasks_list", tool.ToolSearch, tool.MCPCall}

// narrowedBy is a built-in agent with what a user's file of the same name says
// about it. The file may take away and choose, never give: tools are those of
// both, both ceilings hold, the smaller limits count, and its prompt comes after
// the built-in one.
func (b Agent) narrowedBy(a Agent) (Agent, error) {
	switch {
	case b.Name == "compaction":
		return b, errors.New("the agent compaction works for the program itself and cannot be changed")
	case a.Mode != "" && a.Mode != b.Mode:
		return b, fmt.Errorf("the built-in agent %q is a %s agent; a file cannot change that", b.Name, b.Mode)
	}
	n := b
	n.File = a.File
	if a.Description != "" {
		n.Description = a.Description
	}
	n.Prompt = strings.TrimSpace(b.Prompt + "\n\n" + a.Prompt)
	if a.Tools != nil {
		n.Tools = a.Tools
		if b.Tools != nil {
			n.Tools = slices.DeleteFunc(slices.Clone(b.Tools), func(t string) bool { return !slices.Contains(a.Tools, t) })
		}
	}
	n.Further = slices.Clip(b.Further)
	if a.Ceiling != nil {
		n.Further = append(n.Further, a.Ceiling)
	}
	n.Further = append(n.Further, a.Further...)
	n.Model, n.AllowedModels, n.Fallback, n.Params = a.Model, a.AllowedModels, a.Fallback, a.Params
	n.MaxTurns = a.MaxTurns
	if n.MaxTurns == 0 || b.MaxTurns != 0 && b.MaxTurns < n.MaxTurns { // 0 is no limit of its own
		n.MaxTurns = b.MaxTurns
	}
	n.WallMs, n.BudgetTokens, n.BudgetCost, n.Budgets, n.NoFlush, n.Compaction = a.WallMs, a.BudgetTokens, a.BudgetCost, a.Budgets, a.NoFlush, a.Compaction
	n.Workspace, n.Sandbox, n.Reset, n.Keys = a.Workspace, a.Sandbox, a.Reset, a.Keys
	n.ReadOnly = b.ReadOnly || a.ReadOnly
	return n, nil
}
