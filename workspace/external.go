package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

const (
	// externalFile is what makes a directory of <home>/tools a tool.
	externalFile = "tool.jsonc"
	// externalTools is how many of them a model gets.
	externalTools = 50
	// externalBytes bounds a tool.jsonc.
	externalBytes = 256 << 10
	// externalCall is how long a call may take where the file says nothing.
	externalCall = 120 * time.Second
)

// ExternalSpec is what a tool.jsonc says.
type ExternalSpec struct {
	Description string
	Schema      []byte // JSON Schema of the arguments; empty takes every object
	// Target is judged beside tool:<name>; the zero Target is none.
	Target  tool.Target
	Network bool // its domain is about the network, so it gets it in the sandbox
	Command []string
	Timeout time.Duration // 0: 120 s
}

// ExternalProblem is what is wrong with a tool, and where. Line and Column count
// from 1.
type ExternalProblem struct {
	File         string
	Line, Column int
	Warning      bool
	Message      string
}

// External are the tools of <home>/tools, one directory each. A directory is
// read again when its file has changed; anyone who asked before keeps what it got.
// The methods are safe for concurrent use.
type External struct {
	v    *Vault
	dir  string
	read func(name string, text []byte) (ExternalSpec, []ExternalProblem, bool)

	mu       sync.Mutex // guards everything below
	loaded   map[string]externalDir
	problems []ExternalProblem
}

// externalDir is what was made of a directory, and of which version of its file.
type externalDir struct {
	stamp    string
	tool     tool.Tool // nil: it cannot be used
	problems []ExternalProblem
}

// NewExternal reads nothing yet. read parses the text of a tool.jsonc; false
// means that the tool cannot be used.
func NewExternal(v *Vault, read func(name string, text []byte) (ExternalSpec, []ExternalProblem, bool)) *External {
	return &External{v: v, dir: filepath.Join(v.Home(), "tools"), read: read}
}

// Tools are the tools as their files are now, by name. With enabled false there
// are none, and nothing is read.
func (x *External) Tools(enabled bool) []tool.Tool {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.problems = nil
	if !enabled || x.v.Home() == "" {
		x.loaded = nil
		return nil
	}
	entries, err := os.ReadDir(x.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.problems = append(x.problems, ExternalProblem{File: x.dir, Line: 1, Column: 1, Message: "the tools cannot be listed: " + openat.Plain(err).Error()})
	}
	next := map[string]externalDir{}
	var tools []tool.Tool
	var names []string
	for _, e := range entries {
		d, is := x.load(e.Name())
		if !is {
			continue
		}
		next[e.Name()] = d
		x.problems = append(x.problems, d.problems...)
		if d.tool == nil {
			continue
		}
		name := d.tool.Spec().Name
		why := refused(name, names)
		if len(tools) == externalTools {
			why = fmt.Sprintf("there are more than %d tools", externalTools)
		}
		if why != "" {
			x.problems = append(x.problems, ExternalProblem{File: filepath.Join(x.dir, e.Name(), externalFile), Line: 1, Column: 1, Message: why + "; the tool is not loaded"})
			continue
		}
		tools, names = append(tools, d.tool), append(names, name)
	}
	x.loaded = next
	return tools
}

// Problems are those of the last call of Tools.
func (x *External) Problems() []ExternalProblem {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.problems)
}

// refused says why a name cannot be had: a tool may never be where a model, or
// a person who reads what it does, expects another one. Models do not always keep
// to upper and lower case.
func refused(name string, others []string) string {
	same := func(other string) bool { return strings.EqualFold(other, name) }
	switch {
	case slices.ContainsFunc(ownNames, same):
		return fmt.Sprintf("the name %s belongs to a built-in tool", name)
	case strings.HasPrefix(strings.ToLower(name), tool.MCPPrefix):
		return fmt.Sprintf("names that begin with %s belong to MCP servers", tool.MCPPrefix)
	case strings.HasPrefix(strings.ToLower(name), tool.HostPrefix):
		return fmt.Sprintf("names that begin with %s belong to the tools of the editor", tool.HostPrefix)
	case slices.ContainsFunc(others, same):
		return fmt.Sprintf("another tool is called %s", name)
	}
	return ""
}

// ownNames are the tools that this program has or keeps for itself, also where
// the current session does not have them.
var ownNames = append(slices.Clone(ToolNames), "web_fetch", "web_search", "task", "compact", "tasks_update", "tasks_list", "skill", "functions", "ask_user", "plan_ready", tool.MCPCall, tool.ToolSearch)

// load reads one directory; false where it is none of a tool. The lock is held.
func (x *External) load(dir string) (externalDir, bool) {
	file := filepath.Join(x.dir, dir, externalFile)
	info, err := os.Stat(file)
	if err != nil {
		return externalDir{}, false
	}
	stamp := fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode())
	if old, known := x.loaded[dir]; known && old.stamp == stamp {
		return old, true
	}
	d := externalDir{stamp: stamp}
	fail := func(message string) (externalDir, bool) {
		d.problems = append(d.problems, ExternalProblem{File: file, Line: 1, Column: 1, Message: message + "; the tool is not loaded"})
		return d, true
	}
	switch {
	case !info.Mode().IsRegular():
		return fail("tool.jsonc is not a regular file")
	case info.Size() > externalBytes:
		return fail(fmt.Sprintf("tool.jsonc is larger than %d KiB", externalBytes>>10))
	}
	f, err := durable.Open(file)
	if err != nil {
		return fail("tool.jsonc cannot be read: " + openat.Plain(err).Error())
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, externalBytes+1))
	if err != nil {
		return fail("tool.jsonc cannot be read: " + openat.Plain(err).Error())
	}
	name := tool.ForeignName("", dir)
	spec, problems, ok := x.read(name, text)
	for _, p := range problems {
		p.File = file
		d.problems = append(d.problems, p)
	}
	if ok {
		d.tool = newExternal(x.v, name, filepath.Join(x.dir, dir), spec)
	}
	return d, true
}
