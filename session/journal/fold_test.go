package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

const foldFile = "events.fold"

// grown is a folder with a log that gets a fold with the next line.
func grown(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	l, err := history.Create(&durable.Disk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for seq := int64(1); l.Bytes() < 4<<20-100<<10; seq++ {
		e := history.Event{Seq: seq, Body: history.ToolReturned{CallID: fmt.Sprint(seq), Text: strings.Repeat("x", 100<<10)}}
		if seq == 1 {
			e.Body = history.Opened{Version: 1, Key: "k", Mode: "full_access"}
		}
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// lived opens the log on a disk and adds to it: it is what a process does that may die at
// each step.
func lived(disk *durable.Disk, dir string) error {
	j := New("0001", &watcher{})
	if err := j.Open(disk, dir); err != nil {
		return err
	}
	x := j.Begin()
	defer x.End()
	var errs []error
	for i := range 4 {
		errs = append(errs, x.Append("r", history.ToolReturned{CallID: fmt.Sprint("late", i), Text: strings.Repeat("y", 60<<10)}))
	}
	return errors.Join(append(errs, x.Close())...)
}

// A process that dies at any step of writing a fold, in any way, leaves what the next one
// reads as the log says; so does a disk that refuses the step, and the session goes on.
func TestEveryStepOfAFoldMayBeTheLast(t *testing.T) {
	var steps []durable.Op
	disk := &durable.Disk{}
	disk.Fail(func(op durable.Op, path string) error {
		if strings.Contains(path, foldFile) {
			steps = append(steps, op)
		}
		return nil
	})
	if err := lived(disk, grown(t)); err != nil {
		t.Fatal(err)
	}
	if want := []durable.Op{durable.OpCreate, durable.OpTemp, durable.OpRename}; !slices.Equal(steps, want) {
		t.Fatalf("the steps are %v, not %v", steps, want)
	}
	for _, at := range steps {
		for _, way := range []string{"before", "torn", "behind", "refused", "power"} {
			dir := grown(t)
			disk := &durable.Disk{}
			disk.Fail(func(op durable.Op, path string) error {
				switch {
				case op != at || !strings.Contains(path, foldFile) || way == "behind" || way == "power":
				case way == "before":
					disk.Freeze()
				case way == "torn":
					return durable.Torn{Half: true, Crash: true}
				case way == "refused":
					return errors.New("no room")
				}
				return nil
			})
			disk.Watch(func(op durable.Op, path string) {
				if op == at && strings.Contains(path, foldFile) && (way == "behind" || way == "power") {
					disk.Freeze()
				}
			})
			if err := lived(disk, dir); err != nil {
				t.Errorf("%s %s: %v", way, at, err)
			}
			fold := filepath.Join(dir, foldFile)
			if _, err := os.Stat(fold); err == nil && way == "power" { // its bytes were never synced
				if err := os.Truncate(fold, 100); err != nil {
					t.Fatal(err)
				}
			}
			if err := lived(&durable.Disk{}, dir); err != nil {
				t.Errorf("%s %s: the next process: %v", way, at, err)
			}
			got, err := history.Replay(dir)
			if err := errors.Join(err, os.Remove(fold)); err != nil {
				t.Fatalf("%s %s: no fold after the next process: %v", way, at, err)
			}
			if want, err := history.Replay(dir); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s: with a fold\n%.300v\nand without\n%.300v %v", way, at, got.Info, want.Info, err)
			}
		}
	}
}

// What the log refuses is in no fold: memory is ahead of it then.
func TestNoFoldOfRefusedLines(t *testing.T) {
	dir := grown(t)
	j := New("0001", &watcher{})
	disk := &durable.Disk{}
	if err := j.Open(disk, dir); err != nil {
		t.Fatal(err)
	}
	x := j.Begin()
	defer x.End()
	disk.Fail(func(op durable.Op, _ string) error {
		if op == durable.OpAppend {
			return errors.New("no room")
		}
		return nil
	})
	for range 3 {
		if err := x.Append("r", history.ToolReturned{Text: strings.Repeat("y", 100<<10)}); err == nil {
			t.Fatal("the line was taken")
		}
	}
	if _, err := os.Stat(filepath.Join(dir, foldFile)); err == nil {
		t.Error("there is a fold of what is not in the log")
	}
	disk.Fail(nil)
	if err := x.Append("r", history.Changed{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, foldFile)); err != nil {
		t.Errorf("the log takes lines again: %v", err)
	}
	want := x.State.Seq
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := history.Replay(dir); err != nil || got.Seq != want {
		t.Errorf("%d of %d: %v", got.Seq, want, err)
	}
}
