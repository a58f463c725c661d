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

// Fresh says whether nothing was ever laid over the folder; then it has to be empty.
func (m *Mirror) Fresh() (bool, error) {
	if m.Laid().Commit != "" {
		return false, nil
	}
	entries, err := os.ReadDir(m.Folder)
	if err == nil && len(entries) > 0 {
		err = ErrOthers
	}
	return true, err
}

// Lay makes the files of the folder those of a commit. What git ignores stays as it is. The
// files must be as Take has just found them.
func (m *Mirror) Lay(ctx context.Context, to State) error {
	if _, err := m.git(ctx, Call{Args: []string{"read-tree", "--reset", "-u", to.Commit}, Changes: true}); err != nil {
		return err
	}
	return m.Settle(to)
}

// Adopt gives the folder a repository of its own with the history up to a commit, whose
// branch ends there. One that is there follows, as long as nothing was committed to it.
func (m *Mirror) Adopt(ctx context.Context, commit, branch string) error {
	own := filepath.Join(m.Folder, ".git")
	was := m.Head()
	_, err := os.Lstat(own)
	switch {
	case commit == "", err == nil && was == commit:
		return nil
	case err == nil && was == "":
		return nil // it is somebody else's
	case err != nil:
		if _, err := m.git(ctx, Call{Args: []string{"init", "--quiet", "--template=", "--initial-branch=" + branch, m.Folder}, Env: []string{"GIT_DIR=" + own}, Changes: true}); err != nil {
			return err
		}
	}
	if err := m.pack(ctx, filepath.Join(own, "objects"), commit, was); err != nil {
		return err
	}
	// The configuration of the folder's repository is read for nothing but the name of a reference.
	for _, c := range []Call{
		{Args: []string{"-c", "core.hooksPath=/dev/null", "update-ref", "refs/heads/" + branch, commit, was}, Env: []string{"GIT_DIR=" + own}},
		{Args: []string{"read-tree", commit}, Env: []string{"GIT_INDEX_FILE=" + filepath.Join(own, "index")}},
	} {
		c.Changes = true
		if _, err := m.git(ctx, c); err != nil {
			return err
		}
	}
	return m.refer(head, commit)
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
