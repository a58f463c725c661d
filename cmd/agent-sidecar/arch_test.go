package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/agent-sidecar/agent-sidecar/"

// room is what one package may import, and why it is so.
type room struct {
	may []string // packages of this module
	why string
}

// house is who may import whom (ARCHITECTURE.md). A package that is not here may
// not exist.
var house = map[string]room{
	"text":                        {nil, "words for people are a leaf: everybody reads them, they know nobody"},
	"tool":                        {nil, "the vocabulary that everybody shares knows nobody"},
	"proc":                        {nil, "starting and killing processes is a leaf"},
	"durable":                     {nil, "bytes on disk is a leaf"},
	"lazy":                        {nil, "patterns that are compiled when they are needed: the editor waits for the start"},
	"fileuri":                     {nil, "what a URI names is decided from its text alone, for everybody in the same way"},
	"model":                       {[]string{"tool", "lazy"}, "a model knows nothing of sessions, permission or the Vault"},
	"control/shell":               {[]string{"lazy"}, "what a command would do is read from its text alone; files, rules and verdicts are control's"},
	"control/secrets":             {[]string{"lazy"}, "secrets are known by the form of a text alone; what is done about them is others'"},
	"control":                     {[]string{"tool", "durable", "proc", "lazy", "control/shell", "control/secrets"}, "control decides; it never acts and knows neither the Vault nor a model. proc is for hooks.go alone: the user's hooks"},
	"workspace/output/outputtest": {[]string{"tool"}, "a sink for tests, which keeps what it is given"},
	"workspace/output":            {[]string{"tool"}, "what a program writes is cleaned and bounded, whoever runs it"},
	"workspace/textedit":          {[]string{"lazy"}, "where an edit belongs is decided from texts alone"},
	"workspace/web":               {[]string{"tool", "workspace/output"}, "pages and search results from outside: it knows no Vault, and permission only as a question that it asks"},
	"workspace/mcp":               {[]string{"tool", "proc", "workspace/output"}, "servers of the person's configuration: they know no Vault"},
	"workspace/jobs":              {[]string{"workspace/output"}, "what goes on in the background is counted and waited for, whatever it is"},
	"workspace/undo":              {[]string{"tool"}, "what it takes to bring files back is decided from hashes and texts alone; it touches no file"},
	"workspace/tracks":            {[]string{"workspace/undo"}, "what a command changed is found from folders, their rules and what the disk says: it knows no Vault, changes no file, and of undo it has the words for what lies at a path"},
	"workspace/problems":          {[]string{"tool", "workspace/output"}, "what the editor says is wrong is kept and waited for by the keys of documents; it knows no file"},
	"workspace":                   {[]string{"tool", "proc", "durable", "fileuri", "lazy", "workspace/jobs", "workspace/output", "workspace/problems", "workspace/textedit", "workspace/tracks", "workspace/undo"}, "the Vault does what it is told; it does not decide"},
	"session/key":                 {[]string{"lazy"}, "the names of sessions are a grammar: they know no session and no file"},
	"session/history":             {[]string{"tool", "model", "control", "durable"}, "what has been: it runs, decides and tells nothing"},
	"session/compaction":          {[]string{"session/history"}, "what to leave out is decided from the transcript and numbers alone"},
	"session/placeholder":         {[]string{"lazy", "control/secrets"}, "what stands behind a placeholder is known here and nowhere else: no file, no event"},
	"session":                     {[]string{"tool", "model", "control", "control/secrets", "durable", "text", "session/history", "session/compaction", "session/key", "session/placeholder"}, "a session is given a Vault and a client; it does not know them"},
	"session/bundle":              {[]string{"tool", "model", "control", "control/secrets", "durable", "lazy", "session/history"}, "one session as one file: it writes, checks, prints and unpacks; it opens no session and runs nothing"},
	"session/store":               {[]string{"tool", "control", "durable", "session", "session/history", "session/key"}, "it hands out sessions and keeps none of their state"},
	"explore":                     {[]string{"tool", "model", "control", "lazy", "session", "session/history"}, "a sub-agent is a session"},
	"rpc/wire":                    {nil, "the wire carries calls and events; it knows nobody's methods, sessions or errors"},
	"rpc/shapes":                  {nil, "the protocol in other languages is printed from the types that it is handed; it knows no method and no shape"},
	"rpc":                         {[]string{"tool", "fileuri", "model", "control", "session", "session/history", "session/key", "session/store", "text", "rpc/shapes", "rpc/wire"}, "the protocol never touches the Vault: wire.go hands it interfaces"},
	"schema":                      {nil, "the protocol as it is checked in is only text"},
	"testclient":                  {nil, "the test client must not share our bugs"},
	"testclient/scripted":         {[]string{"testclient"}, "the scripted model as a program, for editors"},
	"cmd/agent-sidecar":           {[]string{"*"}, "the one place where the packages meet"},
	"bench":                       {[]string{"*"}, "measures the whole"},
}

