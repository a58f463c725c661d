// Package shell reads a command as bash would and says what it runs, reads and
// writes; it decides nothing. Analyze is pure: no file is read and nothing runs,
// so a word is only a Use, which may name a file; control asks the disk and the
// rules. What cannot be told from the text is a doubt, never left out.
//
// How the parts fit:
//
//	shell.go                     what goes in and what comes out: Place, Script, Command, Use
//	reader.go                    the walk over statements: lists, pipes, loops, subshells
//	calls.go                     one simple command and everything that is asked about it
//	parts.go                     what is known of a word and what is not, and what is quoted in it
//	words.go text.go braces.go   what a word comes to, and how it is shown
//	values.go assign.go arith.go what variables hold, and what calculating with them runs
//	functions.go                 functions, their calls, and fork bombs
//	input.go listing.go          what pipes and here-documents feed to a command
//	redirect.go written.go       files of redirections; files that the text itself wrote
//	wrappers.go shells.go        commands in arguments: timeout, find -exec, bash -c
//	programs.go                  commands in programs of other languages
//	dirs.go paths.go             where cd leads; paths as text
//	heads.go files.go            tables: what programs do
//	ran.go starts*.go            files that commands start, and those that runners read
//	sweeps.go prints.go          what a command reads that no word names: below directories, kept by git
//	repository.go                which commands change a repository
//	listed*.go                   options and programs of sed and awk that are known to be harmless
//	hard.go self.go              hard limits
//	wild.go                      the wildcards "*" and "?"
package shell

import (
	"slices"
	"strings"
)

// Limits of reading a command. Over MaxChars a command is still read, so that a
// hard limit in it is found, but it is a doubt; over maxBytes it is refused
// unread.
const (
	MaxChars        = 10_000
	maxBytes        = 256 << 10
	maxWrapperDepth = 8
	maxDirs         = 16
	maxCommands     = 5_000
	maxBrackets     = 200
)

// Script is what a command text would do, as far as can be known without
// running it. Parsing is for asking well; the sandbox is the security.
type Script struct {
	Commands []*Command
	Uses     []Use
	Dirs     []string // every directory the commands may run in, absolute
	Doubts   []string // what cannot be told from the text, each once; add with Doubt
	// Illegible says that the text is no shell that we can read, too long, or holds what a
	// person cannot see: those doubts are about the text itself, not about what it does.
	Illegible bool
	Refused   string // why it may not run at all, even unread ("holds a NUL")
	Blocked   string // the hard limit it hits
	Network   bool   // a command or redirection is known to need it
	Git       bool   // a command is known to change a repository
	Destroys  bool   // something is removed with all that is in it
	probes    int    // texts searched for hard limits
	ran       []ran  // the simple commands as Starts follows them
}

// Command is one simple command, wherever it stands.
type Command struct {
	Text string // without redirections, quoting reduced to what is needed
	Alt  string // the same with the bare name of the program, for rules that deny or ask
	Head string // base name of the program, "" when it is not known
	// Known is the name that lists of what is harmless may be asked for: Head of a
	// program that PATH finds, "" of a file that is named by its path and may be
	// anything.
	Known string
	Args  []Parts // what the words behind it come to
	Depth int     // how deep it stands in wrappers and subshells
	// Wrapper says that the command only starts another one that is judged
	// itself, without changing what it may do: timeout, nice, nohup, time.
	Wrapper bool
	// RunsOthers is true for wrappers and interpreters: never a prefix rule.
	RunsOthers bool
	// OpenEnded says that words are only known when the command runs.
	OpenEnded bool
	// Moved says that its program is named relative to a directory other than
	// the workspace's, so that it may be another program than the one a person
	// once said yes to.
	Moved bool
	// Sweeps says that it reads whole directories, sensitive files included.
	Sweeps bool
	// Search says which directories those are, nil where the words do not say.
	Search *Search
	// Prints is what git shows of the files that it keeps, nil for nothing.
	Prints *Prints
	// Reaching are options that start programs or leave the directory.
	Reaching []string
	// Unlisted are the words that the list of options of its program does not know
	// to be harmless, nil where the program has no list.
	Unlisted []string
	Network  bool     // it is known to need the network
	Git      bool     // it changes a repository, or may
	byPath   bool     // its program is named by a path
	likely   []string // Args with nothing in the place of what is not known: for tables of what makes it worse
}

