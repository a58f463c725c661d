package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// flagTable is the flags of the program, and for each the commands that it is for.
type flagTable struct {
	*flag.FlagSet
	commands map[string][]string // nil: every command
}

// only says that a flag is for some commands alone, named with ", " between them.
func (f *flagTable) only(commands, name, usage string) (string, string) {
	f.commands[name] = strings.Split(commands, ", ")
	return name, commands + ": " + usage
}

func (f *flagTable) boolean(to *bool, commands, name, usage string) {
	name, usage = f.only(commands, name, usage)
	f.BoolVar(to, name, false, usage)
}

func (f *flagTable) text(to *string, commands, name, usage string) {
	name, usage = f.only(commands, name, usage)
	f.StringVar(to, name, *to, usage)
}

// misplaced says which flag was given that is not for a command; "" is none. A
// flag that a command does not know would be a promise that it does not keep.
func (f *flagTable) misplaced(command string) (problem string) {
	f.Visit(func(given *flag.Flag) {
		if of := f.commands[given.Name]; problem == "" && of != nil && !slices.Contains(of, command) {
			problem = fmt.Sprintf("%s is a flag of %s, not of %s", dashed(given.Name), strings.Join(of, ", "), command)
		}
	})
	return problem
}

// dashed is a flag as people type it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func (p *program) flags() *flagTable {
	f := &flagTable{flag.NewFlagSet("agent-sidecar", flag.ContinueOnError), map[string][]string{}}
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.StringVar(&p.home, "home", "", "where sessions, configuration and logs are kept, `DIR`; ~/.agent-sidecar by default")
	f.StringVar(&p.logFile, "log", "", "write the program's own log to `FILE`")
	for _, name := range []string{"clientProcessId", "client-process-id"} {
		name, usage := f.only("serve", name, "end when the process `N` ends")
		f.IntVar(&p.clientProcessID, name, 0, usage)
	}
	stdio, usage := f.only("serve", "stdio", "serve on stdin and stdout; the only transport")
	f.Bool(stdio, true, usage)
	f.boolean(&p.trustClient, "serve, run, explain, prompt", "trust-client", "apply the client's configuration at once and trust its folders")
	f.boolean(&p.yes, "demo, run", "yes", "allow everything that would ask")
	f.boolean(&p.keep, "demo", "keep", "keep the files that the demo makes")
	p.format = "metamodel"
	f.text(&p.format, "schema", "format", "`NAME` is metamodel, jsonschema, config, ts or lua")
	f.text(&p.model, "run, prompt", "model", "the model to ask, `NAME` or PROVIDER/NAME")
	f.text(&p.agent, "run, explain, prompt", "agent", "the agent to use, `NAME`; default: build")
	f.text(&p.session, "run, prompt", "session", "go on with this session, or show what it would be sent next, `ID`")
	f.boolean(&p.goOn, "run", "continue", "go on with the newest session of this directory")
	f.boolean(&p.goOn, "run", "c", "the same as --continue")
	f.boolean(&p.json, "prompt", "json", "print the request itself")
	f.text(&p.query, "sessions", "query", "only those with these `WORDS` in title, key, agent, first or last prompt")
	f.boolean(&p.children, "sessions", "children", "also those of sub-agents")
	f.text(&p.output, "export", "o", "write to `FILE`, which must not exist yet; default: stdout")
	f.boolean(&p.asItIs, "export, replay", "no-redact", "replace nothing, not even keys")
	f.boolean(&p.merge, "undo", "merge", "in a file that somebody has changed since, remove only the agent's lines")
	f.boolean(&p.dryRun, "undo", "dry-run", "only say what would be done")
	file, usage := f.only("undo", "file", "only this `FILE`, as the output of undo names it; may be given more than once")
	f.Func(file, usage, func(path string) error {
		p.files = append(p.files, filepath.ToSlash(filepath.Clean(path)))
		return nil
	})
	f.boolean(&p.eventsOnly, "replay", "events", "only the events, one on each line")
	f.boolean(&p.offline, "doctor", "offline", "ask no model and no local server")
	return f
}

// parse takes flags before and after the words, as people type them; behind --
// everything is a word.
func parse(f *flag.FlagSet, args []string) (words []string, err error) {
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		rest := f.Args()
		if len(rest) == 0 {
			break
		}
		if consumed := len(args) - len(rest); consumed > 0 && args[consumed-1] == "--" {
			return append(words, rest...), nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
	return words, nil
}

func rest(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return words[1:]
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// directory is the one that a command is about: the named one, else this one.
func directory(words []string) (string, error) {
	dir := "."
	if len(words) > 0 {
		dir = words[0]
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, os.ErrNotExist)
	}
	if !info.IsDir() {
		return "", told(said.That("%s is not a directory", dir))
	}
	return abs, nil
}

// sessionID is the id of a session as a person types it: 3 is 0003.
func sessionID(word string) string {
	digits := strings.TrimLeft(word, "0")
	if word == "" || strings.Trim(word, "0123456789") != "" || len(digits) > 4 {
		return word
	}
	return strings.Repeat("0", 4-len(digits)) + digits
}
