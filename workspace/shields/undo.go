package shields

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/artifact"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// undoing puts protected files right after a command. Everything goes through
// the folder's own handle: a command may have left links that lead out of it.
type undoing struct {
	k        *Set
	was      map[string]memo
	snapshot *Snapshot
	taken    []Shield // moved away whole
	lines    []string // one path each, with what had happened to it
	errs     []error
}

// PutBack undoes what a command did to protected files, and returns what that
// was, for the model and the person. Where the contents are not known
// only new ones and links are looked at, because the others could not be changed. strays are
// files that it moved to where they must not be.
func (sn *Snapshot) PutBack(strays []Stray) ([]string, error) {
	sn.mu.Lock()
	defer sn.mu.Unlock()
	u := &undoing{k: sn.k, was: sn.was, snapshot: sn}
	u.returnStrays(strays)
	if sn.contents {
		u.returnRenamed()
	}
	found, shaped := sn.k.lookAround()
	u.removeMade(shaped)
	shields := sn.withoutKept(sn.k.withRepositories(found, sn.repos))
	u.removeNew(shields)
	u.restoreChanged(sn.contents)
	u.stopSteps(shields)
	return u.lines, errors.Join(u.errs...)
}

func (u *undoing) say(s Shield, what string) {
	u.lines = append(u.lines, s.Rel+" ("+what+")")
}

// returnRenamed brings a .git back whose place something else took, or nothing.
func (u *undoing) returnRenamed() {
	for _, m := range inOrder(u.was) {
		if !m.KeepsPlace {
			continue
		}
		now, err := m.root.Dir.Lstat(m.Rel)
		if err == nil && os.SameFile(now, m.info) {
			continue
		}
		moved := m.movedTo()
		if moved == "" {
			continue // removed, or made anew: what it holds is compared later
		}
		if err == nil {
			u.takeAway(m.Shield)
		}
		u.errs = append(u.errs, m.root.Dir.Rename(moved, m.Rel))
		u.say(m.Shield, "renamed to "+moved)
	}
}

// movedTo is where beside its old place the directory lies now, "" nowhere.
func (m memo) movedTo() string {
	entries, err := fs.ReadDir(durable.Tree(m.root.Dir), path.Dir(m.Rel))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if now, err := e.Info(); err == nil && os.SameFile(now, m.info) {
			return path.Join(path.Dir(m.Rel), e.Name())
		}
	}
	return ""
}

// removeNew takes away what was not there before. A secret is nobody's program,
// and a directory that was renamed took what was in it along. Where contents are known
// what took the place of something is put right later.
func (u *undoing) removeNew(shields []Shield) {
	for _, m := range inOrder(remember(shields, false)) {
		was, before := u.was[m.key()]
		what := "created"
		if before {
			what = "put in the place of another"
		}
		if before && (u.snapshot.contents || !was.replacedBy(m)) || m.private || m.isList() || u.isTaken(m.Shield) || u.cameAlong(m) {
			continue
		}
		u.takeAway(m.Shield)
		u.say(m.Shield, what)
	}
}

// replacedBy says that something else is there now, in another directory of that name.
func (m memo) replacedBy(now memo) bool {
	return m.in != nil && now.in != nil && !m.Link && !m.accepted && !os.SameFile(m.in, now.in) && !os.SameFile(m.info, now.info)
}

// cameAlong says that this very file was there before under another name and
// is where nobody looks by itself: not at the top of the folder.
func (u *undoing) cameAlong(now memo) bool {
	if strings.Count(now.Rel, "/") == 0 || strings.HasPrefix(now.Rel, ".") {
		return false
	}
	for _, m := range u.was {
		if path.Base(m.Rel) == path.Base(now.Rel) && os.SameFile(m.info, now.info) {
			return true
		}
	}
	return false
}

// isList says that it is git's own list of references, which every clean-up makes anew.
func (m memo) isList() bool {
	return m.info.Mode().IsRegular() && strings.HasSuffix("/"+m.Rel, "/info/refs")
}

func (u *undoing) isTaken(s Shield) bool {
	return slices.ContainsFunc(u.taken, func(t Shield) bool {
		return t.root == s.root && strings.HasPrefix(s.Rel, t.Rel+"/")
	})
}

// restoreChanged gives everything its old content, or only links and what was accepted
// meanwhile theirs.
func (u *undoing) restoreChanged(contents bool) {
	for _, m := range inOrder(u.was) {
		if !contents && !m.Link && !m.accepted {
			continue
		}
		what := m.changed()
		if m.KeepsPlace || what == "" || what == removed && !u.outermost(m).parentThere() {
			continue // a whole directory may be removed or renamed
		}
		now, err := m.root.Dir.Lstat(m.Rel)
		if err == nil && (!m.dir || !now.IsDir()) {
			u.takeAway(m.Shield)
		}
		u.errs = append(u.errs, m.restore())
		u.say(m.Shield, what)
	}
}

// outermost is the protected path that is around the others around m.
func (u *undoing) outermost(m memo) memo {
	for {
		up := m.Shield
		up.Rel = path.Dir(m.Rel)
		around, ok := u.was[up.key()]
		if !ok || up.Rel == m.Rel {
			return m
		}
		m = around
	}
}

