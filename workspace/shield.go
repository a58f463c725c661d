package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// Protected files are what other programs run or obey. Existing ones are
// read-only for a command where the sandbox can do that; new ones, and all of
// them at level landlock, are looked at afterwards: what a command did to them
// is undone, kept where no program obeys it, and reported.
const (
	// shieldDepth is how deep below a folder they are looked for: what lies
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

// shield is one protected path that exists.
type shield struct {
	root *folders.Root
	rel  string // slash-separated, below the root
	dir  bool
	// link: a symlink, on which nothing can be mounted. It is looked at
	// afterwards at every level.
	link bool
	// keepsPlace: its content may change, but it is what it is: a .git that was
	// renamed and made anew would have hooks of its own.
	keepsPlace bool
	// private: a secret, not a program. A new one is left alone.
	private bool
}

func (s shield) abs() string { return filepath.Join(s.root.Real, filepath.FromSlash(s.rel)) }

func (s shield) key() string { return s.root.Name + "\x00" + s.rel }

// Guarded tells what the names of a folder are to others. object is the name of
// a file as rules see it ("vault:/.vscode/tasks.json"). nil: nothing is.
type Guarded struct {
	Protected    func(object string) bool // obeyed by other programs, or secret; a directory ends with "/"
	MerelySecret func(object string) bool // secret, and obeyed by nobody
	// Closed says that commands in a sandbox cannot open an object, MayHoldKey that they
	// cannot unless its content is public. A directory ends with "/"; it is closed with all
	// that is in it. nil: nothing is.
	Closed, MayHoldKey func(object string) bool

	home string // of the person, whose own configuration of git names files, too
}

// shields finds the protected paths of every folder, and what git obeys of the
// repositories, which may be anywhere in them.
func (v *Vault) shields(repos ...gitPlace) []shield {
	near, _ := v.lookAround()
	return v.withRepositories(near, repos)
}

// lookAround looks near the top of every folder: for protected paths, and directories
// that have the shape of a repository.
func (v *Vault) lookAround() (found []shield, shaped []gitPlace) {
	v.closed.notify.Update()
	for _, root := range v.folders.Now() {
		f := finder{g: v.guarded, root: root, output: v.artifactDir, left: shieldEntries, index: &v.closed}
		f.look(".", 1)
		found = append(found, f.found...)
		for _, rel := range f.shaped {
			shaped = append(shaped, newGitPlace(root, rel))
		}
	}
	return found, shaped
}

// withRepositories adds what git obeys of repositories, each path once.
func (v *Vault) withRepositories(found []shield, repos []gitPlace) []shield {
	for _, r := range repos {
		f := finder{g: v.guarded, root: r.root, left: shieldEntries, index: &v.closed}
		f.git(r.rel, r.dir)
		found = append(found, f.found...)
	}
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(s shield) bool {
		twice := seen[s.key()]
		seen[s.key()] = true
		return twice
	})
	slices.SortStableFunc(found, func(a, b shield) int { return a.rank() - b.rank() })
	most := shieldMost
	if i := slices.IndexFunc(found, func(s shield) bool { return s.rank() > 0 }); i >= 0 {
		most += i
	}
	return found[:min(len(found), most)]
}

// rank is 0 for what is counted by no limit: repositories.
func (s shield) rank() int {
	if s.keepsPlace || path.Base(s.rel) == ".git" {
		return 0
	}
	return 1
}

// finder looks through one folder.
type finder struct {
	g      Guarded
	root   *folders.Root
	output string
	left   int // names that may still be looked at
	index  *closedIndex
	found  []shield
	shaped []string // directories that git takes for a repository, though not called .git
}

// objectAt is a name of a folder as Guarded knows it.
func objectAt(rel string, dir bool) string {
	if dir {
		rel += "/"
	}
	return "vault:/" + rel
}

func (f *finder) add(s shield) {
	s.root = f.root
	if info, err := f.root.Dir.Lstat(s.rel); err == nil {
		s.link = info.Mode()&os.ModeSymlink != 0
	}
	f.found = append(f.found, s)
}

func (f *finder) entries(rel string) []fs.DirEntry {
	entries, _ := namesBelow(f.root, rel, max(f.left, 0)+1)
	f.left -= len(entries)
	return entries
}

// linked adds what is in the folder and has a protected name by a link.
func (f *finder) linked(links []linkedName, private bool) {
	for _, l := range links {
		at, in := pathname.Below(f.root.Real, l.at)
		if info, err := os.Lstat(l.at); in && at != "." && err == nil {
			f.add(shield{rel: filepath.ToSlash(at), dir: info.IsDir(), private: private})
		}
	}
}

