package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// ErrGone says that the session was deleted, here or on another machine.
var ErrGone = errors.New("the session was deleted on another machine")

// gone is how a session is known that was deleted: the end of its log then.
func (c *Copy) goneSubject() string { return c.space.subject(wordGone, c.token) }

func (c *Copy) notGone(ctx context.Context) error {
	_, err := c.space.Remote.Last(ctx, c.goneSubject())
	switch {
	case errors.Is(err, ErrNone):
		return nil
	case err != nil:
		return err
	}
	return ErrGone
}

// Grave is what is kept of a session that was deleted until its copy is removed.
type Grave struct {
	Token string `json:"token"`
	Root  mark   `json:"root"`
}

// Grave is that of the session.
func (c *Copy) Grave() Grave { return Grave{c.token, c.root.acked} }

// Bury removes the copy of a session, and says to the other machines that it is gone. It can
// be done again.
func (s *Space) Bury(ctx context.Context, g Grave) error {
	c := s.copyNamed("", "", g.Token)
	end := record{head: head{first: 1, last: max(1, g.Root.Seq)}}
	copy(end.chain[:], g.Root.Chain)
	end.Blob = "-" // it has no lines
	data, err := s.Key.seal(c.goneSubject()).close(end)
	if err != nil {
		return err
	}
	_, err = s.Remote.Append(ctx, c.goneSubject(), 0, c.goneSubject(), data)
	if err != nil && !errors.Is(err, ErrRefused) {
		return err
	}
	return errors.Join(
		s.Remote.Clear(ctx, c.root.subject), s.Remote.Clear(ctx, s.subject(wordSub, c.token, ">")),
		s.Remote.RemoveBlobs(ctx, c.token+"."), s.Remote.RemoveBlobs(ctx, c.root.subject+"."),
	)
}

// Token is what the session is called on the server.
func (c *Copy) Token() string { return c.token }

// Same says that the log and its copy, which has so many messages, were the same when they
// were looked at last, and that the log has not grown since.
func (c *Copy) Same(messages uint64) bool {
	return messages > 0 && c.kept.Seen == messages && c.Whole()
}

// Seen says that both are the same now; the copy had so many messages before it was looked at.
func (c *Copy) Seen(messages uint64) error {
	if c.root.sent > 0 || !c.Whole() {
		messages = 0
	}
	if messages == c.kept.Seen {
		return nil
	}
	c.kept.Seen = messages
	return c.remember()
}

// Confirmed is the last line that the server is known to have had.
func (c *Copy) Confirmed() int64 { return c.root.acked.Seq }

// Whole says that nothing of the log that is here was missing in the copy when it was last
// looked at: what was deleted then was all of it.
func (c *Copy) Whole() bool {
	info, err := os.Stat(c.root.path)
	return err == nil && c.root.acked.Seq > 0 && info.Size() == c.root.acked.At
}

// Take brings the file to what the copy has more, and says whether that was something. The
// caller holds the lock of the folder, and nobody has the log open.
func (c *Copy) Take(ctx context.Context) (moved bool, err error) {
	if _, err := c.space.Disk.CutTorn(c.root.path, filepath.Join(c.dir, "events.torn")); err != nil {
		return false, err
	}
	c.root.looked = false
	err = c.root.look(ctx, All)
	if err == nil {
		return false, c.takeSubs(ctx)
	}
	if !errors.Is(err, ErrBehind) {
		return false, err
	}
	if err := c.hasMoved(); err != nil {
		return false, err
	}
	if err := c.takeLines(ctx, c.root); err != nil {
		return true, err
	}
	return true, c.takeSubs(ctx)
}

// takeLines adds to the file of a log what its copy has behind it.
func (c *Copy) takeLines(ctx context.Context, l *copied) error {
	out, err := c.space.Disk.OpenLog(l.path)
	if err != nil {
		return err
	}
	err = l.fetch(ctx, func(n note) error { return c.take(ctx, n) }, func(line []byte) error {
		_, err := out.Append(line)
		return err
	})
	return errors.Join(err, out.Sync(), out.Close())
}

// take fetches what a message says is beside the log, before its lines are written.
func (c *Copy) take(ctx context.Context, n note) error {
	for _, name := range n.Files {
		if err := c.file(ctx, name); err != nil {
			return err
		}
	}
	for folder, name := range n.Subs {
		if c.subs[folder] == nil && c.sub(folder, name) == nil {
			return fmt.Errorf("%w: a sub-agent %q", ErrForged, folder)
		}
		c.told[history.ChildFolder+"/"+folder] = true
	}
	return nil
}

