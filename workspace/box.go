package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

// box is the confinement of one command, from before its start until after its
// end.
type box struct {
	v       *Vault
	is      proc.Confinement
	undid   bool          // a protected file was put right
	wants   sandbox.Wants // as the bounds leave it: what these hold it to cannot be asked for
	watch   *watch
	changes []tool.Change  // what the command did to other files, known once it is closed
	closed  closing        // what it could not read
	guard   *shields.Guard // what it finds protected
}

// openBox prepares the confinement of one command. Without any level it is none,
// unless the configuration or the agent requires one.
func (v *Vault) openBox(w sandbox.Wants, environ []string, files *watch) (*box, error) {
	s, w := w.Under(v.sandbox())
	b := &box{v: v, guard: v.shields.Guard(nil, false), watch: files, is: proc.Confinement{Level: proc.None}}
	w.Wide = s.Wide(v.userHome)
	l, err := v.prober.For(s, w)
	if err != nil {
		return nil, err
	}
	if l.Name == proc.None {
		return b, nil
	}
	b.wants = w
	b.guard = v.shields.Guard(files.tracked(), l.Name != proc.Namespaces)
	kept := shields.KeepsRepositories(l, w)
	var protected []shields.Shield
	if !w.Looks() { // it finds everything read-only, and nobody has to look after it
		protected = b.guard.Find(kept, l.Name == proc.Namespaces && len(w.Bounds.Within) == 0 && !kept)
	}
	if l.Closes() {
		if b.closed, err = v.closeFor(w.Opens); err != nil {
			b.guard.LetGo()
			return nil, err
		}
	}
	if b.is, err = v.confine(l, s, w, environ, protected, b.closed, files); err != nil {
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	b.guard.Begin(protected, kept)
	return b, nil
}

// boxTries is how often a sandbox is set up for one command. That fails on what
// disappears meanwhile, such as a directory that the person removes or the
// socket of a daemon that ends; the command has not begun then.
const boxTries = 5

// inBox runs one command confined. Of c.Confine only Shown counts: what this
// command may read although it is hidden. w follows what it changes; nil: nobody
// does; begins is told when the command runs. No box: it could not be prepared, and err
// says why; otherwise the caller closes it.
func (v *Vault) inBox(ctx context.Context, w *watch, wanted sandbox.Wants, c proc.Command, keep []string, out io.Writer, begins func()) (b *box, exit proc.Exit, outlived int, err error) {
	for range boxTries {
		if b, err = v.openBox(wanted, c.Env, w); err != nil {
			w.over()
			return nil, exit, 0, err
		}
		one := c
		one.Guards, one.Runs = &v.keepers, begins
		b.is.Shown = append(b.is.Shown, c.Confine.Shown...)
		one.Confine, one.Env = b.is, v.surroundings(wanted.Apart).Env(slices.Clone(c.Env), keep, b.is)
		v.boxOpened(b)
		exit, outlived, err = sandbox.Execute(ctx, one, out)
		if err == nil || ctx.Err() != nil || !sandbox.NeverBegan(err) {
			break
		}
		v.boxClosed(b)
		b.guard.LetGo()
	}
	return b, exit, outlived, err
}

// close puts protected files right and says for the model what the sandbox did,
// "" when that is nothing. failed says that the command did; err that it could
// not run.
func (b *box) close(failed bool, err error, out *output.Output) (note string) {
	defer func() { // behind what is put right
		b.changes = b.watch.over()
		note = b.watch.withTogether(output.JoinNotes(note, b.remains()))
	}()
	defer b.guard.LetGo()
	b.v.boxClosed(b)
	if b.is.Level == proc.None {
		return ""
	}
	if err != nil {
		b.v.prober.Forget()
	}
	var lines []string
	var undoErr error
	if !b.wants.Looks() { // else what has changed is somebody else's
		strays, err := b.v.strays(b.closed.homes)
		lines, undoErr = b.guard.PutBack(strays)
		undoErr = errors.Join(err, undoErr)
	}
	b.undid = len(lines) > 0
	if b.undid {
		note = fmt.Sprintf("(the sandbox undid what the command did to protected files: %s. What it made is in %s/undone. Use edit for such files, or needs: \"unconfined\" with a reason.)",
			listed(lines), b.v.artifactDir)
	}
	if undoErr != nil {
		note = output.JoinNotes(note, "(protected files could not all be put right: "+undoErr.Error()+")")
	}
	if failed && err == nil && !b.undid {
		note = output.JoinNotes(note, sandbox.Hint(b.is, b.wants, b.v.shownClosed(b.closed), out.Ending()))
	}
	return note
}

// maxListed bounds how many paths a note names.
const maxListed = 20

func listed(lines []string) string {
	more := ""
	if len(lines) > maxListed {
		more = fmt.Sprintf(" and %d more", len(lines)-maxListed)
		lines = lines[:maxListed]
	}
	return pathname.Printable(strings.Join(lines, ", ")) + more
}

// surroundings are what the sandbox has to know of the Vault. Commands of a session that
// is kept apart have their /tmp, their home and their caches in one directory that ends
// with it.
func (v *Vault) surroundings(apart string) sandbox.Surroundings {
	s := sandbox.Surroundings{Roots: v.Roots(), Home: v.home, UserHome: v.userHome, Temp: v.temps.Of(apart)}
	if apart == "" {
		s.Cache = v.commandCache()
	}
	return s
}

// commandCache is where build tools of commands keep what they made: their own
// place, because what a command leaves in the person's would later run outside
// the sandbox. "" without a home.
func (v *Vault) commandCache() string {
	if v.home == "" {
		return ""
	}
	return filepath.Join(v.home, "cache", v.WorkspaceID())
}

// confine is what one command may touch; protected are the protected paths that
// exist, shut is what cannot be read, and files follows what the command changes.
func (v *Vault) confine(l sandbox.Level, s sandbox.Settings, w sandbox.Wants, environ []string, protected []shields.Shield, shut closing, files *watch) (proc.Confinement, error) {
	in := v.surroundings(w.Apart)
	if w.OnlyOutputs() && !w.Looks() {
		in.Outputs = v.outputs(files)
	}
	in.Environ, in.Around = environ, v.around()
	in.Closed, in.Opened, in.Artifacts = shut.paths, shut.shown, v.artifactsFor(w.Session)
	for _, object := range w.Bounds.Within {
		folder, err := v.folder(object)
		if err != nil {
			return proc.Confinement{}, fmt.Errorf("the folder of the agent: %w", err)
		}
		in.Within = append(in.Within, folder.Abs())
	}
	kept := shields.KeepsRepositories(l, w)
	if l.Name == proc.Namespaces && len(w.Bounds.Within) == 0 { // else the repository is not in the agent's folder
		in.Worktrees.Write, in.Worktrees.ReadOnly, _ = v.shields.WorktreePlaces()
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
