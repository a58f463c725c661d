package worker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/workspace/mirror"
)

// twin keeps the files the same as those of the sidecar's machine.
type twin struct {
	w    *worker
	name string // of its bundles: two workers may have one folder
}

// mirror is the repository that the folder is kept in, which nobody else uses until done.
func (t *twin) mirror() (m *mirror.Mirror, done func(), err error) {
	v := t.w.open()
	sum := sha256.Sum256([]byte(v.Root()))
	if m, err = v.Mirror(filepath.Join(t.w.Home, "mirrors", hex.EncodeToString(sum[:12])), false); err != nil {
		return nil, nil, err
	}
	done, err = m.Lock()
	return m, done, err
}

// take is what the files are. Those of a folder to which nothing was sent are somebody's own.
func (t *twin) take(ctx context.Context, p seam.ToTake) (out seam.Taken, err error) {
	defer t.w.alone(p.Session)()
	m, done, err := t.mirror()
	if err != nil {
		return out, err
	}
	defer done()
	fresh, err := m.Fresh()
	if err != nil || fresh {
		return out, err
	}
	out.Head, out.Laid = m.Head(), m.Laid()
	out.Now, err = m.Take(ctx, mirror.RefOf(p.Session, p.Run))
	return out, err
}

// bundle writes a commit into a file, and says how long that is.
func (t *twin) bundle(ctx context.Context, p seam.ToBundle) (size int64, err error) {
	m, done, err := t.mirror()
	if err != nil {
		return 0, err
	}
	defer done()
	file, err := m.Bundle(ctx, p.Commit, p.Have...)
	if err != nil || file == "" {
		return 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return info.Size(), os.Rename(file, filepath.Join(m.Dir, "read-"+t.name))
}

func (t *twin) readBundle(_ context.Context, p seam.BundlePiece) ([]byte, error) {
	m, done, err := t.mirror()
	if err != nil {
		return nil, err
	}
	defer done()
	f, err := os.Open(filepath.Join(m.Dir, "read-"+t.name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := make([]byte, min(max(p.Size, 0), maxPiece))
	n, err := f.ReadAt(out, p.At)
	if err == io.EOF {
		err = os.Remove(f.Name()) // that was all
	}
	return out[:n], err
}

// writeBundle adds to the bundle that is being sent; what begins at 0 is another one.
func (t *twin) writeBundle(_ context.Context, p seam.BundlePiece) (int, error) {
	m, done, err := t.mirror()
	if err != nil {
		return 0, err
	}
	defer done()
	how := os.O_WRONLY | os.O_CREATE
	if p.At == 0 {
		how |= os.O_TRUNC
	}
	f, err := os.OpenFile(filepath.Join(m.Dir, "written-"+t.name), how, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := f.WriteAt(p.Data, p.At)
	return n, errors.Join(err, f.Close())
}

// lay makes the files what they are on the sidecar's machine.
func (t *twin) lay(ctx context.Context, p seam.ToLay) (bool, error) {
	m, done, err := t.mirror()
	if err != nil {
		return false, err
	}
	defer done()
	fresh, err := m.Fresh()
	if err != nil {
		return false, err
	}
	if p.Bundled {
		file := filepath.Join(m.Dir, "written-"+t.name)
		defer os.Remove(file)
		if err := m.Receive(ctx, file, p.To.Commit, false); err != nil {
			return false, err
		}
	}
	if !fresh {
		now, err := m.Take(ctx, mirror.RefOf("", "now"))
		if err != nil || now.Tree != p.Now.Tree {
			return false, cmp.Or(err, errors.New("files there have changed meanwhile"))
		}
	}
	if err := m.Adopt(ctx, p.Head, cmp.Or(p.Branch, "main")); err != nil {
		return false, err
	}
	return true, m.Lay(ctx, p.To)
}

// settle is told that the sidecar's machine knows what is in a commit.
func (t *twin) settle(_ context.Context, known mirror.State) (bool, error) {
	m, done, err := t.mirror()
	if err != nil {
		return false, err
	}
	defer done()
	return true, m.Settle(known)
}
