package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

//go:embed memory.md
var memoryDoc string

type memoryArgs struct {
	Kind string `json:"kind" words:"long,daily" jsonschema:"long (lasts) or daily (notes of today)"`
	Text string `json:"text" jsonschema:"what to remember"`
}

// newMemory is the tool that adds an entry to one of the two kinds of memory
// files. It only ever appends; long-term memory is changed with edit.
func newMemory(d *toolset) tool.Tool {
	spec := tool.Spec{Name: "memory", Description: memoryDoc, Effect: tool.Write}
	return tool.Define(spec, func(in memoryArgs) (*tool.Plan, error) {
		now := time.Now() // days are local dates
		name, entry := memoryLong, now.Format("2006-01-02 15:04")
		switch in.Kind {
		case "long":
		case "daily":
			name, entry = memoryOf(now), now.Format("15:04")
		default:
			return nil, fmt.Errorf("kind is %q, neither long nor daily", in.Kind)
		}
		text, err := noteText(in.Text)
		if err != nil {
			return nil, err
		}
		p, err := d.memoryPath(name)
		if err != nil {
			return nil, err
		}
		return d.planNote(p, "- "+entry, ": "+strings.ReplaceAll(text, "\n", "\n  ")+"\n"), nil
	})
}

// noteText is a text fit for a line of its own: UTF-8 without control and
// invisible characters, which could hide from a person what steers every later
// session.
func noteText(s string) (string, error) {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029') {
			return -1
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return "", errors.New("the text is empty")
	case len(s) > maxNote:
		return "", fmt.Errorf("the text is too long (%d bytes, at most %d); remember less, or say it shorter", len(s), maxNote)
	}
	return s, nil
}

// memoryPath is the place of a memory file, which must be where its name says: a
// link could make what is allowed for memory a change of any other file.
func (d *toolset) memoryPath(name string) (Path, error) {
	p, err := d.path("vault:/" + name)
	if err != nil {
		return Path{}, err
	}
	if p.rel != name || p.LinkObject() != "" {
		return Path{}, fmt.Errorf("%s is reached through a link, so nothing is remembered there", name)
	}
	return p, nil
}

// originMark is how an entry says where it is from: "(session 0001, run 0001-r2.1, read
// files and web)".
func originMark(o tool.Origin) string {
	if o.Session == "" {
		return ""
	}
	read := "read nothing"
	if len(o.Read) > 0 {
		read = "read " + strings.Join(o.Read, " and ")
	}
	return " (session " + o.Session + ", run " + o.Run + ", " + read + ")"
}

// marked is the head of an entry with its origin.
var marked = lazy.Regexp(`^(- [0-9: -]+) \(session [^()]*\): `)

func (d *toolset) planNote(p Path, head, text string) *tool.Plan {
	whole := func(g tool.Grant) string { return head + originMark(g.Origin) + text }
	plan := &tool.Plan{
		Title: "remember in " + p.title(), Targets: targets(tool.DomainEdit, p), Lock: []string{p.key()},
		Preview: func(_ context.Context, would tool.Grant) (tool.Preview, error) {
			return tool.Preview{Kind: "text", Text: whole(would)}, nil
		},
		Run: func(ctx context.Context, grant tool.Grant, _ tool.Sink) (tool.Result, error) {
			if err := ctx.Err(); err != nil {
				return tool.Result{}, err
			}
			return d.note(p, whole(grant)), nil
		},
	}
	if info, err := p.lstat(); err == nil {
		if n := openat.LinkCount(info); n > 1 { // as for other changes
			plan.Why = said.That("the file is one of %d hard links", n)
		}
	}
	return plan
}

// note appends an entry. Two sessions of this process, and other processes, wait
// for each other, so that entries stay whole and what is known stays true.
func (d *toolset) note(p Path, entry string) tool.Result {
	v := d.v
	v.changing.Lock()
	defer v.changing.Unlock()
	lock, err := v.lockMemory()
	if err != nil {
		return tool.Failed(err)
	}
	defer lock.Close()
	if err := errors.Join(v.again(p), v.notDirty(p)); err != nil {
		return tool.Failed(err)
	}
	was, err := p.snapshot()
	if err != nil {
		return tool.Failed(err)
	}
	if len(was.data) > 0 && was.data[len(was.data)-1] != '\n' {
		entry = "\n" + entry
	}
	if len(was.data)+len(entry) > maxMemoryFile {
		return tool.Failed(fmt.Errorf("%s is full (%d KiB): shorten it first, with edit", p, maxMemoryFile>>10))
	}
	kind, checkpoint := "created", ""
	if was.exists {
		kind = "modified"
		if checkpoint, err = v.Keep(was.data); err != nil {
			return tool.Failed(fmt.Errorf("%s: not changed: %w", p, err))
		}
	}
	if err := p.append(was, entry); err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", p, err))
	}
	now := string(was.data) + entry
	after := hashOf([]byte(now))
	if !was.exists || d.reads.hash(p.key()) == was.hash { // edit may follow where the rest was read
		d.remember(p, after)
	}
	v.wrote(p, now, after)
	text := "remembered in " + p.Display()
	if err := v.keepKnown(p, was, after); err != nil {
		text += " (" + err.Error() + ")"
	}
	return tool.Result{Text: text, Changes: []tool.Change{{
		Path: p.Display(), URI: p.URI(), Kind: kind, Additions: strings.Count(entry, "\n"), Before: was.hash, After: after, Checkpoint: checkpoint,
	}}}
}

// append adds text to the file that the snapshot is of, with one write. On an error
// what a full disk took of it is taken back, and a new file is taken away again.
func (p Path) append(was snapshot, text string) error {
	dir, base, err := p.ensureParent(was)
	if err != nil || dir == nil {
		return err
	}
	defer dir.Close()
	var f *os.File
	if was.exists {
		f, err = dir.OpenFile(base, os.O_WRONLY|os.O_APPEND, 0)
	} else {
		err = p.disk.Do(durable.OpCreate, p.abs, func() (err error) {
			f, err = dir.OpenFile(base, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o666)
			return err
		})
	}
	if err != nil || f == nil { // nil: the disk is frozen
		return openat.Plain(err)
	}
	err = errors.Join(p.appendTo(f, was, text), f.Close())
	if err != nil && !was.exists {
		return errors.Join(err, p.removeEmpty(dir, base))
	}
	if !was.exists {
		p.writer(dir).Sync()
	}
	return err
}

func (p Path) appendTo(f *os.File, was snapshot, text string) error {
	info, err := f.Stat()
	if err != nil {
		return openat.Plain(err)
	}
	if was.exists && (!os.SameFile(info, was.info) || info.Size() != was.info.Size()) {
		return errChanged
	}
	if _, err = p.disk.Write(durable.OpAppend, p.abs, f, []byte(text)); err == nil {
		err = p.disk.Do(durable.OpSync, p.abs, func() error { return durable.Synced(f.Sync) })
	}
	if err != nil {
		back := p.disk.Do(durable.OpCutBack, p.abs, func() error { return f.Truncate(info.Size()) })
		return errors.Join(openat.Plain(err), openat.Plain(back))
	}
	return nil
}

// removeEmpty takes a file away that was made for a note which failed, unless
// somebody has written to it meanwhile.
func (p Path) removeEmpty(dir *os.Root, base string) error {
	if info, err := dir.Lstat(base); err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		return nil
	}
	return openat.Plain(p.disk.Do(durable.OpRemove, p.abs, func() error { return dir.Remove(base) }))
}
