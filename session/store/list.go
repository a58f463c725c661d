package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/key"
)

// Query is which sessions a list shows.
type Query struct {
	// Text are words, each of which must be in the session's title, key or agent,
	// or in the first 1,000 characters of its first or its last prompt, whatever
	// the case. "": all.
	Text     string
	Children bool // also the sessions of sub-agents: their ids are <session>.<n>
}

// looked is a session as it was when its log was last looked at.
type looked struct {
	mark  history.Mark
	about history.About
}

// listing describes the sessions of a workspace. The lock of the folders guards it.
type listing struct {
	*folders
	looked  map[string]looked // sessions that are not open here, as they were last seen
	news    int               // of looked, since the index was written
	indexed bool              // the index was read
}

// List describes sessions, newest first. No whole history is read.
func (l *listing) List(q Query) ([]history.Info, error) {
	l.copies.Look()
	all, err := l.abouts()
	if err != nil {
		return nil, err
	}
	if q.Children {
		for _, a := range all {
			all = append(all, l.childrenOf(a)...)
		}
	}
	words := strings.Fields(folded(q.Text))
	infos := []history.Info{}
	for _, a := range all {
		if len(words) == 0 || matches(a, words) {
			infos = append(infos, a.Info)
		}
	}
	slices.SortFunc(infos, Newer)
	return infos, nil
}

// Newer orders a list: what was used last comes first.
func Newer(a, b history.Info) int {
	return cmp.Or(strings.Compare(b.UpdatedAt, a.UpdatedAt), compareIDs(b.ID, a.ID))
}

func matches(a history.About, words []string) bool {
	text := folded(strings.Join([]string{a.Title, a.SessionKey, a.Agent, a.FirstPrompt, a.LastPrompt}, "\n"))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// folded is text as a search compares it.
func folded(text string) string { return strings.ToLower(norm.NFC.String(text)) }

// abouts describes every session: those of this process by themselves, the others
// by what they wrote about themselves. What was looked at before and has not
// changed is not read again.
func (l *listing) abouts() ([]history.About, error) {
	names, err := numbered(l.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	l.mu.Lock()
	open := maps.Clone(l.open)
	l.mu.Unlock()
	l.readIndex()
	all := make([]history.About, 0, len(names)+len(open))
	for id, s := range open {
		if !validID(id) {
			all = append(all, s.About()) // ephemeral: not in the folder
		}
	}
	for _, name := range names {
		if s, ok := open[name]; ok {
			all = append(all, s.About())
		} else if a, err := l.look(filepath.Join(l.dir, name), name, filepath.Join(l.dir, name, history.LockFile)); err == nil {
			all = append(all, a)
		}
	}
	l.writeIndex(names)
	return all, nil
}

// look describes a session that is not open here; lock is what its process holds.
func (l *listing) look(dir, id, lock string) (history.About, error) {
	mark, err := history.MarkOf(dir)
	if err != nil {
		return history.About{}, err
	}
	l.mu.Lock()
	known, ok := l.looked[id]
	l.mu.Unlock()
	if !ok || known.mark != mark {
		if known.about, err = history.Look(dir, id, mark); err != nil {
			return history.About{}, err
		}
		known.mark = mark
		known.about.SessionKey = key.Stored(known.about.SessionKey, l.deps.WorkspaceID, cmp.Or(known.about.Agent, "build"), id)
		l.mu.Lock()
		l.looked[id] = known
		l.news++
		l.mu.Unlock()
	}
	a := known.about
	root, _, _ := strings.Cut(id, ".")
	a.SyncState = string(l.copies.State(root))
	if a.OpenRun != "" && durable.Locked(lock) {
		a.State = "running" // in another process
		if a.Asking {
			a.State = "waiting_approval"
		}
	}
	return a, nil
}

// childrenOf describes the sub-agents of a session.
func (l *listing) childrenOf(root history.About) []history.About {
	dir := filepath.Join(l.dir, root.ID)
	if s := l.here(root.ID); s != nil {
		dir = s.Dir()
	}
	names, err := numbered(filepath.Join(dir, history.ChildFolder))
	if err != nil {
		return nil // there are none
	}
	var out []history.About
	for _, n := range names {
		a, err := l.look(filepath.Join(dir, history.ChildFolder, n), root.ID+"."+n, filepath.Join(dir, history.LockFile))
		if err == nil {
			a.SessionKey = root.SessionKey
			out = append(out, a)
		}
	}
	return out
}

// forget drops what is remembered of a session that is gone.
func (l *listing) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.looked, func(of string, _ looked) bool { return of == id || strings.HasPrefix(of, id+".") })
}
