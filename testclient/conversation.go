package testclient

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Conversation is one txtar file: a workspace, a scripted model and the whole
// exchange with the server. README.md says how one is written.
type Conversation struct {
	Name     string // the file's base name without its ending
	Doc      string // the comment before the first section
	Realtime bool   // the comment's first line is "realtime": played outside a bubble
	ACP      bool   // it is over the Agent Client Protocol, one message a line

	archive *archive
	steps   []step
	given   int // so many steps come first that no line of the conversation says
}

// step is one line that does something, with the lines below it that say what
// came back. The first step of a conversation is the start and has no line.
type step struct {
	line int
	text string // as written; "" for the start
	lead []string
	tail []string // expected lines, comments and blanks below it, in order

	send *outgoing
	verb string // of a "---" line
	args string
	wait time.Duration
}

// outgoing is a "-->" line. Its texts hold placeholders.
type outgoing struct {
	method string
	id     string // raw JSON; "" in a notification
	answer string // "s1" when it answers a server request
	kind   string // "result" or "error" of an answer, "raw"
	body   string // JSON, or the bytes of raw
}

// directives are the words after "---" and whether they take arguments.
var directives = map[string]bool{
	"wait": true, "restart": false, "eof": false, "kill": false, "stop": true, "read": true,
	"exec": true, "expect": true, "write": true, "together": true, "hide": true, "answer": true,
}

// sections that a file may have besides home/…, workspace/… and web/….
var sections = []string{"config", "model", "client", "conversation", "requests", "log", "env", "args", "setup"}

// clients are what a section client may name: a plugin's, one that shows events and
// answers no approvals, and one that knows nothing of us.
var clients = map[string]string{
	"plugin": `{"processId": null, "rootUri": "file://$VAULT", "initializationOptions": {"agentSidecar": {"trusted": true}}, "capabilities": {"experimental": {"agentSidecar": {"versions": [1], "events": {}, "approvals": {}}}}}`,
	"viewer": `{"processId": null, "rootUri": "file://$VAULT", "initializationOptions": {"agentSidecar": {"trusted": true}}, "capabilities": {"experimental": {"agentSidecar": {"versions": [1], "events": {}}}}}`,
	"plain":  `{"processId": null, "rootUri": "file://$VAULT", "capabilities": {}}`,
}

// webSections begin the names of sections that are pages of a web server on
// loopback: web/docs/a.html is $WEB/docs/a.html, whatever query is behind it.
const webSections = "web/"

// LoadConversation reads and parses a file.
func LoadConversation(path string) (*Conversation, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load conversation: %w", err)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return ParseConversation(name, string(text))
}

// ParseConversation parses the text of a file. Every error names its line.
func ParseConversation(name, text string) (*Conversation, error) {
	a, err := parseArchive(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := &Conversation{Name: name, Doc: a.comment, archive: a}
	first, _, _ := strings.Cut(strings.TrimSpace(a.comment), "\n")
	c.Realtime = strings.TrimSpace(strings.TrimPrefix(first, "#")) == "realtime"
	for _, f := range a.files {
		if !slices.Contains(sections, f.name) && !strings.HasPrefix(f.name, "home/") && !strings.HasPrefix(f.name, "workspace/") && !strings.HasPrefix(f.name, webSections) {
			return nil, fmt.Errorf("%s: unknown section %q", name, f.name)
		}
	}
	body, ok := a.get("conversation")
	if !ok {
		return nil, fmt.Errorf("%s: no section conversation", name)
	}
	args, _ := a.get("args")
	c.ACP = speaksACP(strings.Fields(args))
	c.steps = []step{{}}
	if err := c.greet(); err != nil {
		return nil, fmt.Errorf("%s: section client: %w", name, err)
	}
	if err := c.parse(body); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// greet begins with what the section client says: initialize as request 1, which may
// answer anything, and initialized.
func (c *Conversation) greet() error {
	who, there := c.archive.get("client")
	who = strings.TrimSpace(who)
	if c.ACP {
		return c.greetACP(who, there)
	}
	if !there {
		return nil
	}
	return c.begin(who, clients, "--> initialized {}\n")
}

// greetACP begins with initialize alone; where no section says who does, an editor.
func (c *Conversation) greetACP(who string, there bool) error {
	if !there {
		who = "editor"
	}
	if who == nobody {
		return nil
	}
	return c.begin(who, acpClients, "")
}

// begin asks initialize for a client that is named, or given as JSON.
func (c *Conversation) begin(who string, known map[string]string, more string) error {
	params, named := known[who]
	if !named {
		params = strings.Join(strings.Fields(who), " ")
	}
	err := c.parse("--> initialize #1 " + params + "\n<-- #1 result {…}\n" + more)
	c.given = len(c.steps) - 1
	return err
}

// without is true when the comment has a line "no laws: log" (or wire), for
// files that begin with a broken log or a client that breaks the rules.
func (c *Conversation) without(what string) bool {
	for line := range strings.Lines(c.Doc) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "#"))
		if rest, ok := strings.CutPrefix(line, "no laws:"); ok && slices.Contains(strings.Fields(rest), what) {
			return true
		}
	}
	return false
}

