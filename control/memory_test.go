package control

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A session of a group reads the notes of days and nothing else of memory, and changes
// none of it, whatever rules, grants and modes say; every other session does.
func TestMemoryIsClosedToGroups(t *testing.T) {
	linked := filePlan("read", "vault:/notes.md")
	linked.Targets = append(linked.Targets, tool.Target{Domain: "read", Object: "vault:/.agent/MEMORY.md"})
	for name, row := range map[string]struct {
		plan        *tool.Plan
		main, group Verdict
	}{
		"read":                         {filePlan("read", "vault:/.agent/MEMORY.md"), Allow, Deny},
		"read a day":                   {filePlan("read", "vault:/.agent/memory/2026-01-01.md"), Allow, Allow},
		"list the days":                {filePlan("read", "vault:/.agent/memory"), Allow, Allow},
		"a day, other letters":         {filePlan("read", "vault:/.AGENT/memory/2026-01-01.MD"), Allow, Allow},
		"no day":                       {filePlan("read", "vault:/.agent/memory/x.txt"), Allow, Deny},
		"below the days":               {filePlan("read", "vault:/.agent/memory/x/2026-01-01.md"), Allow, Deny},
		"edit a day":                   {filePlan("edit", "vault:/.agent/memory/2026-01-01.md"), Ask, Deny},
		"a day by a command":           {bashPlan("cat .agent/memory/2026-01-01.md"), Ask, Ask},
		"a command that adds to a day": {bashPlan("echo x >> .agent/memory/2026-01-01.md"), Ask, Deny},
		"other letters":                {filePlan("read", "vault:/.Agent/Memory.MD"), Allow, Deny},
		"another folder":               {filePlan("read", "vault@b:/.agent/MEMORY.md"), Allow, Deny},
		"through a link":               {linked, Allow, Deny},
		"edit":                         {filePlan("edit", "vault:/.agent/MEMORY.md"), Ask, Deny},
		"the tool":                     {memoryPlan("vault:/.agent/MEMORY.md"), Allow, Deny},
		"the tool, for a day":          {memoryPlan("vault:/.agent/memory/2026-01-01.md"), Allow, Deny},
		"a command":                    {bashPlan("cat .agent/MEMORY.md"), Ask, Deny},
		"a quoted name":                {bashPlan(`cat ".agent/"'MEM'ORY.md`), Ask, Deny},
		"from the directory":           {bashPlan("cd .agent && cat MEMORY.md"), Ask, Deny},
		"a copy":                       {bashPlan("cp .agent/MEMORY.md x"), Ask, Deny},
		"another command":              {bashPlan("ls"), Ask, Ask},
		"another file":                 {filePlan("read", "vault:/.agent/notes.md"), Allow, Allow},
		"a name that begins":           {filePlan("read", "vault:/.agent/memory2"), Allow, Allow},
		"the same elsewhere":           {filePlan("read", "vault:/src/.agent/MEMORY.md"), Allow, Allow},
	} {
		f := baseFacts()
		f.Resolver = newWorld("/home/u/p/.agent/MEMORY.md")
		if d := decide(f, row.plan); d.Verdict != row.main {
			t.Errorf("%s, main: %v %s", name, d.Verdict, d.Reason)
		}
		f.NoMemory = true
		if d := decide(f, row.plan); d.Verdict != row.group {
			t.Errorf("%s, group: %v %s", name, d.Verdict, d.Reason)
		}
		if row.group != Deny {
			continue
		}
		f.Mode = "full_access"
		f.Grants = []Rule{{Domain: row.plan.Targets[0].Domain, Pattern: "*", Decision: "allow"}}
		if d := decide(f, row.plan); d.Verdict != Deny {
			t.Errorf("%s, group in full access with a grant: %v %s", name, d.Verdict, d.Reason)
		}
	}
}
