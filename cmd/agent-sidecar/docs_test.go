package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// top is the folder of the documents.
const top = "../.."

// documents are the words of the project, all held against the tree.
var documents = []string{
	"README.md", "PROTOCOL.md", "ARCHITECTURE.md", "STYLE.md", "CHANGELOG.md",
	"docs/agents.md", "docs/bundles.md", "docs/ci.md", "docs/commands.md", "docs/compaction.md", "docs/design/adding.md", "docs/design/concurrency.md", "docs/design/editors.md", "docs/design/guard.md", "docs/design/paths.md", "docs/design/runners.md", "docs/design/tests.md", "docs/design/words.md", "docs/design/workspace.md", "docs/files.md", "docs/hooks.md", "docs/mcp.md", "docs/memory.md", "docs/models.md", "docs/network.md", "docs/permissions.md", "docs/prompt_commands.md", "docs/prompts.md", "docs/rough_edges.md", "docs/runners.md", "docs/sandbox.md",
	"docs/secrets.md", "docs/tools.md", "docs/undo.md", "docs/usage.md", "docs/web.md", "editors/README.md",
}

// TestDocumentLinks holds that every link inside the documents leads somewhere
// and that every file of the tree they name is there.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)|^\[\w+\]: (\S+)`)
	file := regexp.MustCompile("`((?:cmd|control|docs|editors|explore|internal|model|rpc|runner|session|testclient|text|tool|workspace)/[\\w./-]+\\.(?:go|md|script|gz|sh))`")
	for _, name := range documents {
		text := treeFile(name)
		if text == "" {
			t.Errorf("%s is not there", name)
		}
		for line := range strings.Lines(text) {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				holdLink(t, name, m[1]+m[2])
			}
			for _, m := range file.FindAllStringSubmatch(line, -1) {
				if treeFile(m[1]) == "" {
					t.Errorf("%s names %s, which is not there", name, m[1])
				}
			}
		}
	}
}

func holdLink(t *testing.T, from, to string) {
	t.Helper()
	if strings.Contains(to, "://") {
		return
	}
	path, anchor, _ := strings.Cut(to, "#")
	if path == "" {
		path = from
	} else {
		path = filepath.Join(filepath.Dir(from), path)
	}
	if _, err := os.Stat(filepath.Join(top, path)); err != nil {
		t.Errorf("%s links to %s: %v", from, to, err)
		return
	}
	if anchor != "" && !slices.Contains(anchors(treeFile(path)), anchor) {
		t.Errorf("%s links to %s, but there is no such heading", from, to)
	}
}

// anchors are the names that a reader's browser gives to headings.
func anchors(text string) []string {
	var out []string
	for heading := range parseDocument(text) {
		name := strings.ReplaceAll(strings.ToLower(heading), " ", "-")
		out = append(out, regexp.MustCompile(`[^\p{L}\p{N}_-]`).ReplaceAllString(name, ""))
	}
	return out
}

// TestCommandTables holds the tables of commands and flags against the program.
func TestCommandTables(t *testing.T) {
	c := &checker{doc: readDocument(t, "docs/commands.md")}
	var names, flags []string
	for _, one := range commands() {
		names = append(names, strings.TrimSpace("agent-sidecar "+one.name+" "+one.args))
	}
	(&program{}).flags().VisitAll(func(f *flag.Flag) { flags = append(flags, "--"+f.Name) })
	c.same("commands", c.column("Commands", 0), names)
	c.same("flags", c.column("Flags", 0), flags)
	for _, problem := range c.problems {
		t.Error(problem)
	}
}

// TestToolTable holds that every tool stands in docs/tools.md.
func TestToolTable(t *testing.T) {
	c := &checker{doc: readDocument(t, "docs/tools.md")}
	c.same("tools", c.column("Built-in tools", 0), append(usualTools(t), "web_search", "ask_user", "plan_ready", "symbols", "references", "rename"))
	for _, problem := range c.problems {
		t.Error(problem)
	}
}

