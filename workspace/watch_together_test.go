package workspace

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
)

// Of two commands at once it is said which changes may be the other's, to both, and
// where both may have written one file. What one of them did while it was alone is
// its own.
func TestCommandsAtOnceAreToldApart(t *testing.T) {
	for _, row := range []struct {
		name                 string
		alone, both, last    string // while only the first runs, both, only the second
		one, two             string // what each has changed
		toldFirst, toldOther string
	}{
		{"at once", "", "write a x", "", "modified a with s/2", "", "may have been written by it: a", "is counted to it: a"},
		{"one behind the other", "write a x", "", "write b y", "modified a", "modified b", "", ""},
		{"behind and at once", "write a x", "write b y", "write c z", "modified a, modified b with s/2", "modified c", "written by it: b", "counted to it: b"},
		{"both", "", "write a x", "write a longer", "modified a with s/2", "modified a", "written by it: a", "Conflict: while this ran, so did the command of call 1, and both may have written these files; look at what is in them now: a"},
		{"deleted and moved", "", "rm a\nmv b n", "", "deleted a with s/2, moved n from b with s/2", "", "written by it: a, n", "counted to it: a, n"},
		{"deleted before", "rm a", "", "", "deleted a", "", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRoom(t, map[string]string{"a": "1\n", "b": "2\n", "c": "3\n"})
			first := r.v.watchFiles(changes.Call{Line: "s", ID: "1"})
			r.sh(row.alone)
			second := r.v.watchFiles(changes.Call{Line: "s", ID: "2"})
			r.sh(row.both)
			one := first.over()
			r.sh(row.last)
			two := second.over()
			if with(one) != row.one || with(two) != row.two {
				t.Errorf("first %q, second %q", with(one), with(two))
			}
			for _, told := range [][2]string{{first.together, row.toldFirst}, {second.together, row.toldOther}} {
				if !strings.Contains(told[0], told[1]) || (told[0] == "") != (told[1] == "") {
					t.Errorf("told %q, want %q", told[0], told[1])
				}
			}
		})
	}
}

// What runs on in the background may have made every change from then on, until it
// has ended; and a command of another line is not named to the model.
func TestCommandBesideOneThatRunsOn(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n", "b": "2\n", "c": "3\n"})
	job := r.v.watchFiles(changes.Call{Line: "s.1", ID: "job"})
	job.runsOn()
	call := r.v.watchFiles(changes.Call{Line: "s", ID: "1"})
	r.sh("write a x")
	if got := with(call.over()); got != "modified a with s.1/job" || !strings.Contains(call.together, "so did a command of another session or sub-agent.") {
		t.Error(got, call.together)
	}
	ends := r.v.watchFiles(changes.Call{Line: "s", ID: "2"})
	r.sh("write b x")
	job.over()
	if got := with(ends.over()); got != "modified b with s.1/job" {
		t.Error(got)
	}
	after := r.v.watchFiles(changes.Call{Line: "s", ID: "3"})
	r.sh("write c x")
	if got := with(after.over()); got != "modified c" || after.together != "" {
		t.Error(got, after.together)
	}
}

// with are changes with who else may have made them.
func with(changes []tool.Change) string {
	var out []string
	for _, c := range changes {
		line := changed([]tool.Change{c})
		if len(c.With) > 0 {
			line += " with " + strings.Join(c.With, " ")
		}
		out = append(out, line)
	}
	return strings.Join(out, ", ")
}