// module outside → where it may be imported, and why it is here at all.
type outside struct {
	where []string
	why   string
}

var modules = map[string]outside{
	"github.com/sourcegraph/jsonrpc2":    {[]string{"rpc/wire"}, "JSON-RPC call matching"},
	"go.lsp.dev/protocol":                {[]string{"rpc", "rpc/wire"}, "LSP 3.18 types"},
	"go.lsp.dev/uri":                     {[]string{"rpc"}, "comes with the LSP types"},
	"github.com/sashabaranov/go-openai":  {[]string{"model"}, "requests, responses and errors of OpenAI-compatible endpoints"},
	"github.com/pkoukk/tiktoken-go":      {[]string{"model"}, "exact token counts near a threshold"},
	"github.com/bmatcuk/doublestar/v4":   {[]string{"workspace", "control", "control/shell"}, "globs of tools, rules, commands and ignore files"},
	"github.com/rs/zerolog":              {[]string{"cmd/agent-sidecar", "rpc", "session", "bench"}, "the program's own log; leaves return errors"},
	"github.com/google/jsonschema-go":    {[]string{"tool", "rpc", "control"}, "schemas of tools and of the protocol from Go types (ruling 71); control: tests of the configuration's"},
	"github.com/go-json-experiment/json": {[]string{"tool", "rpc/wire", "control", "session/history", "session/placeholder", "model"}, "strict decoding of tool arguments (ruling 71), the LSP types' own codec, and speed where there is much: logs and requests"},
	"mvdan.cc/sh/v3":                     {[]string{"control/shell", "control"}, "a shell parser: commands are never matched as strings; control: a second look, in tests"},
	"go.yaml.in/yaml/v3":                 {[]string{"control"}, "the front matter of agent files (ruling 73)"},
	"github.com/tailscale/hujson":        {[]string{"control"}, "JSONC that keeps comments when it is edited"},
	"github.com/google/uuid":             {[]string{"control"}, "audit event ids (UUIDv7)"},
	"github.com/gofrs/flock":             {[]string{"durable"}, "file locks on every platform"},
	"golang.org/x/sys":                   {[]string{"proc", "durable", "workspace", "workspace/tracks", "rpc/wire"}, "process groups, sub-reapers, pidfds, what the system says of a file"},
	"golang.org/x/text":                  {[]string{"session/key", "session/store", "workspace/web"}, "NFC of session keys (session §2), and of what is searched; how pages are encoded"},
	"golang.org/x/net":                   {[]string{"workspace/web"}, "reads HTML, host names and encodings of pages as browsers do (ruling 56)"},
	"code.dny.dev/ssrf":                  {[]string{"workspace/web"}, "which network addresses are not the public internet (ruling 73)"},
	"github.com/charlievieth/fastwalk":   {[]string{"workspace"}, "a parallel walk that follows no links"},
	"znkr.io/diff":                       {[]string{"workspace", "workspace/textedit", "workspace/undo"}, "unified diffs, three-way merges"},
	"github.com/rogpeppe/go-internal":    {[]string{"testclient"}, "txtar"},
	"go.uber.org/goleak":                 {[]string{"*"}, "tests: no goroutine is left"},
	"github.com/google/go-cmp":           {[]string{"*"}, "tests: readable differences"},
	"pgregory.net/rapid":                 {[]string{"*"}, "tests: properties"},

	"github.com/JohannesKaufmann/html-to-markdown/v2": {[]string{"workspace/web"}, "Markdown of pages (ruling 56)"},

	// Apart, because its name is long. proc stays a leaf: main hands it
	// workspace.Landlock.
	"github.com/landlock-lsm/go-landlock":    {[]string{"workspace"}, "Landlock over its many versions (rulings 56, 103)"},
	"github.com/modelcontextprotocol/go-sdk": {[]string{"workspace/mcp"}, "the client of MCP servers: the official one"},
}

