// Package mirror keeps the files of a folder as commits in a repository of its own, sends
// such commits to another machine in bundles, and lays one over a folder. It starts git, which
// obeys nothing but what this package writes: neither the person's configuration nor that of the
// folder's own repository is read, and attributes in the folder mean nothing, so the bytes of files
// are what they are.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Mirror is the repository of a folder as things are now. It is made again for each use;
// only one use at a time.
type Mirror struct {
	Dir    string // of the repository, absolute; made when needed
	Folder string // absolute
	// Own is the repository that the folder is the top of; the zero Own is none.
	Own Own
	// Skip are paths of the folder, with slashes, that are left as they are: files, and
	// directories with all that is in them.
	Skip []string
	// Git runs git to its end. Its error has what git said.
	Git func(ctx context.Context, c Call) error
	// Disk has the lock of Dir.
	Disk *durable.Disk
}

// Lock waits until nobody else uses the repository, in any process.
func (m *Mirror) Lock() (unlock func(), err error) {
	if err := m.make(); err != nil {
		return nil, err
	}
	l, err := m.Disk.Lock(filepath.Join(m.Dir, "lock"))
	if err != nil {
		return nil, err
	}
	return func() { _ = l.Close() }, nil // it ends with the process
}

// Own is a folder's own repository, of which objects are read.
type Own struct {
	Objects string // the directory of its objects
	Head    string // its last commit; "" none
	Branch  string // that Head is the end of; "" none
	Exclude string // a file of patterns that are ignored; "" none
}

// Call is one run of git.
type Call struct {
	Args    []string
	Env     []string // what is set beside what every git gets
	In, Out *os.File // nil: nothing
	Changes bool     // it writes in the folder, too
}

// The references. Those of a run are refs/agent/<session>/<run>.
const (
	refs = "refs/agent/"
	laid = refs + "laid" // what the folder was made, or was known to be, last
	head = refs + "head" // the folder's own last commit where it was sent from
	sent = refs + "sent" // what was sent last
)

// environment is what git gets whatever it does, but for what is given instead. The dates are no times: who has the same
// files makes the same commit.
func (m *Mirror) environment(instead ...string) []string {
	all := []string{
		"GIT_DIR=" + m.Dir, "GIT_WORK_TREE=" + m.Folder, "GIT_INDEX_FILE=" + filepath.Join(m.Dir, "index"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=agent-sidecar", "GIT_AUTHOR_EMAIL=agent-sidecar@localhost", "GIT_AUTHOR_DATE=@0 +0000",
		"GIT_COMMITTER_NAME=agent-sidecar", "GIT_COMMITTER_EMAIL=agent-sidecar@localhost", "GIT_COMMITTER_DATE=@0 +0000",
	}
	of := func(entry string) string { return entry[:strings.IndexByte(entry, '=')+1] }
	all = slices.DeleteFunc(all, func(e string) bool {
		return slices.ContainsFunc(instead, func(i string) bool { return of(i) == of(e) })
	})
	return append(all, instead...)
}

// files are those of a repository that git obeys. Attributes of this file come before all
// others.
var files = map[string]string{
	"HEAD":            "ref: refs/heads/none\n",
	"config":          "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tsymlinks = true\n\tautocrlf = false\n\tignorecase = false\n\tprecomposeunicode = false\n\thooksPath = /dev/null\n\tfsmonitor = false\n\tlogAllRefUpdates = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol]\n\tallow = never\n[protocol \"file\"]\n\tallow = always\n",
	"info/attributes": "* -text -eol -filter -ident -working-tree-encoding -export-subst\n",
	"info/exclude":    "",
}

// make writes the repository, where it is not as it must be.
func (m *Mirror) make() error {
	for _, dir := range []string{"objects/info", "refs", "info"} {
		if err := os.MkdirAll(filepath.Join(m.Dir, filepath.FromSlash(dir)), 0o700); err != nil {
			return err
		}
	}
	wanted := map[string]string{"objects/info/alternates": ""}
	if m.Own.Objects != "" {
		if strings.ContainsAny(m.Own.Objects, "\n\"") || m.Own.Objects[0] == '#' {
			return fmt.Errorf("git cannot use objects in %q", m.Own.Objects)
		}
		wanted["objects/info/alternates"] = m.Own.Objects + "\n"
	}
	for name, text := range files {
		wanted[name] = text
	}
	for name, text := range wanted {
		if was, err := durable.ReadFile(filepath.Join(m.Dir, filepath.FromSlash(name)), maxSmall); err == nil && string(was) == text {
			continue
		}
		if err := m.put(name, text); err != nil {
			return err
		}
	}
	return nil
}

// git runs git and gives what it printed, of which there is little.
func (m *Mirror) git(ctx context.Context, c Call) (string, error) {
	if err := m.make(); err != nil {
		return "", err
	}
	out, err := m.scratch()
	if err != nil {
		return "", err
	}
	defer out.Close()
	c.Out = out
	c.Env = m.environment(c.Env...)
	if err := m.Git(ctx, c); err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.NewSectionReader(out, 0, mostPrinted+1))
	if len(text) > mostPrinted {
		err = errors.New("git printed too much")
	}
	return string(text), err
}

// mostPrinted is how much git may print that is kept in memory, in bytes.
const mostPrinted = 64 << 20

