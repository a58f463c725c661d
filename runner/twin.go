package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/mirror"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// Source is the folder of this machine that a worker's is kept the same as. The Vault
// implements it.
type Source interface {
	// Mirror is the repository in a directory that the folder is kept in, as it is now.
	Mirror(dir string, source bool) (*mirror.Mirror, error)
	// Keep keeps a content, which an undo can load by its hash.
	Keep(content []byte) (hash string, err error)
	// Bring is a call that undoes changes, so that files become what they are on another machine.
	Bring(from string, changes []tool.Change) tool.Tool
	// Typed names the documents whose text in the editor is not saved.
	Typed() []string
}

// Twin keeps the files of a worker the same as those of a folder of this machine.
type Twin struct {
	hands *Hands
	here  Source
	dir   string // of the mirror
	name  string // of the runner

	mu sync.Mutex // one at a time
}

// NewTwin keeps what it must know in dir, which is absolute. name is that of the runner, for people.
func NewTwin(hands *Hands, here Source, dir, name string) *Twin {
	return &Twin{hands: hands, here: here, dir: dir, name: name}
}

// sendTries is how often it is tried to send what changes there meanwhile.
const sendTries = 3

// Send makes the files there what they are here, and names those of here whose text in the editor
// is not saved and thus not sent. What is other there must have been fetched: what was not is
// overwritten there, and kept in a commit.
func (t *Twin) Send(ctx context.Context, session, run string) (typed []string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m, done, err := t.mirror()
	if err != nil {
		return nil, err
	}
	defer done()
	for range sendTries {
		var there seam.Taken
		if there, err = ask[seam.Taken](ctx, t.hands.link, seam.SyncTake, seam.ToTake{Session: session, Run: run}); err != nil {
			return nil, err
		}
		if err = t.owe(session); err != nil {
			return nil, err
		}
		if err = t.send(ctx, m, there); err == nil {
			return t.here.Typed(), nil
		}
	}
	return nil, err
}

func (t *Twin) send(ctx context.Context, m *mirror.Mirror, there seam.Taken) error {
	now, err := m.Take(ctx, mirror.RefOf("", "here"))
	if err != nil {
		return err
	}
	if now.Tree == there.Now.Tree && there.Head == m.Own.Head {
		return nil
	}
	file, err := m.Bundle(ctx, now.Commit, there.Laid.Commit, there.Head)
	if err != nil {
		return err
	}
	if file != "" {
		defer os.Remove(file)
		if err := t.write(ctx, file); err != nil {
			return err
		}
	}
	_, err = ask[bool](ctx, t.hands.link, seam.SyncLay, seam.ToLay{To: now, Bundled: file != "", Now: there.Now, Head: m.Own.Head, Branch: m.Own.Branch})
	return err
}

// write sends a bundle.
func (t *Twin) write(ctx context.Context, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	data := make([]byte, maxPiece)
	for at := int64(0); ; {
		n, err := f.ReadAt(data, at)
		if err != nil && err != io.EOF {
			return err
		}
		if n == 0 {
			return nil
		}
		if _, err := ask[int](ctx, t.hands.link, seam.SyncWrite, seam.BundlePiece{At: at, Data: data[:n]}); err != nil {
			return err
		}
		at += int64(n)
	}
}

// maxPiece is the longest part of a bundle that is sent at once, in bytes.
const maxPiece = 1 << 20

// Bounds of what is fetched.
const (
	mostFetched  = 2000      // files
	maxFetched   = 32 << 20  // bytes of one file
	maxAllOfThem = 512 << 20 // bytes of a bundle
)

// Fetched is what is other there than it was sent.
type Fetched struct {
	// Tool brings files back; its call takes their paths.
	Tool  tool.Tool
	Paths []string
	// Left are those that are not brought back whatever anybody says.
	Left []tool.Conflict
	// Settle says that all this is known here: it is not fetched again.
	Settle func(context.Context) error
}

// Fetch gets what is other there than it was sent; nil for nothing.
func (t *Twin) Fetch(ctx context.Context, session, run string) (out *Fetched, err error) {
	err = t.fetch(ctx, session, run, func(m *mirror.Mirror, there seam.Taken) error {
		out, err = t.compared(ctx, m, there.Laid.Commit, there.Now.Commit)
		if err == nil {
			out.Settle = func(ctx context.Context) error { return t.settle(ctx, session, there) }
		}
		return err
	})
	return out, err
}

// fetch gets the commits of what is other there, if anything is, for with.
func (t *Twin) fetch(ctx context.Context, session, run string, with func(*mirror.Mirror, seam.Taken) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	there, err := ask[seam.Taken](ctx, t.hands.link, seam.SyncTake, seam.ToTake{Session: session, Run: run})
	if err != nil {
		return err
	}
	if there.Laid.Tree == there.Now.Tree {
		return t.paid(session)
	}
	m, done, err := t.mirror()
	if err != nil {
		return err
	}
	defer done()
	if err := t.get(ctx, m, there); err != nil {
		return err
	}
	return with(m, there)
}

