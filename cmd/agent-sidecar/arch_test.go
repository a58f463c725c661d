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
	"regexp"
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
	"tool":                        {[]string{"internal/said"}, "the vocabulary that everybody shares knows nobody"},
	"internal/proc":               {nil, "starting and killing processes is a leaf"},
	"internal/durable":            {nil, "bytes on disk is a leaf"},
	"internal/durable/unsynced":   {[]string{"internal/durable", "testclient/sample"}, "only tests import it: they do not wait for the drive"},
	"internal/lazy":               {nil, "patterns that are compiled when they are needed: the editor waits for the start"},
	"internal/said":               {nil, "a sentence is said where something happens and put into words where the language is known: both know it, it knows nobody"},
	"internal/outbound":           {nil, "how a connection leaves this machine is the same for models, pages and servers; where it may go is judged by those who ask"},
	"internal/fileuri":            {nil, "what a URI names is decided from its text alone, for everybody in the same way"},
	"internal/frontmatter":        {[]string{"internal/lazy"}, "the front matter of agents, skills and prompts is read in one way; what its members mean is for others to say"},
	"model":                       {[]string{"tool", "internal/lazy", "internal/outbound", "internal/said"}, "a model knows nothing of sessions, permission or the Vault"},
	"control/names":               {nil, "lists of names are only text"},
	"control/paths":               {nil, "what a path says is read from its text alone; where it leads is told by who can follow it"},
	"control/shell":               {[]string{"internal/lazy", "control/paths", "internal/said"}, "what a command would do is read from its text alone; files, rules and verdicts are control's"},
	"control/secrets":             {[]string{"internal/lazy"}, "secrets are known by the form of a text alone; what is done about them is others'"},
	"control/audit":               {[]string{"control/secrets", "internal/durable", "internal/lazy", "tool"}, "decisions are written down and checked here; who decided, and what, it is told"},
	"control":                     {[]string{"tool", "control/names", "control/paths", "control/shell", "internal/said"}, "control decides; it never acts, and everything it knows it is told: neither the Vault nor a model, no file and no clock"},
	"control/loop":                {[]string{"tool", "control", "internal/said"}, "circles of calls are seen from their names, arguments and results; what is asked about them is the session's"},
	"control/truncation":          {[]string{"tool"}, "what is left of a long result is decided from its text and its sizes; where the whole of it is kept, it is told"},
	"control/config":              {[]string{"tool", "internal/durable", "internal/frontmatter", "internal/lazy", "control", "control/loop", "control/secrets", "control/truncation"}, "the person's files are read and written here; what their rules mean for a call is control's"},
	"control/hooks":               {[]string{"tool", "internal/proc", "control", "control/config", "control/secrets"}, "the person's own programs are started and asked here; which ones there are is the configuration's"},
	"workspace/output/outputtest": {[]string{"tool"}, "a sink for tests, which keeps what it is given"},
	"workspace/output":            {[]string{"tool"}, "what a program writes is cleaned and bounded, whoever runs it"},
	"workspace/patch":             {[]string{"tool", "internal/lazy"}, "what a patch says is told from the patch alone"},
	"workspace/textedit":          {[]string{"tool", "internal/lazy", "workspace/patch"}, "where an edit belongs is decided from texts alone"},
	"workspace/web":               {[]string{"tool", "internal/lazy", "internal/outbound", "workspace/output"}, "pages and search results from outside: it knows no Vault, and permission only as a question that it asks"},
	"workspace/host":              {[]string{"tool", "workspace/output"}, "tools that work elsewhere: it knows no client and no Vault"},
	"workspace/mcp":               {[]string{"tool", "internal/lazy", "internal/outbound", "internal/proc", "workspace/mcp/signin", "workspace/output", "internal/said"}, "servers of the person's configuration: they know no Vault"},
	"workspace/mcp/signin":        {[]string{"internal/durable", "internal/outbound"}, "tokens are got, kept and renewed here alone: it opens no browser, and knows no session of MCP and no tool"},
	"workspace/jobs":              {[]string{"workspace/output"}, "what goes on in the background is counted and waited for, whatever it is"},
	"workspace/undo":              {[]string{"tool"}, "what it takes to bring files back is decided from hashes and texts alone; it touches no file"},
	"workspace/mirror":            {[]string{"internal/durable"}, "the files of a folder as commits of a repository of its own: it starts no program itself, and git obeys nothing that it does not write"},
	"workspace/tracked":           {[]string{"internal/durable"}, "which names git keeps is read from the files of a repository, by no git: the libraries that read them bring a whole git with them"},
	"workspace/notify":            {nil, "which directories changed is said by the system: it reads none and knows no file"},
	"workspace/changes":           {[]string{"workspace/notify", "workspace/undo"}, "what a command changed is found from folders, their rules and what the disk says: it knows no Vault, changes no file, and of undo it has the words for what lies at a path"},
	"workspace/problems":          {[]string{"tool", "workspace/output"}, "what the editor says is wrong is kept and waited for by the keys of documents; it knows no file"},
	"workspace/gitconfig":         {nil, "what a configuration of git says is read from its text alone"},
	"workspace/pathname":          {nil, "what a path is below is found from the names in it: it knows no folder, no disk and no permission"},
	"workspace/openat":            {[]string{"internal/durable", "workspace/pathname"}, "single names in an open directory are opened and changed here, and no link is followed: it knows no folder and no permission"},
	"workspace/artifact":          {[]string{"tool", "internal/durable", "internal/fileuri", "internal/lazy", "workspace/openat", "workspace/pathname", "workspace/walk"}, "large outputs are kept, found and swept by the names of sessions: it knows no Vault, no permission and no session"},
	"workspace/folders":           {[]string{"tool", "internal/durable", "workspace/openat", "workspace/pathname", "workspace/walk"}, "which folder a path is in is found from the folders that are open: it knows no file and no permission"},
	"workspace/walk":              {nil, "where a path leads is found from the disk alone: it knows no Vault and no permission"},
	"workspace/sandbox":           {[]string{"tool", "internal/proc", "internal/durable", "internal/lazy", "workspace/gitconfig", "workspace/output", "workspace/pathname"}, "how a command is confined is laid out from paths, settings and what the machine can do: it knows no Vault and judges nothing"},
	"workspace/shields":           {[]string{"tool", "internal/durable", "internal/proc", "workspace/artifact", "workspace/changes", "workspace/folders", "workspace/gitconfig", "workspace/notify", "workspace/openat", "workspace/pathname", "workspace/sandbox", "workspace/undo", "workspace/walk"}, "what is protected is found from folders, names and the files of git, and put right when a command is over: it knows no Vault and asks nobody"},
	"workspace/search":            {[]string{"internal/durable", "workspace/walk"}, "what is looked for is found from texts, patterns, walks and the disk alone: it knows no Vault, no tool and no permission"},
	"workspace":                   {[]string{"tool", "internal/proc", "internal/durable", "internal/fileuri", "internal/lazy", "workspace/artifact", "workspace/folders", "workspace/gitconfig", "workspace/jobs", "workspace/mirror", "workspace/openat", "workspace/output", "workspace/patch", "workspace/pathname", "workspace/problems", "workspace/sandbox", "workspace/search", "workspace/shields", "workspace/textedit", "workspace/tracked", "workspace/changes", "workspace/notify", "workspace/undo", "workspace/walk", "internal/said"}, "the Vault does what it is told; it does not decide"},
	"session/key":                 {[]string{"internal/lazy"}, "the names of sessions are a grammar: they know no session and no file"},
	"session/history":             {[]string{"tool", "model", "control", "internal/durable", "internal/said"}, "what has been: it runs, decides and tells nothing"},
	"session/compaction":          {[]string{"session/history"}, "what to leave out is decided from the transcript and numbers alone"},
	"session/journal":             {[]string{"internal/durable", "session/history"}, "the log, what is folded from it, and the lock over both: it knows no run, no client and no model, and decides nothing"},
	"session/tasks":               {[]string{"tool", "session/history", "session/journal"}, "the list is in the journal: who works on it and who watches it is known elsewhere"},
	"session/ledger":              {[]string{"internal/durable"}, "what was spent is written down and added up: what follows from a sum is decided elsewhere"},
	"session/prompts":             {[]string{"control", "internal/frontmatter", "internal/lazy", "internal/said", "session/skills"}, "what typed words become is decided from them and from files that it is handed: it knows no session, no client and no Vault"},
	"session/skills":              {[]string{"tool", "control", "internal/frontmatter", "internal/lazy", "internal/said"}, "skills are read from the folders that it is handed: it knows no session, no Vault and no home"},
	"session/system":              {[]string{"tool", "control", "control/config", "control/secrets", "internal/durable", "session/history"}, "what a model is told is made of what is handed in: it knows no run, no settings and no model"},
	"session/placeholder":         {[]string{"internal/lazy", "control/secrets"}, "what stands behind a placeholder is known here and nowhere else: no file, no event"},
	"session/questions":           {[]string{"tool", "control", "internal/said", "session/history", "session/journal"}, "what is asked and answered is in the journal; who is asked, and where, is told by an interface"},
	"session":                     {[]string{"tool", "model", "control", "control/audit", "control/config", "control/hooks", "control/loop", "control/secrets", "control/truncation", "internal/durable", "internal/said", "session/history", "session/compaction", "session/journal", "session/key", "session/ledger", "session/placeholder", "session/questions", "session/skills", "session/system", "session/tasks"}, "a session is given a Vault and a client; it does not know them"},
	"session/bundle":              {[]string{"tool", "model", "control", "control/secrets", "internal/durable", "internal/lazy", "session/history", "internal/said"}, "one session as one file: it writes, checks, prints and unpacks; it opens no session and runs nothing"},
	"session/store":               {[]string{"tool", "control", "internal/durable", "session", "session/copies", "session/history", "session/key", "session/replica", "session/system"}, "it hands out sessions and keeps none of their state"},
	"session/replica":             {[]string{"internal/durable", "session/history"}, "lines are sealed, sent and compared without being read: it knows no run, no client and no server, and of history only what the files of a session are called"},
	"session/copies":              {[]string{"internal/durable", "session/replica"}, "which lines a session has on each machine is decided from what its copy has: it opens no log, knows no run and no server"},
	"session/replica/stream":      {[]string{"session/replica"}, "how a NATS server is reached: it has no key and knows nothing of what it carries"},
	"runner/seam":                 {[]string{"tool", "control", "rpc/wire", "workspace", "workspace/mirror", "workspace/sandbox"}, "what goes over the pipe is types and frames; both sides know it and it knows neither"},
	"runner/worker":               {[]string{"tool", "control", "internal/durable", "runner/seam", "workspace", "workspace/mirror", "workspace/sandbox"}, "the far side does what was judged elsewhere: it knows no session, no model, no rule but those about reads, and no configuration"},
	"runner":                      {[]string{"tool", "control", "internal/said", "internal/proc", "workspace/mirror", "workspace/output", "workspace/undo", "runner/seam"}, "the near side asks a worker: it knows no session and decides nothing"},
	"explore":                     {[]string{"tool", "model", "control", "internal/lazy", "session", "session/history"}, "a sub-agent is a session"},
	"rpc/wire":                    {nil, "the wire carries calls and events; it knows nobody's methods, sessions or errors"},
	"rpc/codegen":                 {nil, "the protocol in other languages is printed from the types that it is handed; it knows no method and no shape"},
	"rpc/acp":                     {[]string{"internal/fileuri", "rpc/acp/convert", "rpc/acp/inside", "rpc/acp/show", "rpc/acp/v1", "rpc/locale", "rpc/wire", "session/history"}, "a second front end is a client of the protocol, like an editor: it knows no session, no rule and no file"},
	"rpc/acp/convert":             {[]string{"internal/fileuri", "rpc/acp/v1", "rpc/locale", "rpc/wire", "session/history"}, "values in, values out"},
	"rpc/acp/inside":              {[]string{"rpc/wire"}, "a client of the protocol knows frames and no method"},
	"rpc/acp/show":                {[]string{"rpc/acp/convert", "rpc/acp/v1", "rpc/locale", "session/history"}, "what a client has seen is made of events: it asks nobody and decides nothing"},
	"rpc/acp/v1":                  {nil, "a protocol of others is data and types made from it: it knows nothing of ours"},
	"rpc/surface":                 {[]string{"tool", "internal/fileuri", "model", "control", "session", "session/history", "session/ledger", "session/questions", "rpc/locale", "rpc/wire"}, "what an editor without a plugin is shown is made from questions and events: it knows no server, no method and no configuration"},
	"rpc/locale":                  {[]string{"internal/said"}, "words for people in each language: everybody above the session reads them, they know nobody"},
	"rpc":                         {[]string{"tool", "internal/fileuri", "internal/said", "model", "control", "control/audit", "control/config", "session", "session/history", "session/key", "session/ledger", "session/prompts", "session/questions", "session/skills", "session/store", "session/system", "rpc/locale", "rpc/codegen", "rpc/surface", "rpc/wire"}, "the protocol never touches the Vault: wire.go hands it interfaces"},
	"schema":                      {nil, "the protocol as it is checked in is only text"},
	"testclient":                  {[]string{"testclient/acpschema", "testclient/scriptmodel"}, "the test client must not share our bugs"},
	"testclient/acpschema":        {nil, "what we say over a protocol of others is held against its schema: it must not share our bugs"},
	"testclient/scriptmodel":      {nil, "the scripted model stands alone: it must not share our bugs, and the demo takes it along"},
	"testclient/scripted":         {[]string{"testclient/scriptmodel"}, "the scripted model as a program, for editors"},
	"testclient/proxy":            {nil, "a real proxy and authority: they must not share our bugs"},
	"testclient/oauthserver":      {nil, "a server that wants a sign-in, and who signs people in: they must not share our bugs"},
	"testclient/sample":           {nil, "which part of its cases a test tries is chosen from a seed alone"},
	"testclient/opens":            {nil, "what programs do to files is asked of the kernel; it knows nothing of what it is used to test"},
	"cmd/agent-sidecar":           {[]string{"*"}, "the one place where the packages meet"},
	"bench":                       {[]string{"*"}, "measures the whole"},
}

