package surface

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// annotations are where open questions are in documents: at the lines that an edit would change, in
// plain clients for a command at the cursor, and in the transcript. Code lenses show them, and
// Information diagnostics, of which a light bulb comes by itself.
type annotations struct {
	*Screen
	approvals   *Approvals
	places      *places
	diagnostics *Diagnostics

	mu         sync.Mutex // guards everything below
	cursor     anchor     // where the person was last; no uri: not known
	anchors    map[string][]anchor
	pages      map[string][]anchor // of transcripts, by session
	refreshing bool                // the client was asked to ask for lenses again
	stale      bool                // and there is something new since
}

// anchor is a place in a document, in zero-based lines, end exclusive.
type anchor struct {
	uri        string
	start, end int
	approval   string // in a transcript: whose line it is
}

// mostSpots bounds in how many places one question stands.
const mostAnchors = 20

// maxDiagnostic is how long the message of a diagnostic is, in characters. It shows
// the whole of nearly every command.
const maxDiagnostic = 4000

func newAnnotations(s *Screen, b *Approvals, p *places, d *Diagnostics) *annotations {
	return &annotations{Screen: s, approvals: b, places: p, diagnostics: d, anchors: map[string][]anchor{}, pages: map[string][]anchor{}}
}

// on says whether the client sees annotations at all.
func (m *annotations) on() bool { return m.CodeLens || m.PublishDiagnostics }

// seen remembers where the person is; a line below 0 is not known. What happens
// outside their folders, as in a transcript, is not where they work.
func (m *annotations) seen(uri string, line int) {
	if path, ok := fileuri.Path(uri); !ok || !m.on() || !m.places.inFolders(path) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if line < 0 && documentKey(m.cursor.uri) == documentKey(uri) {
		return
	}
	line = max(line, 0)
	first := m.cursor.uri == ""
	m.cursor = anchor{uri: uri, start: line, end: line + 1}
	if first {
		m.placeLocked()
	}
}

// placeLocked puts what was asked before anybody knew where the person is to where
// they are now.
func (m *annotations) placeLocked() {
	placed := false
	for _, q := range m.approvals.Pending("") {
		if len(m.anchors[q.ApprovalID]) == 0 && m.anywhere() {
			m.anchors[q.ApprovalID] = []anchor{m.cursor}
			placed = true
		}
	}
	if placed {
		m.publishLocked([]anchor{m.cursor})
	}
}

// lensesFor counts as a sign of where the person is only where there is no other:
// editors ask for the lenses of every document they show, and name no position.
func (m *annotations) lensesFor(uri string) {
	m.mu.Lock()
	known := m.cursor.uri != ""
	m.mu.Unlock()
	if !known {
		m.seen(uri, 0)
	}
}

// add annotates a question that has been asked.
func (m *annotations) add(q *PendingApproval) {
	if !m.on() {
		return
	}
	at := m.placesOf(q) // before the lock: it looks at the sessions
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.approvals.Get(q.ApprovalID) == nil {
		return // answered already
	}
	if len(at) == 0 && m.cursor.uri != "" && m.anywhere() {
		at = []anchor{m.cursor}
	}
	if len(at) == 0 {
		return
	}
	m.anchors[q.ApprovalID] = at
	m.publishLocked(at)
}

// anywhere says whether a question without a place in a document is marked where the
// person is. A client that asks by itself needs no such mark, and the file that is
// open has nothing to do with it.
func (m *annotations) anywhere() bool { return !m.Approvals }

// placesOf are where a call would change documents of the workspace.
func (m *annotations) placesOf(q *PendingApproval) (at []anchor) {
	if q.Preview == nil {
		return nil
	}
	for _, p := range q.Preview.Places {
		if len(at) < mostAnchors && m.places.inWorkspace(p.URI) {
			at = append(at, anchor{uri: p.URI, start: p.Start, end: p.End})
		}
	}
	return at
}

