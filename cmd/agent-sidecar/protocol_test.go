package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// protocolOf is the machine-readable protocol as far as the document is held
// against it.
type protocolOf struct {
	Requests      []methodOf
	Notifications []methodOf
	Events        []struct {
		Type    string
		Durable bool
		Data    shape
	}
	Errors []struct {
		Kind      string
		Code      int
		Retryable bool
		Data      []string
	}
	Commands []string
}

type methodOf struct {
	Method         string
	Params, Result shape
}

// shape is a JSON Schema, of which only the members count. `true` is a shape
// without members.
type shape struct {
	Properties map[string]shape
	Required   []string
	Items      *shape
}

func (s *shape) UnmarshalJSON(raw []byte) error {
	if string(raw) == "true" {
		return nil
	}
	type plain shape
	return json.Unmarshal(raw, (*plain)(s))
}

func (s shape) members() []string { return slices.Sorted(maps.Keys(s.Properties)) }

// at follows names into a shape; "[]" is the item of a list.
func (s shape) at(names ...string) shape {
	for _, n := range names {
		if n == "[]" && s.Items != nil {
			s = *s.Items
		} else {
			s = s.Properties[n]
		}
	}
	return s
}

func theProtocol(t *testing.T) protocolOf {
	t.Helper()
	raw, _ := rpc.MetaModel()
	var p protocolOf
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p protocolOf) method(name string) methodOf {
	for _, m := range slices.Concat(p.Requests, p.Notifications) {
		if m.Method == name {
			return m
		}
	}
	return methodOf{}
}

// TestProtocolDocument ties PROTOCOL.md to the code: whatever the code can say
// stands there with every member, and nothing stands there that it cannot say.
func TestProtocolDocument(t *testing.T) {
	doc, p := readDocument(t, "PROTOCOL.md"), theProtocol(t)
	for _, problem := range holdProtocol(doc, p) {
		t.Error(problem)
	}
}

func holdProtocol(doc document, p protocolOf) []string {
	c := &checker{doc: doc}
	c.methods(p)
	c.events(p)
	c.shapes(p)
	c.errors(p)
	c.commands(p)
	c.same("LSP methods", c.column("The methods of LSP", 0), lspMethods())
	c.same("codes", c.column("Codes", 0), matches("rpc/wire/errors.go", `Code\w+\s+= (-\d+)`))
	c.same("kinds of a failed run", c.column("Why a run failed", 0), slices.Concat(modelKinds(), matches("session/run.go", `failed\("(\w+)"`)))
	return c.problems
}

// checker collects what is wrong with the document.
type checker struct {
	doc      document
	problems []string
}

func (c *checker) say(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// same compares two sets of words.
func (c *checker) same(what string, written, real []string) {
	for _, w := range real {
		if !slices.Contains(written, w) {
			c.say("%s: the code has %q, the document does not", what, w)
		}
	}
	for i, w := range written {
		if !slices.Contains(real, w) {
			c.say("%s: the document has %q, the code does not", what, w)
		}
		if slices.Contains(written[:i], w) {
			c.say("%s: %q stands there twice", what, w)
		}
	}
}

// column is the marked words of one column of the only table under a heading.
func (c *checker) column(heading string, n int) []string {
	var words []string
	for _, r := range c.rows(heading) {
		words = append(words, marked(r[n])...)
	}
	return words
}

func (c *checker) rows(heading string) [][]string {
	tables := c.doc[heading].tables()
	if len(tables) != 1 {
		c.say("%q: there should be one table under it, there are %d", heading, len(tables))
		return nil
	}
	return tables[0].rows
}

// methods: one heading a method, with a table of its params and one of its
// result where they have members.
func (c *checker) methods(p protocolOf) {
	var written, real []string
	for heading := range c.doc {
		if m := marked(heading); len(m) == 1 && strings.HasPrefix(m[0], "agent/") {
			written = append(written, m[0])
		}
	}
	for _, m := range slices.Concat(p.Requests, p.Notifications) {
		real = append(real, m.Method)
		body := c.doc["`"+m.Method+"`"]
		c.members(m.Method+" params", body, "params", m.Params)
		c.members(m.Method+" result", body, "result", m.Result)
		if m.Method != "agent/event" && !strings.HasPrefix(m.Method, "agent/client/") {
			c.required(m.Method, body, m.Params)
		}
	}
	c.same("methods", written, real)
	var listed []string
	for _, m := range p.Requests {
		if !strings.HasPrefix(m.Method, "agent/client/") {
			listed = append(listed, m.Method)
		}
	}
	c.same("methods[]", listed, rpc.Methods())
}

// members holds the table whose first header cell is name against a shape. A
// cell that refers to a shape by a link stands for that shape's members.
func (c *checker) members(what string, body section, name string, s shape) {
	var words []string
	for _, t := range body.tables() {
		if t.head[0] == name {
			for _, r := range t.rows {
				words = append(words, marked(r[0])...)
				words = append(words, c.linked(r[0])...)
			}
		}
	}
	c.same(what, words, s.members())
}

// required: the params of which the document says so are those without which the
// server refuses.
func (c *checker) required(method string, body section, s shape) {
	var words []string
	for _, t := range body.tables() {
		if t.head[0] != "params" {
			continue
		}
		for _, r := range t.rows {
			if strings.HasPrefix(r[2], "required") {
				words = append(words, marked(r[0])...)
			}
		}
	}
	c.same("required by "+method, words, s.Required)
}

// linked is the members of the shapes that a cell refers to.
func (c *checker) linked(cell string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`\[(\w+)\]\(#\w+\)`).FindAllStringSubmatch(cell, -1) {
		words = append(words, c.column(m[1], 0)...)
	}
	return words
}

