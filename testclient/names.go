package testclient

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// onFirstUse compiles a pattern when it is first asked for: most tests that use this
// package play no conversation.
func onFirstUse(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// What varies from machine to machine wherever it is in a text. A reader
// finds the rules in README.md.
var (
	timeText    = onFirstUse(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	stampText   = onFirstUse(`\b20\d{6}[T_-]?\d{6}([.,_-]?\d{3,9})?Z?\b`)
	hashText    = onFirstUse(`\b[0-9a-f]{64}\b`)
	uuidText    = onFirstUse(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	hexText     = onFirstUse(`\b[0-9a-f]{16,63}\b`)
	shortHash   = onFirstUse(`^(sha256:)?[0-9a-f]{8,64}$`)
	base32Text  = onFirstUse(`\b[A-Z2-7]{26}\b`) // crypto/rand.Text
	namedHash   = onFirstUse(`^[a-z]+-[0-9a-f]{8,}$`)
	randomTail  = onFirstUse(`[0-9A-Za-z]{10,}$`)
	jobText     = onFirstUse(`\bjob_[0-9a-f]{4}\b`)
	hashTail    = onFirstUse(`_[0-9a-f]{8}$`) // of artifact ids
	inTime      = onFirstUse(`\bin \d+(\.\d+)? ?(ms|s|m)\b`)
	tookTime    = onFirstUse(`\b\d+(\.\d+)? ?(ms|µs)\b`)
	artifactIn  = onFirstUse(`\b\d{8}T\d{6}Z_[\w.-]+_[0-9a-f]{8}\.(txt|json)\b`)
	contextText = onFirstUse(`\b\d+(\.\d+)?k?/\d+(\.\d+)?k? tokens\b`)
)

// Members whose value varies, by name, and what is written instead.
var varying = map[string]string{
	"durationMs": "$MS", "uptimeMs": "$MS", "elapsedMs": "$MS", "inMs": "$MS", "wayMs": "$MS",
	"pid": "$PID", "processId": "$PID", "rssBytes": "$BYTES", "droppedBytes": "$BYTES", "sandbox": "$SANDBOX", "schemaHash": "$HASH",
}

// Members that hold generated ids, and what such an id is called.
var idNames = map[string]string{
	"runId": "RUN", "runs": "RUN", "approvalId": "APPROVAL", "approvals": "APPROVAL", "messageId": "MSG",
	"artifactId": "ART", "itemId": "ITEM", "callId": "CALL", "toolCallId": "CALL", "eventId": "ID", "token": "ID", "id": "ID",
}

// Members that hold hashes, also short ones.
var hashNames = map[string]bool{
	"digest": true, "sha256": true, "hash": true, "prevHash": true, "before": true, "after": true, "checkpoint": true, "base": true,
}

// names turns what varies from machine to machine into placeholders, each new
// value numbered by first appearance, and placeholders back into values.
type names struct {
	paths []pair // longest first
	given map[string]string
	back  map[string]string
	count map[string]int
	order []string // given values, in order
	began time.Time
}

type pair struct{ real, name string }

func newNames(root, home, vault, model, web string) *names {
	n := &names{given: map[string]string{}, back: map[string]string{}, count: map[string]int{}, began: time.Now()}
	add := func(real, name string) {
		n.back[name] = real
		n.paths = append(n.paths, pair{real, name})
		if escaped := (&url.URL{Path: real}).EscapedPath(); escaped != real {
			n.paths = append(n.paths, pair{escaped, name})
		}
	}
	add(model, "$MODEL")
	if u, err := url.Parse(model); err == nil && u.Host != "" {
		add(u.Host, "$MODELHOST")
	}
	if u, err := url.Parse(web); err == nil && u.Host != "" {
		add(web, "$WEB")
		add(u.Host, "$WEBHOST")
	}
	add(vault, "$VAULT")
	add(home, "$HOME")
	add(root, "$ROOT")
	return n
}

// workspaces learns the names of the folders under <home>/sessions: they hold a
// hash of a path.
func (n *names) workspaces(sidecarHome string) {
	entries, err := os.ReadDir(filepath.Join(sidecarHome, "sessions"))
	if err != nil {
		return // none yet
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "none" {
			n.give(e.Name(), "WS")
		}
	}
}

// give is the placeholder of a value; the first of its kind "WS" has no number.
func (n *names) give(value, kind string) string {
	if name := n.given[value]; name != "" {
		return name
	}
	n.count[kind]++
	name := fmt.Sprintf("$%s%d", kind, n.count[kind])
	if kind == "WS" && n.count[kind] == 1 {
		name = "$WS"
	}
	n.given[value] = name
	n.back[name] = value
	n.order = append(n.order, value)
	return name
}

// node normalises a JSON value in place. Its ids are learned first, so that a
// text that is before the member that introduces an id shows its name too.
func (n *names) node(v *node) {
	n.learn(v, "")
	n.walk(v, "", "")
}

func (n *names) learn(v *node, key string) {
	if v.kind == '"' {
		n.generated(key, v.text)
		if (key == "workspace" || key == "workspaceId") && strings.HasPrefix(v.text, "workspace-") { // no session may have been made
			n.give(v.text, "WS")
		}
		if key == "path" || key == "uri" || key == "message" { // where no artifactId is beside it
			for _, file := range artifactIn().FindAllString(v.text, -1) {
				n.give(strings.TrimSuffix(strings.TrimSuffix(file, ".txt"), ".json"), "ART")
			}
		}
	}
	for i, item := range v.list {
		if v.kind == '{' {
			key = v.keys[i]
		}
		n.learn(item, key)
	}
}

// generated is the placeholder of a member that holds a generated id or a hash.
func (n *names) generated(key, s string) (name string, ok bool) {
	if hashNames[key] && shortHash().MatchString(s) {
		return n.give(s, "HASH"), true
	}
	if kind, ok := idNames[key]; ok && (kind == "ART" && s != "" || isRandom(s)) {
		return n.give(s, kind), true
	}
	return "", false
}

func (n *names) walk(v *node, key, parent string) {
	if name, ok := varying[key]; ok && v.kind != '"' {
		*v = node{kind: '"', text: name}
		return
	}
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
	case 'v':
		if isTokens(key, parent) && v.text != "null" {
			*v = node{kind: '"', text: "$TOKENS"}
		}
	}
}

// isTokens knows the numbers that are estimated from the length of a prompt.
func isTokens(key, parent string) bool {
	switch key {
	case "used", "percent":
		return parent == "context" || parent == "update" && key == "used"
	case "before", "after", "tokens":
		return parent == "data"
	}
	return false
}

func (n *names) member(key, s string) string {
	if name, ok := varying[key]; ok {
		return name
	}
	if name, ok := n.generated(key, s); ok {
		return name
	}
	switch key {
	case "message", "title", "detail":
		s = inTime().ReplaceAllString(s, "in $$MS")
		s = contextText().ReplaceAllString(s, "$$TOKENS tokens")
		s = tookTime().ReplaceAllString(s, "$$MS")
	}
	return n.text(s)
}

// isRandom tells a generated id from a counted or written one.
func isRandom(s string) bool {
	if uuidText().MatchString(s) || hexText().MatchString(s) || base32Text().MatchString(s) || namedHash().MatchString(s) {
		return true
	}
	if hashTail().MatchString(s) {
		return true
	}
	tail := randomTail().FindString(s)
	digits, letters := 0, 0
	for _, r := range tail {
		if r >= '0' && r <= '9' {
			digits++
			continue
		}
		letters++
	}
	return digits >= 2 && letters >= 2
}

// text normalises any string.
func (n *names) text(s string) string {
	for _, p := range n.paths {
		s = strings.ReplaceAll(s, p.real, p.name)
	}
	for _, value := range n.order {
		s = strings.ReplaceAll(s, value, n.given[value])
	}
	s = timeText().ReplaceAllString(s, "$$T")
	s = stampText().ReplaceAllString(s, "$$STAMP")
	for _, day := range n.days() {
		s = strings.ReplaceAll(s, day, "$DATE")
	}
	s = strings.ReplaceAll(s, "Operating system: "+runtime.GOOS, "Operating system: $OS")
	s = hashText().ReplaceAllStringFunc(s, func(v string) string { return n.give(v, "HASH") })
	s = uuidText().ReplaceAllStringFunc(s, func(v string) string { return n.give(v, "ID") })
	s = jobText().ReplaceAllStringFunc(s, func(v string) string { return n.give(v, "JOB") })
	return hexText().ReplaceAllStringFunc(s, func(v string) string { return n.give(v, "ID") })
}

// days are the dates a conversation began and is at, local and UTC.
func (n *names) days() []string {
	var out []string
	for _, t := range []time.Time{n.began, time.Now()} {
		out = append(out, t.Format(time.DateOnly), t.UTC().Format(time.DateOnly))
	}
	return out
}

// restore puts real values in the place of known placeholders; `$$NAME` becomes
// the text `$NAME`.
func (n *names) restore(s string) string {
	return scriptmodel.Placeholder().ReplaceAllStringFunc(s, func(name string) string {
		single := strings.TrimPrefix(name, "$")
		if !strings.HasPrefix(single, "$") {
			single = name // there was only one
		}
		real, known := n.back[single]
		switch {
		case !known:
			return name
		case single != name:
			return single
		}
		return real
	})
}
