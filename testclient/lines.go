package testclient

import (
	"fmt"
	"slices"
	"strings"
)

// shown is one line of a conversation that the server caused.
type shown struct {
	text     string
	order    string // lines of one order keep their sequence also in real time
	volatile bool   // may come in any number and at any time: progress reports, deltas …
	method   string
	event    string // type of an agent/event

	value *node    // normalised params, for joining
	runs  []string // where a text is that runs on
	raw   string   // that text as it came: names are put in after joining
	join  string
	head  string
	used  bool // realtime: an expected line took it
}

// joined are the ephemeral events whose text runs on: the outbox may cut them
// anywhere, so neighbours are shown as one (protocol O8).
var joined = []string{"message.delta", "reasoning.delta", "tool.output", "tool.input"}

// latest are the ones of which only the newest counts.
var latest = []string{"usage"}

// renderer turns records of the server into lines.
type renderer struct {
	names  *names
	full   bool // initialize is shown whole
	loose  bool // real time: texts are joined across whatever came between
	hidden map[string]bool
	// asked are the methods of our open requests by raw id, to know whose result it is.
	asked map[string]string
	// wanted are the names that the file gives to requests of a method, in order.
	wanted  map[string][]string
	servers map[string]string // "s1" -> raw id of the server's request
	given   map[string]bool
}

func newRenderer(c *Conversation, n *names) *renderer {
	r := &renderer{
		names: n, hidden: map[string]bool{}, asked: map[string]string{},
		wanted: map[string][]string{}, servers: map[string]string{}, given: map[string]bool{},
		full: strings.HasPrefix(c.Name, "lifecycle_initialize") || strings.HasPrefix(c.Name, "acp_initialize"),
	}
	for _, s := range c.steps {
		for _, line := range s.expected() {
			method, name, ok := serverRequest(line)
			if ok {
				r.wanted[method] = append(r.wanted[method], name)
				r.given[name] = true
			}
		}
	}
	return r
}

// serverRequest reads `<-- method #s1 …`.
func serverRequest(line string) (method, name string, ok bool) {
	f := strings.Fields(line)
	if len(f) < 3 || strings.HasPrefix(f[1], "#") || !strings.HasPrefix(f[2], "#") {
		return "", "", false
	}
	return f[1], strings.TrimPrefix(f[2], "#"), true
}

// line renders one record of the server.
func (r *renderer) line(rec Record) shown {
	if rec.Frame == nil {
		return shown{text: fmt.Sprintf("<-- raw %q", clip(rec.Raw)), order: "raw"}
	}
	m, err := parseMessage(rec.Frame)
	if err != nil {
		return shown{text: fmt.Sprintf("<-- raw %q", clip(rec.Frame)), order: "raw"}
	}
	if m.Method == "" {
		return r.response(m)
	}
	s := shown{method: m.Method, order: m.Method, head: "<-- " + m.Method}
	if m.ID != nil {
		s.head += " #" + r.serverName(m.Method, string(m.ID))
	}
	s.text = s.head
	if m.Params == nil {
		return s
	}
	if s.value, err = parseNode(m.Params); err != nil {
		return s
	}
	s.raw = s.value.str("data", "text") + s.value.str("update", "content", "text")
	r.names.node(s.value)
	r.classify(&s)
	s.text = s.head + " " + s.value.String()
	return s
}

// classify finds out how a notification may be joined with its neighbours.
func (r *renderer) classify(s *shown) {
	v := s.value
	switch s.method {
	case "$/progress":
		s.order += " " + v.get("token").orEmpty()
		if v.str("value", "kind") == "report" {
			s.volatile, s.join = true, s.order
		}
	case "session/update":
		classifyUpdate(s)
	case "agent/event":
		s.event = v.str("type")
		s.order += " " + s.event
		if v.get("seq") != nil {
			return
		}
		// A child's durable events have no seq of the root, only subSeq.
		if v.get("subSeq") != nil || v.get("afterSeq") == nil {
			return
		}
		s.volatile = slices.Contains(joined, s.event) || slices.Contains(latest, s.event) || s.event == "run.state"
		if s.event == "run.state" {
			return
		}
		if slices.Contains(joined, s.event) {
			s.runs = []string{"data", "text"}
		}
		if s.volatile {
			s.join = strings.Join([]string{s.event, v.str("sessionId"), v.get("agentPath").orEmpty(), v.str("data", "messageId"), v.str("data", "callId"), v.str("data", "stream")}, "\x00")
		}
	}
}

// orderOf is the order of an expected line, and whether such lines have none.
func (r *renderer) orderOf(line string) (order string, volatile bool) {
	text := strings.TrimSpace(strings.TrimPrefix(line, "<--"))
	head, _, _ := strings.Cut(text, " ")
	if strings.HasPrefix(head, "#") || head == "raw" || head == "exit" {
		for _, kind := range []string{" result ", " error "} {
			if id, _, ok := strings.Cut(text, kind); ok {
				return id, false // an id may contain blanks
			}
		}
		return head, false
	}
	s := shown{method: head, order: head}
	if at := strings.Index(text, "{"); at >= 0 {
		if v, err := parseNode([]byte(text[at:])); err == nil {
			s.value = v
			r.classify(&s)
		}
	}
	return s.order, s.volatile
}

// orEmpty is String that takes nil.
func (n *node) orEmpty() string {
	if n == nil {
		return ""
	}
	return n.String()
}

func (r *renderer) response(m Message) shown {
	id := string(m.ID)
	if m.ID == nil {
		id = "absent"
	}
	s := shown{order: "#" + id, head: "<-- #" + id}
	method := r.asked[id]
	if m.Error != nil {
		s.text = s.head + " error " + r.json(m.Error)
		return s
	}
	if method == "initialize" && !r.full {
		s.text = s.head + " result " + anything
		return s
	}
	s.text = s.head + " result " + r.json(m.Result)
	return s
}

func (r *renderer) json(raw []byte) string {
	n, err := parseNode(raw)
	if err != nil {
		return string(raw)
	}
	r.names.node(n)
	return n.String()
}

// serverName is the name of a request of the server: the one the file gives to
// the n-th request of its method, else the next free number.
func (r *renderer) serverName(method, id string) string {
	if want := r.wanted[method]; len(want) > 0 {
		r.wanted[method] = want[1:]
		r.servers[want[0]] = id
		return want[0]
	}
	for i := 1; ; i++ {
		name := fmt.Sprintf("s%d", i)
		if !r.given[name] {
			r.given[name] = true
			r.servers[name] = id
			return name
		}
	}
}

// fold adds a line to those of a step: what is joined goes into its earlier
// neighbour, as long as only volatile lines are between.
func (r *renderer) fold(lines []*shown, s shown) []*shown {
	if s.join != "" {
		for i := len(lines) - 1; i >= 0 && (r.loose || lines[i].volatile || lines[i].join == s.join); i-- {
			if lines[i].join == s.join && !lines[i].used {
				r.absorb(lines[i], s)
				return lines
			}
		}
	}
	return append(lines, &s)
}

func (r *renderer) absorb(s *shown, next shown) {
	if s.runs == nil {
		s.value, s.text = next.value, next.text
		return
	}
	if text := s.value.get(s.runs...); text != nil {
		s.raw += next.raw
		text.text = r.names.text(s.raw)
		s.text = s.head + " " + s.value.String()
	}
}

// visible is false for what the file hides.
func (r *renderer) visible(s *shown) bool {
	return !r.hidden[s.method] && !r.hidden[s.event] && !(s.method == "" && r.hidden[s.order])
}