// clear takes the annotations of a question away.
func (m *annotations) clear(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	gone := m.anchors[id]
	delete(m.anchors, id)
	for of, page := range m.pages {
		m.pages[of] = slices.DeleteFunc(slices.Clone(page), func(p anchor) bool {
			if p.approval == id {
				gone = append(slices.Clone(gone), p)
			}
			return p.approval == id
		})
	}
	m.publishLocked(gone)
}

// reviewed lets lenses offer a yes that they have held back.
func (m *annotations) reviewed(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.anchors[id]) > 0 || len(m.pages) > 0 {
		m.refreshLocked()
	}
}

// transcript says in which lines of a transcript open questions stand.
func (m *annotations) transcript(of, uri string, open []anchor) {
	if !m.on() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	open = slices.DeleteFunc(open, func(p anchor) bool { return m.approvals.Get(p.approval) == nil })
	was := m.pages[of]
	if slices.Equal(was, open) {
		return
	}
	if m.pages[of] = open; len(open) == 0 {
		delete(m.pages, of)
	}
	m.publishLocked([]anchor{{uri: uri}})
}

// publishLocked shows again what is in the documents of some anchors.
func (m *annotations) publishLocked(changed []anchor) {
	var done []string
	for _, c := range changed {
		key := documentKey(c.uri)
		if slices.Contains(done, key) {
			continue
		}
		done = append(done, key)
		if !m.PublishDiagnostics {
			continue
		}
		list := []Mark{}
		m.eachLocked(key, func(q *PendingApproval, p anchor) {
			list = append(list, m.diagnostic(q, p))
		})
		m.diagnostics.Set("approvals", c.uri, list)
	}
	if len(done) > 0 {
		m.refreshLocked()
	}
}

// eachLocked yields the open questions that are in a document, oldest first.
func (m *annotations) eachLocked(key string, yield func(*PendingApproval, anchor)) {
	for _, q := range m.approvals.Pending("") {
		for _, p := range m.anchors[q.ApprovalID] {
			if documentKey(p.uri) == key {
				yield(q, p)
			}
		}
		for _, p := range m.pages[q.SessionID] {
			if p.approval == q.ApprovalID && documentKey(p.uri) == key {
				yield(q, p)
			}
		}
	}
}

// diagnostic is a question as a piece of information about some lines.
func (m *annotations) diagnostic(q *PendingApproval, p anchor) Mark {
	return Mark{
		Range: lines(p.start, p.end), Severity: protocol.DiagnosticSeverityInformation, Source: "agent", Code: q.ApprovalID,
		Message: Messages(q.asks(m.Locale, q.what(maxDiagnostic), control.Title(q.Reason.String(), maxDiagnostic))),
	}
}

// refreshLocked lets the client ask for lenses again. One request is out at a
// time; what changes meanwhile is told by the next.
func (m *annotations) refreshLocked() {
	if !m.CodeLens || !m.LensRefresh {
		return
	}
	if m.refreshing {
		m.stale = true
		return
	}
	err := m.request("workspace/codeLens/refresh", nil, nil, func(err error) {
		if err != nil {
			m.Report("refresh code lenses", err)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		again := m.stale
		m.refreshing, m.stale = false, false
		if again {
			m.refreshLocked()
		}
	})
	m.refreshing = err == nil // else the client is gone
}

// places says which documents are the person's, and which we show.
type places struct {
	*Screen
	approvals *Approvals

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
	return ok && (p.inFolders(path) || p.approvals.reviewedIn(path) != nil || p.ofSession(path))
}

// ofSession says whether a file is one that we keep for an open session.
func (p *places) ofSession(path string) bool {
	return slices.ContainsFunc(p.sessions.Live(), func(of *session.Session) bool { return inside(of.Dir(), path) })
}

// inFolders says whether a path is in one of the client's folders. Without a
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

// inside says whether path is dir or in it, by their names.
func inside(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}
