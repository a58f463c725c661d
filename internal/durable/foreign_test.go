package durable

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What somebody else does to the file of an open log is noticed before the next
// line, which would be lost or stand where it does not belong.
func TestALogThatSomebodyElseChanged(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(path string) error
	}{
		{"removed", os.Remove},
		{"replaced", func(path string) error { return WriteFile(path, []byte("first\n"), 0o600) }},
		{"cut", func(path string) error { return os.Truncate(path, 3) }},
		{"longer", func(path string) error {
			other, err := plainDisk.OpenLog(path)
			if err == nil {
				_, err = other.Append([]byte("theirs"))
				other.Close()
			}
			return err
		}},
	} {
		_, l, path := logWith(t, "first")
		if err := row.do(path); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(path)
		if _, err := l.Append([]byte("second")); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: append: %v", row.name, err)
		}
		if err := l.Sync(); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: sync: %v", row.name, err)
		}
		if err := l.TakeBack(0); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: take back: %v", row.name, err)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s: %q was written over %q", row.name, after, before)
		}
	}
}

func TestALineIsTakenBack(t *testing.T) {
	d, l, path := logWith(t, "first")
	at := mustAppend(t, l, "second")
	if err := l.TakeBack(at); err != nil {
		t.Fatal(err)
	}
	wantContent(t, path, "first\n")

	// Where that fails it is made up for before the next line.
	at = mustAppend(t, l, "second")
	full := errors.New("input/output error")
	d.Fail(func(op Op, _ string) error {
		if op == OpCutBack {
			return full
		}
		return nil
	})
	if err := l.TakeBack(at); !errors.Is(err, full) {
		t.Fatal(err)
	}
	if _, err := l.Append([]byte("third")); !errors.Is(err, full) {
		t.Fatal(err)
	}
	d.Fail(nil)
	mustAppend(t, l, "third")
	wantContent(t, path, "first\nthird\n")
}

func TestALockThatIsLost(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	l, err := plainDisk.TryLock(path)
	if err != nil || l.Lost() {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil || !l.Lost() {
		t.Fatalf("removed: %v", err)
	}
	other, err := plainDisk.TryLock(path)
	if err != nil || !l.Lost() || other.Lost() {
		t.Fatalf("taken by another: %v", err)
	}
	l.Close()
	wantNames(t, dir, "lock", "owner") // it tells of the other
	other.Close()
	wantNames(t, dir, "lock")
}

// Who holds a lock only explains: where that cannot be written the lock is held.
func TestALockWithoutRoomForItsOwner(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "owner"), []byte(`{"pid": 1}`), 0o600)
	var d Disk
	d.Fail(func(op Op, _ string) error {
		if op == OpTemp {
			return Torn{Half: true}
		}
		return nil
	})
	l, err := d.TryLock(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	wantNames(t, dir, "lock")
	var locked ErrLocked
	if _, err := plainDisk.TryLock(filepath.Join(dir, "lock")); !errors.As(err, &locked) || locked.PID != 0 {
		t.Fatalf("%v", err)
	}
}

// Each write can be cut in the middle, and the witness hears of what happened.
func TestTornInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	var d Disk
	var seen []Op
	d.Watch(func(op Op, _ string) { seen = append(seen, op) })
	if err := errors.Join(d.MkdirAll(filepath.Join(dir, "a", "b"), 0o700), d.WriteFile(file, []byte("old"), 0o600)); err != nil {
		t.Fatal(err)
	}
	want := []Op{OpMkdir, OpSyncDir, OpMkdir, OpSyncDir, OpCreate, OpTemp, OpSyncTemp, OpRename, OpSyncDir}
	if !slices.Equal(seen, want) {
		t.Fatalf("%v, want %v", seen, want)
	}
	d.Fail(func(op Op, _ string) error {
		if op == OpTemp {
			return Torn{Half: true, Crash: true}
		}
		return nil
	})
	if err := d.WriteFile(file, []byte("12345678"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, "old")
	temps, _ := filepath.Glob(filepath.Join(dir, TempPattern))
	if len(temps) != 1 {
		t.Fatal(temps)
	}
	wantContent(t, temps[0], "1234")
}
