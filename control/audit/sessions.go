package audit

import (
	"strings"
)

// A session that is removed by hand, with its audit, leaves no chain that could show it.
// So the home has one audit more: which sessions were made, and which were deleted, with
// the last hash that their audit had then.

// sessionsName is where it is, beside the audit of what belongs to no workspace.
const sessionsName = "sessions"

// SessionsPath is the audit of the sessions of a home.
func SessionsPath(home string) string { return Path(home, "none", sessionsName) }

// Decisions of the audit of sessions.
const (
	made    = "made"
	deleted = "deleted"
)

// Made writes down that a session was made.
func (a *Log) Made(workspaceID, sessionID string) error {
	_, err := a.Append(Entry{Decision: made, Domain: "session", Targets: []string{workspaceID + "/" + sessionID}, By: "client"})
	return err
}

// Deleted writes down that a session is to be removed, and the hash of the last line of
// its audit. It survives a power cut, which could otherwise keep the removal alone.
func (a *Log) Deleted(workspaceID, sessionID, last string) error {
	_, err := a.Append(Entry{Decision: deleted, Domain: "session", Targets: []string{workspaceID + "/" + sessionID, last}, By: "client"})
	a.Seal()
	return err
}

// Session is what the audit of sessions says of one.
type Session struct {
	Workspace, ID string
	Made          string   // the time, as it was written
	Deleted       bool     // and not made again
	Hashes        []string // the last ones of its audit, at each deletion
}

// Sessions reads the audit of the sessions of a home, in the order in which they were
// made first. It checks nothing; where there is none it has no sessions.
func Sessions(home string) ([]Session, error) {
	var order []string
	known := map[string]*Session{}
	err := Read(SessionsPath(home), func(l *Line, _ string) {
		if l == nil || l.Domain != "session" || len(l.Targets) == 0 {
			return
		}
		name := l.Targets[0]
		s := known[name]
		if s == nil {
			workspace, id, ok := strings.Cut(name, "/")
			if !ok {
				return
			}
			s = &Session{Workspace: workspace, ID: id, Made: l.Timestamp}
			known[name], order = s, append(order, name)
		}
		switch s.Deleted = l.Decision == deleted; {
		case !s.Deleted:
			s.Made = l.Timestamp
		case len(l.Targets) > 1:
			s.Hashes = append(s.Hashes, l.Targets[1])
		}
	})
	var out []Session
	for _, name := range order {
		out = append(out, *known[name])
	}
	return out, err
}
