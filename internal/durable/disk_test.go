package durable

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"testing"
)

// plainDisk is one where nothing is made to fail.
var plainDisk *Disk

// TestMain makes the test binary a second process for the lock test.
func TestMain(m *testing.M) {
	if file := os.Getenv("DURABLE_TEST_LOCK"); file != "" {
		if _, err := plainDisk.TryLock(file); errors.As(err, new(ErrLocked)) {
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestLockHoldsInThisProcessAndInOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	held, err := plainDisk.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = plainDisk.TryLock(path)
	var locked ErrLocked
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Started.IsZero() {
		t.Fatalf("second lock in one process: %v", err)
	}
	other := func() int {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "DURABLE_TEST_LOCK="+path)
		cmd.Run()
		return cmd.ProcessState.ExitCode()
	}
	if code := other(); code != 3 {
		t.Fatalf("another process: exit %d", code)
	}
	if err := errors.Join(held.Close(), held.Close()); err != nil {
		t.Fatal(err)
	}
	// The other process takes it and dies without letting go: nothing is stale.
	if code := other(); code != 0 {
		t.Fatalf("another process after Close: exit %d", code)
	}
	again, err := plainDisk.TryLock(path)
	if err != nil {
		t.Fatalf("after the death of its holder: %v", err)
	}
	again.Close()
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	if err := WriteFile(file, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode())
	}
	os.Chmod(file, 0o755)
	if err := WriteFile(file, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantContent(t, file, "two")
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o755 {
		t.Fatalf("mode not kept: %v", info.Mode())
	}
	os.Chmod(file, 0o400)
	if err := WriteFile(file, []byte("three"), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o400 {
		t.Fatalf("mode not kept: %v", info.Mode())
	}
	if err := WriteFile(dir, nil, 0o600); err == nil {
		t.Fatal("a directory was replaced")
	}
	wantNames(t, dir, "config")
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(want) {
		t.Fatalf("%v %v, want %v", entries, err, want)
	}
	for i, e := range entries {
		if e.Name() != want[i] {
			t.Fatalf("%v, want %v", entries, want)
		}
	}
}

// TestWriteFileBrokenAtEveryStep: an error and a crash at each step leave the
// old content or the new, and an error leaves no temporary file.
func TestWriteFileBrokenAtEveryStep(t *testing.T) {
	broken := errors.New("broken")
	for _, at := range []Op{OpCreate, OpTemp, OpSyncTemp, OpRename, OpSyncDir} {
		for _, crash := range []bool{false, true} {
			dir := t.TempDir()
			file := filepath.Join(dir, "f")
			os.WriteFile(file, []byte("old"), 0o600)
			var d Disk
			d.Fail(func(op Op, _ string) error {
				switch {
				case op != at:
					return nil
				case crash:
					d.Freeze()
					return nil
				default:
					return broken
				}
			})
			err := d.WriteFile(file, []byte("new"), 0o600)
			if crash != (err == nil) || !crash && !errors.Is(err, broken) {
				t.Errorf("%s crash=%v: %v", at, crash, err)
			}
			want := "old"
			if at == OpSyncDir {
				want = "new"
			}
			wantContent(t, file, want)
			if !crash {
				wantNames(t, dir, "f")
				continue
			}
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				if ours, _ := path.Match(TempPattern, e.Name()); !ours && e.Name() != "f" {
					t.Errorf("%s left %s", at, e.Name())
				}
			}
		}
	}
}

func TestFrozenDiskDropsEverythingAndSaysNothing(t *testing.T) {
	dir := t.TempDir()
	var d Disk
	log := filepath.Join(dir, "log")
	l, err := d.OpenLog(log)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, "kept")
	lock, err := d.TryLock(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	d.Freeze()

	// The next server opens the same files while the old one still runs.
	var next Disk
	nextLock, err := next.TryLock(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatalf("the lock was not let go: %v", err)
	}
	defer nextLock.Close()

	mustAppend(t, l, "dropped")
	other, err := d.OpenLog(filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, other, "dropped")
	_, lockErr := d.TryLock(filepath.Join(dir, "second"))
	err = errors.Join(l.Sync(), other.Sync(), l.Close(), other.Close(), lock.Close(), lockErr,
		d.WriteFile(filepath.Join(dir, "file"), nil, 0o600), d.Mkdir(filepath.Join(dir, "sub"), 0o700),
		d.MkdirAll(filepath.Join(dir, "sub", "sub"), 0o700), d.RemoveAll(log))
	if err != nil {
		t.Fatal(err)
	}
	wantContent(t, log, "kept\n")
	wantNames(t, dir, "lock", "log", "owner")
	if _, err := next.TryLock(filepath.Join(dir, "lock")); !errors.As(err, new(ErrLocked)) {
		t.Fatalf("closing the frozen lock freed the new one: %v", err)
	}
}

func TestCrashInTheMiddleOfALine(t *testing.T) {
	d, l, path := logWith(t, "first")
	d.Fail(func(op Op, _ string) error {
		if op == OpAppend {
			return Torn{Bytes: 2, Crash: true}
		}
		return nil
	})
	mustAppend(t, l, "second")
	mustAppend(t, l, "third")
	wantContent(t, path, "first\nse")
}

func TestMkdirIsExclusive(t *testing.T) {
	var d *Disk
	dir := filepath.Join(t.TempDir(), "0001")
	if err := d.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	if err := errors.Join(d.MkdirAll(filepath.Join(dir, "a", "b"), 0o700), d.RemoveAll(dir), d.RemoveAll(dir)); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkAppend(b *testing.B) {
	l, err := plainDisk.OpenLog(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	line := make([]byte, 300)
	for b.Loop() {
		if _, err := l.Append(line); err != nil {
			b.Fatal(err)
		}
	}
}
