package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

// box is the confinement of one command, from before its start until after its
// end.
type box struct {
	v        *Vault
	is       proc.Confinement
	contents bool        // was holds their contents, because the level cannot keep them
	undid    bool        // a protected file was put right
	bounds   tool.Bounds // what the agent is held to cannot be asked for
	watch    *watch
	changes  []tool.Change // what the command did to other files, known once it is closed

	mu  sync.Mutex      // guards was
	was map[string]memo // protected files
}

// openBox prepares the confinement of one command. Without any level it is none,
// unless the configuration or the agent requires one.
func (v *Vault) openBox(w wants) (*box, error) {
	s, needs := w.under(v.sandbox())
	b := &box{v: v, is: proc.Confinement{Level: proc.None}}
	if s.Mode == "off" || needs == "unconfined" {
		return b, nil
	}
	l := v.prober.best()
	if l.Name == proc.None {
		if s.Mode == "required" {
			if w.bounds.Narrow() {
				return nil, errors.New("no sandbox works on this machine, and the agent is held to one; the command did not run")
			}
			return nil, errors.New(`no sandbox works on this machine, and the configuration says sandbox.mode: "required"; the command did not run`)
		}
		return b, nil
	}
	shields := v.shields()
	var err error
	if b.is, err = v.confine(l, s, wants{needs, w.bounds}, shields); err != nil {
		return nil, fmt.Errorf("prepare the sandbox: %w", err)
	}
	b.bounds = w.bounds
	b.contents = l.Name != proc.Namespaces
	b.was = remember(shields, b.contents)
	return b, nil
}

// boxTries is how often a sandbox is set up for one command. That fails on what
// disappears meanwhile, such as a directory that the person removes or the
// socket of a daemon that ends; the command has not begun then.
const boxTries = 5

// inBox runs one command confined. Of c.Confine only Shown counts: what this
// command may read although it is hidden. w follows what it changes; nil: nobody
// does. No box: it could not be prepared, and err says why; otherwise the caller
// closes it.
func (v *Vault) inBox(ctx context.Context, w *watch, wanted wants, c proc.Command, keep []string, out io.Writer) (b *box, exit proc.Exit, outlived int, err error) {
	for range boxTries {
		if b, err = v.openBox(wanted); err != nil {
			w.end()
			return nil, exit, 0, err
		}
		b.watch = w
		one := c
		b.is.Shown = append(b.is.Shown, c.Confine.Shown...)
		one.Confine, one.Env = b.is, v.confinedEnv(slices.Clone(c.Env), keep, b.is)
		v.boxOpened(b)
		exit, outlived, err = execute(ctx, one, out)
		if err == nil || ctx.Err() != nil || !neverBegan(err) {
			break
		}
		v.boxClosed(b)
	}
	return b, exit, outlived, err
}

// neverBegan says that the sandbox could not be set up around a command.
func neverBegan(err error) bool {
	return strings.HasPrefix(err.Error(), "bwrap: ") || strings.HasPrefix(err.Error(), "namespaces: ")
}

// close puts protected files right and says for the model what the sandbox did,
// "" when that is nothing. failed says that the command did; err that it could
// not run.
func (b *box) close(failed bool, err error, out *output.Output) string {
	defer func() { b.changes = b.watch.end() }() // behind what is put right
	b.v.boxClosed(b)
	if b.is.Level == proc.None {
		return ""
	}
	if err != nil {
		b.v.prober.forget()
	}
	b.mu.Lock()
	lines, undoErr := b.v.putBack(b.was, b.contents)
	b.mu.Unlock()
	b.undid = len(lines) > 0
	var note string
	if b.undid {
		note = fmt.Sprintf("(the sandbox undid what the command did to protected files: %s. What it made lies in %s/undone. Use edit for such files, or needs: \"unconfined\" with a reason.)",
			listed(lines), b.v.artifactDir)
	}
	if undoErr != nil {
		note = output.JoinNotes(note, "(protected files could not all be put right: "+undoErr.Error()+")")
	}
	if failed && err == nil && !b.undid {
		note = output.JoinNotes(note, b.hint(out.Ending()))
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
	return printable(strings.Join(lines, ", ")) + more
}

// What programs say when they were refused, in lower case.
var (
	fileRefusals = [][]byte{[]byte("read-only file system"), []byte("permission denied"), []byte("operation not permitted"), []byte("erofs"), []byte("eacces"), []byte("eperm")}
	netRefusals  = [][]byte{[]byte("network is unreachable"), []byte("could not resolve"), []byte("temporary failure in name resolution"), []byte("name or service not known"), []byte("no such host"),
		[]byte("dial tcp"), []byte("connection refused"), []byte("address family not supported"), []byte("enetunreach"), []byte("eai_again"), []byte("enotfound"), []byte("econnrefused"), []byte("eafnosupport")}
)

// hint says how to ask for more where the end of the output looks like a
// refusal (ruling 79). It runs nothing again.
func (b *box) hint(end []byte) string {
	end = bytes.ToLower(end)
	has := func(list [][]byte) bool {
		for _, word := range list {
			if bytes.Contains(end, word) {
				return true
			}
		}
		return false
	}
	switch {
	case !b.is.Network && !b.bounds.Offline && has(netRefusals):
		return `(commands run without a network; if this one needs it, call again with needs: "network" and a reason)`
	case has(fileRefusals) && !b.bounds.Narrow():
		return `(commands can change only the workspace and the temporary directory, and not its protected files; if this one needs more, call again with needs: "unconfined" and a reason)`
	}
	return ""
}
