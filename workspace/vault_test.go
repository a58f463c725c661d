package workspace

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// room is a Vault over real files with the tools of one session.
type room struct {
	t     *testing.T
	v     *Vault
	root  string
	tools tool.Set
}

// newRoom makes a Vault whose only folder holds files (name → content; a name
// that ends with / is a directory, content "-> x" is a link to x).
func newRoom(t *testing.T, files map[string]string) *room {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, root: filepath.Join(top, "vault")}
	r.put(files)
	os.MkdirAll(r.root, 0o755)
	r.v, err = Open([]Folder{{Path: r.root}}, Options{Home: filepath.Join(top, "home"), UserHome: filepath.Join(top, "user")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.v.Close() })
	r.tools = tool.NewSet(r.v.Tools(Owner{Session: "s1"})...)
	return r
}

// sensitive makes the tools of the session anew, which may not read these objects
// without a question.
func (r *room) sensitive(of func(object string) bool) {
	mayRead := func(string) func(string) bool { return func(object string) bool { return !of(object) } }
	r.tools = tool.NewSet(r.v.Tools(Owner{Session: "s1", MayRead: mayRead})...)
}

func (r *room) put(files map[string]string) {
	r.t.Helper()
	for name, content := range files {
		at := filepath.Join(r.root, filepath.FromSlash(name))
		os.MkdirAll(filepath.Dir(at), 0o755)
		var err error
		if to, link := strings.CutPrefix(content, "-> "); link {
			err = os.Symlink(to, at)
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(at, 0o755)
		} else {
			err = os.WriteFile(at, []byte(content), 0o644)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *room) file(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(name)))
	if err != nil {
		return "!" + openat.Plain(err).Error()
	}
	return string(data)
}

// plan plans a call; args are key, value pairs.
func (r *room) plan(name string, args ...any) (*tool.Plan, error) {
	r.t.Helper()
	m := map[string]any{}
	for i := 0; i < len(args); i += 2 {
		m[args[i].(string)] = args[i+1]
	}
	raw, err := json.Marshal(m)
	if err != nil {
		r.t.Fatal(err)
	}
	tl, ok := r.tools.Lookup(name)
	if !ok {
		r.t.Fatalf("no tool %s", name)
	}
	return tl.Plan(raw)
}

// run plans and runs a call; an error of the plan is a failed result, as the
// model sees it.
func (r *room) run(name string, args ...any) tool.Result {
	r.t.Helper()
	p, err := r.plan(name, args...)
	if err != nil {
		return tool.Result{Text: err.Error(), Failed: true}
	}
	return r.finish(p)
}

func (r *room) finish(p *tool.Plan) tool.Result {
	r.t.Helper()
	res, err := outputtest.Allowed(context.Background(), p, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

func (r *room) want(res tool.Result, failed bool, parts ...string) {
	r.t.Helper()
	if res.Failed != failed {
		r.t.Errorf("failed = %v: %s", res.Failed, res.Text)
	}
	for _, p := range parts {
		if not, no := strings.CutPrefix(p, "!"); no && strings.Contains(res.Text, not) || !no && !strings.Contains(res.Text, p) {
			r.t.Errorf("want %q in:\n%s", p, res.Text)
		}
	}
}

func objectsOf(p *tool.Plan) string {
	var out []string
	for _, t := range p.Targets {
		out = append(out, string(t.Domain)+" "+t.Object)
	}
	return strings.Join(out, ", ")
}

func TestToolNamesAndSchemas(t *testing.T) {
	r := newRoom(t, nil)
	for _, name := range []string{"read", "ls", "glob", "grep", "write", "edit", "apply_patch", "move", "delete"} {
		tl, ok := r.tools.Lookup(name)
		if !ok {
			t.Fatalf("no tool %s", name)
		}
		s := tl.Spec()
		if s.Effect == tool.Unknown || len(s.Description) < 80 || len(s.Description) > 1600 || strings.Contains(string(s.Schema), "null") {
			t.Errorf("%s: %v %d %s", name, s.Effect, len(s.Description), s.Schema)
		}
	}
}

func TestNoFolder(t *testing.T) {
	v, err := Open(nil, Options{})
	if err != nil || v.Root() != "" || v.WorkspaceID() != "none" || v.Branch() != "" {
		t.Fatal(err, v.Root(), v.WorkspaceID())
	}
	r := &room{t: t, v: v, tools: tool.NewSet(v.Tools(Owner{Session: "s"})...)}
	r.want(r.run("read", "path", "a.go"), true, "no folder is open")
	r.want(r.run("ls"), true, "no folder is open")
	r.want(r.run("grep", "pattern", "x"), true, "no folder is open")
	if _, err := v.Artifacts().Create("s", "bash", "c", ""); err == nil {
		t.Fatal("an artifact without any place")
	}
}

func TestFolders(t *testing.T) {
	dir, _ := filepath.EvalSymlinks(t.TempDir())
	for _, n := range []string{"a", "x/a", "b c!"} {
		os.MkdirAll(filepath.Join(dir, n), 0o755)
	}
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o644)
	v, err := Open([]Folder{
		{Path: filepath.Join(dir, "a")}, {Path: filepath.Join(dir, "x/a")}, {Path: filepath.Join(dir, "b c!")},
		{Path: filepath.Join(dir, "gone")}, {Path: filepath.Join(dir, "file")}, {Path: "relative"}, {Path: filepath.Join(dir, "a")},
	}, Options{})
	if err == nil || len(v.Roots()) != 3 {
		t.Fatal(err, v.Roots())
	}
	for _, want := range []string{"gone", "file", "relative", "open already"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q not in %v", want, err)
		}
	}
	for in, want := range map[string]string{
		"z":                             "vault:/z",
		"vault:/z":                      "vault:/z",
		"vault:z":                       "vault:/z",
		"vault@a-2:/z":                  "vault@a-2:/z",
		"vault@b-c:/":                   "vault@b-c:/",
		filepath.Join(dir, "x/a/q"):     "vault@a-2:/q",
		filepath.Join(dir, "x/aa"):      "fs:/" + strings.TrimPrefix(filepath.ToSlash(dir), "/") + "/x/aa",
		"../b c!/n":                     "vault@b-c:/n",
		"fs:" + filepath.Join(dir, "a"): "vault:/",
	} {
		p, err := v.Path(in)
		if err != nil || p.Object() != want {
			t.Errorf("%s: %s %v, want %s", in, p.Object(), err, want)
		}
	}
	if _, err := v.Path("vault@nope:/x"); err == nil {
		t.Error("a folder that does not exist")
	}
	// Folders change at run time: an old path means nothing any more.
	p, _ := v.Path("z")
	if err := v.SetFolders([]Folder{{Path: filepath.Join(dir, "x/a")}}); err != nil {
		t.Fatal(err)
	}
	if v.again(p) == nil {
		t.Error("a path of a folder that was closed still holds")
	}
}