type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Dir          string
	GoFiles      []string
	TestGoFiles  []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,Dir,GoFiles,TestGoFiles", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestHouse holds every import against the house.
func TestHouse(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		r, known := house[name]
		if !known {
			t.Errorf("package %s has no room in the house: say in arch_test.go what it may import, and why", name)
			continue
		}
		for _, i := range p.Imports {
			if inner, ours := strings.CutPrefix(i, module); ours && !allowed(r.may, inner) {
				t.Errorf("%s imports %s: %s", name, inner, r.why)
			}
		}
		tests := append(slices.Clone(p.TestImports), p.XTestImports...)
		for _, i := range append(tests, p.Imports...) {
			holdModule(t, name, i)
		}
	}
}

func allowed(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*")
}

func holdModule(t *testing.T, name, path string) {
	t.Helper()
	first, _, _ := strings.Cut(path, "/")
	if strings.HasPrefix(path, module) || !strings.Contains(first, ".") {
		return
	}
	for m, o := range modules {
		if path == m || strings.HasPrefix(path, m+"/") {
			if !allowed(o.where, name) {
				t.Errorf("%s imports %s, which is for %v: %s", name, path, o.where, o.why)
			}
			return
		}
	}
	t.Errorf("%s imports %s: a new module needs its reason in arch_test.go", name, path)
}

// goroutines may start only here: each has an owner that waits for it.
var goroutines = map[string]string{
	"rpc/wire/connection.go":        "reader and dispatcher; Conn.Serve waits",
	"rpc/wire/dispatch.go":          "one a request; Conn.Serve waits",
	"rpc/wire/outbox.go":            "the one writer; close waits",
	"rpc/wire/writer.go":            "the one writer; close waits",
	"rpc/server.go":                 "runs and questions; Serve waits",
	"rpc/wire/parent.go":            "the watch of the editor; stopped by Serve",
	"rpc/wire/parent_linux.go":      "the watch of the editor; stopped by Serve",
	"rpc/wire/parent_other.go":      "the watch of the editor; stopped by Serve",
	"session/history/ahead.go":      "the reader of a long log; waited for at once",
	"session/batch.go":              "a batch of read-only calls; waited for at once",
	"model/client.go":               "one stream",
	"model/local.go":                "the probes of local ports; waited for at once",
	"model/list_learn.go":           "the lists of one provider; the iteration waits",
	"workspace/grep.go":             "searchers; waited for at once",
	"workspace/search.go":           "searchers; waited for at once",
	"workspace/exec.go":             "a command's output; waited for",
	"workspace/jobs/table.go":       "one a job; EndSession and Close wait",
	"workspace/tracks/survey.go":    "lookers through directories; waited for at once",
	"workspace/tracks/watch.go":     "the reader of files while a command runs; Watch.StopReading waits",
	"control/hooks.go":              "the pipes of a hook; waited for at once",
	"workspace/mcp/servers.go":      "one a server, and its calls; Servers.Close waits",
	"workspace/mcp/process.go":      "a server's stderr and its end; stop waits",
	"proc/guard_unix.go":            "inside the guard process",
	"proc/init_linux.go":            "the order to end, in the first process of namespaces",
	"proc/process.go":               "the guard's answer; Wait waits",
	"proc/start_unix.go":            "the guard's answer; Wait waits",
	"cmd/agent-sidecar/wire.go":     "the hourly sweep; Close waits",
	"cmd/agent-sidecar/sandbox.go":  "the look for a sandbox; serveOn waits",
	"cmd/agent-sidecar/terminal.go": "a question in the terminal",
	"cmd/agent-sidecar/run.go":      "Ctrl-C in the terminal",
	"cmd/agent-sidecar/demo.go":     "the scripted model's server",
	"testclient/raw.go":             "the test client's reader",
	"testclient/scripted/main.go":   "the scripted model's server",
}

