package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
)

// killed ends the process of the room as a kill does, and opens its folder and home
// again as the next process.
func (r *room) killed(disk *durable.Disk) *durable.Disk {
	r.t.Helper()
	disk.Freeze()
	if err := r.v.Close(); err != nil {
		r.t.Fatal(err)
	}
	return r.again()
}

func (r *room) again() *durable.Disk {
	r.t.Helper()
	disk := &durable.Disk{}
	var err error
	if r.v, err = Open([]Folder{{Path: r.root}}, Options{Home: filepath.Join(r.root, "../home"), Disk: disk}); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { r.v.Close() })
	r.tools = tool.NewSet(r.v.Tools(Owner{Session: "s"})...)
	return disk
}

// spools are what processes have left in the home.
func (r *room) spools() []string {
	all, _ := filepath.Glob(filepath.Join(r.v.home, watchedDir, "*", "*"))
	return all
}

// What a command had changed when its process was killed is found by the next one, and
// can be undone; what others did meanwhile is not the command's.
func TestKilledCommandIsKnown(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no inodes")
	}
	files := map[string]string{"a": "1\n", "b": "2\n", "d/x": "3\n", "d/e/y": "4\n", "l": "-> a", "run": "#!\n", ".gitignore": "out\n", "out": "5\n"}
	for _, row := range []struct{ name, before, script, want string }{
		{"nothing", "", "", ""},
		{"modified", "", "write a one", "modified a"},
		{"modified before, too", "write a zero", "write a one", "modified a"},
		{"made before", "write n zero", "write n one", "modified n"},
		{"created", "", "mkdir m\nwrite m/n two", "created m/, created m/n"},
		{"created where it was before", "rm d/x", "write d/x two", "created d/x"},
		{"deleted", "", "rm b\nrm d", "deleted b, deleted d/e/y, deleted d/x, deleted d/e/, deleted d/"},
		{"directory gone before", "rm d", "mkdir d\nwrite d/z 1", "created d/, created d/z"},
		{"moved", "", "mv a c", "moved c from a"},
		{"mode", "", "chmod+x run", "modified run"},
		{"link", "", "rm l\nlink l b", "modified l"},
		{"ignored", "", "write out other", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRoom(t, files)
			disk := r.again()
			r.command(func() { r.sh(row.before) })
			before := r.tree()
			r.v.watchFiles(changes.Call{Line: "0001", ID: "c1"})
			r.sh(row.script)
			disk = r.killed(disk)
			if err := r.v.RecoverCommands(); err != nil {
				t.Fatal(err)
			}
			if _, known := r.v.LostChanges("0001.1", "c1"); known {
				t.Error("a call of the same name in another line")
			}
			changes, known := r.v.LostChanges("0001", "c1")
			if got := changed(changes); got != row.want || !known {
				t.Fatalf("known %v, got %s\nwant %s", known, got, row.want)
			}
			if _, again := r.v.LostChanges("0001", "c1"); again {
				t.Error("it is told twice")
			}
			if left := r.spools(); len(left) > 0 {
				t.Errorf("left behind: %s", left)
			}
			if got, _ := r.undo(false, changes...); strings.Contains(got, "!") || row.name != "ignored" && r.tree() != before {
				t.Errorf("undone: %s\n%s\nwant\n%s", got, r.tree(), before)
			}
			_ = disk
		})
	}
}

// Only a command that had not ended is told, and of what it did only what nobody else
// is known to have done.
func TestKilledCommandsOwnChanges(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n", "b": "2\n", "c": "3\n", "d": "4\n"})
	disk := r.again()
	r.run("read", "path", "b")
	r.v.watchFiles(changes.Call{Line: "0001", ID: "c1"})
	over := r.v.watchFiles(changes.Call{Line: "0001", ID: "c2"})
	r.sh("write a both")
	over.end()
	r.did("edit", "path", "b", "old", "2", "new", "two")
	r.sh("write c command")
	r.command(func() { r.sh("write d another") })
	r.killed(disk)
	if err := r.v.RecoverCommands(); err != nil {
		t.Fatal(err)
	}
	if changes, known := r.v.LostChanges("0001", "c1"); !known || changed(changes) != "modified c" {
		t.Error(known, changed(changes))
	}
	if _, known := r.v.LostChanges("0001", "c2"); known {
		t.Error("it had ended")
	}
}

// Nothing is taken for left behind that a process still uses, and one that ends well
// leaves nothing. A journal that is torn at its end counts up to there; one that
// cannot be understood is no reason to say that anything is known.
func TestWhatAKilledProcessLeaves(t *testing.T) {
	r := newRoom(t, map[string]string{"a": "1\n"})
	living := r.v
	r.command(func() { r.sh("write a 2") })
	w := living.watchFiles(changes.Call{Line: "0001", ID: "c1"})
	r.again()
	if err := r.v.RecoverCommands(); err != nil {
		t.Fatal(err)
	}
	r.sh("write a 3")
	if _, known := r.v.LostChanges("0001", "c1"); known || changed(w.end()) != "modified a" {
		t.Error("the process lives")
	}
	if err := living.Close(); err != nil || len(r.spools()) > 0 {
		t.Error(err, r.spools())
	}
	for torn, want := range map[string]bool{"": true, `{"kept":{"pa`: true, "nonsense\n": false} {
		disk := r.again()
		r.v.watchFiles(changes.Call{Line: "0001", ID: "c1"})
		f, err := os.OpenFile(filepath.Join(r.v.spool.dir, "journal"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(torn); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		r.killed(disk)
		err = r.v.RecoverCommands()
		if _, known := r.v.LostChanges("0001", "c1"); known != want || (err == nil) != want {
			t.Errorf("%q: known %v, %v", torn, known, err)
		}
	}
}
