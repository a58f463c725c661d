package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// flagTable is the flags of the program, and for each the commands that it is for.
type flagTable struct {
	*flag.FlagSet
	commands map[string][]string // nil: every command
	usage    map[string]said.Text
}

// only says what a flag does, and that it is for some commands alone, named with ", "
// between them; "" is every command.
func (f *flagTable) only(commands, name string, usage said.Text) string {
	f.usage[name] = usage
	if commands != "" {
		f.commands[name] = strings.Split(commands, ", ")
		f.usage[name] = said.That("%s: %s", commands, usage)
	}
	return name
}

func (f *flagTable) boolean(to *bool, commands, name string, usage said.Text) {
	f.BoolVar(to, f.only(commands, name, usage), false, "")
}

func (f *flagTable) text(to *string, commands, name string, usage said.Text) {
	f.StringVar(to, f.only(commands, name, usage), *to, "")
}

// misplaced says which flag was given that is not for a command, or nothing. A
// flag that a command does not know would be a promise that it does not keep.
func (f *flagTable) misplaced(command string) (problem said.Text) {
	f.Visit(func(given *flag.Flag) {
		if of := f.commands[given.Name]; problem.IsZero() && of != nil && !slices.Contains(of, command) {
			problem = said.That("%s is a flag of %s, not of %s", dashed(given.Name), strings.Join(of, ", "), command)
		}
	})
	return problem
}

// mostCost is more than anybody has, in US dollars.
const mostCost = 1e9

// dashed is a flag as people type it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func (p *program) flags() *flagTable {
	f := &flagTable{flag.NewFlagSet("agent-sidecar", flag.ContinueOnError), map[string][]string{}, map[string]said.Text{}}
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.text(&p.home, "", "home", said.That("where sessions, configuration and logs are kept, `DIR`; ~/.agent-sidecar by default"))
	f.text(&p.logFile, "", "log", said.That("write the program's own log to `FILE`"))
	for _, name := range []string{"clientProcessId", "client-process-id"} {
		f.IntVar(&p.clientProcessID, f.only("serve", name, said.That("end when the process `N` ends")), 0, "")
	}
	f.Bool(f.only("serve", "stdio", said.That("serve on stdin and stdout; the only transport")), true, "")
	f.boolean(&p.trustClient, "serve, acp, run, explain, prompt", "trust-client", said.That("apply the client's configuration at once and trust its folders"))
	f.boolean(&p.yes, "demo, run", "yes", said.That("allow everything that would ask"))
	f.boolean(&p.keep, "demo", "keep", said.That("keep the files that the demo makes"))
	p.format = "metamodel"
	f.text(&p.format, "schema", "format", said.That("`NAME` is metamodel, jsonschema, config, ts or lua"))
	f.text(&p.model, "run, prompt", "model", said.That("the model to ask, `NAME` or PROVIDER/NAME"))
	f.text(&p.agent, "run, explain, prompt", "agent", said.That("the agent to use, `NAME`; default: build"))
	f.text(&p.session, "run, prompt", "session", said.That("go on with this session, or show what it would be sent next, `ID`"))
	f.text(&p.mode, "run", "mode", said.That("`NAME` is ask, which asks before each edit and command, edit or plan; default: as the configuration or the session says"))
	f.text(&p.runner, "run", "runner", said.That("work on the machine of this runner, `NAME`; local: on this one"))
	f.text(&p.promptFile, "run", "f", said.That("take the prompt from `FILE`, - for stdin; with a prompt, the text is attached to it"))
	f.Func(f.only("run, config, explain, prompt", "set", said.That("set a key of the configuration for this start, `KEY=VALUE`; may be given more than once")), "", func(argument string) error {
		p.set = append(p.set, argument)
		return nil
	})
	f.text(&p.configFile, "run, config, explain, prompt", "config", said.That("a configuration over your own for this start, `FILE`; not in this directory"))
	f.text(&p.profile, "run, config, explain", "profile", said.That("use this profile of your configuration, `NAME`: rules for work that nobody watches"))
	f.text(&p.schemaFile, "run", "output-schema", said.That("print only the last answer, as JSON that fits the JSON Schema in `FILE`"))
	f.Func(f.only("run", "max-cost", said.That("end when this `USD` is spent, sub-agents included")), "", func(typed string) error {
		n, err := strconv.ParseFloat(typed, 64)
		if err == nil && !(n > 0 && n <= mostCost) {
			err = told(said.That("must be more than 0"))
		}
		p.limits.MaxCost = &n
		return err
	})
	f.Func(f.only("run", "max-tokens", said.That("end when `N` tokens are used, sub-agents included")), "", func(typed string) error {
		n, err := strconv.ParseInt(typed, 10, 64)
		if err == nil && n <= 0 {
			err = told(said.That("must be more than 0"))
		}
		p.limits.MaxTokens = &n
		return err
	})
	f.boolean(&p.goOn, "run", "continue", said.That("go on with the newest session of this directory"))
	f.boolean(&p.goOn, "run", "c", said.That("the same as --continue"))
	f.boolean(&p.resume, "run", "resume", said.That("choose a session of this directory to go on with"))
	f.boolean(&p.json, "run, prompt, usage", "json", said.That("print for programs: the events of the run one on each line, the request itself, or the table"))
	f.text(&p.query, "sessions", "query", said.That("only those with these `WORDS` in title, key, agent, first or last prompt"))
	f.boolean(&p.children, "sessions", "children", said.That("also those of sub-agents"))
	f.text(&p.output, "export", "o", said.That("write to `FILE`, which must not exist yet; default: stdout"))
	f.boolean(&p.asItIs, "export, replay", "no-redact", said.That("replace nothing, not even keys"))
	f.boolean(&p.merge, "undo", "merge", said.That("in a file that somebody has changed since, remove only the agent's lines"))
	f.boolean(&p.skipConflicts, "restore", "skip-conflicts", said.That("also where files stay as they are, because somebody has changed them since"))
	f.boolean(&p.dryRun, "undo, restore", "dry-run", said.That("only say what would be done"))
	file := f.only("undo", "file", said.That("only this `FILE`, as the output of undo names it; may be given more than once"))
	f.Func(file, "", func(path string) error {
		p.files = append(p.files, filepath.ToSlash(filepath.Clean(path)))
		return nil
	})
	f.boolean(&p.eventsOnly, "replay", "events", said.That("only the events, one on each line"))
	f.boolean(&p.spentIn.day, "usage", "day", said.That("today alone"))
	f.boolean(&p.spentIn.month, "usage", "month", said.That("since the beginning of the month, as without a flag"))
	f.text(&p.spentIn.since, "usage", "since", said.That("since this `DAY`, such as 2026-11-27"))
	f.text(&p.spentIn.by, "usage", "by", said.That("a row for each `WHAT`: day, model or session; default: day"))
	f.boolean(&p.noOpen, "mcp", "no-open", said.That("login only prints the address, and opens no browser"))
	f.boolean(&p.offline, "doctor", "offline", said.That("ask no model and no local server"))
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
