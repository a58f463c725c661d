package workspace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

// rulesFor collects the ignore rules that apply in the directory p. free says that
// git's do not apply below it: it was named on purpose.
func (v *Vault) rulesFor(p Path) (rules *search.Rules, free bool) {
	top := p.abs
	if p.root != nil {
		top = p.root.real
	}
	at := search.Place{Home: v.userHome, Agent: func(dir string) bool { return p.root != nil && pathname.Inside(p.root.real, dir) }}
	if git := gitTop(p.abs); git != "" {
		if _, in := pathname.Below(git, top); in || p.root == nil {
			top = git
		}
		at.Repository, at.GitDir = git, gitDir(p.abs)
	}
	at.Dirs = downTo(top, p.abs)
	return at.Rules()
}

// downTo lists the directories from top to dir, both included.
func downTo(top, dir string) []string {
	out := []string{top}
	rel, err := filepath.Rel(top, dir)
	if err != nil || rel == "." {
		return out
	}
	for seg := range strings.SplitSeq(rel, string(filepath.Separator)) {
		out = append(out, filepath.Join(out[len(out)-1], seg))
	}
	return out
}

// visible refuses a path that `.agentignore` hides from every tool. It only
// narrows: it lies in the Vault and so cannot be trusted with more.
func (p Path) visible() error {
	if p.root == nil || p.rel == "." || !search.Hidden(downTo(p.root.real, p.abs)) {
		return nil
	}
	return fmt.Errorf("%s is hidden from tools by .agentignore", p)
}

// Ignored says whether an object is below a directory that git ignores. One whose own
// path begins with a dot anywhere is none, nor one that has files which git knows: an
// ignore file is written as easily as any other, and makes no build directory of the
// sources (satisfies control.Ignores).
func (v *Vault) Ignored(object string) bool {
	abs, err := v.absolute(object)
	if err != nil {
		return false
	}
	git := gitTop(filepath.Dir(abs))
	if git == "" {
		return false
	}
	at := search.Place{Repository: git, GitDir: gitDir(git), Home: v.userHome, Agent: func(string) bool { return false }}
	dirs := downTo(git, filepath.Dir(abs))
	at.Dirs = dirs[:1]
	rules, _ := at.Rules()
	for _, dir := range dirs[1:] {
		if strings.HasPrefix(filepath.Base(dir), ".") {
			return false
		}
		if ignored, _ := rules.Ignored(dir, true); ignored {
			rel, _ := pathname.Below(git, dir)
			return !mayTrack(at.GitDir, filepath.ToSlash(rel))
		}
		rules = rules.Enter(dir, false)
	}
	return false
}

// maxIndex is the longest index of a repository that is read for one name.
const maxIndex = 64 << 20

// mayTrack says whether the index of a repository may have a file below dir. Where the
// form of the index does not tell, it may.
func mayTrack(gitDir, dir string) bool {
	info, err := os.Lstat(filepath.Join(gitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return true
	}
	index, err := durable.ReadFile(filepath.Join(gitDir, "index"), maxIndex)
	if err != nil || len(index) < 8 || string(index[:4]) != "DIRC" {
		return true
	}
	// Versions 2 and 3 have every name whole, unless some are in another file. Letter
	// case does not count, because on some disks it names the same directory.
	version := binary.BigEndian.Uint32(index[4:])
	return version > 3 || sharesIndex(gitDir) || bytes.Contains(bytes.ToLower(index), []byte(strings.ToLower(dir)+"/"))
}

// sharesIndex says that the index of a repository is split over several files.
func sharesIndex(gitDir string) bool {
	entries, err := os.ReadDir(gitDir)
	return err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), "sharedindex.") })
}
