// Command agent-sidecar is a coding agent that an editor starts as a language
// server. Without a subcommand, and with no terminal on its input, it serves the
// protocol on stdin and stdout (ruling 1).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

func main() {
	if handled, code := proc.Main(os.Args, workspace.Landlock); handled {
		os.Exit(code)
	}
	if err := proc.Conceal(); err != nil { // the keys in the environment are not for commands
		fmt.Fprintf(os.Stderr, "agent-sidecar: %v\n", err)
	}
	// net/http writes what a server sends out of turn to the standard logger; it may
	// hold a key that the server repeats.
	log.SetOutput(io.Discard)
	// Every turn leaves about as much garbage as the conversation is long. Half as
	// many collections cost a few megabytes and save a third of a long session's
	// processor time (bench: turns).
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// command is one word that the program understands.
type command struct {
	name    string
	args    string
	summary string
	open    bool // takes any number of words
	run     func(*program, []string) int
}

// commands is a function because help lists them.
func commands() []command {
	return []command{
		{name: "serve", summary: "serve the protocol on stdin and stdout (what an editor starts)", run: (*program).serve},
		{name: "demo", args: "[dir]", summary: "a whole session in the terminal with a scripted model, no key needed", run: (*program).demo},
		{name: "run", args: "<prompt>", open: true, summary: "work on a prompt in this directory with a real model", run: (*program).runPrompt},
		{name: "explain", args: "<tool> <json>", summary: "say what would be decided about a call in this directory, and why; nothing runs", run: (*program).explain},
		{name: "prompt", args: "[text]", open: true, summary: "print what a session in this directory would be sent, and where each part comes from", run: (*program).showPrompt},
		{name: "sessions", args: "[dir]", summary: "list or search the sessions of a directory, of this one by default", run: (*program).sessions},
		{name: "undo", args: "<session> [call|run|seq]", summary: "bring the files of this directory back to before a call or run of a session", run: (*program).undo},
		{name: "export", args: "<session>", summary: "write a session as one file to give away, secrets and places replaced", run: (*program).export},
		{name: "import", args: "<file>", summary: "make a new session here out of an exported one; nothing of it runs", run: (*program).importBundle},
		{name: "replay", args: "<file|session>", summary: "print a session as a conversation that plays; nothing runs", run: (*program).replay},
		{name: "config", args: "[get|set|reset …]", open: true, summary: "show what is configured and where; read or change one key", run: (*program).config},
		{name: "audit", args: "verify|show [session|file]", open: true, summary: "check or print the audit of decisions", run: (*program).audit},
		{name: "schema", summary: "print the protocol, machine-readable", run: (*program).schema},
		{name: "doctor", summary: "say what works on this machine and what does not", run: (*program).doctor},
		{name: "hook", args: "<example> [value]", summary: "be one of the example hooks: temperature, system-line, format-output", run: (*program).hook},
		{name: "version", summary: "print the version", run: (*program).version},
		{name: "help", summary: "print this", run: (*program).help},
	}
}

// program is one start of the binary: its flags and where it writes.
type program struct {
	in  *os.File
	out *os.File
	err io.Writer

	home            string
	userHome        string
	logFile         string
	clientProcessID int
	trustClient     bool
	yes             bool
	keep            bool
	format          string
	model           string
	agent           string
	session         string
	json            bool
	query           string
	children        bool
	output          string
	asItIs          bool
	merge           bool
	dryRun          bool
	eventsOnly      bool
	forPeople       bool
	env             func(string) string
	environ         func() []string
	log             zerolog.Logger
	leaving         func()                                       // called before the second Ctrl-C ends the program
	panicked        func(method string, value any, stack []byte) // for tests
}

// run does what the arguments say and returns the exit code: 0 done, 1 failed,
// 2 not understood.
func run(args []string, in, out *os.File, errs io.Writer) int {
	p := &program{in: in, out: out, err: errs, env: os.Getenv, environ: os.Environ}
	flags := p.flags()
	words, err := parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		return p.help(nil)
	}
	if err != nil {
		return p.misused("%v", err)
	}
	name := "serve"
	switch {
	case len(words) > 0:
		name, words = words[0], words[1:]
	case isTerminal(in):
		name = "help"
	}
	for _, c := range commands() {
		if c.name == name {
			if most := len(strings.Fields(c.args)); len(words) > most && !c.open {
				return p.misused("%s: one word too many: %q", name, words[most])
			}
			if err := p.prepare(); err != nil {
				fmt.Fprintf(errs, "agent-sidecar: %v\n", err)
				return 1
			}
			return c.run(p, words)
		}
	}
	return p.misused("there is no command %q", name)
}

