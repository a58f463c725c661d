package surface

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// places says which documents are the person's, and which we show.
type places struct {
	*Screen
	board *Board

	mu    sync.Mutex // guards everything below
	roots []string   // the client's folders, as URIs
}

// follow takes over the client's folders.
func (p *places) follow(roots []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roots = roots
}

// inWorkspace says whether a document is a file in one of the client's folders,
// or what we show: the transcript of a session, and reviews.
func (p *places) inWorkspace(uri string) bool {
	path, ok := fileuri.Path(uri)
	return ok && (p.inFolders(path) || p.board.reviewedIn(path) != nil || p.ofSession(path))
}

// ofSession says whether a file is one that we keep for an open session.
func (p *places) ofSession(path string) bool {
	return slices.ContainsFunc(p.sessions.Live(), func(of *session.Session) bool { return inside(of.Dir(), path) })
}

// inFolders says whether a path lies in one of the client's folders. Without a
// folder every path does.
func (p *places) inFolders(path string) bool {
	p.mu.Lock()
	roots := p.roots
	p.mu.Unlock()
	for _, uri := range roots {
		if root, ok := fileuri.Path(uri); ok && inside(root, path) {
			return true
		}
	}
	return len(roots) == 0
}

// inside says whether path is dir or lies in it, by their names.
func inside(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}