// settle says that all that is there is known here.
func (t *Twin) settle(ctx context.Context, session string, there seam.Taken) error {
	if _, err := ask[bool](ctx, t.hands.link, seam.SyncSettle, there.Now); err != nil {
		return err
	}
	return t.paid(session)
}

// mirror is the repository here, which nobody else uses until done.
func (t *Twin) mirror() (m *mirror.Mirror, done func(), err error) {
	if m, err = t.here.Mirror(t.dir, true); err != nil {
		return nil, nil, err
	}
	done, err = m.Lock()
	return m, done, err
}

// compared is what is other in one commit than in another, with both contents kept.
func (t *Twin) compared(ctx context.Context, m *mirror.Mirror, was, now string) (*Fetched, error) {
	changed, err := m.Changed(ctx, was, now)
	if err != nil {
		return nil, err
	}
	out := &Fetched{}
	changes, err := t.kept(ctx, m, changed, out)
	if err != nil {
		return nil, err
	}
	out.Tool = t.here.Bring(t.name, changes)
	return out, nil
}

// get gets the commits of there that are not here.
func (t *Twin) get(ctx context.Context, m *mirror.Mirror, there seam.Taken) error {
	var have []string
	if m.Has(ctx, there.Laid.Commit) {
		have = append(have, there.Laid.Commit)
	}
	if m.Own.Head != "" {
		have = append(have, m.Own.Head)
	}
	size, err := ask[int64](ctx, t.hands.link, seam.SyncBundle, seam.ToBundle{Commit: there.Now.Commit, Have: have})
	switch {
	case err != nil:
		return err
	case size == 0 && m.Has(ctx, there.Now.Commit):
		return nil
	case size == 0:
		return errors.New("the worker sends no files")
	case size > maxAllOfThem:
		return fmt.Errorf("what was changed there is %d bytes, more than is brought back", size)
	}
	file := filepath.Join(t.dir, "in.bundle")
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(file)
	for at := int64(0); at < size && err == nil; {
		var data []byte
		data, err = ask[[]byte](ctx, t.hands.link, seam.SyncRead, seam.BundlePiece{At: at, Size: maxPiece})
		if err == nil && len(data) == 0 {
			err = errors.New("the worker sends less than it said")
		}
		if err == nil {
			_, err = f.Write(data)
		}
		at += int64(len(data))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return m.Receive(ctx, file, there.Now.Commit, true)
}

// kept keeps both sides of what was changed, and gives the changes that undoing takes to what is there.
// What cannot be brought back is named in out.
func (t *Twin) kept(ctx context.Context, m *mirror.Mirror, changed []mirror.Change, out *Fetched) ([]tool.Change, error) {
	var usable []mirror.Change
	var ids []string
	for _, c := range changed {
		switch {
		case c.Was.Kind == mirror.Other || c.Now.Kind == mirror.Other:
			out.Left = append(out.Left, tool.Conflict{Path: c.Path, Reason: tool.NoFile})
			continue
		case len(usable) == mostFetched:
			out.Left = append(out.Left, tool.Conflict{Path: c.Path, Reason: tool.TooMany})
			continue
		}
		usable = append(usable, c)
		for _, side := range []mirror.Side{c.Was, c.Now} {
			if side.Kind != mirror.Nothing {
				ids = append(ids, side.ID)
			}
		}
	}
	var hashes []string
	err := m.Contents(ctx, ids, maxFetched, func(content []byte) error {
		hash := ""
		var err error
		if content != nil {
			hash, err = t.here.Keep(content)
		}
		hashes = append(hashes, hash)
		return err
	})
	if err != nil {
		return nil, err
	}
	next := func(s mirror.Side) (hash string, ok bool) {
		if s.Kind == mirror.Nothing {
			return "", true
		}
		hash, hashes = hashes[0], hashes[1:]
		return hash, hash != ""
	}
	var changes []tool.Change
	for _, c := range usable {
		was, known := next(c.Was)
		now, knownNow := next(c.Now)
		if !known || !knownNow {
			out.Left = append(out.Left, tool.Conflict{Path: c.Path, Reason: tool.TooLarge})
			continue
		}
		out.Paths = append(out.Paths, c.Path)
		changes = append(changes, leadingTo(c, was, now))
	}
	return changes, nil
}

// leadingTo is the change whose undoing makes of what was sent what is there now.
func leadingTo(c mirror.Change, was, now string) tool.Change {
	image := undo.Image{Kind: undo.File, Hash: now}
	switch {
	case c.Now.Kind == mirror.Program:
		image.Mode = 0o755
	case c.Was.Kind == mirror.Program:
		image.Mode = 0o644
	}
	out := tool.Change{Path: strings.TrimPrefix(c.Path, "/"), Kind: "modified", Before: now, After: was, Checkpoint: image.Name()}
	switch mirror.Nothing {
	case c.Now.Kind:
		out.Kind, out.Checkpoint = "created", ""
	case c.Was.Kind:
		out.Kind = "deleted"
	}
	return out
}