// TestSource holds what no linter of ours says: who prints, who exits, who
// starts goroutines, and that nobody sleeps.
func TestSource(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == ".test-editors" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		holdFile(t, filepath.ToSlash(rel), path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func holdFile(t *testing.T, rel, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), "\n"); n > 600 {
		t.Errorf("%s has %d lines: over 600 is split", rel, n)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, raw, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	test := strings.HasSuffix(rel, "_test.go")
	command := strings.HasPrefix(rel, "cmd/") || strings.HasPrefix(rel, "testclient/scripted/") || strings.HasPrefix(rel, ".ci/")
	for _, i := range file.Imports {
		if i.Path.Value == `"log"` && !command && !test {
			t.Errorf("%s imports log: leaves return errors, the rest uses zerolog", rel)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if _, known := goroutines[rel]; !known && !test && !strings.HasPrefix(rel, "testclient/") {
				t.Errorf("%s starts a goroutine: only the files listed in arch_test.go do, each with an owner that waits", set.Position(n.Pos()))
			}
		case *ast.CallExpr:
			name := called(n)
			where := set.Position(n.Pos())
			switch {
			case name == "time.Sleep":
				t.Errorf("%s: nobody sleeps, tests neither", where)
			case name == "context.WithValue":
				t.Errorf("%s: a context carries cancellation and nothing else", where)
			case command || test:
			case strings.HasPrefix(name, "fmt.Print"), name == "os.Exit":
				t.Errorf("%s: %s is for cmd", where, name)
			case name == "group.Go", name == "wg.Go", strings.HasSuffix(name, ".Go") && !strings.HasPrefix(name, "s."):
				if _, known := goroutines[rel]; !known && !strings.HasPrefix(rel, "testclient/") {
					t.Errorf("%s starts a goroutine: only the files listed in arch_test.go do", where)
				}
			}
		}
		return true
	})
}

// called is "package.Function" of a call, as it is written.
func called(c *ast.CallExpr) string {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	switch x := s.X.(type) {
	case *ast.Ident:
		return x.Name + "." + s.Sel.Name
	case *ast.SelectorExpr:
		return x.Sel.Name + "." + s.Sel.Name
	}
	return "." + s.Sel.Name
}

// TestNoPlaceholders holds that nothing in the tree is only a promise.
func TestNoPlaceholders(t *testing.T) {
	word := "TO" + "DO"
	for _, p := range packages(t) {
		for _, f := range append(slices.Clone(p.GoFiles), p.TestGoFiles...) {
			raw, err := os.ReadFile(filepath.Join(p.Dir, f))
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(raw), "\n") {
				if strings.Contains(line, word+":") || strings.Contains(line, "FIX"+"ME") {
					t.Errorf("%s:%s: %s", f, strconv.Itoa(i+1), strings.TrimSpace(line))
				}
			}
		}
	}
}
