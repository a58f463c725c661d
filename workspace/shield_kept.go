package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// keepsRepositories says that a command cannot change what is in a repository: each is
// read-only for it as a whole.
func keepsRepositories(l sandbox.Level, w sandbox.Wants) bool {
	return l.Name == proc.Namespaces && !w.Needs.Has(tool.NeedGit)
}

// topRepositories are the `.git` at the top of every folder, however many names are
// beside them.
func (v *Vault) topRepositories() (out []gitPlace) {
	for _, root := range v.folders.Now() {
		if _, err := root.Dir.Lstat(".git"); err == nil {
			out = append(out, newGitPlace(root, ".git"))
		}
	}
	return out
}

// withPointed adds what a `.git` that is a link or a file leads to, where that is in a
// folder: it may have any name, and be in what git ignores.
func (v *Vault) withPointed(repos []gitPlace) []gitPlace {
	for _, g := range slices.Clone(repos) {
		if g.dir {
			continue
		}
		at := filepath.Join(g.root.Real, filepath.FromSlash(g.rel))
		git := pointed(at, "gitdir: ")
		if l, ok := followed(at); ok {
			git = l.at
		}
		for _, dir := range []string{git, pointed(filepath.Join(git, "commondir"), "")} {
			p := v.asSeen(dir)
			if _, err := os.Lstat(filepath.Join(dir, "HEAD")); dir == "" || err != nil || p.root == nil || p.rel == "." {
				continue
			}
			if !slices.ContainsFunc(repos, func(r gitPlace) bool { return r.root == p.root && r.rel == p.rel }) {
				repos = append(repos, newGitPlace(p.root, p.rel))
			}
		}
	}
	return repos
}

// withPartsElsewhere adds what links in repositories lead to, where that is in a folder
// and in no repository: `refs` may be anywhere.
func (v *Vault) withPartsElsewhere(found []shield) []shield {
	for _, s := range slices.Clone(found) {
		if !s.keepsPlace || s.link {
			continue
		}
		for _, in := range []string{"", "refs", "objects"} {
			dir := filepath.Join(s.abs(), in)
			for _, e := range firstNames(dir, shieldEntries) {
				if e.Type()&fs.ModeSymlink == 0 {
					continue
				}
				l, ok := followed(filepath.Join(dir, e.Name()))
				p := v.asSeen(l.at)
				if !ok || p.root == nil || p.rel == "." {
					continue
				}
				if info, err := os.Lstat(l.at); err == nil {
					found = append(found, shield{root: p.root, rel: p.rel, dir: info.IsDir(), keepsPlace: info.IsDir()})
				}
			}
		}
	}
	return found
}

// keepRepositories notes which directories are read-only as a whole.
func (b *box) keepRepositories() {
	for _, m := range b.was {
		if m.keepsPlace && !m.link {
			b.kept = append(b.kept, m)
		}
	}
}

// withoutKept leaves out what is in a repository in which the command could change
// nothing, and which is still where it was: what is new there is the person's.
func (b *box) withoutKept(shields []shield) []shield {
	still := slices.DeleteFunc(slices.Clone(b.kept), func(m memo) bool {
		now, err := m.root.Dir.Lstat(m.rel)
		return err != nil || !os.SameFile(now, m.info)
	})
	return slices.DeleteFunc(shields, func(s shield) bool {
		return slices.ContainsFunc(still, func(m memo) bool {
			return m.root == s.root && (m.rel == "." || s.rel == m.rel || strings.HasPrefix(s.rel, m.rel+"/"))
		})
	})
}