func (c *Conversation) parse(body string) error {
	for i, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
		last := &c.steps[len(c.steps)-1]
		switch {
		case strings.HasPrefix(line, "-->"), strings.HasPrefix(line, "---"):
			s := step{line: i + 1, text: line}
			// Comments and blanks right above a step belong to it.
			cut := len(last.tail)
			for cut > 0 && !strings.HasPrefix(last.tail[cut-1], "<--") {
				cut--
			}
			s.lead = slices.Clone(last.tail[cut:])
			last.tail = last.tail[:cut]
			if err := s.parse(); err != nil {
				return fmt.Errorf("conversation line %d: %w", i+1, err)
			}
			c.steps = append(c.steps, s)
		case strings.HasPrefix(line, "<--"), strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
			last.tail = append(last.tail, line)
		default:
			return fmt.Errorf("conversation line %d: want -->, <--, --- or #: %q", i+1, line)
		}
	}
	return nil
}

func (s *step) parse() error {
	if rest, ok := strings.CutPrefix(s.text, "-->"); ok {
		out, err := parseOutgoing(strings.TrimSpace(rest))
		s.send = out
		return err
	}
	rest := strings.TrimSpace(strings.TrimPrefix(s.text, "---"))
	s.verb, s.args, _ = strings.Cut(rest, " ")
	s.args = strings.TrimSpace(s.args)
	takes, known := directives[s.verb]
	if !known {
		return fmt.Errorf("unknown directive %q", s.verb)
	}
	if takes != (s.args != "") {
		return fmt.Errorf("--- %s: arguments %q", s.verb, s.args)
	}
	var err error
	switch s.verb {
	case "wait":
		s.wait, err = time.ParseDuration(s.args)
	case "together":
		var n int
		if n, err = strconv.Atoi(s.args); err == nil && n < 1 {
			err = fmt.Errorf("--- together %d: want at least 1", n)
		}
	case "stop", "read":
		if want := map[string]string{"stop": "reading", "read": "on"}[s.verb]; s.args != want {
			err = fmt.Errorf("want --- %s %s, not %q", s.verb, want, s.args)
		}
	}
	return err
}

func parseOutgoing(text string) (*outgoing, error) {
	head, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	if head == "raw" {
		raw, err := strconv.Unquote(rest)
		if err != nil {
			return nil, fmt.Errorf("raw: %s: %w", rest, err)
		}
		return &outgoing{kind: "raw", body: raw}, nil
	}
	if id, ok := strings.CutPrefix(head, "#"); ok {
		kind, body, _ := strings.Cut(rest, " ")
		if kind != "result" && kind != "error" {
			return nil, fmt.Errorf("answer to #%s: want result or error, not %q", id, kind)
		}
		return &outgoing{answer: id, kind: kind, body: strings.TrimSpace(body)}, nil
	}
	out := &outgoing{method: head, body: rest}
	if strings.HasPrefix(rest, "#") {
		id, body, err := cutID(rest[1:])
		if err != nil {
			return nil, err
		}
		out.id, out.body = id, strings.TrimSpace(body)
	}
	if out.body != "" {
		if _, err := parseNode([]byte(out.body)); err != nil {
			return nil, fmt.Errorf("%s: params: %w", head, err)
		}
	}
	return out, nil
}

// cutID reads `1`, `"a b"` or the bare word `abc` as a raw JSON id.
func cutID(s string) (id, rest string, err error) {
	if strings.HasPrefix(s, `"`) {
		d := json.NewDecoder(strings.NewReader(s))
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return "", "", fmt.Errorf("id %s: %w", s, err)
		}
		return string(raw), s[d.InputOffset():], nil
	}
	id, rest, _ = strings.Cut(s, " ")
	if json.Valid([]byte(id)) {
		return id, rest, nil
	}
	return quoteJSON(id), rest, nil
}

// expected are the "<--" lines below the step, their JSON respaced.
func (s *step) expected() []string {
	var out []string
	for _, line := range s.tail {
		if strings.HasPrefix(line, "<--") {
			out = append(out, respaceLine(line))
		}
	}
	return out
}

// body is the text of the section with what is below each step replaced.
func (c *Conversation) body(tails [][]string) string {
	var b strings.Builder
	for i, s := range c.steps {
		if 0 < i && i <= c.given {
			continue
		}
		for _, line := range s.lead {
			b.WriteString(line + "\n")
		}
		if s.text != "" {
			b.WriteString(s.text + "\n")
		}
		for _, line := range tails[i] {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