func (p *program) flags() *flag.FlagSet {
	f := flag.NewFlagSet("agent-sidecar", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.StringVar(&p.home, "home", "", "where sessions, configuration and logs live, a `DIR`; ~/.agent-sidecar by default")
	f.StringVar(&p.logFile, "log", "", "write the program's own log to a `FILE`")
	f.IntVar(&p.clientProcessID, "clientProcessId", 0, "leave when the process `N` ends")
	f.IntVar(&p.clientProcessID, "client-process-id", 0, "leave when the process `N` ends")
	f.Bool("stdio", true, "serve on stdin and stdout; the only transport there is")
	f.BoolVar(&p.trustClient, "trust-client", false, "let the client's configuration act at once and trust its folders")
	f.BoolVar(&p.yes, "yes", false, "demo, run: allow everything that would be asked")
	f.BoolVar(&p.keep, "keep", false, "demo: keep what the demo leaves behind")
	f.StringVar(&p.format, "format", "metamodel", "schema: `NAME` is metamodel, jsonschema, config, ts or lua")
	f.StringVar(&p.model, "model", "", "run, prompt: which model to ask, `NAME` or PROVIDER/NAME")
	f.StringVar(&p.agent, "agent", "", "run, explain, prompt: which agent works, a `NAME`; build by default")
	f.StringVar(&p.session, "session", "", "prompt: what this session would be sent next, an `ID`")
	f.BoolVar(&p.json, "json", false, "prompt: print the request itself")
	f.StringVar(&p.query, "query", "", "sessions: only those with these `WORDS` in title, key, agent, first or last prompt")
	f.BoolVar(&p.children, "children", false, "sessions: also those of sub-agents")
	f.StringVar(&p.output, "o", "", "export: write to a `FILE` that is not there yet; else to stdout")
	f.BoolVar(&p.asItIs, "no-redact", false, "export, replay: everything as it is, keys too")
	f.BoolVar(&p.merge, "merge", false, "undo: where somebody changed a file since, take only the agent's lines out")
	f.BoolVar(&p.dryRun, "dry-run", false, "undo: only say what would be done")
	f.BoolVar(&p.eventsOnly, "events", false, "replay: only the events, one a line")
	f.BoolVar(&p.forPeople, "text", false, "replay: for people, as the terminal shows a run")
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

// prepare finds the home and opens the log.
func (p *program) prepare() error {
	if p.home == "" {
		p.home = os.Getenv("AGENT_SIDECAR_HOME")
	}
	var err error
	if p.userHome, err = os.UserHomeDir(); err != nil && p.home == "" {
		return fmt.Errorf("there is no home directory; give one with --home: %w", err)
	}
	if p.home == "" {
		p.home = filepath.Join(p.userHome, ".agent-sidecar")
	}
	abs, err := filepath.Abs(p.home)
	if err != nil {
		return fmt.Errorf("--home: %w", err)
	}
	p.home = resolved(abs)
	zerolog.TimeFieldFormat = "2006-01-02T15:04:05.000Z07:00"
	zerolog.ErrorHandler = func(error) {} // a log that cannot be written is not worth a second one
	var to io.Writer = p.err
	level := zerolog.WarnLevel
	if p.logFile != "" {
		file, err := os.OpenFile(p.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("--log: %w", err)
		}
		to, level = file, zerolog.DebugLevel
	}
	p.log = zerolog.New(redacting{to}).Level(level).With().Timestamp().Logger()
	return nil
}

// resolved is a path without links, as far as it is there. The home is compared
// with where paths lead (ruling 81), so it must be where it leads itself.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if up := filepath.Dir(path); up != path {
		return filepath.Join(resolved(up), filepath.Base(path))
	}
	return path
}

// interrupted is a context that ends with the first SIGINT or SIGTERM, or when the
// terminal goes, unless whoever started this said that it may (nohup).
func interrupted() (context.Context, context.CancelFunc) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	return signal.NotifyContext(context.Background(), ends...)
}

// isTerminal says whether a person may be behind f. The null device is one of
// the character devices, but nobody is there.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !isNull(info)
}

// isNull says whether a file is the null device.
func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

func (p *program) version([]string) int {
	fmt.Fprintln(p.out, "agent-sidecar", version)
	return 0
}

func (p *program) help([]string) int {
	var b strings.Builder
	b.WriteString("agent-sidecar: a coding agent that lives in your editor as a language server does\n\nUsage: agent-sidecar [command] [flags]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-32s %s\n", strings.TrimSpace(c.name+" "+c.args), c.summary)
	}
	b.WriteString("\nFlags:\n")
	p.flags().VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  --%-22s %s\n", strings.TrimSpace(f.Name+" "+value), usage)
	})
	b.WriteString("\nModel: set OPENAI_API_KEY (and OPENAI_BASE_URL, OPENAI_MODEL), or start a local server such as Ollama.\n")
	fmt.Fprint(p.out, b.String())
	return 0
}

// show writes the result of a command. A reader that has seen enough, as head
// has, ends the program as it ends every other.
func (p *program) show(text []byte) int {
	if _, err := p.out.Write(text); err != nil {
		return p.fail("%v", err)
	}
	return 0
}

// misused prints what was not understood of the command line.
func (p *program) misused(format string, args ...any) int {
	fmt.Fprintf(p.err, "agent-sidecar: "+format+"\nTry: agent-sidecar help\n", args...)
	return 2
}

// fail prints why a command could not do its work.
func (p *program) fail(format string, args ...any) int {
	fmt.Fprintf(p.err, "agent-sidecar: "+format+"\n", args...)
	return 1
}
