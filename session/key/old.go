package key

import (
	"regexp"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// oldForm is a way in which keys were written before there was one form, and how
// it is read now: an empty workspace or agent is the one of the reader. Old forms
// are mapped on reading and never written back.
type oldForm struct {
	form *regexp.Regexp
	now  func(m []string) (workspace, agent, place string)
}

// old is tried in order, each where the forms of today have refused the key. It is
// compiled when the first such key comes.
var old = sync.OnceValue(func() []oldForm {
	return []oldForm{
		// The id of a session in place of its key: 0001.
		{regexp.MustCompile(`^([0-9]{1,12})$`), func(m []string) (string, string, string) { return "", "", "session:" + m[1] }},
		// A word for the only conversation there was: default, global.
		{regexp.MustCompile(`(?i)^(?:default|global)$`), func([]string) (string, string, string) { return "", "", "main" }},
		// No agent: workspace:<w>/main.
		{regexp.MustCompile(`(?i)^workspace:([^/]+)/([^/]+)$`), func(m []string) (string, string, string) { return m[1], "", place(m[2]) }},
		// Colons throughout, in any case: workspace:<w>:agent:<a>:main.
		{regexp.MustCompile(`(?i)^workspace:([^/:]+)[/:]agent:([^/:]+)[/:](.+)$`), func(m []string) (string, string, string) { return m[1], agentNow(m[2]), place(m[3]) }},
		// No workspace: agent:<a>:main, agent:<a>/dm:slack:u1.
		{regexp.MustCompile(`(?i)^agent:([^/:]+)[/:](.+)$`), func(m []string) (string, string, string) { return "", agentNow(m[1]), place(m[2]) }},
		// Only a place, in an old way.
		{regexp.MustCompile(`^(.+)$`), func(m []string) (string, string, string) { return "", "", place(m[1]) }},
	}
})

// agentNow is what an agent of an old key is called today.
func agentNow(name string) string {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "main", "default": // there was one agent, and that is what it was called
		return ""
	}
	return name
}

// kinds are the old words for the two kinds of conversation with others.
var kinds = map[string]string{"dm": "dm", "direct": "dm", "private": "dm", "group": "group", "channel": "group", "room": "group"}

var (
	oldThread = lazy.Regexp(`(?i):(?:topic|thread):([^:]+)$`)
	kindFirst = lazy.Regexp(`(?i)^(dm|direct|private|group|channel|room):([^:]+):(.+)$`)
	kindLater = lazy.Regexp(`(?i)^([^:]+):(dm|direct|private|group|channel|room):(.+)$`)
)

// place reads the last part of a key in its old ways: `direct:<channel>:<peer>`,
// `<channel>:group:<id>`, `…:topic:<id>`, the words default and global, an id.
func place(text string) string {
	thread := ""
	if m := oldThread().FindStringSubmatch(text); m != nil {
		text, thread = strings.TrimSuffix(text, m[0]), ":thread:"+m[1]
	}
	if m := kindFirst().FindStringSubmatch(text); m != nil {
		return kinds[strings.ToLower(m[1])] + ":" + m[2] + ":" + m[3] + thread
	}
	if m := kindLater().FindStringSubmatch(text); m != nil && places[strings.ToLower(m[1])] == 0 {
		return kinds[strings.ToLower(m[2])] + ":" + m[1] + ":" + m[3] + thread
	}
	switch {
	case strings.EqualFold(text, "default"), strings.EqualFold(text, "global"):
		return "main" + thread
	case text != "" && strings.Trim(text, "0123456789") == "":
		return "session:" + text
	}
	return text + thread
}

// unencoded reads a key of a log whose last part still has its own colons, as a
// Matrix id has: dm:matrix:@u:example.org. A router is not read so kindly: there
// the colon may be a thread that was misspelt.
func unencoded(text string) string {
	head, text := text, text
	if i := strings.LastIndex(text, "/"); i >= 0 && strings.Contains(strings.ToLower(text), "agent:") {
		head, text = text[:i+1], text[i+1:]
	} else {
		head = ""
	}
	thread := ""
	if m := oldThread().FindStringSubmatch(text); m != nil {
		text, thread = strings.TrimSuffix(text, m[0]), ":thread:"+m[1]
	}
	m := kindFirst().FindStringSubmatch(text)
	if m == nil {
		return head + text + thread
	}
	return head + kinds[strings.ToLower(m[1])] + ":" + m[2] + ":" + strings.ReplaceAll(m[3], ":", "%3A") + thread
}