// events: one row an event, its second cell naming every member of its data.
func (c *checker) events(p protocolOf) {
	for heading, durable := range map[string]bool{"Durable events": true, "Ephemeral events": false} {
		var written, real []string
		rows := c.rows(heading)
		for _, e := range p.Events {
			if e.Durable != durable {
				continue
			}
			real = append(real, e.Type)
			for _, r := range rows {
				if slices.Equal(marked(r[0]), []string{e.Type}) {
					c.same(e.Type+" data", append(marked(r[1]), c.linked(r[1])...), e.Data.members())
				}
			}
		}
		for _, r := range rows {
			written = append(written, marked(r[0])...)
		}
		c.same(heading, written, real)
		if durable {
			c.same("durable events", history.EventTypes(), real)
		} else {
			c.same("ephemeral events", rpc.EphemeralTypes(), real)
		}
	}
}

// shapes: the tables that several methods and events refer to.
func (c *checker) shapes(p protocolOf) {
	run, resumed := p.method("agent/run").Result, p.method("agent/session/resume").Result
	for heading, s := range map[string]shape{
		"Session":      p.method("agent/session/new").Result.at("session"),
		"Approval":     p.method("agent/client/approve").Params.at("approval"),
		"Usage":        run.at("usage"),
		"Context":      run.at("usage", "context"),
		"FileChange":   run.at("changes", "[]"),
		"ArtifactRef":  run.at("artifacts", "[]"),
		"QueueItem":    resumed.at("queue", "[]"),
		"ContentBlock": resumed.at("queue", "[]", "prompt", "[]"),
		"Sandbox":      p.method("agent/status").Result.at("sandbox"),
	} {
		c.same(heading, c.column(heading, 0), s.members())
	}
}

// errors: one row a kind, with its code, whether trying again helps and the
// members that come with it.
func (c *checker) errors(p protocolOf) {
	var real []string
	rows := c.rows("Error kinds")
	for _, e := range p.Errors {
		real = append(real, e.Kind)
		for _, r := range rows {
			if !slices.Equal(marked(r[0]), []string{e.Kind}) {
				continue
			}
			again := map[bool]string{true: "yes", false: "no"}[e.Retryable]
			if marked(r[1])[0] != strconv.Itoa(e.Code) || r[2] != again {
				c.say("%s: code %d, retryable %s; the document says %s, %s", e.Kind, e.Code, again, r[1], r[2])
			}
			c.same(e.Kind+" data", marked(r[3]), e.Data)
		}
	}
	c.same("error kinds", c.column("Error kinds", 0), real)
	c.same("error kinds", rpc.ErrorKinds(), real)
}

// commands: one row a command, with what positional arguments stand for.
func (c *checker) commands(p protocolOf) {
	c.same("commands", c.column("Commands", 0), p.Commands)
	args := regexp.MustCompile(`\{"(\w+)", \[\]string\{([^}]*)\}`)
	for _, m := range args.FindAllStringSubmatch(treeFile("rpc/commands.go"), -1) {
		for _, r := range c.rows("Commands") {
			if slices.Equal(marked(r[0]), []string{"agent-sidecar." + m[1]}) {
				c.same(m[1]+" arguments", marked(r[1]), strings.Split(strings.ReplaceAll(m[2], `"`, ""), ", "))
			}
		}
	}
}

