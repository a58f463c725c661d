package main

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

// program is one start of the binary: its flags and where it writes.
type program struct {
	in *os.File
	// out and err are for people. pipe is the same stdout for programs: the wire,
	// bundles, the answer of a hook.
	out  screen
	err  screen
	pipe *os.File
	// unread is closed when nobody reads out any more.
	unread <-chan struct{}

	home     string
	userHome string
	options

	env      func(string) string
	environ  func() []string
	log      zerolog.Logger
	leaving  func()                                       // called before the second Ctrl-C ends the program
	panicked func(method string, value any, stack []byte) // for tests
}

// options are the flags but --home.
type options struct {
	logFile         string
	clientProcessID int
	trustClient     bool
	yes             bool
	offline         bool
	keep            bool
	format          string
	model           string
	agent           string
	session         string
	running
	json       bool
	query      string
	spentIn    spentIn
	children   bool
	output     string
	asItIs     bool
	eventsOnly bool
	undoing
	mcpFlags
}

// running are flags of run.
type running struct {
	goOn       bool
	resume     bool
	mode       string // a word of selector
	runner     string
	promptFile string // "-" is stdin
	limits     history.Limits
	schemaFile string
	layer
}

// layer is what the command line says over the configuration.
type layer struct {
	configFile string
	set        []string
	profile    string
}

// undoing are the flags of undo and restore.
type undoing struct {
	merge         bool
	dryRun        bool
	skipConflicts bool
	files         []string
}

// mcpFlags are those of mcp.
type mcpFlags struct{ noOpen bool }

// Exit codes of every command, beside 0 for done. From exitRefused on they are those of a run.
const (
	exitFailed    = 1
	exitMisused   = 2
	exitRefused   = 3 // something, because nobody could be asked
	exitLimit     = 4 // or a budget
	exitUnfit     = 5 // the last answer does not fit --output-schema
	exitCancelled = 130
)

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

// interrupted is a context that ends with the first of stopSignals.
func interrupted() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), stopSignals()...)
}

// stopSignals are how a person or the system ends this process: SIGINT, SIGTERM, and the
// end of its terminal unless the person said that it may go (nohup).
func stopSignals() []os.Signal {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	return ends
}

// outlivePipes lets a write to a pipe that nobody reads any more fail instead of ending
// the process, which may have something to finish. Caught, not ignored: an ignored signal
// would be ignored in every command as well. The signal does not say which pipe it was.
func outlivePipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
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

// show writes the result of a command. A reader that has seen enough, as head
// has, ends the program as it ends every other.
func (p *program) show(text shown) int {
	if err := p.out.write(text); err != nil {
		return p.fail("%v", err)
	}
	return 0
}

// misused prints what was not understood of the command line.
func (p *program) misused(form string, args ...any) int {
	p.note(form, args...)
	p.err.say("%s\n", p.words("Try: agent-sidecar help"))
	return exitMisused
}

// locale is the language of messages as the environment has it, in the order of
// POSIX.
func (p *program) locale() string {
	return cmp.Or(p.env("LC_ALL"), p.env("LC_MESSAGES"), p.env("LANG"))
}

// words are a text for the person, in the language of the environment.
func (p *program) words(form string, args ...any) shown { return inWords(p.locale(), form, args...) }

// fail prints why a command could not do its work.
func (p *program) fail(form string, args ...any) int {
	code := exitFailed
	for _, a := range args {
		if err, is := a.(error); is && isMisuse(err) {
			code = exitMisused
		}
	}
	p.note(form, args...)
	return code
}

// note says something beside the result of a command.
func (p *program) note(form string, args ...any) {
	p.err.say("agent-sidecar: %s\n", p.words(form, args...))
}