// TestArchitectureDocument holds the tables against the house: who may import whom, where
// goroutines start, and the rooms of the extension.
func TestArchitectureDocument(t *testing.T) {
	c := &checker{doc: readDocument(t, "ARCHITECTURE.md")}
	var written, real []string
	for _, r := range c.rows("The tree and its laws") {
		name := strings.Join(marked(r[0]), "")
		written = append(written, name)
		if may := house[name].may; !slices.Contains(may, "*") {
			c.same(name+" may import", marked(r[2]), may)
		}
	}
	for name := range house {
		real = append(real, name)
	}
	c.same("rooms", written, real)
	concurrency := &checker{doc: readDocument(t, "docs/design/concurrency.md")}
	concurrency.same("files that start goroutines", concurrency.column("Goroutines", 0), slices.Collect(maps.Keys(goroutines)))
	editors := &checker{doc: readDocument(t, "docs/design/editors.md")}
	editors.same("rooms of the extension", editors.column("The editor side", 0), extensionRooms(t))
	for _, problem := range slices.Concat(c.problems, concurrency.problems, editors.problems) {
		t.Error(problem)
	}
}

// extensionRooms are the folders and files of the extension's sources, and what runs in
// a web view of its own. Who may import whom there its own tests hold.
func extensionRooms(t *testing.T) []string {
	entries, err := os.ReadDir("../../editors/vscode/src")
	if err != nil {
		t.Fatal(err)
	}
	rooms := []string{"settings/page"}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".d.ts") {
			rooms = append(rooms, e.Name())
		}
	}
	return rooms
}

// TestStyleExamples holds that each good example stands in the file it names,
// line by line; "…" is where lines were left out.
func TestStyleExamples(t *testing.T) {
	good := regexp.MustCompile("(?ms)^From `([^`]+)`:\n\n```go\n(.*?)^```")
	examples := good.FindAllStringSubmatch(treeFile("STYLE.md"), -1)
	if len(examples) < 12 {
		t.Errorf("there are twelve points and only %d examples", len(examples))
	}
	for _, m := range examples {
		text := treeFile(m[1])
		for line := range strings.Lines(m[2]) {
			if line = strings.TrimSpace(line); line != "…" && !strings.Contains(text, line) {
				t.Errorf("STYLE.md: %s has no %q", m[1], line)
			}
		}
	}
}

// TestConfigurationTable writes the table of configuration keys from the code's
// own table, or with -update into the document.
func TestConfigurationTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| key | default | meaning |\n| --- | --- | --- |\n")
	for _, k := range config.Keys {
		value := "not set"
		if k.Default != nil {
			raw, err := json.Marshal(k.Default)
			if err != nil {
				t.Fatal(err)
			}
			value = "`" + string(raw) + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Path, value, k.Doc)
	}
	holdGenerated(t, "docs/permissions.md", "keys", b.String())
}

// TestPresetTable holds the page on models to the presets.
func TestPresetTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| provider | address | key | quirks |\n| --- | --- | --- | --- |\n")
	code := func(words []string, empty string) string {
		if len(words) == 0 {
			return empty
		}
		return "`" + strings.Join(words, "` or `") + "`"
	}
	for _, p := range model.Presets() {
		address := p.BaseURL
		if address == "" {
			address = "of your resource, in `AZURE_OPENAI_ENDPOINT`"
		}
		key := code(p.APIKeyEnv, "none needed")
		if p.KeyHeader != "" {
			key += ", as `" + strings.ToLower(p.KeyHeader) + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Name, address, key, strings.ReplaceAll(code(p.Quirks, ""), " or ", ", "))
	}
	holdGenerated(t, "docs/models.md", "presets", b.String())
}

