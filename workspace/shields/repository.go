package shields

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// partOf is what the name adds to the directory that it is in. A HEAD that is a
// directory is none; of objects and refs git asks only whether they can be entered.
func partOf(name string, dir bool) RepositoryParts {
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

// IsDotGit says whether some system takes the name for .git.
func IsDotGit(name string) bool {
	name = gitName(name)
	return name == ".git" || name == "git~1"
}

// Repositories collects what a change would make of directories.
type Repositories struct {
	k     *Set
	added map[string]RepositoryParts
	above map[string]bool // directories that something of the change is in
	known map[string]bool
}

// Afterwards is how directories are once something is at each of the absolute paths.
func (k *Set) Afterwards(paths ...string) *Repositories {
	r := &Repositories{k: k, added: map[string]RepositoryParts{}, above: map[string]bool{}, known: map[string]bool{}}
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

func (r *Repositories) add(abs string, dir bool) {
	for up := filepath.Dir(abs); up != abs; abs, up, dir = up, filepath.Dir(up), true {
		r.added[up] |= partOf(filepath.Base(abs), dir)
	}
}

// In says whether what is at abs is in a repository. Above the folder that abs is in
// nothing can be changed.
func (r *Repositories) In(abs string) bool { return r.around(abs) != "" }

// around is the directory that git would obey, "" when there is none.
func (r *Repositories) around(abs string) string {
	root, rel := r.k.folders.Now().Inside(abs, true)
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
		case IsDotGit(base):
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
func (r *Repositories) shaped(dir string) bool {
	is, known := r.known[dir]
	if !known {
		is = (r.added[dir] | PartsAt(dir)).Obeyed()
		r.known[dir] = is
	}
	return is
}

// RepositoryNames are the parts as git names them.
var RepositoryNames = []string{"HEAD", "objects", "refs", "commondir"}

// PartsAt are the parts that a directory has on the disk.
func PartsAt(dir string) (parts RepositoryParts) {
	for _, name := range RepositoryNames {
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
		own = PointedTo(own, "gitdir: ")
	}
	for _, to := range []string{own, PointedTo(filepath.Join(own, "commondir"), "")} {
		if to == "" || to == filepath.Join(dir, ".git") {
			continue
		}
		if _, in := pathname.Below(to, abs); in {
			return true
		}
	}
	return false
}

// Makes says whether git would obey a directory that one of the absolute paths is in, once
// something is at each of them.
func (k *Set) Makes(paths ...string) bool {
	return slices.ContainsFunc(paths, k.Afterwards(paths...).In)
}

// Revives says whether what an undo brings to an absolute path makes git obey a directory that it does
// not obey now, and that holds what it would obey already: nobody knows who wrote that.
func (k *Set) Revives(abs string) bool {
	dir := k.Afterwards(abs).around(abs)
	if dir == "" || k.Afterwards().around(filepath.Dir(abs)) != "" {
		return false
	}
	return slices.ContainsFunc(gitObeyed, func(name string) bool {
		at := filepath.Join(dir, name)
		_, err := os.Lstat(at)
		return err == nil && at != abs
	})
}
