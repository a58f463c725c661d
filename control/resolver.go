package control

import (
	"path"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Resolver follows the paths in a command as the kernel would. The Vault implements it.
type Resolver interface {
	// Walk says where path leads seen from dir, which is absolute or "" for the first
	// folder. Neither is clean: with links, only the way itself says what ".." means.
	Walk(dir, path string) tool.Walk
}

// lexical answers without a disk: what looks like a path counts as one.
type lexical struct{ roots []string }

func (l lexical) Walk(dir, word string) tool.Walk {
	to := tool.Walk{Exists: strings.ContainsAny(word, "/~") || strings.HasPrefix(word, ".") || sensitive("vault:/"+word)}
	if !strings.HasPrefix(word, "/") && dir == "" {
		word = strings.TrimPrefix(path.Clean("/"+word), "/")
		to.Objects = []string{"vault:/" + word}
		return to
	}
	word = paths.CleanPath(paths.Below(dir, word))
	to.Objects, to.Paths = []string{"fs:" + word}, []string{word}
	for i, root := range l.roots {
		if i == 0 && paths.Inside(word, root) {
			to.Objects = []string{"vault:/" + strings.TrimPrefix(word[len(strings.TrimSuffix(root, "/")):], "/")}
		}
	}
	return to
}

// Directories is what a Resolver may also be able to do: say whether an object is a
// directory. Names of the public lists are names of files.
type Directories interface{ Directory(object string) bool }

// Ignores is what a Resolver may also be able to do: say whether an object is below a
// directory that git ignores.
type Ignores interface{ Ignored(object string) bool }

// Repositories is what a Resolver may also be able to do: say which of the objects
// that a call edits are in a directory that git would take for a repository once all
// of them are there. What git obeys is told by the shape of a directory; a name says
// it only of `.git`.
type Repositories interface {
	Repositories(objects []string) []string
}

// Globber is what a Resolver may also be able to do: say which paths a glob in
// a command hits. complete is false when it gave up, and then the command asks. Without
// a Globber every glob does.
type Globber interface {
	Glob(dir, pattern string) (paths []string, complete bool)
}

// Finder is what a Resolver may also be able to do: say which file a bare name
// finds in the PATH of commands, as an absolute path; "" where that cannot be told.
// Without a Finder a program that is named by its path is a file like any other.
type Finder interface {
	Program(name string) string
	// Planted says that the file is in a place that commands may write to, and whether
	// another one of that name, which they may not, is further on in PATH.
	Planted(name string) (planted, shadows bool)
}

// Reader is what a Resolver may also be able to do: tell what files of the workspace
// hold. Without it nothing is known of what a command starts.
type Reader interface{ shell.Files }

// Searcher is what a Resolver may also be able to do: say which files below a directory,
// seen from dir, somebody wants to be asked about, by each object that they are. A file
// has none below it. links are followed or not; where ends are given, only names that end
// so count. complete is false where it gave up. Without a Searcher, or then, no
// rule with a wildcard covers a command that reads whole directories.
type Searcher interface {
	Below(dir, word string, links bool, ends []string, asked func(object string) bool) (objects []string, complete bool)
}

// Tracker is what a Resolver may also be able to do: say which files of the repository
// around a directory somebody wants to be asked about, whether they are there on disk or
// not. complete is false where it cannot be told. Without a Tracker only paths that are
// named count.
type Tracker interface {
	Tracked(dir string, asked func(object string) bool) (objects []string, complete bool)
}
