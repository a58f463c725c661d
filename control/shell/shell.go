// Package shell reads a command as bash would and says what it runs, reads and
// writes; it decides nothing. Analyze is pure: no file is read and nothing runs,
// so a word is only a Use, which may name a file; control asks the disk and the
// rules. What cannot be told from the text is a doubt, never left out.
//
// How the parts fit:
//
//	shell.go script.go command.go   what goes in and what comes out: Analyze, Script, Use, Command
//	place.go scope.go               where a text runs, and where a path leads from there
//	reader.go                       the walk over statements: lists, pipes, loops, subshells
//	calls.go unwrap.go shells.go    one simple command, and commands in arguments: timeout, find -exec, bash -c
//	assign.go arith.go functions.go assignments, what calculating runs, functions
//	redirect.go substitutions.go    redirections; commands in words
//	programs.go                     commands in programs of other languages
//	memory.go                       what variables, functions and files of the text hold
//	evaluator.go words.go braces.go what a word comes to, and how it is shown
//	operators.go text.go            ${x%y} and its like; quotes and escapes
//	parts.go                        what is known of a word and what is not, and what is quoted in it
//	input.go listing.go written.go  what pipes and here-documents feed to a command; files that the text wrote
//	arguments.go dirs.go            which words name files; where cd leads
//	hard.go self.go                 hard limits
//	heads.go files.go wrappers.go   tables: what programs do; those that start others
//	arg.go options.go words_set.go  words of a command line, options among them; sets of words
//	ran.go starts*.go               files that commands start, and those that runners read
//	reads_tree.go prints.go         what a command reads that no word names: below directories, kept by git
//	repository.go                   which commands change a repository
//	listed*.go                      options and programs of sed and awk that are known to be harmless
//	wild.go                         the wildcards "*" and "?"
package shell

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// Analyze reads a command text. Only the text decides what comes of it: no file
// is read and nothing runs.
func Analyze(text string, at Place) *Script {
	s := &Script{}
	if at.Protected == nil {
		at.Protected = func(string) bool { return true }
	}
	switch {
	case strings.IndexByte(text, 0) >= 0:
		s.Invalid = "the command contains a NUL character"
		return s
	case len(text) > maxBytes:
		s.Invalid = "the command is longer than 256 KiB"
		return s
	case len(text) > MaxChars && len([]rune(text)) > MaxChars:
		s.illegible(said.That("the command is longer than 10,000 characters"))
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && (at.Hidden == nil || at.Hidden(c)) }) {
		s.illegible(said.That("the command contains control or invisible characters"))
	}
	m := newMemory(s, &at)
	r := newReader(s, &at, m)
	r.source(text, &scope{dir: at.Dir}, 0)
	if len(m.vars) > 0 || len(m.functions) > 0 || strings.Contains(text, "$") {
		// What the first reading found out about variables and functions applies to
		// what is before it too: loops and functions run it later.
		r = newReader(s, &at, m)
		m.settled = true
		clear(m.read)
		m.tries = 0
		s.Commands, s.Uses, s.ran = nil, nil, nil
		r.source(text, &scope{dir: at.Dir}, 0)
	}
	m.forkBombs()
	s.patternsChange(text)
	s.Dirs = r.dirs.list
	if len(s.Commands) == 0 && s.HardLimit == "" && len(s.Uncertain) == 0 {
		// Only assignments, tests or nothing at all: the text is its own object.
		s.Commands = append(s.Commands, &Command{Text: strings.TrimSpace(text)})
	}
	return s
}
