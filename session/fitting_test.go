package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What can be dispensed with does not name a tool twice, and never what an agent
// cannot work without.
func TestDispensable(t *testing.T) {
	all := slices.Concat(dispensable...)
	slices.Sort(all)
	if twice := slices.Compact(slices.Clone(all)); len(twice) != len(all) {
		t.Errorf("%v", all)
	}
	for _, needed := range []string{"read", "grep", "glob", "write", "edit", "bash", taskName} {
		if slices.Contains(all, needed) {
			t.Errorf("%s may be left out", needed)
		}
	}
}

// Tools are left out, the first first and in pairs, where all of them take one token
// more than their share.
func TestFitInto(t *testing.T) {
	of := func(bytes int, names ...string) (all []tool.Tool) {
		for _, name := range names {
			one := tool.Define(tool.Spec{Name: name}, func(struct{}) (*tool.Plan, error) { return nil, nil })
			fill := bytes - int(sizeOfTools(tool.NewSet(one)))
			all = append(all, tool.Define(tool.Spec{Name: name, Description: strings.Repeat("d", fill)}, func(struct{}) (*tool.Plan, error) { return nil, nil }))
		}
		return all
	}
	set := tool.NewSet(of(300, "read", "ls", "apply_patch", "tasks_update", "tasks_list")...) // 500 tokens: 40 percent of 1,250
	for window, want := range map[int64]string{
		1251: "", 1250: "", 1249: "tasks_update tasks_list", 750: "tasks_update tasks_list", 749: "tasks_update tasks_list apply_patch",
		499: "tasks_update tasks_list apply_patch ls", 1: "tasks_update tasks_list apply_patch ls",
	} {
		fit, left := fitInto(window, set)
		if strings.Join(left, " ") != want || len(fit.Names())+len(left) != 5 || !has(fit, "read") {
			t.Errorf("%d: left out %v, there are %v", window, left, fit.Names())
		}
	}
}
