package testclient

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Wanted is what the conversations of a folder have to show, each exactly as it
// is spelled on the wire.
type Wanted struct {
	Methods []string // requests and notifications, either way
	Events  []string // types of agent/event, durable and ephemeral
	Kinds   []string // error kinds, of responses and of runs that ended badly
	Rules   []string // O1 … O9 and whatever else comments name after "covers:"
}

// Coverage lists what no *.txtar file in dir shows: a request counts when it
// was made and answered, a notification when it was sent; an event when a "<--"
// line or the section log has it; an error kind when a response, a result or a
// run.ended carries it; a rule when a comment says "covers: O3 O5". Conversations over
// the Agent Client Protocol, whose methods are others, show nothing of this.
func Coverage(dir string, want Wanted) (missing []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, fmt.Errorf("coverage: %w", err)
	}
	seen := covered{}
	for _, f := range files {
		c, err := LoadConversation(f)
		if err != nil {
			return nil, fmt.Errorf("coverage: %w", err)
		}
		if !c.ACP {
			seen.conversation(c)
		}
	}
	for _, part := range []struct {
		name string
		all  []string
	}{{"method", want.Methods}, {"event", want.Events}, {"kind", want.Kinds}, {"rule", want.Rules}} {
		for _, x := range part.all {
			if !seen[part.name+" "+x] {
				missing = append(missing, part.name+" "+x)
			}
		}
	}
	slices.Sort(missing)
	return missing, nil
}

type covered map[string]bool

func (s covered) conversation(c *Conversation) {
	asked := map[string]string{} // our open requests: "#1" -> method
	theirs := map[string]string{}
	s.comments(strings.Split(c.Doc, "\n"))
	for _, st := range c.steps {
		s.comments(st.lead)
		s.comments(st.tail)
		switch o := st.send; {
		case o == nil:
		case o.method != "" && o.id != "":
			asked["#"+o.id] = o.method
		case o.method != "":
			s["method "+o.method] = true
		case o.answer != "":
			s["method "+theirs["#"+o.answer]] = true
		}
		if st.verb == "restart" {
			asked = map[string]string{}
		}
		if st.verb == "answer" {
			method, _, _ := strings.Cut(st.args, " ")
			s["method "+method] = true
		}
		for _, line := range st.expected() {
			s.came(line, asked, theirs)
		}
	}
	log, _ := c.archive.get("log")
	for line := range strings.Lines(log) {
		if n, err := parseNode([]byte(line)); err == nil {
			s.event(n)
		}
	}
}

func (s covered) comments(lines []string) {
	for _, line := range lines {
		_, rules, ok := strings.Cut(line, "covers:")
		if !ok {
			continue
		}
		for _, rule := range strings.FieldsFunc(rules, func(r rune) bool { return r == ' ' || r == ',' || r == '.' || r == '\t' }) {
			s["rule "+rule] = true
		}
	}
}

func (s covered) came(line string, asked, theirs map[string]string) {
	head, rest, _ := strings.Cut(strings.TrimPrefix(line, "<-- "), " ")
	if method, name, ok := serverRequest(line); ok {
		theirs["#"+name] = method
		return
	}
	if !strings.HasPrefix(head, "#") {
		s["method "+head] = true
		if n, err := parseNode([]byte(rest)); err == nil && head == "agent/event" {
			s.event(n)
		}
		return
	}
	// An id may contain blanks; the kind is the first word that is one.
	for _, kind := range []string{" result ", " error "} {
		before, body, ok := strings.Cut(strings.TrimPrefix(line, "<-- "), kind)
		if !ok {
			continue
		}
		method := asked[before]
		n, err := parseNode([]byte(body))
		if kind == " result " {
			s["method "+method] = true
			if err == nil {
				s.errors(n)
			}
		} else if err == nil {
			s["kind "+n.str("data", "kind")] = true
		}
		return
	}
}

func (s covered) event(n *node) {
	s["event "+n.str("type")] = true
	s.errors(n)
}

// errors finds an error object at any depth, and events inside of results.
func (s covered) errors(n *node) {
	if n == nil {
		return
	}
	if kind := n.str("error", "kind"); kind != "" {
		s["kind "+kind] = true
	}
	for _, item := range n.list {
		s.errors(item)
	}
}
