package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// manyFiles are 2,500 small files, each another.
func manyFiles() map[string]string {
	files := map[string]string{}
	for i := range 2500 {
		files[fmt.Sprintf("d%02d/f%04d", i%50, i)] = fmt.Sprintf("before %d\n", i)
	}
	return files
}

// Of more changes by one command than are named one by one the others are in one list,
// which is kept, and the result says how many there are. An undo of all brings all back.
func TestWatchListsManyChanges(t *testing.T) {
	files := manyFiles()
	r := newRoom(t, files)
	w := r.v.watchFiles(changes.Call{})
	for i := range 2500 {
		at := filepath.Join(r.root, fmt.Sprintf("d%02d/f%04d", i%50, i))
		var err error
		switch i % 3 {
		case 0:
			err = os.WriteFile(at, []byte("after\n"), 0o644)
		case 1:
			err = os.Remove(at)
		default:
			err = os.Rename(at, at+"-moved")
		}
		if err == nil && i < 100 {
			err = os.WriteFile(at+"-new", []byte("new\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	told := w.over()
	if n := len(told); n != commandChanges+1 || told[n-1].Path != undo.More || told[n-1].Checkpoint == "" {
		t.Fatalf("%d changes, the last is %+v", n, told[n-1])
	}
	if note := w.withTogether(""); note != "(2600 files and directories were changed; the first 2000 are listed one by one, and an undo brings back all of them)" {
		t.Error(note)
	}
	more, err := r.v.MoreChanges(told[commandChanges].Checkpoint)
	if err != nil || len(more) != 600 {
		t.Fatalf("%d more: %v", len(more), err)
	}
	first := told[commandChanges-100 : commandChanges : commandChanges]
	if sample.Thorough() { // each step of an undo is synced, which takes its time
		first = told[:commandChanges:commandChanges]
	}
	all := append(first, more...)
	_, conflicts, err := r.v.Undo(t.Context(), all, false, false, func(tool.Change) error { return nil })
	if err != nil || len(conflicts) > 0 {
		t.Errorf("%v %v", conflicts, err)
	}
	back := map[string]bool{}
	for _, c := range all {
		back[c.Path] = true
		back[c.From] = true
	}
	looked := 0
	for name, want := range files {
		if !back[name] {
			continue
		}
		looked++
		if got, err := os.ReadFile(filepath.Join(r.root, name)); err != nil || string(got) != want {
			t.Fatalf("%s: %q %v", name, got, err)
		}
	}
	if looked < 500 {
		t.Errorf("only %d files are looked at", looked)
	}
	if left, err := filepath.Glob(r.root + "/*/*-*"); err != nil || sample.Thorough() && len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}

// A list that is not kept any more is a conflict, and so is what could never be listed.
func TestUndoWithoutTheList(t *testing.T) {
	r := newRoom(t, nil)
	for checkpoint, want := range map[string]tool.Reason{hashOf(nil): tool.NotKeptNow, "": tool.TooMany} {
		if _, err := r.v.MoreChanges(checkpoint); err == nil {
			t.Errorf("%q is a list", checkpoint)
		}
		_, conflicts, err := r.v.Undo(t.Context(), []tool.Change{{Path: undo.More, Kind: "modified", Checkpoint: checkpoint}}, false, false, nil)
		if err != nil || len(conflicts) != 1 || conflicts[0].Reason != want {
			t.Errorf("%q: %v %v", checkpoint, conflicts, err)
		}
	}
}

// A list may be longer than one checkpoint.
func TestLongListsOfChanges(t *testing.T) {
	t.Parallel()
	r := newRoom(t, nil)
	var all []tool.Change
	for i := range 12_000 {
		all = append(all, tool.Change{Path: fmt.Sprint(i, strings.Repeat("/long", 600)), Kind: "created", With: []string{"s/1"}})
	}
	lists, err := r.v.keepChanges(all)
	if err != nil || len(lists) < 2 {
		t.Fatalf("%d lists: %v", len(lists), err)
	}
	n := 0
	for _, list := range lists {
		more, err := r.v.MoreChanges(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range more {
			if c.Path != all[n].Path || len(c.With) != 1 {
				t.Fatalf("%d: %.40s", n, c.Path)
			}
			n++
		}
	}
	if n != len(all) {
		t.Errorf("%d of %d", n, len(all))
	}
}