// TestPermissionExample judges the script of the worked example with the real
// policy over a real folder.
func TestPermissionExample(t *testing.T) {
	const script = "git status && cat .env > out.txt"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("KEY=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	vault, err := workspace.Open([]workspace.Folder{{Path: dir}}, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer vault.Close()
	d := control.NewPolicy(control.Facts{
		Layers:  []control.Layer{{Source: "config", Rules: []control.Rule{{Domain: "bash", Pattern: "git status*", Decision: "allow"}}}},
		Trusted: true, Scope: control.Scope{Workspace: "shop-1a2b3c4d"}, Home: "/home/me/.agent-sidecar", UserHome: "/home/me", Roots: vault.Roots(), Resolver: vault,
	}).Decide(&tool.Plan{Tool: "bash", Effect: tool.Exec, Command: script, Dir: vault.Root(), Targets: []tool.Target{{Domain: "bash", Object: "shell:" + script}}})
	var b strings.Builder
	fmt.Fprintf(&b, "```text\n%s\n\ntargets\n", script)
	for _, target := range d.Targets {
		fmt.Fprintf(&b, "  %-5s %s\n", target.Domain, target.Object)
	}
	b.WriteString("rules that match\n")
	for _, m := range d.Matched {
		fmt.Fprintf(&b, "  %-8s %-5s %-11s %-5s for %s\n", m.Source, m.Domain, m.Pattern, m.Decision, m.Target)
	}
	fmt.Fprintf(&b, "what a person is shown\n%s", indented(control.CommandTree(d.Commands)))
	fmt.Fprintf(&b, "decision\n  %s: %s\nalways would store\n", d.Verdict, d.Reason)
	for _, o := range d.Always {
		fmt.Fprintf(&b, "  %s\n", o.Label)
	}
	if len(d.Always) == 0 {
		b.WriteString("  nothing: it is not offered\n")
	}
	b.WriteString("```\n")
	holdGenerated(t, "docs/permissions.md", "example", b.String())
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// holdGenerated compares what stands between two marks of a document; -update
// writes it.
func holdGenerated(t *testing.T, file, name, want string) {
	t.Helper()
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	text := treeFile(file)
	front, rest, ok := strings.Cut(text, begin)
	have, back, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no marks for %s", file, name)
	}
	if have == want {
		return
	}
	if !*update {
		t.Errorf("%s: %s is out of date; run: go test ./cmd/agent-sidecar -run %s -update\nwant:\n%s", file, name, t.Name(), want)
		return
	}
	if err := os.WriteFile(filepath.Join(top, file), []byte(front+begin+want+end+back), fs.FileMode(0o644)); err != nil {
		t.Fatal(err)
	}
}

// treeFile is a file of the tree, "" when it is not there.
func treeFile(file string) string {
	raw, err := os.ReadFile(filepath.Join(top, file))
	if err != nil {
		return ""
	}
	return string(raw)
}

// document is the sections of a Markdown file by their headings; a section ends
// with the next heading of any level.
type document map[string]section

type section []string

func readDocument(t *testing.T, name string) document {
	t.Helper()
	text := treeFile(name)
	if text == "" {
		t.Fatalf("%s is not there", name)
	}
	return parseDocument(text)
}

func parseDocument(text string) document {
	doc := document{}
	heading, code := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if title := strings.TrimLeft(line, "#"); !code && title != line && strings.HasPrefix(title, " ") {
			heading = strings.TrimSpace(title)
			doc[heading] = section{}
			continue
		}
		doc[heading] = append(doc[heading], line)
	}
	return doc
}

// table is one Markdown table.
type table struct {
	head []string
	rows [][]string
}

func (s section) tables() []table {
	var out []table
	inside := false
	for _, line := range s {
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		cells := cellsOf(line)
		switch {
		case !inside:
			out, inside = append(out, table{head: cells}), true
		case strings.Trim(cells[0], "-:") == "": // the line under the header
		default:
			last := &out[len(out)-1]
			for len(cells) < len(last.head) {
				cells = append(cells, "")
			}
			last.rows = append(last.rows, cells)
		}
	}
	return out
}

// cellsOf cuts a line at its bars; `\|` is a bar inside a cell.
func cellsOf(line string) []string {
	line = strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "\x00")
	cells := strings.Split(line, "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "\x00", "|"))
	}
	return cells
}

var codeFont = regexp.MustCompile("`([^`]+)`")

// marked is the words of a cell in code font.
func marked(cell string) []string {
	var words []string
	for _, m := range codeFont.FindAllStringSubmatch(cell, -1) {
		words = append(words, m[1])
	}
	return words
}
