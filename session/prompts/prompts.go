// Package prompts finds prompt commands and says what the words of a person become: built-in
// ones, and files of the person's and of a workspace. It reads the file systems that it is
// handed, and knows no session and no client. What a file names, it does not read.
package prompts

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/frontmatter"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
)

// BuiltIn is the source of the commands that come with the program.
const BuiltIn skills.Source = "built_in"

// Server is the source of the prompts of MCP servers.
const Server skills.Source = "mcp"

const (
	suffix         = ".prompt.md"
	maxDescription = 200 // characters
	maxName        = 64  // bytes
	mostCommands   = 200
)

// Command is one command.
type Command struct {
	Name        string
	Description said.Text
	Hint        string // what may follow the name
	Source      skills.Source
	Path        string // of its file
	Agent       string // that works on it; "" is the session's
	Model       string // "" is the session's
	// Request is that of the protocol which does it: this is no prompt, and the client
	// sends it. "" is a prompt.
	Request string
	State   skills.State

	body    string
	compact bool // it makes a summary
	rest    bool // what follows the name is the prompt, and the agent stays chosen
}

// Found is which commands there are. Of two with one name the first one counts.
type Found struct {
	Commands []Command
	Problems []skills.Problem
	// Servers have prompts, too; nil: there are none.
	Servers Servers
}

// Servers are those that have prompts and resources, by names that no file has: there is a
// colon in each. What they give is their own text.
type Servers interface {
	// Prompt is a prompt with its arguments, for words that a person has typed. ok is false
	// where no server is called so: then the words are no command.
	Prompt(ctx context.Context, server, name string, words []string) (text string, ok bool, err error)
	// Resource is what is called server:uri, or the page at an address, and what a model calls it. ok is
	// false where no server is called so. A *PageError is about a page.
	Resource(ctx context.Context, named string) (path, text string, ok bool, err error)
}

// OfServer is a prompt of a server, to be listed.
func OfServer(server, name, description, hint string) Command {
	return Command{
		Name: server + ":" + name, Description: said.Plain(control.Title(description, maxDescription)),
		Hint: control.Title(hint, maxDescription), Source: Server, State: skills.Ready,
	}
}

// Look reads the commands of the folders, behind those that are built in: no file takes the
// name of one.
func Look(folders []skills.Folder) Found {
	found := Found{Commands: slices.Clone(builtIn())}
	first := map[string]string{}
	for _, c := range found.Commands {
		first[c.Name] = "the program itself"
	}
	read := 0
	for _, folder := range folders {
		names, problem := folder.Names(func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), suffix) })
		if !problem.IsZero() {
			found.Problems = append(found.Problems, skills.Problem{File: folder.Path, Line: 1, Text: problem})
		}
		for _, name := range names {
			if read++; read > mostCommands {
				found.Problems = append(found.Problems, skills.Problem{File: folder.Path, Line: 1, Text: said.That("there are more than %d prompts; those from %s on are not read", mostCommands, control.Title(name, maxName))})
				return found
			}
			c, problems := commandOf(folder, name)
			if before, taken := first[c.Name]; c.State == skills.Ready && taken {
				c.State = skills.Shadowed
				problems = append(problems, skills.Problem{File: c.Path, Line: 1, Text: said.That("the command /%s is already in %s; this one is not used", c.Name, before)})
			} else if c.State == skills.Ready {
				first[c.Name] = c.Path
			}
			found.Commands, found.Problems = append(found.Commands, c), append(found.Problems, problems...)
		}
	}
	return found
}

// Ready are the commands that can be given.
func (f Found) Ready() []Command {
	return slices.DeleteFunc(slices.Clone(f.Commands), func(c Command) bool { return c.State != skills.Ready })
}

// InText says that agent/run does what the command says where it is written into a prompt: the
// others are requests that only a client's own menu sends.
func (c Command) InText() bool { return c.Request == "" || c.rest }

// form is that of names.
var form = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

func commandOf(folder skills.Folder, name string) (c Command, problems []skills.Problem) {
	c = Command{Name: control.Title(strings.TrimSuffix(name, suffix), maxName), Source: folder.Source, State: skills.Unusable}
	c.Path = control.Title(folder.Path+"/"+name, 0)
	fail := func(line int, text said.Text) {
		problems = append(problems, skills.Problem{File: c.Path, Line: line, Text: text})
	}
	if bare := strings.TrimSuffix(name, suffix); !form().MatchString(bare) || len(bare) > maxName {
		fail(1, said.That("a prompt file is named with at most %d letters, digits, - and _ before %s", maxName, suffix))
		return c, problems
	}
	text, err := folder.Text(name)
	if err != nil {
		fail(1, said.That("the prompt cannot be read: %s", skills.Plain(err)))
		return c, problems
	}
	members, body, err := frontmatter.Members(text)
	wrong, _ := errors.AsType[*frontmatter.Error](err)
	switch {
	case wrong != nil && wrong.Message == frontmatter.ErrNone.Error(): // it need not have any
		body = frontmatter.Plain(text)
	case wrong != nil:
		fail(wrong.Line, said.Plain(wrong.Message))
		return c, problems
	}
	for _, m := range members {
		if into := c.members()[m.Key]; into != nil && !m.Empty {
			*into = control.Title(strings.Join(strings.Fields(m.Text), " "), maxDescription)
		}
	}
	if c.body = strings.TrimSpace(strings.ToValidUTF8(body, "\uFFFD")); c.body == "" {
		fail(1, said.That("the prompt is empty"))
		return c, problems
	}
	c.State = skills.Ready
	return c, problems
}

// members are those of the front matter that mean something here.
func (c *Command) members() map[string]*string {
	return map[string]*string{"description": &c.Description.Form, "argument-hint": &c.Hint, "agent": &c.Agent, "model": &c.Model}
}

// Choices are what a person could choose here.
type Choices struct {
	Agent    func(name string) bool // to talk to
	ReadOnly func(name string) bool // an agent that changes nothing
	Model    func(name string) bool
}

// Held is the command with what it may choose: an agent and a model that the person could
// choose, and from a file of the workspace no agent that may change something, because
// whoever works in plan mode has not chosen another one. What it may not is the session's.
func (c Command) Held(may Choices) Command {
	if c.Source == BuiltIn {
		return c
	}
	if c.Agent != "" && (!may.Agent(c.Agent) || c.Source == skills.Workspace && !may.ReadOnly(c.Agent)) {
		c.Agent = ""
	}
	if c.Model != "" && !may.Model(c.Model) {
		c.Model = ""
	}
	return c
}