// scratch is a file without a name.
func (m *Mirror) scratch() (*os.File, error) {
	f, err := os.CreateTemp(m.Dir, "tmp-*")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// one runs git and gives the one line that it printed.
func (m *Mirror) one(ctx context.Context, args ...string) (string, error) {
	text, err := m.git(ctx, Call{Args: args})
	return strings.TrimSpace(text), err
}

// known is the commit of a reference, "" where there is none. References are files: only this
// package and the git that it starts write them.
func (m *Mirror) known(ref string) string {
	text, err := durable.ReadFile(filepath.Join(m.Dir, filepath.FromSlash(ref)), maxSmall)
	if id := strings.TrimSpace(string(text)); err == nil && isID(id) {
		return id
	}
	return ""
}

func (m *Mirror) refer(ref, commit string) error {
	return m.put(ref, commit+"\n")
}

// maxSmall bounds the files of the repository that are read here, in bytes.
const maxSmall = 1 << 16

// put replaces a small file of the repository.
func (m *Mirror) put(name, text string) error {
	path := filepath.Join(m.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Has says that a commit is here.
func (m *Mirror) Has(ctx context.Context, commit string) bool {
	if !isID(commit) {
		return false
	}
	_, err := m.one(ctx, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

func isID(id string) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}

// State is a commit and the tree of it.
type State struct{ Commit, Tree string }

// Take makes a commit of the files as they are. Its parent is the folder's own last commit, or
// where it has no repository what was laid over it. What git ignores is not in it.
func (m *Mirror) Take(ctx context.Context, ref string) (State, error) {
	parent := m.Own.Head
	if parent == "" {
		parent = m.Laid().Commit
	}
	if err := m.begin(ctx); err != nil {
		return State{}, err
	}
	if err := m.add(ctx); err != nil {
		return State{}, err
	}
	tree, err := m.one(ctx, "write-tree")
	if err != nil {
		return State{}, err
	}
	if was := m.Laid(); m.Own.Head == "" && was.Tree == tree {
		return was, m.refer(ref, was.Commit)
	}
	commit := []string{"commit-tree", "-m", "files of " + filepath.Base(m.Folder), tree}
	if parent != "" {
		commit = append(commit, "-p", parent)
	}
	id, err := m.one(ctx, commit...)
	if err != nil {
		return State{}, err
	}
	return State{id, tree}, m.refer(ref, id)
}

// add brings the index to what the files are.
func (m *Mirror) add(ctx context.Context) error {
	if _, err := m.one(ctx, "update-index", "-q", "--ignore-submodules", "--refresh"); err != nil {
		return err
	}
	list := []string{"ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard", "--full-name"}
	if m.Own.Exclude != "" {
		list = append([]string{"-c", "core.excludesFile=" + m.Own.Exclude}, list...)
	}
	text, err := m.git(ctx, Call{Args: list})
	if err != nil {
		return err
	}
	paths := strings.FieldsFunc(text, func(r rune) bool { return r == 0 })
	paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "/") || m.skips(path) }) // a repository in it ends so
	if len(paths) == 0 {
		return nil
	}
	in, err := m.fed(strings.Join(paths, "\x00") + "\x00")
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = m.git(ctx, Call{Args: []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}, In: in})
	return err
}

func (m *Mirror) skips(path string) bool {
	return slices.ContainsFunc(m.Skip, func(skip string) bool { return strings.HasPrefix(path+"/", skip+"/") })
}

// fed is a file without a name that has a text.
func (m *Mirror) fed(text string) (*os.File, error) {
	f, err := m.scratch()
	if err != nil {
		return nil, err
	}
	if _, err = f.WriteString(text); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// begin makes the index one of the folder's own last commit, once for each, so that files
// which are in it are in it though they are ignored.
func (m *Mirror) begin(ctx context.Context) error {
	if m.Own.Head == "" || m.known(head) == m.Own.Head {
		return nil
	}
	if _, err := m.git(ctx, Call{Args: []string{"read-tree", m.Own.Head}}); err != nil {
		return err
	}
	return m.refer(head, m.Own.Head)
}

// RefOf is where what a run left is kept. Its parts are made of letters and digits.
func RefOf(session, run string) string {
	return refs + "runs/" + plain(session) + "/" + plain(run)
}

func plain(name string) string {
	keep := func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' {
			return r
		}
		return '-'
	}
	return "x" + strings.Map(keep, name)
}

// Bundle writes what another mirror needs for a commit, and for the folder's own last commit,
// into a file; have are commits that it has. The caller removes the file; "" is nothing.
func (m *Mirror) Bundle(ctx context.Context, commit string, have ...string) (file string, err error) {
	have = slices.DeleteFunc(have, func(h string) bool { return !m.Has(ctx, h) })
	for _, h := range have {
		if _, err := m.one(ctx, "merge-base", "--is-ancestor", commit, h); err == nil {
			return "", nil
		}
	}
	if err := m.refer(sent, commit); err != nil {
		return "", err
	}
	file = filepath.Join(m.Dir, "out.bundle")
	args := []string{"bundle", "create", "--quiet", file, sent}
	if m.Own.Head != "" {
		args = append(args, head)
	}
	for _, h := range have {
		args = append(args, "^"+h)
	}
	if _, err := m.git(ctx, Call{Args: args}); err != nil {
		return "", err
	}
	return file, nil
}

// Receive takes over the commits of a bundle. Of one that comes from a machine which is not
// trusted every object is checked.
func (m *Mirror) Receive(ctx context.Context, file string, commit string, check bool) error {
	if !isID(commit) {
		return errors.New("the name of a commit is none")
	}
	_, err := m.git(ctx, Call{Args: []string{"-c", fmt.Sprintf("fetch.fsckObjects=%t", check), "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", file,
		"+" + sent + ":" + refs + "received", "+" + head + "*:" + refs + "received-head*"}})
	if err != nil {
		return err
	}
	if got := m.known(refs + "received"); got != commit {
		return errors.New("the bundle has another commit than was said")
	}
	return nil
}
