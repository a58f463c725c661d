package mirror

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// laidTree has the tree of the commit that laid is.
const laidTree = "laid-tree"

// Laid is what the folder was made last, or was known to be; the zero State before the first.
func (m *Mirror) Laid() State {
	text, err := durable.ReadFile(filepath.Join(m.Dir, laidTree), maxSmall)
	commit, tree, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if err != nil || !isID(commit) || !isID(tree) {
		return State{}
	}
	return State{commit, tree}
}

// Head is the last commit of the repository that the files came from; "" none.
func (m *Mirror) Head() string { return m.known(head) }

// Settle says that what is in a commit is known.
func (m *Mirror) Settle(to State) error {
	if !isID(to.Commit) || !isID(to.Tree) {
		return errors.New("the name of a commit is none")
	}
	if err := m.refer(laid, to.Commit); err != nil {
		return err
	}
	return m.put(laidTree, to.Commit+" "+to.Tree+"\n")
}

// ErrOthers says that a folder has files that came from nowhere.
var ErrOthers = errors.New("the folder has files that did not come from this workspace; name one that is empty or not there")

// begun is there once something of ours may be in the folder, adopting while its repository
// is made.
const begun, adopting = "begun", "adopting"

// Fresh says whether nothing was ever laid over the folder; then it has to be empty.
func (m *Mirror) Fresh() (bool, error) {
	if m.Laid().Commit != "" {
		return false, nil
	}
	entries, err := os.ReadDir(m.Folder)
	if err == nil && len(entries) > 0 && !m.has(begun) {
		err = ErrOthers
	}
	return true, err
}

func (m *Mirror) has(name string) bool {
	_, err := os.Lstat(filepath.Join(m.Dir, name))
	return err == nil
}

// Lay makes the files of the folder those of a commit. What git ignores stays as it is. The
// files must be as Take has just found them, or Fresh.
func (m *Mirror) Lay(ctx context.Context, to State) error {
	if err := m.put(begun, ""); err != nil { // who dies behind it leaves some of them
		return err
	}
	if _, err := m.git(ctx, Call{Args: []string{"read-tree", "--reset", "-u", to.Commit}, Changes: true}); err != nil {
		return err
	}
	return m.Settle(to)
}

// Adopt gives the folder a repository of its own with the history up to a commit, whose
// branch ends there. One that this has made follows, as long as nothing is committed to it there.
func (m *Mirror) Adopt(ctx context.Context, commit, branch string) error {
	own := filepath.Join(m.Folder, ".git")
	if commit == "" || commit == m.Head() {
		return nil
	}
	switch _, err := os.Lstat(own); {
	case err == nil && m.Head() == "" && !m.has(adopting):
		return nil // it is somebody else's
	case err != nil:
		if err := errors.Join(m.put(begun, ""), m.put(adopting, "")); err != nil {
			return err
		}
		if _, err := m.git(ctx, Call{Args: []string{"init", "--quiet", "--template=", "--initial-branch=" + branch, m.Folder}, Env: []string{"GIT_DIR=" + own}, Changes: true}); err != nil {
			return err
		}
	}
	if err := m.pack(ctx, filepath.Join(own, "objects"), commit, m.Head()); err != nil {
		return err
	}
	// The configuration of the folder's repository is read for nothing but names of references.
	in := func(args ...string) (string, error) {
		text, err := m.git(ctx, Call{Args: append([]string{"-c", "core.hooksPath=/dev/null"}, args...), Env: []string{"GIT_DIR=" + own}, Changes: true})
		return strings.TrimSpace(text), err
	}
	sentHere := func(ref string) (commit string, ours bool) {
		commit, err := in("rev-parse", "--verify", "--quiet", ref)
		return commit, err != nil || m.Has(ctx, commit) // what is committed there is not in this repository
	}
	_, at := sentHere("HEAD")
	end, ours := sentHere("refs/heads/" + branch)
	if at && ours {
		if _, err := in("update-ref", "refs/heads/"+branch, commit, end); err != nil {
			return err
		}
		if _, err := in("symbolic-ref", "HEAD", "refs/heads/"+branch); err != nil {
			return err
		}
		if _, err := m.git(ctx, Call{Args: []string{"read-tree", commit}, Env: []string{"GIT_INDEX_FILE=" + filepath.Join(own, "index")}, Changes: true}); err != nil {
			return err
		}
	}
	if err := m.refer(head, commit); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(m.Dir, adopting))
}

// pack writes all that a commit needs beside what one before had into a directory of objects.
func (m *Mirror) pack(ctx context.Context, objects, commit, was string) error {
	wanted := commit + "\n"
	if was != "" {
		wanted += "^" + was + "\n"
	}
	in, err := m.fed(wanted)
	if err != nil {
		return err
	}
	defer in.Close()
	pack, err := m.scratch()
	if err != nil {
		return err
	}
	defer pack.Close()
	if err := m.Git(ctx, Call{Args: []string{"pack-objects", "--quiet", "--revs", "--stdout"}, Env: m.environment(), In: in, Out: pack}); err != nil {
		return err
	}
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = m.git(ctx, Call{Args: []string{"index-pack", "--stdin"}, Env: []string{"GIT_OBJECT_DIRECTORY=" + objects}, In: pack, Changes: true})
	return err
}
