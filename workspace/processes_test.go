package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// onOneFile edits one file again and again, reads it again where somebody else was there
// before it, takes every second edit back, and notes which of its lines are to be found
// there and which are not.
func (r *room) onOneFile(who string) (string, error) {
	tools := tool.NewSet(r.v.Tools(Owner{Session: who})...)
	run := func(name, args string) tool.Result {
		of, _ := tools.Lookup(name)
		plan, err := of.Plan([]byte(args))
		if err != nil {
			return tool.Failed(err)
		}
		result, err := plan.Run(context.Background(), tool.Grant{}, nil)
		if err != nil {
			return tool.Failed(err)
		}
		return result
	}
	var notes strings.Builder
	for n := 0; n < editsEach; {
		line := fmt.Sprintf("%s-%d\n", who, n)
		run("read", `{"path": "f"}`)
		res := run("edit", fmt.Sprintf(`{"path": "f", "old": %q, "new": %q}`, "end "+who+"\n", line+"end "+who+"\n"))
		switch {
		case !res.Failed:
		case strings.Contains(res.Text, "changed since"), strings.Contains(res.Text, "was not read"): // it was replaced while it was opened
			continue
		default:
			return "", errors.New(res.Text)
		}
		sign := "+"
		if n++; n%2 == 0 {
			done, conflicts, err := r.v.Undo(context.Background(), res.Changes, true, false, func(tool.Change) error { return nil })
			if err != nil || len(done)+len(conflicts) != 1 {
				return "", fmt.Errorf("undo: %+v, %+v, %w", done, conflicts, err)
			}
			if len(done) == 1 {
				sign = "-"
			}
		}
		notes.WriteString(sign + line)
	}
	return notes.String(), nil
}

const editsEach = 100

// edited is a file on which two work at the same moment.
var edited = map[string]string{"f": "end a\n1\n2\n3\n4\n5\nend b\n"}

// holds makes sure that what somebody was told that they had done is done, and nothing
// that the other has written is lost.
func (r *room) holds(notes string) {
	r.t.Helper()
	text, back := "\n"+r.file("f"), 0
	for note := range strings.Lines(notes) {
		if there := strings.Contains(text, "\n"+note[1:]); there != (note[0] == '+') {
			r.t.Errorf("%q: is it in the file? %v", note, there)
		} else if !there {
			back++
		}
	}
	if n := strings.Count(notes, "\n"); n != 2*editsEach || back == 0 {
		r.t.Errorf("%d edits were made, %d undone", n, back)
	}
}

// This is no test but what another process does for the one below: the test binary
// starts itself with VAULT_TEST_TOP.
func TestEditorProcess(t *testing.T) {
	top, who := os.Getenv("VAULT_TEST_TOP"), os.Getenv("VAULT_TEST_WHO")
	if top == "" {
		t.Skip("runs inside another test")
	}
	r := &room{t: t, root: filepath.Join(top, "vault")}
	var err error
	if r.v, err = Open([]Folder{{Path: r.root}}, Options{Home: filepath.Join(top, "home-"+who)}); err != nil {
		t.Fatal(err)
	}
	defer r.v.Close()
	notes, err := r.onOneFile(who)
	if err == nil {
		err = os.WriteFile(filepath.Join(top, "notes-"+who), []byte(notes), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Two sidecars edit one file and undo their edits at the same moment.
func TestTwoProcessesOnOneFile(t *testing.T) {
	r := newRoom(t, edited)
	top := filepath.Dir(r.root)
	var wg sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestEditorProcess$")
			cmd.Env = append(os.Environ(), "VAULT_TEST_TOP="+top, "VAULT_TEST_WHO="+who)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	notes := ""
	for _, who := range []string{"a", "b"} {
		said, err := os.ReadFile(filepath.Join(top, "notes-"+who))
		if err != nil {
			t.Fatal(err)
		}
		notes += string(said)
	}
	r.holds(notes)
}

// Two sessions of one sidecar do the same: an undo of one while the other's run writes.
func TestTwoSessionsOnOneFile(t *testing.T) {
	r := newRoom(t, edited)
	var wg sync.WaitGroup
	var notes [2]string
	for i, who := range []string{"a", "b"} {
		wg.Go(func() {
			var err error
			if notes[i], err = r.onOneFile(who); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r.holds(notes[0] + notes[1])
}