// takeSubs brings the logs of sub-agents to what their copies have. One that has come apart
// stays as it is here.
func (c *Copy) takeSubs(ctx context.Context) error {
	for _, l := range c.subs {
		if err := c.space.Disk.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
			return err
		}
		_, err := c.space.Disk.CutTorn(l.path, filepath.Join(filepath.Dir(l.path), "events.torn"))
		if err == nil && !history.Exists(filepath.Dir(l.path)) {
			l.acked, err = mark{place: l.start()}, ErrBehind
		} else if err == nil {
			l.looked = false
			err = l.look(ctx, All)
		}
		if errors.Is(err, ErrBehind) {
			err = c.takeLines(ctx, l)
		}
		if err != nil && !errors.As(err, new(*DivergedError)) {
			return err
		}
	}
	return c.remember()
}

// pulling is the log of a session that is not complete yet.
const pulling = "pulling.jsonl"

// Begin writes the log of a session that is not here into its folder, which is locked and
// has none. It appears at once, whole.
func (s *Space) Begin(ctx context.Context, id, dir, token string) (*Copy, error) {
	c := s.copyNamed(id, dir, token)
	return c, c.fill(ctx)
}

// Refill puts what the copy has in the place of a log that has come apart from it. The caller
// holds the lock of the folder, has the log open nowhere, and has seen to it that nothing of
// it is lost.
func (c *Copy) Refill(ctx context.Context) error {
	c.root.acked, c.subs, c.told = mark{place: c.root.start()}, map[string]*copied{}, map[string]bool{}
	if err := c.space.Disk.RemoveAll(filepath.Join(c.dir, history.ChildFolder)); err != nil {
		return err
	}
	return c.fill(ctx)
}

func (c *Copy) fill(ctx context.Context) error {
	temp, log := filepath.Join(c.dir, pulling), c.root.path
	if err := c.space.Disk.Remove(temp); err != nil {
		return err
	}
	c.root.path = temp
	err := c.takeLines(ctx, c.root)
	c.root.path = log
	if err != nil {
		return err
	}
	if c.root.acked.Seq == 0 {
		return ErrNone
	}
	if err := c.takeSubs(ctx); err != nil {
		return err
	}
	if err := errors.Join(c.hasMoved(), history.Forget(c.space.Disk, c.dir)); err != nil {
		return err
	}
	return c.space.Disk.Rename(temp, log)
}

// hasMoved comes before the first line of another machine: who dies behind it leaves that, too.
func (c *Copy) hasMoved() error {
	return c.space.Disk.WriteFile(filepath.Join(c.dir, movedFile), nil, 0o600)
}

// Moved says that lines of the log in a folder come from another machine, and that the log does
// not say so yet.
func Moved(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, movedFile))
	return err == nil
}

// Settled says that the log says so now.
func Settled(disk *durable.Disk, dir string) error { return disk.Remove(filepath.Join(dir, movedFile)) }

// ForkOf is the session that was made of the log as it is now, "" where none was.
func (c *Copy) ForkOf() string {
	end, err := c.root.placeOf(All)
	if err != nil || !bytes.Equal(end.Chain, c.kept.Forked) {
		return ""
	}
	return c.kept.Fork
}

// Forked says that another session has the log as it is now.
func (c *Copy) Forked(id string) error {
	end, err := c.root.placeOf(All)
	if err != nil {
		return err
	}
	c.kept.Fork, c.kept.Forked = id, end.Chain
	return c.remember()
}

// First says what a session of the workspace that may not be here is called.
func (s *Space) First(ctx context.Context, token string) (id string, err error) {
	l := s.copyNamed("", "", token).root
	m, err := s.Remote.First(ctx, l.subject)
	if err != nil {
		return "", err
	}
	r, err := l.opened(ctx, m)
	if err != nil {
		return "", err
	}
	first, _, _ := bytes.Cut(r.lines, []byte{'\n'})
	if r.first != 1 || s.token(r.ID, first) != token {
		return "", ErrForged
	}
	return r.ID, nil
}

// Tokens are the sessions of the workspace that the server has, and how many messages each
// has. Gone are those that were deleted.
func (s *Space) Tokens(ctx context.Context) (there map[string]uint64, gone map[string]bool, err error) {
	logs, err := s.Remote.Subjects(ctx, s.subject(wordLog, "*"))
	if err != nil {
		return nil, nil, err
	}
	buried, err := s.Remote.Subjects(ctx, s.subject(wordGone, "*"))
	if err != nil {
		return nil, nil, err
	}
	there, gone = map[string]uint64{}, map[string]bool{}
	for subject, n := range logs {
		there[filepath.Ext(subject)[1:]] = n
	}
	for subject := range buried {
		gone[filepath.Ext(subject)[1:]] = true
	}
	return there, gone, nil
}
