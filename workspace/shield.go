package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Protected files are what other programs run or obey (ruling 80). Existing ones
// are read-only for a command where the sandbox can do that; new ones, and all
// of them at level landlock, are looked at afterwards: what a command did to
// them is undone, kept where no program obeys it, and reported (ruling 78).
const (
	// shieldDepth is how deep below a folder they are looked for: what lies
	// deeper is obeyed by nobody who opened the folder.
	shieldDepth = 3
	// shieldEntries is how many names of a folder are looked at.
	shieldEntries = 4000
	// shieldMost is how many are shielded at all.
	shieldMost = 400
	// shieldBytes is the largest file that can be put back.
	shieldBytes = 1 << 20
)

// gitObeyed are what of a repository makes git run programs. The rest of .git
// changes with every commit.
var gitObeyed = []string{"hooks", "config", "config.worktree", "info", "commondir", "gitdir"}

// shield is one protected path that exists.
type shield struct {
	root *root
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

func (s shield) abs() string { return filepath.Join(s.root.real, filepath.FromSlash(s.rel)) }

func (s shield) key() string { return s.root.name + "\x00" + s.rel }

// Guarded tells what the names of a folder are to others. object is the name of
// a file as rules see it ("vault:/.vscode/tasks.json"). nil: nothing is.
type Guarded struct {
	Protected    func(object string) bool // obeyed by other programs, or secret
	MerelySecret func(object string) bool // secret, and obeyed by nobody
}

// shields finds the protected paths of every folder.
func (v *Vault) shields() []shield {
	v.mu.RLock()
	roots := v.roots
	v.mu.RUnlock()
	var all []shield
	for _, root := range roots {
		f := finder{g: v.guarded, root: root, output: v.artifactDir, left: shieldEntries}
		f.look(".", 1)
		all = append(all, f.found...)
	}
	return all[:min(len(all), shieldMost)]
}

// finder looks through one folder.
type finder struct {
	g      Guarded
	root   *root
	output string
	left   int // names that may still be looked at
	found  []shield
}

func (f *finder) add(s shield) {
	s.root = f.root
	if info, err := f.root.dir.Lstat(s.rel); err == nil {
		s.link = info.Mode()&os.ModeSymlink != 0
	}
	f.found = append(f.found, s)
}

func (f *finder) entries(rel string) []fs.DirEntry {
	dir, err := f.root.dir.Open(rel)
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(max(f.left, 0) + 1)
	f.left -= len(entries)
	return entries
}

// look looks at the names of one directory, then below.
func (f *finder) look(rel string, depth int) {
	if f.g.Protected == nil || f.left < 0 {
		return
	}
	var deeper []string
	for _, e := range f.entries(rel) {
		at, name := path.Join(rel, e.Name()), e.Name()
		switch object := "vault:/" + at; {
		case name == ".git":
			f.git(at, e.IsDir())
		case f.g.Protected(object):
			f.add(shield{rel: at, dir: e.IsDir(), private: f.g.MerelySecret != nil && f.g.MerelySecret(object)})
		case e.IsDir() && depth < shieldDepth && name != "node_modules" && name != f.output:
			deeper = append(deeper, at)
		}
	}
	for _, at := range deeper { // the nearer ones first: they matter more
		f.look(at, depth+1)
	}
}

// git shields what a repository obeys, and that of its submodules.
func (f *finder) git(rel string, dir bool) {
	if !dir {
		f.add(shield{rel: rel}) // a worktree's; it names the repository
		return
	}
	f.add(shield{rel: rel, dir: true, keepsPlace: true})
	for _, name := range gitObeyed {
		at := path.Join(rel, name)
		if info, err := f.root.dir.Lstat(at); err == nil {
			f.add(shield{rel: at, dir: info.IsDir()})
		}
	}
	modules := path.Join(rel, "modules")
	if _, err := f.root.dir.Lstat(modules); err != nil {
		return
	}
	for _, m := range f.entries(modules) {
		if m.IsDir() && f.left > 0 {
			f.git(path.Join(modules, m.Name()), true)
		}
	}
}

// memo is how one path was before a command.
type memo struct {
	shield
	info fs.FileInfo
	text []byte // of a file, at most shieldBytes
	to   string // of a symlink
	over bool   // cannot be put back
	// accepted while the command ran, with its content: it may not be read-only for it.
	accepted bool
}

// remember looks at everything below the shields. With content, so that all of
// it can be put back; without, so that what is new can be told.
func remember(shields []shield, content bool) map[string]memo {
	was := map[string]memo{}
	for _, s := range shields {
		info, err := s.root.dir.Lstat(s.rel)
		if err != nil {
			continue
		}
		was[s.key()] = look(s, info, content)
		if !info.IsDir() || s.keepsPlace {
			continue
		}
		fs.WalkDir(s.root.dir.FS(), s.rel, func(rel string, d fs.DirEntry, err error) error {
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
		m.to, err = s.root.dir.Readlink(s.rel)
	case !content:
	case info.Mode().IsRegular() && info.Size() <= shieldBytes:
		m.text, err = s.root.dir.ReadFile(s.rel)
	case !info.IsDir():
		m.over = true
	}
	m.over = m.over || err != nil
	return m
}
