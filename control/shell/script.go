package shell

import (
	"slices"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// Limits of reading a command. Over MaxChars a command is still read, so that a
// hard limit in it is found, but it is uncertain; over maxBytes it is refused
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
	Commands  []*Command
	Uses      []Use
	Dirs      []string  // every directory the commands may run in, absolute
	Uncertain said.List // what cannot be told from the text, each once; add with AddUncertain
	// Illegible says that the text is no shell that we can read, too long, or holds what a
	// person cannot see: Uncertain is then about the text itself, not about what it does.
	Illegible bool
	Invalid   string // why it may not run at all, even unread ("holds a NUL")
	HardLimit string // the hard limit it hits
	Network   bool   // a command or redirection is known to need it
	Git       bool   // a command is known to change a repository
	Destroys  bool   // something is removed with all that is in it
	probes    int    // texts searched for hard limits
	ran       []ran  // the simple commands as Starts follows them
}

// AddUncertain notes once why the text does not say everything.
func (s *Script) AddUncertain(reason said.Text) {
	if !slices.ContainsFunc(s.Uncertain, reason.Same) {
		s.Uncertain = append(s.Uncertain, reason)
	}
}

// illegible notes once why the text itself cannot be read.
func (s *Script) illegible(reason said.Text) {
	s.Illegible = true
	s.AddUncertain(reason)
}

func (s *Script) hitHardLimit(which string) {
	if s.HardLimit == "" {
		s.HardLimit = which
	}
}

// forgetTwins drops commands from start on that are there twice: the same line
// with other values.
func (s *Script) forgetTwins(start int) {
	if len(s.Commands)-start < 2 {
		return
	}
	seen := map[[2]string]bool{}
	kept := s.Commands[:start]
	for _, c := range s.Commands[start:] {
		if key := [2]string{c.Text, c.Head}; !seen[key] {
			seen[key] = true
			kept = append(kept, c)
		}
	}
	s.Commands = kept
}

// Use is a word that may name a file.
type Use struct {
	Domain   string // "read" or "edit"
	Word     string // as it is in one of Dirs, or absolute
	Glob     bool   // it is a pattern, in which a backslash is before what is quoted
	Redirect bool   // counts even where nothing is there yet
	Writer   bool   // an argument of a program that changes files
	Makes    bool   // the program makes it where nothing is there; another Use says the rest
	Head     string // the program it was given to
}

// use notes a word that may name a file.
func (s *Script) use(u Use) {
	if !utf8.ValidString(u.Word) {
		s.AddUncertain(said.That("the command names a file whose name is not text"))
	}
	s.Uses = append(s.Uses, u)
}

// Unmatched is the name that the shell leaves of a pattern that hits nothing.
func (u Use) Unmatched() string { return unescape(u.Word, `*?[]{}()\!^-`) }

// mayBeHard is what every text that hits a hard limit holds somewhere.
var mayBeHard = lazy.Regexp(`rm|mkfs|dd|/dev/|(?i:format)|shutdown|reboot|halt|poweroff|systemctl|init|chmod|chown|chgrp|find|\(\)`)

// ran is a simple command as it would start: what Starts follows to files.
type ran struct {
	command string   // Command.Text
	program string   // its first word
	head    string   // Command.Head
	args    []string // "" is one that is not known as a whole
	dirs    []string // where it may run, absolute; none where that is not known
}
