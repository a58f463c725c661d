package shields

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
)

// Protected files are what other programs run or obey. Existing ones are
// read-only for a command where the sandbox can do that; new ones, and all of
// them at level landlock, are looked at afterwards: what a command did to them
// is undone, kept where no program obeys it, and reported.
const (
	// shieldDepth is how deep below a folder they are looked for: what is
	// deeper is obeyed by nobody who opened the folder.
	shieldDepth = 3
	// shieldEntries is how many names of a folder are looked at.
	shieldEntries = 4000
	// shieldMost is how many are shielded at all, beside the repositories themselves.
	shieldMost = 1000
	// shieldBytes is the largest file that can be put back.
	shieldBytes = 1 << 20
)

// gitObeyed are what of a repository makes git run programs. The rest of .git
// changes with every commit.
var gitObeyed = []string{"hooks", "config", "config.worktree", "info", "commondir", "gitdir"}

// Shield is one protected path that exists.
type Shield struct {
	root *folders.Root
	Rel  string // slash-separated, below the root
	dir  bool
	// Link: a symlink, on which nothing can be mounted. It is looked at
	// afterwards at every level.
	Link bool
	// KeepsPlace: its content may change, but it is what it is: a .git that was
	// renamed and made anew would have hooks of its own.
	KeepsPlace bool
	// private: a secret, not a program. A new one is left alone.
	private bool
}

// Abs is the absolute path.
func (s Shield) Abs() string { return filepath.Join(s.root.Real, filepath.FromSlash(s.Rel)) }

func (s Shield) key() string { return s.root.Name + "\x00" + s.Rel }

// rank is 0 for what is counted by no limit: repositories.
func (s Shield) rank() int {
	if s.KeepsPlace || path.Base(s.Rel) == ".git" {
		return 0
	}
	return 1
}

// Object is a name of a folder as Names knows it.
func Object(rel string, dir bool) string {
	if dir {
		rel += "/"
	}
	return "vault:/" + rel
}

// memo is how one path was before a command.
type memo struct {
	Shield
	info fs.FileInfo
	text []byte // of a file, at most shieldBytes
	to   string // of a symlink
	over bool   // cannot be put back
	// in is the directory that it was in. What is read-only stays what it is, but a
	// directory around it may be renamed and made anew, with another in its place.
	in fs.FileInfo
	// accepted while the command ran, with its content: it may not be read-only for it.
	accepted bool
}

// remember looks at everything below the shields. With content, so that all of
// it can be put back; without, so that what is new can be told.
func remember(shields []Shield, content bool) map[string]memo {
	was := map[string]memo{}
	for _, s := range shields {
		info, err := s.root.Dir.Lstat(s.Rel)
		if err != nil {
			continue
		}
		top := look(s, info, content)
		top.in, _ = s.root.Dir.Lstat(path.Dir(s.Rel))
		was[s.key()] = top
		if !info.IsDir() || s.KeepsPlace {
			continue
		}
		fs.WalkDir(durable.Tree(s.root.Dir), s.Rel, func(rel string, d fs.DirEntry, err error) error {
			if err != nil || rel == s.Rel || len(was) > shieldEntries {
				return nil
			}
			if info, err := d.Info(); err == nil {
				one := s
				one.Rel = rel
				was[one.key()] = look(one, info, content)
			}
			return nil
		})
	}
	return was
}

func look(s Shield, info fs.FileInfo, content bool) memo {
	s.dir, s.Link = info.IsDir(), info.Mode()&os.ModeSymlink != 0
	m := memo{Shield: s, info: info}
	var err error
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		m.to, err = s.root.Dir.Readlink(s.Rel)
	case !content:
	case info.Mode().IsRegular() && info.Size() <= shieldBytes:
		m.text, err = durable.ReadFileIn(s.root.Dir, s.Rel, shieldBytes)
	case !info.IsDir():
		m.over = true
	}
	m.over = m.over || err != nil
	return m
}

// GitPlace is what git takes for a repository: a directory of that shape, or a `.git`.
type GitPlace struct {
	root *folders.Root
	rel  string
	dir  bool
	info fs.FileInfo
}

// NewGitPlace is at a slash-separated path below a folder.
func NewGitPlace(root *folders.Root, rel string) GitPlace {
	info, err := root.Dir.Lstat(rel)
	return GitPlace{root, rel, err == nil && info.IsDir(), info}
}

// RepositoryParts are those names of a directory by which git knows a repository.
// It needs no directory that is called .git: anyone who asks it something in a
// directory, or below one, that has these names is asked what its `config` and its
// hooks say.
type RepositoryParts uint8

const (
	hasHead RepositoryParts = 1 << iota
	hasObjects
	hasRefs
	hasCommonDir // objects and refs are in the directory that it names
)

// Obeyed says whether git takes a directory with these parts for a repository.
func (p RepositoryParts) Obeyed() bool {
	return p&hasHead != 0 && (p&hasCommonDir != 0 || p&(hasObjects|hasRefs) == hasObjects|hasRefs)
}
