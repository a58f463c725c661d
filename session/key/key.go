// Package key is the names of sessions: their one canonical form, the short forms
// that people and programs write, and the old ones that are in old logs. It
// knows no session and no file.
package key

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxPart bounds one part of a key, encoded, in bytes; maxKey what is read at all.
const maxPart, maxKey = 128, 4 << 10

// Canonical completes and normalises a session key:
// `workspace:<w>/agent:<a>/main`, `…/dm:<channel>:<peer>`,
// `…/group:<channel>:<group>` or `…/session:<id>`, each but the last optionally
// with `:thread:<id>`. Parts are trimmed, NFC, and have / : # and control
// characters percent-encoded; the channel is lower case. Short forms ("main",
// "dm:slack:u1") are completed with the workspace and the agent; old forms are
// mapped. Storage sees only what this returns, and what this returns it returns
// again unchanged.
func Canonical(key, workspace, agent string) (string, error) {
	if len(key) > maxKey {
		return "", fmt.Errorf("is longer than %d bytes", maxKey)
	}
	key = strings.TrimSpace(strings.ToValidUTF8(key, "\uFFFD"))
	now, refused := canonical(key, workspace, agent)
	if refused == nil {
		return now, nil
	}
	for _, o := range old() {
		if m := o.form.FindStringSubmatch(key); m != nil {
			w, a, place := o.now(m)
			if now, err := canonical(place, orElse(w, workspace), orElse(a, agent)); err == nil {
				return now, nil
			}
		}
	}
	return "", refused
}

// Stored is the canonical form of the key that the log of session id has. A log
// whose key cannot be read belongs to its id: no session is lost for its name.
func Stored(key, workspace, agent, id string) string {
	if now, err := Canonical(key, workspace, agent); err == nil {
		return now
	}
	if len(key) > maxKey {
		return OfSession(id, workspace, agent)
	}
	if now, err := Canonical(unencoded(key), workspace, agent); err == nil {
		return now
	}
	return OfSession(id, workspace, agent)
}

// OfSession is the key of a session that nobody gave one.
func OfSession(id, workspace, agent string) string {
	return fmt.Sprintf("workspace:%s/agent:%s/session:%s", escape(workspace), escape(agent), escape(id))
}

// OfGroup is the key of session id, which was made out of one of a group: it belongs to
// that group, in a thread of its own. Where the key of the other, of, names no group that
// can be told, made says what the session is ("fork").
func OfGroup(id, of, made, workspace, agent string) string {
	place := "group:" + made + ":" + id
	if now, err := Canonical(of, workspace, agent); err == nil {
		if _, _, was := Parts(now); strings.HasPrefix(was, "group:") {
			place = strings.Join(strings.Split(was, ":")[:places["group"]], ":") + ":thread:session-" + id
		}
	}
	return fmt.Sprintf("workspace:%s/agent:%s/%s", escape(workspace), escape(agent), place)
}

// Parts are the workspace, the agent and the place of a canonical key.
func Parts(canonical string) (workspace, agent, place string) {
	rest := strings.TrimPrefix(canonical, "workspace:")
	workspace, rest, _ = strings.Cut(rest, "/agent:")
	agent, place, _ = strings.Cut(rest, "/")
	return workspace, agent, place
}

// Complete says whether a key names its workspace and agent itself.
func Complete(key string) bool {
	return strings.HasPrefix(strings.TrimSpace(key), "workspace:")
}

// canonical takes the forms of today, complete and short.
func canonical(key, workspace, agent string) (string, error) {
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
		if *p, err = canonicalPart(*p, false); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("workspace:%s/agent:%s/%s", workspace, agent, place), nil
}

// places are the kinds of the last part, and how many parts each has.
var places = map[string]int{"main": 1, "dm": 3, "group": 3, "session": 2}

// forms are the same as people read them.
var forms = map[string]string{"main": "main", "dm": "dm:<channel>:<peer>", "group": "group:<channel>:<group>", "session": "session:<id>"}

func canonicalPlace(place string) (string, error) {
	parts := strings.Split(place, ":")
	head := strings.ToLower(strings.TrimSpace(parts[0]))
	n, known := places[head]
	if !known {
		return "", fmt.Errorf("%q is none of main, dm, group, session", parts[0])
	}
	threaded := len(parts) == n+2 && strings.EqualFold(strings.TrimSpace(parts[n]), "thread") && head != "session"
	if len(parts) != n && !threaded {
		return "", fmt.Errorf("%q does not have the form %s", place, forms[head])
	}
	parts[0] = head
	for i := range parts {
		var err error
		if parts[i], err = canonicalPart(parts[i], i == 1 && n == 3 || i == n); err != nil {
			return "", err
		}
	}
	return strings.Join(parts, ":"), nil
}

// canonicalPart is one part; lower is for the channel and the word thread.
func canonicalPart(part string, lower bool) (string, error) {
	part = strings.TrimSpace(strings.ToValidUTF8(part, "\uFFFD"))
	if lower {
		part = strings.ToLower(norm.NFC.String(part))
	}
	part = escape(norm.NFC.String(part))
	switch {
	case part == "":
		return "", errors.New("a part is empty")
	case len(part) > maxPart:
		return "", fmt.Errorf("a part is longer than %d bytes", maxPart)
	}
	return part, nil
}

// escape percent-encodes what separates parts, and control characters. What is
// encoded already stays so, with capital digits: %2f and %2F are one name.
func escape(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '/' || r == ':' || r == '#' || unicode.IsControl(r):
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		case afterPercent(s, i):
			b.WriteRune(unicode.ToUpper(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// afterPercent says that the byte at i is a digit of a %hh.
func afterPercent(s string, i int) bool {
	for _, at := range []int{i - 1, i - 2} {
		if at >= 0 && s[at] == '%' && at+2 < len(s) && isHex(s[at+1]) && isHex(s[at+2]) {
			return true
		}
	}
	return false
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

func orElse(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}
