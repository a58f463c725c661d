package config

import "testing"

// What restricts an agent is read strictly: a file that says it wrongly is not used.
func TestAgentAccessAndKeys(t *testing.T) {
	for text, want := range map[string]struct {
		usable, readOnly bool
		keys             int
	}{
		"workspaceAccess: rw":                      {true, false, 0},
		"workspaceAccess: ro":                      {true, true, 0},
		"workspaceAccess: none":                    {true, true, 0},
		"workspaceAccess: RO":                      {false, false, 0},
		"workspaceAccess: [ro]":                    {false, false, 0},
		"workspace_access: ro":                     {false, false, 0},
		"workspaceAccess: ro\nworkspaceAccess: rw": {false, true, 0},
		"keys: [main, dm, group]":                  {true, false, 3},
		"keys: main, dm":                           {true, false, 2},
		"keys: [session]":                          {false, false, 1},
		"keys: [Group]":                            {false, false, 1},
		"keys: []":                                 {false, false, 0},
	} {
		f := readAgentText("---\n" + text + "\n---\n")
		if f.usable != want.usable || f.agent.ReadOnly != want.readOnly || len(f.agent.Keys) != want.keys {
			t.Errorf("%s: usable %v, read-only %v, keys %v; %v", text, f.usable, f.agent.ReadOnly, f.agent.Keys, f.found)
		}
	}
	for access, want := range map[string]bool{"rw": false, "ro": true, "none": false} { // what may not be read is not read by a command either
		if got := readAgentText("---\nworkspaceAccess: " + access + "\n---\n").agent.RunsReadOnly(); got != want {
			t.Errorf("%s: commands run with the workspace read-only: %v", access, got)
		}
	}
	for _, a := range BuiltInAgents() {
		if a.RunsReadOnly() != (a.Name == "plan") {
			t.Errorf("%s: %v", a.Name, a.RunsReadOnly())
		}
	}
	build := BuiltInAgents()[0]
	narrow := readAgentText("---\nworkspaceAccess: ro\nkeys: [dm]\n---\n").agent
	if n, err := build.narrowedBy(narrow); err != nil || !n.ReadOnly || !n.RunsReadOnly() || len(n.Further) != 1 || len(n.Keys) != 1 {
		t.Errorf("%+v %v", n, err)
	}
}
