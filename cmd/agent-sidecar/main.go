// Command agent-sidecar is a coding agent that an editor starts as a language
// server. Without a subcommand, and with no terminal on its input, it serves the
// protocol on stdin and stdout.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

func main() {
	if handled, code := proc.Main(os.Args, sandbox.Landlock); handled {
		os.Exit(code)
	}
	if err := proc.Conceal(); err != nil { // the keys in the environment are not for commands
		screen{os.Stderr}.say("agent-sidecar: %v\n", err)
	}
	// net/http writes what a server sends out of turn to the standard logger; it may
	// hold a key that the server repeats.
	log.SetOutput(io.Discard)
	// Half as many collections cost five megabytes and save a tenth of a long session's
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
	summary said.Text
	open    bool // takes any number of words
	run     func(*program, []string) int
}

// commands is a function because help lists them.
func commands() []command {
	return []command{
		{name: "serve", summary: said.That("serve the protocol on stdin and stdout (what an editor starts)"), run: (*program).serve},
		{name: "acp", summary: said.That("serve the Agent Client Protocol on stdin and stdout (for Zed, JetBrains and other clients)"), run: serveACP},
		{name: "setup", summary: said.That("choose a provider and a model in the terminal, and store the key"), run: setUp},
		{name: "demo", args: "[dir]", summary: said.That("run a full session in the terminal with a scripted model; no key needed"), run: (*program).demo},
		{name: "run", args: "<prompt>", open: true, summary: said.That("work on a prompt in this directory with a real model"), run: runPrompt},
		{name: "explain", args: "<tool> <json>", summary: said.That("show whether a tool call would be allowed in this directory, and why; nothing runs"), run: (*program).explain},
		{name: "prompt", args: "[text]", open: true, summary: said.That("print what a session in this directory would be sent, and where each part comes from"), run: (*program).showPrompt},
		{name: "sessions", args: "[dir]", summary: said.That("list or search the sessions of a directory; default: this one"), run: (*program).sessions},
		{name: "undo", args: "<session> [call|run|seq]", summary: said.That("undo the file changes of a session from a call or run on; default: its last run"), run: (*program).undo},
		{name: "restore", args: "<session> [number]", summary: said.That("go back to a prompt: the files as they were, and a new session that ends before it; without a number list the prompts"), run: restore},
		{name: "export", args: "<session>", summary: said.That("write a session as one file, with secrets and folder names replaced"), run: (*program).export},
		{name: "import", args: "<file>", summary: said.That("make a new session here from an exported one; nothing in it runs"), run: (*program).importBundle},
		{name: "replay", args: "<file|session>", summary: said.That("print a session as the terminal shows a run; nothing runs"), run: (*program).replay},
		{name: "config", args: "[get|set|reset …]", open: true, summary: said.That("show the effective settings and where each comes from; read or change one key"), run: (*program).config},
		{name: "models", args: "[provider]", summary: said.That("list the models of all providers, or of one"), run: (*program).models},
		{name: "mcp", args: "[login|logout server]", summary: said.That("list the MCP servers and say how they are; sign in to one, or out"), run: mcpServers},
		{name: "usage", summary: said.That("say what was spent: tokens and money by day, model or session"), run: usage},
		{name: "audit", args: "verify|show [session|file]", open: true, summary: said.That("check or print the audit of decisions"), run: (*program).audit},
		{name: "schema", summary: said.That("print the protocol, machine-readable"), run: (*program).schema},
		{name: "doctor", args: "[runner …]", open: true, summary: said.That("say what works on this machine and what does not; with runners, reach them and say how it is there"), run: (*program).doctor},
		{name: "worker", summary: said.That("work for a sidecar on another machine, on stdin and stdout (what a runner starts)"), run: work},
		{name: "sync", args: "[key|join]", summary: said.That("say whether sessions are copied to your server; print your key, or take that of another machine"), run: syncing},
		{name: "hook", args: "<example> [value]", summary: said.That("run a built-in example hook: temperature, system-line, format-output"), run: (*program).hook},
		{name: "version", summary: said.That("print the version"), run: (*program).version},
		{name: "help", summary: said.That("print this"), run: (*program).help},
	}
}

// run does what the arguments say and returns the exit code.
func run(args []string, in, out *os.File, errs io.Writer) int {
	unread := make(chan struct{})
	watched := watched{out, sync.OnceFunc(func() { close(unread) })}
	p := &program{in: in, out: screen{watched}, unread: unread, err: screen{errs}, pipe: out, env: os.Getenv, environ: os.Environ}
	flags := p.flags()
	words, err := parse(flags.FlagSet, args)
	if errors.Is(err, flag.ErrHelp) {
		return p.help(nil)
	}
	if err != nil {
		return p.misused("%v", err)
	}
	name, bare := "serve", len(words) == 0
	if !bare {
		name, words = words[0], words[1:]
	}
	for _, c := range commands() {
		if c.name == name {
			if problem := flags.misplaced(name); !problem.IsZero() {
				return p.misused("%s", problem)
			}
			if bare && isTerminal(in) {
				return p.help(nil)
			}
			if most := len(strings.Fields(c.args)); len(words) > most && !c.open {
				return p.misused("%s: one word too many: %q", name, words[most])
			}
			if err := p.prepare(); err != nil {
				return p.fail("%v", err)
			}
			return c.run(p, words)
		}
	}
	return p.misused("there is no command %q", name)
}

// prepare finds the home and opens the log.
func (p *program) prepare() error {
	if p.home == "" {
		p.home = os.Getenv("AGENT_SIDECAR_HOME")
	}
	var err error
	if p.userHome, err = os.UserHomeDir(); err != nil && p.home == "" {
		return fmt.Errorf("there is no home directory; set one with --home: %w", err)
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
	var to io.Writer = p.err.to
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

func (p *program) version([]string) int {
	return p.show(showf("agent-sidecar %s\n", version))
}

func (p *program) help([]string) int {
	out := []shown{p.words("agent-sidecar: a coding agent that lives in your editor as a language server does\n\nUsage: agent-sidecar [command] [flags]\n\nCommands:\n")}
	for _, c := range commands() {
		out = append(out, showf("  %-32s %s\n", strings.TrimSpace(c.name+" "+c.args), p.words("%s", c.summary)))
	}
	out = append(out, p.words("\nFlags:\n"))
	flags := p.flags()
	flags.VisitAll(func(f *flag.Flag) {
		f.Usage = locale.Say(p.locale(), flags.usage[f.Name])
		value, usage := flag.UnquoteUsage(f)
		out = append(out, showf("  %-24s %s\n", strings.TrimSpace(dashed(f.Name)+" "+value), usage))
	})
	return p.show(join(append(out, p.words("\nModel: set OPENAI_API_KEY (and OPENAI_BASE_URL, OPENAI_MODEL), or start a local server such as Ollama.\n")), ""))
}

// shownOnTerminal says that what is printed on stdout is read on a terminal.
func (p *program) shownOnTerminal() bool { return isTerminal(p.pipe) }
