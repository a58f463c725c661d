package workspace

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// repositoryParts are those names of a directory by which git knows a repository.
// It needs no directory that is called .git: whoever asks it something in a
// directory, or below one, that has these names is asked what its `config` and its
// hooks say.
type repositoryParts uint8

const (
	hasHead repositoryParts = 1 << iota
	hasObjects
	hasRefs
	hasCommonDir // objects and refs are in the directory that it names
)

// obeyed says whether git takes a directory with these parts for a repository.
func (p repositoryParts) obeyed() bool {
	return p&hasHead != 0 && (p&hasCommonDir != 0 || p&(hasObjects|hasRefs) == hasObjects|hasRefs)
}

// partOf is what the name adds to the directory that it is in. A HEAD that is a
// directory is none; of objects and refs git asks only whether they can be entered.
func partOf(name string, dir bool) repositoryParts {
	switch gitName(name) {
	case "head":
		if !dir {
			return hasHead
		}
	case "objects":
		return hasObjects
	case "refs":
		return hasRefs
	case "commondir":
		return hasCommonDir
	}
	return 0
}

// gitName is a name as some file system may understand it: without letter case,
// without what HFS+ does not see, without the ends that NTFS drops.
func gitName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, name)
	name, _, _ = strings.Cut(name, ":")
	return strings.ToLower(strings.TrimRight(name, ". "))
}

// isDotGit says whether some system takes the name for .git.
func isDotGit(name string) bool {
	name = gitName(name)
	return name == ".git" || name == "git~1"
}

// repositories collects what a change would make of directories.
type repositories struct {
	v     *Vault
	added map[string]repositoryParts
	above map[string]bool // directories that something of the change is in
	known map[string]bool
}

// Repositories says which of the objects are in a directory that git would take for a
// repository once all of them are there: it, or one above it up to the folder, has the
// shape, or a `.git` or `commondir` on the way leads to it. What `.git` itself holds is
// known by its name and not meant. A change is asked about as a whole, and what it takes
// away counts as there (satisfies control.Repositories).
func (v *Vault) Repositories(objects []string) []string {
	paths := map[string]string{}
	var all []string
	for _, o := range objects {
		if abs, err := v.absolute(o); err == nil {
			paths[o] = abs
			all = append(all, abs)
		}
	}
	r := v.afterwards(all...)
	var out []string
	for _, o := range objects {
		if abs, ok := paths[o]; ok && r.in(abs) {
			out = append(out, o)
		}
	}
	return out
}

// afterwards is how directories are once something is at each of the absolute paths.
func (v *Vault) afterwards(paths ...string) *repositories {
	r := &repositories{v: v, added: map[string]repositoryParts{}, above: map[string]bool{}, known: map[string]bool{}}
	for _, abs := range paths {
		for dir := filepath.Dir(abs); !r.above[dir]; dir = filepath.Dir(dir) {
			r.above[dir] = true
		}
	}
	for _, abs := range paths {
		info, err := os.Lstat(abs)
		r.add(abs, r.above[abs] || err == nil && info.IsDir())
	}
	return r
}

func (r *repositories) add(abs string, dir bool) {
	for up := filepath.Dir(abs); up != abs; abs, up, dir = up, filepath.Dir(up), true {
		r.added[up] |= partOf(filepath.Base(abs), dir)
	}
}

// in says whether what is at abs is in a repository. Above the folder that abs is in
// nothing can be changed.
func (r *repositories) in(abs string) bool { return r.around(abs) != "" }

// around is the directory that git would obey, "" when there is none.
func (r *repositories) around(abs string) string {
	root, rel := r.v.folders.Now().Inside(abs, true)
	top := filepath.VolumeName(abs) + string(filepath.Separator)
	if root != nil {
		for top = abs; rel != "."; rel = path.Dir(rel) {
			top = filepath.Dir(top)
		}
	}
	for at := abs; ; at = filepath.Dir(at) {
		switch base := filepath.Base(at); {
		case strings.EqualFold(base, ".git"):
			return ""
		case isDotGit(base):
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		switch {
		case r.shaped(dir) || dir != abs && leadsTo(dir, abs):
			return dir
		case dir == top || dir == filepath.Dir(dir):
			return ""
		}
	}
}

// shaped says whether git takes dir for a repository after the change.
func (r *repositories) shaped(dir string) bool {
	is, known := r.known[dir]
	if !known {
		is = (r.added[dir] | partsAt(dir)).obeyed()
		r.known[dir] = is
	}
	return is
}

// repositoryNames are the parts as git names them.
var repositoryNames = []string{"HEAD", "objects", "refs", "commondir"}

// partsAt are the parts that a directory has on the disk.
func partsAt(dir string) (parts repositoryParts) {
	for _, name := range repositoryNames {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			parts |= partOf(name, info.IsDir())
		}
	}
	return parts
}

// leadsTo says whether the .git of dir leads to a directory that abs is in.
func leadsTo(dir, abs string) bool {
	own := filepath.Join(dir, ".git")
	if info, err := os.Lstat(own); err != nil {
		return false
	} else if !info.IsDir() {
		own = pointed(own, "gitdir: ")
	}
	for _, to := range []string{own, pointed(filepath.Join(own, "commondir"), "")} {
		if to == "" || to == filepath.Join(dir, ".git") {
			continue
		}
		if _, in := pathname.Below(to, abs); in {
			return true
		}
	}
	return false
}

// errRepository is for a change that was judged when git would not have obeyed its
// directory yet.
var errRepository = errors.New("git would now treat this folder as a repository, which nobody was asked about; nothing was done. Call it again")

// makesRepository says whether git would obey a directory that one of the paths is in.
func (v *Vault) makesRepository(paths ...Path) bool {
	var all []string
	for _, p := range paths {
		all = append(all, p.abs)
	}
	r := v.afterwards(all...)
	return slices.ContainsFunc(all, r.in)
}

// revives says whether what an undo brings to p makes git obey a directory that it does
// not obey now, and that holds what it would obey already: nobody knows who wrote that.
func (v *Vault) revives(p Path) bool {
	dir := v.afterwards(p.abs).around(p.abs)
	if dir == "" || v.afterwards().around(filepath.Dir(p.abs)) != "" {
		return false
	}
	return slices.ContainsFunc(gitObeyed, func(name string) bool {
		at := filepath.Join(dir, name)
		_, err := os.Lstat(at)
		return err == nil && at != p.abs
	})
}
