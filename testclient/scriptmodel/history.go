package scriptmodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// maxResult bounds the text of one result in a request, in bytes: as long as a line
// of the log may be.
const maxResult = 200 << 10

// checkHistory checks the messages of a request against what providers refuse:
// every call has exactly one result, directly after its message and in call
// order, and no result comes without its call. No message is blank, none of the
// assistant's has neither text nor calls, names are plain and arguments are
// objects. The text of one result is at most maxResult long.
func checkHistory(messages []ChatMessage) []string {
	var problems []string
	bad := func(i int, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("message %d: ", i)+fmt.Sprintf(format, args...))
	}
	var open []string // calls that wait for their result, in order
	for i, m := range messages {
		checkMessage(m, func(format string, args ...any) { bad(i, format, args...) })
		if m.Role == "tool" {
			if len(m.Content) > maxResult && m.Content[0] == '"' {
				bad(i, "the result of call %q is %d bytes long", m.CallID, len(m.Content))
			}
			switch {
			case len(open) == 0:
				bad(i, "result of call %q has no call before it", m.CallID)
			case open[0] != m.CallID:
				bad(i, "result of call %q stands where that of %q belongs", m.CallID, open[0])
				open = open[1:]
			default:
				open = open[1:]
			}
			continue
		}
		if len(open) > 0 {
			bad(i, "calls %q have no result directly after their message", open)
			open = nil
		}
		seen := map[string]bool{}
		for _, c := range m.ToolCalls {
			if c.ID == "" || seen[c.ID] {
				bad(i, "call id %q is empty or given twice", c.ID)
			}
			seen[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		bad(len(messages), "calls %q have no result", open)
	}
	return problems
}

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })

// checkMessage checks what is refused of one message, wherever it comes.
func checkMessage(m ChatMessage, bad func(format string, args ...any)) {
	switch {
	case m.absent():
		if m.Role != "assistant" || len(m.ToolCalls) == 0 {
			bad("the %s has neither text nor calls", m.Role)
		}
	case m.blank():
		bad("the %s says %.40s, which is blank", m.Role, m.Content)
	}
	for _, c := range m.ToolCalls {
		if !plainName().MatchString(c.Function.Name) {
			bad("call %q has the name %q", c.ID, c.Function.Name)
		}
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(c.Function.Arguments), &object) != nil || object == nil {
			bad("the arguments of call %q are no object: %.80s", c.ID, c.Function.Arguments)
		}
		if half := halfOfPair([]byte(c.Function.Arguments)); half != "" {
			bad("the arguments of call %q have %s, half of a surrogate pair", c.ID, half)
		}
	}
}

// absent says that a message has no content at all.
func (m ChatMessage) absent() bool { return len(m.Content) == 0 || string(m.Content) == "null" }

// blank says that a text of the message, or one of its parts, has nothing to read.
func (m ChatMessage) blank() bool {
	var parts []struct{ Type, Text string }
	if json.Unmarshal(m.Content, &parts) != nil {
		return strings.TrimSpace(m.Text()) == ""
	}
	for _, p := range parts {
		if strings.HasSuffix(p.Type, "text") && strings.TrimSpace(p.Text) == "" {
			return true
		}
	}
	return len(parts) == 0
}

// escapes finds pairs, then halves of pairs, then every other escape, so that the
// text of an escaped backslash is none.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)`)
})

// halfOfPair is the first escape of a JSON text that is half of a surrogate pair,
// "" if there is none.
func halfOfPair(raw []byte) string {
	if !bytes.Contains(raw, []byte(`\ud`)) && !bytes.Contains(raw, []byte(`\uD`)) {
		return ""
	}
	for _, e := range escapes().FindAll(raw, -1) {
		if len(e) == len(`\ud800`) {
			return string(e)
		}
	}
	return ""
}
