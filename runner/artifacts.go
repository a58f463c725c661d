package runner

import (
	"context"
	"io"
	"path"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Artifacts are the large outputs that a worker keeps.
type Artifacts struct{ l *link }

// Artifacts are those of the worker.
func (h *Hands) Artifacts() *Artifacts { return &Artifacts{h.link} }

// Create implements session.Artifacts.
func (a *Artifacts) Create(session, toolName, callID, mime string) (tool.Spill, error) {
	key, forget := a.l.hear(func(any) {})
	forget() // only the name is needed
	_, err := ask[bool](context.Background(), a.l, seam.Create, seam.ToCreate{Key: key, Session: session, Tool: toolName, CallID: callID, MIME: mime})
	if err != nil {
		return nil, err
	}
	return &spill{a.l, key}, nil
}

// spill writes to an artifact of a worker.
type spill struct {
	l   *link
	key string
}

// mostWritten is how much is written at once, in bytes.
const mostWritten = 1 << 20

func (s *spill) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var took int
		took, err = ask[int](context.Background(), s.l, seam.Write, seam.ToWrite{Key: s.key, Data: p[n:min(len(p), n+mostWritten)]})
		n += took
		if took == 0 && err == nil {
			err = io.ErrShortWrite
		}
	}
	return n, err
}

func (s *spill) Close() (tool.ArtifactRef, string, error) {
	k, err := ask[seam.Kept](context.Background(), s.l, seam.Close, s.key)
	s.l.forgetDirs()
	return s.l.kept(k.Ref), k.Path, err
}

// RemoveSession implements session.Artifacts.
func (a *Artifacts) RemoveSession(session string) error {
	_, err := ask[bool](context.Background(), a.l, seam.Remove, session)
	return err
}

// ArtifactDirs implements session.Artifacts. Each judgement asks, so what was said is kept
// until an artifact is made, which may make a folder.
func (a *Artifacts) ArtifactDirs(session string) []string {
	a.l.mu.Lock()
	dirs, known := a.l.dirs[session]
	a.l.mu.Unlock()
	if known {
		return dirs
	}
	dirs, ok := glance[[]string](a.l, seam.Dirs, session)
	if ok {
		a.l.mu.Lock()
		defer a.l.mu.Unlock()
		a.l.dirs[session] = dirs
	}
	return dirs
}

// forgetDirs is called when an artifact was made.
func (l *link) forgetDirs() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.dirs)
}

// Copy implements session.Artifacts.
func (a *Artifacts) Copy(from, to string, files []string) error {
	_, err := ask[bool](context.Background(), a.l, seam.Copy, seam.ToCopy{From: from, To: to, Files: files})
	return err
}

// Find implements rpc.Artifacts.
func (a *Artifacts) Find(ref string) (tool.ArtifactRef, string, string, error) {
	k, err := ask[seam.Kept](context.Background(), a.l, seam.Find, ref)
	return a.l.kept(k.Ref), k.Path, k.Session, err
}

// List implements rpc.Artifacts.
func (a *Artifacts) List(session string) ([]tool.ArtifactRef, error) {
	refs, err := ask[[]tool.ArtifactRef](context.Background(), a.l, seam.List, seam.ToList{Session: session})
	return a.l.allKept(refs), err
}

// Named implements rpc.Artifacts.
func (a *Artifacts) Named(session string, ids []string) []tool.ArtifactRef {
	refs, _ := glance[[]tool.ArtifactRef](a.l, seam.List, seam.ToList{Session: session, IDs: ids, Named: true})
	return a.l.allKept(refs)
}

// Open implements rpc.Artifacts: it reads a found artifact, piece by piece.
func (a *Artifacts) Open(fullPath string) (interface {
	io.ReaderAt
	io.Closer
}, error) {
	return distantFile{a.l, path.Clean(fullPath)}, nil
}

// distantFile is the file of an artifact there.
type distantFile struct {
	l    *link
	path string
}

func (f distantFile) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		piece, err := ask[[]byte](context.Background(), f.l, seam.Bytes, seam.Range{Path: f.path, At: at + int64(n), Size: len(p) - n})
		if err != nil {
			return n, err
		}
		if len(piece) == 0 {
			return n, io.EOF
		}
		n += copy(p[n:], piece)
	}
	return n, nil
}

func (distantFile) Close() error { return nil }
