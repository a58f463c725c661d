// Command agent-sidecar is a coding agent that an editor starts as a language
// server. Without a subcommand, and with no terminal on its input, it serves the
// protocol on stdin and stdout.
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

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

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
		{name: "demo", args: "[dir]", summary: "run a full session in the terminal with a scripted model; no key needed", run: (*program).demo},
		{name: "run", args: "<prompt>", open: true, summary: "work on a prompt in this directory with a real model", run: (*program).runPrompt},
		{name: "explain", args: "<tool> <json>", summary: "show whether a tool call would be allowed in this directory, and why; nothing runs", run: (*program).explain},
		{name: "prompt", args: "[text]", open: true, summary: "print what a session in this directory would be sent, and where each part comes from", run: (*program).showPrompt},
		{name: "sessions", args: "[dir]", summary: "list or search the sessions of a directory; default: this one", run: (*program).sessions},
		{name: "undo", args: "<session> [call|run|seq]", summary: "undo the file changes of a session from a call or run on; default: its last run", run: (*program).undo},
		{name: "export", args: "<session>", summary: "write a session as one file, with secrets and folder names replaced", run: (*program).export},
		{name: "import", args: "<file>", summary: "make a new session here from an exported one; nothing in it runs", run: (*program).importBundle},
		{name: "replay", args: "<file|session>", summary: "print a session as the terminal shows a run; nothing runs", run: (*program).replay},
		{name: "config", args: "[get|set|reset …]", open: true, summary: "show the effective settings and where each comes from; read or change one key", run: (*program).config},
		{name: "models", args: "[provider]", summary: "list the models of all providers, or of one", run: (*program).models},
		{name: "audit", args: "verify|show [session|file]", open: true, summary: "check or print the audit of decisions", run: (*program).audit},
		{name: "schema", summary: "print the protocol, machine-readable", run: (*program).schema},
		{name: "doctor", summary: "say what works on this machine and what does not", run: (*program).doctor},
		{name: "hook", args: "<example> [value]", summary: "run a built-in example hook: temperature, system-line, format-output", run: (*program).hook},
		{name: "version", summary: "print the version", run: (*program).version},
		{name: "help", summary: "print this", run: (*program).help},
	}
}

// program is one start of the binary: its flags and where it writes.
type program struct {
	in *os.File
	// out and err are for people. pipe is the same stdout for programs: the wire,
	// bundles, the answer of a hook.
	out  screen
	err  screen
	pipe *os.File

	home            string
	userHome        string
	logFile         string
	clientProcessID int
	trustClient     bool
	yes             bool
	goOn            bool
	offline         bool
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
	files           []string
	eventsOnly      bool
	env             func(string) string
	environ         func() []string
	log             zerolog.Logger
	leaving         func()                                       // called before the second Ctrl-C ends the program
	panicked        func(method string, value any, stack []byte) // for tests
}

// Exit codes of every command, beside 0 for done. A run that was cut off by a limit
// or cancelled has its own, and one where something was refused because nobody could
// be asked.
const (
	exitFailed    = 1
	exitMisused   = 2
	exitRefused   = 3
	exitLimit     = 4
	exitCancelled = 130
)

// run does what the arguments say and returns the exit code.
func run(args []string, in, out *os.File, errs io.Writer) int {
	p := &program{in: in, out: screen{out}, err: screen{errs}, pipe: out, env: os.Getenv, environ: os.Environ}
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
			if problem := flags.misplaced(name); problem != "" {
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

// resolved is a path without links, as far as it is there. The home is compared
// with where paths lead, so it must be where it leads itself.
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
	return p.show(showf("agent-sidecar %s\n", version))
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
		fmt.Fprintf(&b, "  %-24s %s\n", strings.TrimSpace(dashed(f.Name)+" "+value), usage)
	})
	b.WriteString("\nModel: set OPENAI_API_KEY (and OPENAI_BASE_URL, OPENAI_MODEL), or start a local server such as Ollama.\n")
	return p.show(lines(b.String()))
}

// show writes the result of a command. A reader that has seen enough, as head
// has, ends the program as it ends every other.
func (p *program) show(text shown) int {
	if err := p.out.write(text); err != nil {
		return p.fail("%v", err)
	}
	return 0
}

// misused prints what was not understood of the command line.
func (p *program) misused(format shown, args ...any) int {
	p.note(format, args...)
	p.err.say("Try: agent-sidecar help\n")
	return 2
}

// fail prints why a command could not do its work.
func (p *program) fail(format shown, args ...any) int {
	p.note(format, args...)
	return exitFailed
}

// note says something beside the result of a command.
func (p *program) note(format shown, args ...any) {
	p.err.say("agent-sidecar: "+format+"\n", args...)
}