// module outside → where it may be imported, and why it is here at all.
type outside struct {
	where []string
	why   string
}

var modules = map[string]outside{
	"github.com/sourcegraph/jsonrpc2":    {[]string{"rpc/wire", "runner/seam"}, "JSON-RPC call matching"},
	"go.lsp.dev/protocol":                {[]string{"rpc", "rpc/surface", "rpc/wire"}, "LSP 3.18 types"},
	"go.lsp.dev/uri":                     {[]string{"rpc"}, "comes with the LSP types"},
	"github.com/sashabaranov/go-openai":  {[]string{"model"}, "requests, responses and errors of OpenAI-compatible endpoints"},
	"github.com/pkoukk/tiktoken-go":      {[]string{"model"}, "exact token counts near a threshold"},
	"github.com/bmatcuk/doublestar/v4":   {[]string{"workspace/search", "control", "control/shell"}, "globs of tools, rules, commands and ignore files"},
	"github.com/rs/zerolog":              {[]string{"cmd/agent-sidecar", "rpc", "session", "bench"}, "the program's own log; leaves return errors"},
	"github.com/google/jsonschema-go":    {[]string{"tool", "rpc", "control/config", "cmd/agent-sidecar", "testclient/acpschema"}, "schemas of tools and of the protocol from Go types; control/config, cmd/agent-sidecar and testclient/acpschema: tests of what is written"},
	"github.com/go-json-experiment/json": {[]string{"tool", "rpc/wire", "control/config", "control/hooks", "session/history", "session/placeholder", "model"}, "strict decoding of tool arguments, the LSP types' own codec, and speed where there is much: logs and requests"},
	"mvdan.cc/sh/v3":                     {[]string{"control/shell", "control"}, "a shell parser: commands are never matched as strings; control: a second look, in tests"},
	"go.yaml.in/yaml/v3":                 {[]string{"internal/frontmatter", "control/config", "cmd/agent-sidecar"}, "the front matter of files for agents; cmd/agent-sidecar: the jobs of a page, in tests"},
	"github.com/tailscale/hujson":        {[]string{"control/config"}, "JSONC that keeps comments when it is edited"},
	"github.com/google/uuid":             {[]string{"control/audit"}, "audit event ids (UUIDv7)"},
	"github.com/fsnotify/fsnotify":       {[]string{"control/config"}, "what happens to the files of the configuration, on every platform"},
	"github.com/gofrs/flock":             {[]string{"internal/durable"}, "file locks on every platform"},
	"golang.org/x/sys":                   {[]string{"internal/proc", "internal/durable", "workspace", "workspace/changes", "workspace/notify", "workspace/sandbox", "workspace/shields", "workspace/walk", "rpc/wire", "testclient/opens"}, "process groups, sub-reapers, pidfds, what the system says of a file, which directories change: fsnotify cannot say what has happened until now; testclient/opens: filters of system calls"},
	"golang.org/x/text":                  {[]string{"session/key", "session/store", "workspace/web"}, "NFC of session keys, and of what is searched; how pages are encoded"},
	"golang.org/x/net":                   {[]string{"workspace/web", "internal/outbound"}, "reads HTML, host names and encodings of pages as browsers do; which proxy variables mean, and SOCKS"},
	"code.dny.dev/ssrf":                  {[]string{"workspace/web"}, "which network addresses are not the public internet"},
	"github.com/charlievieth/fastwalk":   {[]string{"workspace/search"}, "a parallel walk that follows no links"},
	"znkr.io/diff":                       {[]string{"workspace", "workspace/textedit", "workspace/undo"}, "unified diffs, three-way merges"},
	"github.com/rogpeppe/go-internal":    {[]string{"testclient"}, "txtar"},
	"go.uber.org/goleak":                 {[]string{"*"}, "tests: no goroutine is left"},
	"github.com/google/go-cmp":           {[]string{"*"}, "tests: readable differences"},
	"pgregory.net/rapid":                 {[]string{"*"}, "tests: properties"},

	"github.com/JohannesKaufmann/html-to-markdown/v2": {[]string{"workspace/web"}, "Markdown of pages"},

	"github.com/nats-io/nats.go":        {[]string{"session/replica/stream", "session/replica"}, "JetStream: a line is stored only behind the one before it, on one static server of the person's own; session/replica: tests that tamper"},
	"github.com/nats-io/nats-server/v2": {[]string{"session/replica", "session/store", "cmd/agent-sidecar", "bench"}, "tests: the real server in the process of the test"},
	"github.com/nats-io/jwt/v2":         {[]string{"session/replica"}, "tests: who a person is, as the server's tools write it"}, "github.com/nats-io/nkeys": {[]string{"session/replica"}, "tests: its keys"},
	// Apart, because its name is long. proc stays a leaf: main hands it sandbox.Landlock.
	"github.com/landlock-lsm/go-landlock":    {[]string{"workspace/sandbox"}, "Landlock over its many versions"},
	"github.com/modelcontextprotocol/go-sdk": {[]string{"workspace/mcp", "workspace/mcp/signin"}, "the client of MCP servers: the official one, and how they say who signs people in"},
	"golang.org/x/oauth2":                    {[]string{"workspace/mcp/signin"}, "codes, PKCE and tokens of OAuth; the client of MCP servers is built on it"},
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

// TestControlIsPure holds that what decides cannot act: it has no way to a file, a
// process, the network, the environment or the clock.
func TestControlIsPure(t *testing.T) {
	pure := []string{"control", "control/names", "control/shell", "control/secrets", "control/loop", "control/paths", "control/truncation"}
	acting := []string{"os", "net", "syscall", "time", "unsafe", "io/ioutil", "log", "runtime", "path/filepath"}
	for _, p := range packages(t) {
		if !slices.Contains(pure, strings.TrimPrefix(p.ImportPath, module)) {
			continue
		}
		for _, i := range p.Imports {
			first, _, _ := strings.Cut(i, "/")
			if i != "net/netip" && i != "net/url" && (slices.Contains(acting, i) || slices.Contains(acting, first)) {
				t.Errorf("%s imports %s: what decides is told everything it knows", p.ImportPath, i)
			}
		}
	}
}

// goroutines may start only here: each has an owner that waits for it.
var goroutines = map[string]string{
	"rpc/acp/front.go":                "servers, their readers, questions and looks beside them; Serve waits",
	"rpc/wire/connection.go":          "reader and dispatcher; Conn.Serve waits",
	"rpc/wire/dispatch.go":            "one a request; Conn.Serve waits",
	"rpc/wire/outbox.go":              "the one writer; close waits",
	"rpc/wire/writer.go":              "the one writer; close waits",
	"rpc/link.go":                     "runs and questions; Serve waits",
	"rpc/wire/parent.go":              "the watch of the editor; stopped by Serve",
	"rpc/wire/parent_linux.go":        "the watch of the editor; stopped by Serve",
	"rpc/wire/parent_other.go":        "the watch of the editor; stopped by Serve",
	"session/history/ahead.go":        "the reader of a long log; waited for at once",
	"session/history/check.go":        "readers of what a fold stands for; waited for at once",
	"session/batch.go":                "a batch of read-only calls; waited for at once",
	"session/copies/keeper.go":        "the leases, the looks, and one a session that is let go of; Keeper.Close waits",
	"session/copies/round.go":         "a look at all sessions; Keeper.Close waits",
	"session/copies/deleted.go":       "copies of deleted sessions are removed; Keeper.Close waits",
	"session/title.go":                "the request for a title; Session.Close waits",
	"model/client.go":                 "one stream",
	"model/local.go":                  "the probes of local ports; waited for at once",
	"model/lists.go":                  "the lists to choose from; waited for at once",
	"model/list_learn.go":             "the lists of one provider; the iteration waits",
	"workspace/search/walk.go":        "searchers, which fastwalk starts; waited for at once",
	"workspace/sandbox/exec.go":       "a command's output; waited for",
	"workspace/jobs/table.go":         "one a job; EndSession and Close wait",
	"workspace/changes/survey.go":     "lookers through directories; waited for at once",
	"workspace/changes/watch.go":      "the reader of files while a command runs; Watch.StopReading waits",
	"control/hooks/hooks.go":          "the pipes of a hook; waited for at once",
	"control/config/watch.go":         "the watch of the configuration's files; the stop of Watch waits",
	"workspace/mcp/servers.go":        "one a server, and its calls; Servers.Close waits",
	"workspace/mcp/process.go":        "a server's stderr and its end; stop waits",
	"internal/proc/guard_unix.go":     "inside the guard process",
	"internal/proc/guards_unix.go":    "signals to the guard, inside it",
	"internal/proc/init_linux.go":     "the order to end, in the first process of namespaces",
	"internal/proc/process.go":        "the guard's answer; Wait waits",
	"internal/proc/start_unix.go":     "the guard's answer; Wait waits",
	"runner/command.go":               "the output and the end of the command of a runner; its Close waits",
	"runner/state.go":                 "how long the way of a connection is; letting go of it waits",
	"runner/seam/peer.go":             "the beat and the answers of a connection; Close waits",
	"cmd/agent-sidecar/wire.go":       "the hourly sweep; Close waits",
	"cmd/agent-sidecar/sandbox.go":    "the look for a sandbox; serveOn waits",
	"cmd/agent-sidecar/asked.go":      "questions of the model in the terminal",
	"cmd/agent-sidecar/question.go":   "a question in the terminal",
	"cmd/agent-sidecar/run.go":        "Ctrl-C in the terminal",
	"cmd/agent-sidecar/demo.go":       "the scripted model's server",
	"testclient/raw.go":               "the test client's reader",
	"testclient/scripted/main.go":     "the scripted model's server",
	"workspace/mcp/signin/landing.go": "takes one answer of a browser; close waits",

	// Apart, because their names are long.
	"session/replica/stream/connect.go":  "the first try to reach the server; Server.Close waits",
	"testclient/opens/launcher_linux.go": "a script's thread with its filter; waited for at once",
	"testclient/opens/tracer_linux.go":   "the watch of system calls; Tracer.Run waits",
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
	if n := strings.Count(string(raw), "\n"); n > 600 && !strings.HasPrefix(string(raw), "// Code generated ") {
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
		if strings.HasSuffix(i.Path.Value, `/internal/durable/unsynced"`) && !test {
			t.Errorf("%s imports unsynced: only tests do not wait for the drive", rel)
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
			case name == "context.WithValue" && rel == "workspace/mcp/signin/token.go": // package oauth2 takes its client from nowhere else
			case name == "context.WithValue":
				t.Errorf("%s: a context carries cancellation and nothing else", where)
			case name == "durable.LeaveOutSyncs" && !strings.HasPrefix(rel, "internal/durable/unsynced/"):
				t.Errorf("%s: syncs are left out by the package unsynced alone", where)
			case command || test:
			case name == "os.Exit" && rel == "internal/proc/early.go": // a helper, before the program begins
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

// openers are the files of the workspace that may open by the system's own functions.
var openers = map[string]string{
	"workspace/changes/lost.go":           "its own journal, in the home",
	"workspace/notify/directory_other.go": "systems whose directories have no pipes in them",
	"workspace/notify/queue_linux.go":     "/proc",
	"workspace/changes/filestat_other.go": "systems whose directories have no pipes in them",
	"workspace/mcp/known.go":              "the home",
	"workspace/memory_known.go":           "the home",
	"workspace/sandbox/probe.go":          "the home, /proc and /sys",
	"workspace/sandbox/sockets_linux.go":  "/proc",
	"workspace/sandbox/temp.go":           "a directory of its own for each command",
	"workspace/watch_lost.go":             "the home",
}

// TestNothingIsWaitedFor holds that nobody opens a name that a command may have made into
// a named pipe: opening one waits for whoever writes it, and a look before leaves a
// moment for one to come. The functions of durable ask the system for a directory, or
// for a file, and never wait. os.ReadDir and os.Root for single names do so as well.
func TestNothingIsWaitedFor(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(top, "workspace"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := called(call)
			from, method, _ := strings.Cut(name, ".")
			bare := name == "os.Open" || name == "os.ReadFile" || method == "OpenRoot" && from != "durable" || method == "FS" || method == "ReadFile" && from == "dir"
			if !bare {
				return true
			}
			if _, may := openers[rel]; may {
				used[rel] = true
			} else {
				t.Errorf("%s: %s waits for a named pipe: durable.OpenDir, DirIn, OpenRoot, RootIn, Open, ReadFile, FileIn, ReadFileIn and Tree do not", set.Position(call.Pos()), name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rel := range openers {
		if !used[rel] {
			t.Errorf("%s opens nothing so any more: take it out of the list", rel)
		}
	}
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

// TestNoCitations holds that a reason stands where it is needed: nothing in the tree
// points to a text that is not in it.
func TestNoCitations(t *testing.T) {
	points := regexp.MustCompile(`(?i)\b(ruling|issue)s? #?\d+\b|§ ?\d`)
	kinds := []string{".go", ".md", ".ts", ".mjs", ".lua", ".sh", ".txt", ".txtar", ".css"}
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case path != top && d.IsDir() && (name == "node_modules" || name == "dist" || strings.HasPrefix(name, ".") && name != ".ci"):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains(kinds, filepath.Ext(name)):
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(raw), "\n") {
			if found := points.FindString(line); found != "" {
				t.Errorf("%s:%d: cites %q", path, i+1, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// cleaned is who in control and workspace may clean a path as a text, or join one, which cleans it: a file or
// "file:function", "*" for any letters but "/". Everybody else keeps a path as it was written until workspace/walk has
// followed it, because ".." behind a link is another place than the text says; walk.Text and paths.Below put two
// pieces together and clean nothing.
var cleaned = []struct{ why, files string }{
	{"the walk itself, which says what the text seems to name beside where it leads", "workspace/walk/walk.go:textual workspace/folders/roots.go:openRoot control/paths/paths.go:AsText control/paths/paths.go:CleanPath"},
	{"cd does so with the shell's own name of the directory; the kernel's way is beside it", "control/shell/place.go:goes"},
	{"what a word seems to name, beside where it leads", "control/shell/place.go:namesProtected control/shell/arguments.go:linkTargets workspace/cite.go:Cited control/script.go:script"},
	{"a guess where nobody can walk", "control/resolver.go:Walk"},
	{"folders of the workspace and the home, which are told and not written", "control/shell/calls.go:simple control/shell/hard.go:removesRoot control/shell/place.go:coversRoot control/shell/starts.go:upward control/reads_tree.go:asked control/target.go:broadRoot control/facts.go:smallPlace control/own.go:inHome control/own.go:isIn control/offers_files.go:homes"},
	{"objects, which the walk named", "control/own.go:absolute control/bounds.go:mayTouch control/guarded.go control/nameset.go control/offers_files.go:mayOpenBelow"},
	{"the person's own files", "control/config/* control/hooks/* control/audit/*"},
	{"our own directories, and names that we made", "workspace/backup_link.go workspace/artifact/* workspace/atomic.go workspace/openat/writer.go workspace/checkpoint*.go workspace/external*.go workspace/memory*.go workspace/read_set.go workspace/watch_lost.go workspace/outputs.go:outputs workspace/sandbox_run.go:commandCache workspace/sandbox_run.go:artifactsFor workspace/vault.go:Open workspace/mcp/* workspace/mcp/signin/* workspace/mirror/*"},
	{"places that a box is built from: settings of the person, of the system, and names that we made", "workspace/sandbox/*"},
	{"names that a listing gave, below a place that was walked to", "workspace/asks.go workspace/closed*.go workspace/delete.go workspace/instructions.go workspace/ls.go workspace/manifest.go workspace/move.go workspace/own_files.go workspace/shields/twins.go workspace/unfollowed.go workspace/changes/* workspace/notify/notifier.go workspace/sweep.go:folder workspace/search/ignore*.go control/shell/starts_packages.go:generatedBelow control/shell/starts_packages.go:generatedIn"},
	{"names that a runner looks for in the directories around the one that links led it to", "control/shell/starts_make.go:recipes control/shell/starts_packages.go:packages"},
	{"git takes these as texts, \"..\" as well, and refuses what is behind a link", "workspace/tracked_names.go:Tracked workspace/tracked/objects.go:openStore"},
	{"names of git's own files, in a directory that was walked to", "workspace/shields/git_config.go:named workspace/tracked_names.go:around workspace/tracked_names.go:downTo workspace/tracked/objects.go:object workspace/tracked/tracked.go workspace/branch.go workspace/accept.go workspace/mirror_git.go:ownRepository workspace/sandbox_run.go:around workspace/shields/*"},
}

// TestPathsAreWalked holds that nobody cleans a path before its links were followed.
func TestPathsAreWalked(t *testing.T) {
	used := map[string]bool{}
	allowed := func(file, function string) bool {
		for _, row := range cleaned {
			for _, who := range strings.Fields(row.files) {
				pattern, in, one := strings.Cut(who, ":")
				if hit, err := filepath.Match(pattern, file); err == nil && hit && (!one || in == function) {
					used[who] = true
					return true
				}
			}
		}
		return false
	}
	for _, room := range []string{"control", "workspace"} {
		err := filepath.WalkDir(filepath.Join(top, room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			rel, err := filepath.Rel(top, path)
			if err != nil {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				function := ""
				if f, ok := decl.(*ast.FuncDecl); ok {
					function = f.Name.Name
				}
				ast.Inspect(decl, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					from, name, _ := strings.Cut(called(call), ".")
					if (from == "path" || from == "filepath") && slices.Contains([]string{"Clean", "Join", "Rel", "Abs", "EvalSymlinks"}, name) && !allowed(filepath.ToSlash(rel), function) {
						t.Errorf("%s: %s.%s in %s: a path is walked before it is cleaned (workspace/walk), or this function is in the list with its reason", set.Position(call.Pos()), from, name, function)
					}
					return true
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range cleaned {
		for _, who := range strings.Fields(row.files) {
			if !used[who] {
				t.Errorf("%s cleans no path any more: take it out of the list", who)
			}
		}
	}
}