// lspMethods are the methods of LSP that the sources of rpc, rpc/surface and rpc/wire name: what
// is not written there is neither understood nor sent.
func lspMethods() []string {
	names := []string{"exit", "initialize", "initialized", "shutdown"}
	for _, dir := range []string{"rpc", "rpc/surface", "rpc/wire"} {
		files, err := filepath.Glob(filepath.Join(top, dir, "*.go"))
		if err != nil {
			return nil
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			rel := dir + "/" + filepath.Base(f)
			for _, n := range matches(rel, `"((?:\$|client|codeAction|textDocument|window|workspace)/[A-Za-z/]+)"`) {
				if !slices.Contains(names, n) {
					names = append(names, n)
				}
			}
		}
	}
	return names
}

// matches is the first group of every match in a file.
func matches(file, pattern string) []string {
	var words []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(treeFile(file), -1) {
		words = append(words, m[1])
	}
	return words
}

// modelKinds are the kinds of failure of a model.
func modelKinds() []string {
	kinds := matches("model/errors.go", `Kind\w+\s+Kind = "(\w+)"`)
	if len(kinds) == 0 {
		panic("model/errors.go has no kinds: they have moved")
	}
	return kinds
}

// TestProtocolCheck breaks the document in every way that matters: a check that
// cannot fail would hold nothing.
func TestProtocolCheck(t *testing.T) {
	p := theProtocol(t)
	whole := treeFile("PROTOCOL.md")
	for name, edit := range map[string][2]string{
		"a method without its heading":  {"### `agent/status`", "### status"},
		"a method that is not there":    {"### `agent/status`", "### `agent/invented`\n\n### `agent/status`"},
		"a param left out":              {"| `clientMessageId` |", "| |"},
		"a param no longer required":    {"| `sessionId` | string | required |\n| `op` | string | required: `list`; `remove`", "| `sessionId` | string | |\n| `op` | string | required: `list`; `remove`"},
		"a param newly required":        {"| `focus` | string | what", "| `focus` | string | required: what"},
		"a result member invented":      {"| `uptimeMs`,", "| `uptimeMs`, `mood`,"},
		"a durable event left out":      {"| `tool.decided` |", "| |"},
		"an ephemeral event misspelled": {"| `run.state` |", "| `run.status` |"},
		"a member of an event left out": {"`durationMs`", "the duration"},
		"an error kind left out":        {"| `session_locked` |", "| |"},
		"a wrong code":                  {"| `shutting_down` | `-32600` |", "| `shutting_down` | `-32803` |"},
		"a command left out":            {"| `agent-sidecar.reviewDiff` |", "| |"},
		"a command's argument wrong":    {"| `agent-sidecar.setMode` | `mode`", "| `agent-sidecar.setMode` | `modus`"},
		"a shape with a member less":    {"| `compactionCount` |", "| |"},
		"an LSP method nobody handles":  {"| `$/progress` |", "| `$/progress`, `textDocument/hover` |"},
	} {
		if !strings.Contains(whole, edit[0]) {
			t.Errorf("%s: PROTOCOL.md has no %q to break", name, edit[0])
			continue
		}
		broken := parseDocument(strings.Replace(whole, edit[0], edit[1], 1))
		if len(holdProtocol(broken, p)) == 0 {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// The page has the words of every answer that a surface offers, so that who writes a
// client can tell what a person sees.
func TestProtocolNamesTheAnswers(t *testing.T) {
	page := treeFile("PROTOCOL.md")
	_, surfaces, _ := strings.Cut(page, "**Surfaces**")
	surfaces, _, _ = strings.Cut(surfaces, "\n## ")
	surfaces = strings.Join(strings.Fields(surfaces), " ")
	for _, words := range []locale.Message{
		locale.AllowOnce, locale.AllowOnceOf, locale.AlwaysAllowOf, locale.AlwaysWorkspace, locale.Reject, locale.RejectOf, locale.Review, locale.ReviewOf, locale.ReviewOfText,
		locale.TrustIt, locale.TrustThem, locale.UseSettings, locale.UseIt, locale.NotNow,
	} {
		said := `"` + strings.ReplaceAll(words.In("en"), "%s", "…") + `"`
		if !strings.Contains(surfaces, said) {
			t.Errorf("the surfaces of approvals do not name %s", said)
		}
	}
}
