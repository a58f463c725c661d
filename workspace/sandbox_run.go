package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/artifact"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// sandboxes run each command in a sandbox of its own.
type sandboxes struct {
	*places
	*environment
	*repositories
	*sandboxRuns
	*closedFiles
	prober  *sandbox.Prober
	sandbox func() sandbox.Settings
	skills  func() []string // what commands may read of the person's skills
	temps   sandbox.Temps   // what commands have as /tmp
	guards  proc.Guards     // of commands
}

// sandboxRun is the confinement of one command, from before its start until after its
// end.
type sandboxRun struct {
	by       *sandboxes
	is       proc.Confinement
	undid    bool           // a protected file was put right
	policy   sandbox.Policy // as the bounds leave it: what these hold it to cannot be asked for
	watch    *watch
	changes  []tool.Change     // what the command did to other files, known once it is closed
	closed   closing           // what it could not read
	snapshot *shields.Snapshot // what it finds protected
}

// open prepares the confinement of one command. Without any level it is none,
// unless the configuration or the agent requires one.
func (x *sandboxes) open(w sandbox.Policy, environ []string, files *watch) (*sandboxRun, error) {
	s, w := w.Under(x.sandbox())
	b := &sandboxRun{by: x, snapshot: x.shields.Snapshot(nil, false), watch: files, is: proc.Confinement{Level: proc.None}}
	w.Wide = s.Wide(x.userHome)
	l, err := x.prober.For(s, w)
	if err != nil {
		return nil, err
	}
	if l.Name == proc.None {
		return b, nil
	}
	b.policy = w
	b.snapshot = x.shields.Snapshot(files.tracked(), l.Name != proc.Namespaces)
	kept := shields.KeepsRepositories(l, w)
	var protected []shields.Shield
	if !w.Looks() { // it finds everything read-only, and nobody has to look after it
		protected = b.snapshot.Find(kept, l.Name == proc.Namespaces && len(w.Bounds.Within) == 0 && !kept)
	}
	if l.Closes() {
		if b.closed, err = x.closeFor(w.Opens); err != nil {
			b.snapshot.LetGo()
			return nil, err
		}
	}
	if b.is, err = x.confine(l, s, w, environ, protected, b.closed, files); err != nil {
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	b.snapshot.Begin(protected, kept)
	return b, nil
}

// setupRetries is how often a sandbox is set up for one command. That fails on what
// disappears meanwhile, such as a directory that the person removes or the
// socket of a daemon that ends; the command has not begun then.
const setupRetries = 5

// run runs one command confined. Of c.Confine only Shown counts: what this
// command may read although it is hidden. w follows what it changes; nil: nobody
// does; begins is told when the command runs. No run: it could not be prepared, and err
// says why; otherwise the caller closes it.
func (x *sandboxes) run(ctx context.Context, w *watch, wanted sandbox.Policy, c proc.Command, keep []string, out io.Writer, begins func()) (b *sandboxRun, exit proc.Exit, outlived int, err error) {
	for range setupRetries {
		if b, err = x.open(wanted, c.Env, w); err != nil {
			w.over()
			return nil, exit, 0, err
		}
		one := c
		one.Guards = &x.guards
		one.Runs = begins
		b.is.Shown = append(b.is.Shown, c.Confine.Shown...)
		one.Confine, one.Env = b.is, x.surroundings(wanted.Apart).Env(slices.Clone(c.Env), keep, b.is)
		if !b.policy.Looks() { // else it changes nothing, so nothing has to be told apart from it
			x.began(b.snapshot, b.closed.homes)
		}
		exit, outlived, err = sandbox.Execute(ctx, one, out)
		if err == nil || ctx.Err() != nil || !sandbox.NeverBegan(err) {
			break
		}
		x.ended(b.snapshot)
		b.snapshot.LetGo()
	}
	return b, exit, outlived, err
}

// close puts protected files right and says for the model what the sandbox did,
// "" when that is nothing. failed says that the command did; err that it could
// not run.
func (b *sandboxRun) close(failed bool, err error, out *output.Output) (note string) {
	defer func() { // behind what is put right
		b.changes = b.watch.over()
		note = b.watch.withTogether(output.JoinNotes(note, b.remains()))
	}()
	defer b.snapshot.LetGo()
	b.by.ended(b.snapshot)
	if b.is.Level == proc.None {
		return ""
	}
	if err != nil {
		b.by.prober.Forget()
	}
	var lines []string
	var undoErr error
	if !b.policy.Looks() { // else what has changed is somebody else's
		strays, err := b.by.strays(b.closed.homes)
		lines, undoErr = b.snapshot.PutBack(strays)
		undoErr = errors.Join(err, undoErr)
	}
	b.undid = len(lines) > 0
	if b.undid {
		note = fmt.Sprintf("(the sandbox undid what the command did to protected files: %s. What it made is in %s/undone. Use edit for such files, or needs: \"unconfined\" with a reason.)",
			listed(lines), b.by.artifactDir)
	}
	if undoErr != nil {
		note = output.JoinNotes(note, "(protected files could not all be put right: "+undoErr.Error()+")")
	}
	if failed && err == nil && !b.undid {
		note = output.JoinNotes(note, sandbox.Hint(b.is, b.policy, b.by.shownClosed(b.closed), out.Ending()))
	}
	return note
}

// surroundings are what the sandbox has to know of the Vault. Commands of a session that
// is kept apart have their /tmp, their home and their caches in one directory that ends
// with it.
func (x *sandboxes) surroundings(apart string) sandbox.Surroundings {
	s := sandbox.Surroundings{Roots: x.Roots(), Home: x.home, UserHome: x.userHome, Temp: x.temps.Of(apart)}
	if apart == "" {
		s.Cache = x.commandCache()
	}
	return s
}

// commandCache is where build tools of commands keep what they made: their own
// place, because what a command leaves in the person's would later run outside
// the sandbox. "" without a home.
func (x *sandboxes) commandCache() string {
	if x.home == "" {
		return ""
	}
	return filepath.Join(x.home, "cache", x.WorkspaceID())
}

// confine is what one command may touch; protected are the protected paths that
// exist, shut is what cannot be read, and files follows what the command changes.
func (x *sandboxes) confine(l sandbox.Level, s sandbox.Settings, w sandbox.Policy, environ []string, protected []shields.Shield, shut closing, files *watch) (proc.Confinement, error) {
	in := x.surroundings(w.Apart)
	if w.OnlyOutputs() && !w.Looks() {
		in.Outputs = x.outputs(files)
	}
	in.Environ, in.Around = environ, x.around()
	in.Closed = shut.paths
	in.Known = shut.known
	in.Opened, in.Artifacts = shut.shown, x.artifactsFor(w.Session)
	for _, object := range w.Bounds.Within {
		folder, err := x.folder(object)
		if err != nil {
			return proc.Confinement{}, fmt.Errorf("the folder of the agent: %w", err)
		}
		in.Within = append(in.Within, folder.Abs())
	}
	kept := shields.KeepsRepositories(l, w)
	if l.Name == proc.Namespaces && len(w.Bounds.Within) == 0 { // else the repository is not in the agent's folder
		in.Worktrees.Write, in.Worktrees.ReadOnly, _ = x.shields.WorktreePlaces()
		if kept {
			in.Worktrees = sandbox.Places{ReadOnly: append(in.Worktrees.ReadOnly, in.Worktrees.Write...)}
		}
	}
	for _, sh := range protected {
		switch {
		case sh.Link, shut.covers(sh.Abs()):
		case sh.KeepsPlace && !kept:
			in.Protected.Write = append(in.Protected.Write, sh.Abs())
		default:
			in.Protected.ReadOnly = append(in.Protected.ReadOnly, sh.Abs())
		}
	}
	return in.Confine(l, s, w)
}

// around are what a command can read around the folders because git and build tools look
// for it there: the repository that a folder is a part of, and that of a linked worktree.
// A home is none.
func (x *sandboxes) around() (read []string) {
	for _, root := range x.Roots() {
		from := root
		if info, err := os.Lstat(filepath.Join(root, ".git")); err == nil && info.Mode().IsRegular() {
			from = filepath.Dir(root) // a submodule's is in the repository around it
		}
		if top := gitTop(from); top != "" && top != root {
			read = append(read, sandbox.Existing(top)...)
		}
	}
	_, _, owns := x.shields.WorktreePlaces()
	for _, own := range owns {
		read = append(read, filepath.Dir(filepath.Dir(own)))
	}
	homes := sandbox.Existing(x.userHome, x.home)
	read = append(read, sandbox.Existing(x.skills()...)...)
	return slices.DeleteFunc(read, func(path string) bool {
		return slices.ContainsFunc(homes, func(home string) bool { return home == path || strings.HasPrefix(home, path+"/") })
	})
}

// artifactsFor are what a command sees of the artifact directories: the folder of its
// own session, to change, and what makes git ignore them.
func (x *sandboxes) artifactsFor(session string) (a sandbox.Artifacts) {
	for i, root := range x.Roots() {
		dir := filepath.Join(root, x.artifactDir)
		if s, err := stampAt(dir); root == "/" || err != nil || !s.dir {
			continue // nothing is there, or a link, to which nothing is written
		}
		a.Dirs = append(a.Dirs, dir)
		if s, err := stampAt(filepath.Join(dir, ".gitignore")); err == nil && s.regular {
			a.Ignores = append(a.Ignores, filepath.Join(dir, ".gitignore"))
		}
		own := filepath.Join(dir, artifact.Folder(session))
		if s, err := stampAt(own); i == 0 && session != "" && err == nil && s.dir {
			a.Own = own
		}
	}
	return a
}
