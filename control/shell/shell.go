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
//	words.go text.go braces.go   what a word comes to, and how it is shown
//	values.go assign.go arith.go what variables hold, and what calculating with them runs
//	functions.go                 functions, their calls, and fork bombs
//	input.go listing.go          what pipes and here-documents feed to a command
//	redirect.go written.go       files of redirections; files that the text itself wrote
//	wrappers.go shells.go        commands in arguments: timeout, find -exec, bash -c
//	programs.go                  commands in programs of other languages
//	dirs.go paths.go             where cd leads; paths as text
//	heads.go files.go samples.go tables: what programs do, and names that stand for secrets
//	hard.go self.go              hard limits
//	wild.go                      the wildcards "*" and "?"
package shell

import (
	"slices"
	"strings"
)

// Limits of reading a command (control §2). Over MaxChars a command is still
// read, so that a hard limit in it is found, but it is a doubt; over maxBytes it
// is refused unread.
const (
	MaxChars        = 10_000
	maxBytes        = 256 << 10
	maxWrapperDepth = 8
	maxDirs         = 16
	maxCommands     = 5_000
)

// Script is what a command text would do, as far as can be known without
// running it. Parsing is for asking well; the sandbox is the security.
type Script struct {
	Commands []*Command
	Uses     []Use
	Dirs     []string // every directory the commands may run in, absolute
	Doubts   []string // what cannot be told from the text, each once; add with Doubt
	Refused  string   // why it may not run at all, even unread ("holds a NUL")
	Blocked  string   // the hard limit it hits
	Network  bool     // a command or redirection is known to need it (ruling 79)
	Destroys bool     // something is removed with all that is in it
	probes   int      // texts searched for hard limits
}

// Command is one simple command, wherever it stands.
type Command struct {
	Text  string   // without redirections, quoting reduced to what is needed
	Alt   string   // the same with the bare name of the program, for rules that deny or ask
	Head  string   // base name of the program, "" when it is not known
	Args  []string // what the words behind it come to
	Depth int      // how deep it stands in wrappers and subshells
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
	// Reaching are options that start programs or leave the directory.
	Reaching []string
	Network  bool // it is known to need the network (ruling 79)
}

// Use is a word that may name a file.
type Use struct {
	Domain   string // "read" or "edit"
	Word     string // as it stands in one of Dirs, or absolute
	Glob     bool   // the shell expands it
	Redirect bool   // counts even where nothing is there yet
	Writer   bool   // an argument of a program that changes files
	Head     string // the program it was given to
}

// Doubt notes once why the text does not say everything.
func (s *Script) Doubt(reason string) {
	if !slices.Contains(s.Doubts, reason) {
		s.Doubts = append(s.Doubts, reason)
	}
}

// Wraps says that the command starts what stands in its arguments, or reads
// commands.
func (c *Command) Wraps() bool { return isWrapper(c.Head) }

// OnlyReads says that its program reads files and runs nothing of the project.
func (c *Command) OnlyReads() bool { return readHeads.has(c.Head) }

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
	// Hidden says that a person cannot see a character. nil: nobody sees any.
	Hidden func(rune) bool
}

// Analyze reads a command text (control §2, rulings 29, 67, 92, 114). Only the
// text decides what comes of it: no file is read and nothing runs.
func Analyze(text string, at Place) *Script {
	s := &Script{}
	if at.Protected == nil {
		at.Protected = func(string) bool { return true }
	}
	switch {
	case strings.IndexByte(text, 0) >= 0:
		s.Refused = "the command holds a NUL character"
		return s
	case len(text) > maxBytes:
		s.Refused = "the command is longer than 256 KiB"
		return s
	case len(text) > MaxChars && len([]rune(text)) > MaxChars:
		s.Doubt("the command is longer than 10,000 characters")
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && (at.Hidden == nil || at.Hidden(c)) }) {
		s.Doubt("the command holds control or invisible characters")
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
		s.Commands, s.Uses = nil, nil
		r.source(text, &scope{dir: at.Dir}, 0)
	}
	r.forkBombs()
	s.Dirs = r.dirs
	if len(s.Commands) == 0 && s.Blocked == "" && len(s.Doubts) == 0 {
		// Only assignments, tests or nothing at all: the text is its own object.
		s.Commands = append(s.Commands, &Command{Text: strings.TrimSpace(text)})
	}
	return s
}
