package bundle

import (
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// What varies from one play of a conversation to the next, and what is written in
// its place: the names that testclient/README.md lists.
var (
	timeText  = lazy.Regexp(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	stampText = lazy.Regexp(`\b20\d{6}T\d{6}Z\b`)
	hashText  = lazy.Regexp(`\b[0-9a-f]{64}\b`)
	shortHash = lazy.Regexp(`^(sha256:)?[0-9a-f]{8,64}$`)
	plainID   = lazy.Regexp(`^[A-Za-z]{1,8}_?[0-9]{0,4}$`)
	anyName   = lazy.Regexp(`\$[A-Z]+[0-9]*`)
)

var (
	varyingNumbers = map[string]string{"durationMs": "$MS", "uptimeMs": "$MS", "inMs": "$MS"}
	hashMembers    = map[string]bool{"digest": true, "sha256": true, "hash": true, "prevHash": true, "before": true, "after": true, "checkpoint": true}
)

// names writes a conversation's names in place of what varies, numbered by first
// appearance.
type names struct {
	session string // the session's id, which becomes the first one of a new home
	given   map[string]string
	order   []string
	count   map[string]int
	calls   map[string]string // call ids of a provider, by their number
	places  *strings.Replacer
}

func newNames(session string) *names {
	return &names{session: session, given: map[string]string{}, count: map[string]int{}, calls: map[string]string{},
		places: strings.NewReplacer(wordVault, "$VAULT", wordHome, "$HOME", wordSidecar, "$HOME/.agent-sidecar", wordWorkspace, "$WS")}
}

// firstSession is what a new home calls its first session.
const firstSession = "0001"

// call is a call's id as the scripted model says it: a provider's random ids are
// numbered.
func (n *names) call(id string) string {
	if plainID().MatchString(id) {
		return id
	}
	if own, ok := strings.CutPrefix(id, n.session+"-c"); ok { // ours, and we count the same
		return firstSession + "-c" + own
	}
	if n.calls[id] == "" {
		n.calls[id] = fmt.Sprintf("call%d", len(n.calls)+1)
	}
	return n.calls[id]
}

func (n *names) give(value, kind string) string {
	if name := n.given[value]; name != "" {
		return name
	}
	n.count[kind]++
	name := fmt.Sprintf("$%s%d", kind, n.count[kind])
	n.given[value], n.order = name, append(n.order, value)
	return name
}

// node changes a value in place. Ids that it introduces are learned first.
func (n *names) node(v *node) *node {
	n.learn(v, "")
	n.walk(v, "", "")
	return v
}

func (n *names) learn(v *node, key string) {
	if v.kind == '"' {
		switch {
		case hashMembers[key] && shortHash().MatchString(v.text):
			n.give(v.text, "HASH")
		case key == "artifactId" && v.text != "":
			n.give(v.text, "ART")
		}
	}
	for i, item := range v.list {
		if v.kind == '{' {
			key = v.keys[i]
		}
		n.learn(item, key)
	}
}

func (n *names) walk(v *node, key, parent string) {
	switch v.kind {
	case '{':
		for i, k := range v.keys {
			n.walk(v.list[i], k, key)
			v.keys[i] = n.text(k)
		}
	case '[':
		for _, item := range v.list {
			n.walk(item, key, parent)
		}
	case '"':
		v.text = n.member(key, v.text)
	default:
		varies := (key == "used" || key == "percent") && parent == "context" || (key == "before" || key == "after" || key == "tokens") && parent == "data"
		if name := varyingNumbers[key]; name != "" {
			*v = node{kind: '"', text: name}
		} else if varies && v.text != "null" {
			*v = node{kind: '"', text: "$TOKENS"}
		}
	}
}

// member is a text of a member with a name: ids count from the first session.
func (n *names) member(key, s string) string {
	switch key {
	case "sessionId":
		if s == n.session {
			return firstSession
		}
	case "runId", "approvalId", "messageId", "itemId":
		if rest, ok := strings.CutPrefix(s, n.session); ok && rest != "" && strings.ContainsRune("-.", rune(rest[0])) {
			return firstSession + rest
		}
	case "key":
		if rest, ok := strings.CutSuffix(s, "/session:"+n.session); ok {
			return n.text(rest) + "/session:" + firstSession
		}
	case "callId", "parentCallId":
		return n.call(s)
	}
	return n.text(s)
}

// text is any text.
func (n *names) text(s string) string {
	s = n.places.Replace(s)
	for _, value := range n.order {
		s = strings.ReplaceAll(s, value, n.given[value])
	}
	s = timeText().ReplaceAllString(s, "$$T")
	s = stampText().ReplaceAllString(s, "$$STAMP")
	return hashText().ReplaceAllStringFunc(s, func(v string) string { return n.give(v, "HASH") })
}

// input is a text that the player reads: what only looks like one of its names is
// marked as itself.
func (n *names) input(s string) string {
	return n.places.Replace(anyName().ReplaceAllStringFunc(s, func(name string) string {
		switch name {
		case "$VAULT", "$HOME", "$ROOT", "$MODEL", "$MODELHOST", "$WS":
			return "$" + name
		}
		return name
	}))
}
