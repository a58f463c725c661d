package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What of the workspace a command can change, by whether it is a job and what it needs.
func TestJobWrites(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"w/dist", "w/.git", "w/inner/dist", "w/.vscode/dist", "w/agent/dist", "tree", "mine", "cache"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := func(names string) (all []string) {
		for name := range strings.FieldsSeq(names) {
			all = append(all, filepath.Join(base, name))
		}
		return all
	}
	for _, row := range []struct {
		name     string
		job      bool
		needs    tool.Needs
		within   string
		writable string
		want     string
	}{
		{"in front", false, nil, "", "", "cache tree w w/.git"},
		{"a job", true, nil, "", "", "cache w/agent/dist w/dist"},
		{"direct", true, tool.Needs{tool.NeedDirect}, "", "", "cache tree w w/.git"},
		{"git", true, tool.Needs{tool.NeedGit}, "", "", "cache tree w/.git w/agent/dist w/dist"},
		{"in front and direct", false, tool.Needs{tool.NeedDirect}, "", "", "cache tree w w/.git"},
		{"held to a folder", true, nil, "w/agent", "", "cache w/agent/dist"},
		{"held to a folder and direct", true, tool.Needs{tool.NeedDirect}, "w/agent", "", "cache tree w/agent"},
		{"held to what is built", true, nil, "w/dist", "", "cache w/dist"},
		{"what the person has named", true, nil, "", "mine w/agent", "cache mine w/agent w/agent/dist w/dist"},
		{"the workspace, which the person has named", true, nil, "", "w", "cache w"},
		{"who looks", false, nil, "", "", "cache"},
		{"who looks, as a job", true, nil, "", "", "cache"},
		{"who looks, held to a folder", false, nil, "w/agent", "", "cache"},
		{"who looks, and what the person has named", false, nil, "", "mine w/agent", "cache"},
	} {
		a := Surroundings{
			Roots: at("w w/inner"), Temp: &Temp{}, Cache: at("cache")[0], Within: at(row.within),
			Worktrees: Places{Write: at("tree")}, Protected: Places{Write: at("w/.git"), ReadOnly: at("w/.vscode")},
			Outputs: at("w/dist w/inner w/.vscode/dist w/agent/dist"), // w/inner is a folder itself
		}
		w := Policy{Job: row.job, Needs: row.needs}
		if strings.HasPrefix(row.name, "who looks") {
			w.Sandbox = tool.SandboxedReadOnly
		}
		for _, dir := range at(row.within) {
			w.Bounds.Within = append(w.Bounds.Within, "vault:"+dir)
		}
		c, err := a.Confine(Level{Name: proc.Namespaces}, Settings{Writable: at(row.writable)}, w)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, dir := range c.Write {
			name, _ := filepath.Rel(base, dir)
			if row.name != "a job" && row.name != "git" && name == "w/inner" {
				continue // a folder, too
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: %v, want %s", row.name, got, row.want)
		}
		for _, root := range at("w w/inner") {
			if !slices.Contains(c.Write, root) && !slices.Contains(c.Read, root) {
				t.Errorf("%s: %s is not seen", row.name, root)
			}
		}
		if err := a.Temp.Remove(); err != nil {
			t.Error(err)
		}
	}
}