// look looks at the names of one directory, then below.
func (f *finder) look(rel string, depth int) {
	if f.g.Protected == nil || f.left < 0 {
		return
	}
	d := f.near(rel)
	for _, n := range d.found {
		if n.repository {
			f.git(n.rel, n.dir)
			continue
		}
		f.add(shield{rel: n.rel, dir: n.dir, private: n.justSecret})
		if l, ok := followed(filepath.Join(f.root.Real, filepath.FromSlash(n.rel))); ok && depth == 1 {
			f.linked([]linkedName{l}, n.justSecret)
		}
	}
	if d.parts.obeyed() {
		f.shaped = append(f.shaped, rel)
	}
	if depth == shieldDepth {
		return
	}
	for _, at := range d.dirs { // the nearer ones first: they matter more
		f.look(at, depth+1)
	}
}

// git shields what a repository obeys, and that of its submodules and linked worktrees.
func (f *finder) git(rel string, dir bool) {
	if path.Base(rel) == ".git" {
		f.linked(f.g.gitLinks(filepath.Join(f.root.Real, filepath.FromSlash(path.Dir(rel)))), false)
	}
	if !dir {
		f.add(shield{rel: rel}) // a worktree's; it names the repository
		return
	}
	if rel != "." || f.root.Real != "/" { // that one is not given away
		f.add(shield{rel: rel, dir: true, keepsPlace: true})
	}
	for _, name := range gitObeyed {
		at := path.Join(rel, name)
		if info, err := f.root.Dir.Lstat(at); err == nil {
			f.add(shield{rel: at, dir: info.IsDir()})
		}
	}
	f.gitBelow(path.Join(rel, "worktrees"), 1)
	f.gitBelow(path.Join(rel, "modules"), moduleDepth)
}

// moduleDepth is how many parts of a submodule's name are looked at: it is a path.
const moduleDepth = 6

// gitBelow shields the directories of git in rel. One without a HEAD is part of a name.
func (f *finder) gitBelow(rel string, depth int) {
	if info, err := f.root.Dir.Lstat(rel); err != nil || !info.IsDir() {
		return
	}
	f.add(shield{rel: rel, dir: true, keepsPlace: true})
	for _, e := range f.entries(rel) {
		if !e.IsDir() || f.left <= 0 {
			continue
		}
		at := path.Join(rel, e.Name())
		if _, err := f.root.Dir.Lstat(path.Join(at, "HEAD")); err != nil && depth > 1 && !f.obeyedIn(at) {
			f.gitBelow(at, depth-1)
			continue
		}
		f.git(at, true)
	}
}

// obeyedIn says that something in a directory has a name that git obeys.
func (f *finder) obeyedIn(rel string) bool {
	return slices.ContainsFunc(gitObeyed, func(name string) bool {
		_, err := f.root.Dir.Lstat(path.Join(rel, name))
		return err == nil
	})
}

// memo is how one path was before a command.
type memo struct {
	shield
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
func remember(shields []shield, content bool) map[string]memo {
	was := map[string]memo{}
	for _, s := range shields {
		info, err := s.root.Dir.Lstat(s.rel)
		if err != nil {
			continue
		}
		top := look(s, info, content)
		top.in, _ = s.root.Dir.Lstat(path.Dir(s.rel))
		was[s.key()] = top
		if !info.IsDir() || s.keepsPlace {
			continue
		}
		fs.WalkDir(durable.Tree(s.root.Dir), s.rel, func(rel string, d fs.DirEntry, err error) error {
			if err != nil || rel == s.rel || len(was) > shieldEntries {
				return nil
			}
			if info, err := d.Info(); err == nil {
				one := s
				one.rel = rel
				was[one.key()] = look(one, info, content)
			}
			return nil
		})
	}
	return was
}

func look(s shield, info fs.FileInfo, content bool) memo {
	s.dir, s.link = info.IsDir(), info.Mode()&os.ModeSymlink != 0
	m := memo{shield: s, info: info}
	var err error
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		m.to, err = s.root.Dir.Readlink(s.rel)
	case !content:
	case info.Mode().IsRegular() && info.Size() <= shieldBytes:
		m.text, err = durable.ReadFileIn(s.root.Dir, s.rel, shieldBytes)
	case !info.IsDir():
		m.over = true
	}
	m.over = m.over || err != nil
	return m
}