func (m memo) parentThere() bool {
	info, err := m.root.Dir.Lstat(path.Dir(m.Rel))
	return err == nil && info.IsDir()
}

const removed = "removed"

// changed is "" when the path is as it was.
func (m memo) changed() string {
	now, err := m.root.Dir.Lstat(m.Rel)
	switch {
	case err != nil:
		return removed
	case now.Mode() != m.info.Mode():
		return "changed"
	case m.over:
		if now.Size() != m.info.Size() || !now.ModTime().Equal(m.info.ModTime()) {
			return "changed; it could not be put back"
		}
	case m.info.Mode()&os.ModeSymlink != 0:
		if link, err := m.root.Dir.Readlink(m.Rel); err != nil || link != m.to {
			return "changed"
		}
	case m.info.Mode().IsRegular():
		if text, err := durable.ReadFileIn(m.root.Dir, m.Rel, shieldBytes); err != nil || !bytes.Equal(text, m.text) {
			return "changed"
		}
	}
	return ""
}

func (m memo) restore() error {
	dir, mode := m.root.Dir, m.info.Mode()
	switch {
	case m.over:
		return nil
	case m.dir:
		return errors.Join(dir.MkdirAll(m.Rel, 0o755), dir.Chmod(m.Rel, mode.Perm()))
	case mode&os.ModeSymlink != 0:
		return dir.Symlink(m.to, m.Rel)
	}
	if err := dir.WriteFile(m.Rel, m.text, mode.Perm()); err != nil {
		return fmt.Errorf("put %s back: %w", m.Rel, err)
	}
	return errors.Join(dir.Chmod(m.Rel, mode.Perm()), dir.Chtimes(m.Rel, m.info.ModTime(), m.info.ModTime()))
}

// takeAway moves a path to where no program obeys it; what cannot be moved is
// removed.
func (u *undoing) takeAway(s Shield) {
	u.taken = append(u.taken, s)
	dir := s.root.Dir
	keep := path.Join(u.k.output, "undone")
	if slices.Contains(u.snapshot.own, s.root) || dir.MkdirAll(keep, 0o700) != nil {
		u.errs = append(u.errs, dir.RemoveAll(s.Rel))
		return
	}
	if outputs, err := openat.Dir(dir, u.k.output); err == nil {
		u.errs = append(u.errs, artifact.IgnoreAll(u.k.disk, outputs, filepath.Join(s.root.Real, u.k.output)), outputs.Close())
	}
	for n := 1; n < 10_000; n++ {
		to := path.Join(keep, fmt.Sprintf("%d-%s", n, tool.PlainName(path.Base(s.Rel), 60)))
		if _, err := dir.Lstat(to); err == nil {
			continue
		}
		if dir.Rename(s.Rel, to) == nil {
			if abs := filepath.Join(s.root.Real, filepath.FromSlash(to)); PartsAt(abs).Obeyed() {
				_ = dir.Rename(path.Join(to, "HEAD"), path.Join(to, "HEAD.undone")) // git would obey it here as well
			}
			return
		}
		break
	}
	u.errs = append(u.errs, dir.RemoveAll(s.Rel))
}

// inOrder are the memos with directories before what is in them.
func inOrder(of map[string]memo) []memo {
	out := make([]memo, 0, len(of))
	for _, m := range of {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b memo) int { return strings.Compare(a.key(), b.key()) })
	return out
}

// Stray is a file that commands must not open and that one moved from Was to At, both
// absolute, where its name does not say so.
type Stray struct{ Was, At string }

// returnStrays brings back what the command has moved to where its name does not close it.
func (u *undoing) returnStrays(found []Stray) {
	slices.SortFunc(found, func(a, b Stray) int { return len(a.Was) - len(b.Was) })
	for _, s := range found {
		root, rel := u.k.at(s.At)
		if root == nil {
			continue
		}
		left := Shield{root: root, Rel: rel}
		u.say(left, "closed to commands at its old path")
		if home, was := u.k.at(s.Was); root == home && root.Dir.MkdirAll(path.Dir(was), 0o755) == nil {
			if info, err := root.Dir.Lstat(was); err == nil && info.Mode().IsRegular() && info.Size() == 0 && !u.snapshot.isTheirs(s.Was) {
				_ = root.Dir.Remove(was) // bubblewrap makes an empty file where it covers one that was just moved away
			}
			if _, err := root.Dir.Lstat(was); err != nil && root.Dir.Rename(rel, was) == nil {
				continue
			}
		}
		u.takeAway(left)
	}
}

// withoutKept leaves out what is in a repository in which the command could change
// nothing, and which is still where it was: what is new there is the person's.
func (sn *Snapshot) withoutKept(shields []Shield) []Shield {
	still := slices.DeleteFunc(slices.Clone(sn.kept), func(m memo) bool {
		now, err := m.root.Dir.Lstat(m.Rel)
		return err != nil || !os.SameFile(now, m.info)
	})
	return slices.DeleteFunc(shields, func(s Shield) bool {
		return slices.ContainsFunc(still, func(m memo) bool {
			return m.root == s.root && (m.Rel == "." || s.Rel == m.Rel || strings.HasPrefix(s.Rel, m.Rel+"/"))
		})
	})
}
