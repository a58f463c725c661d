package shell

import (
	"path"
	"strings"
)

// Command is one simple command, wherever it is.
type Command struct {
	Text string // without redirections, quoting reduced to what is needed
	Alt  string // the same with the bare name of the program, for rules that deny or ask
	Head string // base name of the program, "" when it is not known
	// Known is the name that lists of what is harmless may be asked for: Head of a
	// program that PATH finds, "" of a file that is named by its path and may be
	// anything.
	Known string
	Args  []Parts // what the words behind it come to
	Depth int     // how deep it is in wrappers and subshells
	// Wrapper says that the command only starts another one that is judged
	// itself, without changing what it may do: timeout, nice, nohup, time.
	Wrapper bool
	// RunsOthers is true for wrappers and interpreters: never a prefix rule.
	RunsOthers bool
	// Dynamic says that words are only known when the command runs.
	Dynamic bool
	// RelativeProgram says that its program is named relative to a directory other than
	// the workspace's, so that it may be another program than the one a person
	// once said yes to.
	RelativeProgram bool
	// ReadsTree says that it reads whole directories, sensitive files included.
	ReadsTree bool
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

// altText is the second text of a command: its program without a directory.
func altText(head, rest string) string { return strings.TrimSpace(head + " " + rest) }

// programName is the name a program goes by, without directory and ".exe"; "" where it
// is not known.
func programName(p Parts) string {
	word, ok := p.Text()
	if !ok || word == "" {
		return ""
	}
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
}

// Bare is the text with the bare name of the program, where that names the same
// program, else the text itself.
func (c *Command) Bare() string {
	if c.Known == "" || c.Alt == "" || !c.byPath {
		return c.Text
	}
	return c.Alt
}

// Prints says that a git command prints contents of files that git keeps: of any of them,
// whatever paths its words name.
type Prints struct {
	At     string   // where git goes first (-C), "" for where the command runs
	Untold bool     // nobody can tell which repository, or which files of an old commit
	Words  []string // that may name a file, also one that only an old commit has
}

// Search is what a command reads below directories that its words name, each file in
// them included.
type Search struct {
	Words   []Use // of directories, and of other things that are judged as any word is
	Follows bool  // links in them, too
	// Only are the ends that the names of files have, nil for all names.
	Only []string
}
