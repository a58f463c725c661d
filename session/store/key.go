package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// maxPart bounds one part of a key in bytes.
const maxPart = 128

// CanonicalKey completes and normalises a session key (session §2, ruling 18):
// parts are trimmed, the channel lower-cased, NFC, with / : # and control
// characters percent-encoded. Short forms ("main", "dm:slack:u1") are completed
// with the workspace and the agent. Storage sees only what this returns.
func CanonicalKey(key, workspace, agent string) (string, error) {
	key = strings.TrimSpace(key)
	if key == "" {
		return "", errors.New("is empty")
	}
	if rest, ok := strings.CutPrefix(key, "workspace:"); ok {
		w, rest, ok := strings.Cut(rest, "/agent:")
		if !ok {
			return "", errors.New("a key that begins with workspace: goes on with /agent:<name>/")
		}
		a, rest, ok := strings.Cut(rest, "/")
		if !ok {
			return "", errors.New("nothing follows the agent")
		}
		workspace, agent, key = w, a, rest
	}
	place, err := canonicalPlace(key)
	if err != nil {
		return "", err
	}
	for _, p := range []*string{&workspace, &agent} {
		if *p, err = canonicalPart(*p); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("workspace:%s/agent:%s/%s", workspace, agent, place), nil
}

// canonicalPlace is the last part: main, dm:<channel>:<peer>,
// group:<channel>:<group>, session:<id>, each optionally :thread:<thread>.
func canonicalPlace(place string) (string, error) {
	parts := strings.Split(place, ":")
	head := strings.ToLower(strings.TrimSpace(parts[0]))
	n, known := map[string]int{"main": 1, "dm": 3, "group": 3, "session": 2}[head]
	if !known {
		return "", fmt.Errorf("%q is none of main, dm, group, session", parts[0])
	}
	threaded := len(parts) == n+2 && strings.EqualFold(strings.TrimSpace(parts[n]), "thread")
	if len(parts) != n && !threaded {
		return "", fmt.Errorf("%q has %d parts too many or too few", place, len(parts)-n)
	}
	parts[0] = head
	for i := range parts {
		part, err := canonicalPart(parts[i])
		if err != nil {
			return "", err
		}
		if i == 1 && n == 3 || i == n {
			part = strings.ToLower(part)
		}
		parts[i] = part
	}
	return strings.Join(parts, ":"), nil
}

func canonicalPart(part string) (string, error) {
	part = escapePart(norm.NFC.String(strings.TrimSpace(history.Clean(part))))
	switch {
	case part == "":
		return "", errors.New("a part is empty")
	case len(part) > maxPart:
		return "", fmt.Errorf("a part is longer than %d bytes", maxPart)
	}
	return part, nil
}

// escapePart percent-encodes what separates parts, and control characters. What
// is encoded already stays as it is.
func escapePart(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '/' || r == ':' || r == '#' || unicode.IsControl(r) {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// byKey is the id of the newest session with a key, "" when there is none.
func (st *Store) byKey(key string) string {
	for _, s := range st.Live() {
		if s.Info().SessionKey == key {
			return s.ID()
		}
	}
	found := ""
	for _, name := range numbered(st.dir) {
		if about, err := history.ReadInfo(filepath.Join(st.dir, name), name); err == nil && about.SessionKey == key {
			found = name
		}
	}
	return found
}

// ByKey opens the session with a key, nil when there is none.
func (st *Store) ByKey(key, agent string) (*session.Session, error) {
	canonical, err := CanonicalKey(key, st.deps.WorkspaceID, agent)
	if err != nil {
		return nil, &session.InvalidError{Field: "sessionKey", Reason: err.Error()}
	}
	st.making.Lock()
	defer st.making.Unlock()
	id := st.byKey(canonical)
	if id == "" {
		return nil, nil
	}
	return st.Get(id)
}

// SameKey says whether a key, in whatever form, is that of the session.
func (st *Store) SameKey(s *session.Session, key string) (bool, error) {
	info := s.Info()
	canonical, err := CanonicalKey(key, st.deps.WorkspaceID, info.Agent)
	if err != nil {
		return false, &session.InvalidError{Field: "sessionKey", Reason: err.Error()}
	}
	return canonical == info.SessionKey, nil
}

// numbered lists the folders of sessions, oldest first.
func numbered(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && validID(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out
}