// Use is a word that may name a file.
type Use struct {
	Domain   string // "read" or "edit"
	Word     string // as it stands in one of Dirs, or absolute
	Glob     bool   // it is a pattern, in which a backslash stands before what is quoted
	Redirect bool   // counts even where nothing is there yet
	Writer   bool   // an argument of a program that changes files
	Makes    bool   // the program makes it where nothing is there; another Use says the rest
	Head     string // the program it was given to
}

// Unmatched is the name that the shell leaves of a pattern that hits nothing.
func (u Use) Unmatched() string { return unescape(u.Word, `*?[]{}()\!^-`) }

// Doubt notes once why the text does not say everything.
func (s *Script) Doubt(reason string) {
	if !slices.Contains(s.Doubts, reason) {
		s.Doubts = append(s.Doubts, reason)
	}
}

// illegible notes once why the text itself cannot be read.
func (s *Script) illegible(reason string) {
	s.Illegible = true
	s.Doubt(reason)
}

// Wraps says that the command starts what stands in its arguments, or reads
// commands.
func (c *Command) Wraps() bool { return isWrapper(c.Head) }

// OnlyReads says that its program reads files and runs nothing of the project.
func (c *Command) OnlyReads() bool { return readHeads.has(c.Known) }

// Bare is the text with the bare name of the program, where that names the same
// program, else the text itself.
func (c *Command) Bare() string {
	if c.Known == "" || c.Alt == "" || !c.byPath {
		return c.Text
	}
	return c.Alt
}

func (s *Script) block(which string) {
	if s.Blocked == "" {
		s.Blocked = which
	}
}

// Place is where a text would run, and what is known about files there. Its
// paths are absolute.
type Place struct {
	Dir   string   // where the text starts
	Home  string   // the person's home directory, "" when it is not known
	Roots []string // the folders of the workspace, the first one first
	// Protected says that writing an object ("vault:/.git/config") is to be seen
	// even where it is not certain. nil: every object is such.
	Protected func(object string) bool
	// Program says that an absolute path is what PATH finds for its base name, and is
	// no file of the workspace. nil: no path is.
	Program func(path string) bool
	// Planted says that PATH finds a bare name where commands may put another program.
	// nil: no name is found there.
	Planted func(name string) (planted, shadows bool)
	// Walk says where an absolute path leads. nil: it is taken as a text.
	Walk func(path string) Walk
	// Hidden says that a person cannot see a character. nil: nobody sees any.
	Hidden func(rune) bool
}

// Analyze reads a command text. Only the text decides what comes of it: no file
// is read and nothing runs.
func Analyze(text string, at Place) *Script {
	s := &Script{}
	if at.Protected == nil {
		at.Protected = func(string) bool { return true }
	}
	switch {
	case strings.IndexByte(text, 0) >= 0:
		s.Refused = "the command contains a NUL character"
		return s
	case len(text) > maxBytes:
		s.Refused = "the command is longer than 256 KiB"
		return s
	case len(text) > MaxChars && len([]rune(text)) > MaxChars:
		s.illegible("the command is longer than 10,000 characters")
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && (at.Hidden == nil || at.Hidden(c)) }) {
		s.illegible("the command contains control or invisible characters")
	}
	r := newReader(s, at)
	r.source(text, &scope{dir: at.Dir}, 0)
	if len(r.m.vars) > 0 || len(r.m.functions) > 0 || strings.Contains(text, "$") {
		// What the first reading found out about variables and functions holds for
		// what stands before it too: loops and functions run it later.
		known := r.m
		r = newReader(s, at)
		r.m = known
		r.m.settled = true
		clear(r.m.read)
		r.m.tries = 0
		s.Commands, s.Uses, s.ran = nil, nil, nil
		r.source(text, &scope{dir: at.Dir}, 0)
	}
	r.forkBombs()
	s.patternsChange(text)
	s.Dirs = r.dirs
	if len(s.Commands) == 0 && s.Blocked == "" && len(s.Doubts) == 0 {
		// Only assignments, tests or nothing at all: the text is its own object.
		s.Commands = append(s.Commands, &Command{Text: strings.TrimSpace(text)})
	}
	return s
}
