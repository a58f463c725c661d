//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// While another process has its turn in a directory nothing is looked at there for the
// last time: what it puts there stays. One that never ends its turn is waited for for
// a while.
func TestTurns(t *testing.T) {
	for name, change := range map[string]func(p Path, was snapshot) error{
		"replace": func(p Path, was snapshot) error { return p.replace(was, []byte("ours\n")) },
		"remove":  Path.removeSeen,
	} {
		for _, ends := range []bool{true, false} {
			r := newRoom(t, map[string]string{"f": "was\n"})
			p, err := r.v.Path("f")
			if err != nil {
				t.Fatal(err)
			}
			was, err := p.snapshot()
			if err != nil {
				t.Fatal(err)
			}
			other, err := os.Open(r.root)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if err := unix.Flock(int(other.Fd()), unix.LOCK_EX); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				began, done := time.Now(), make(chan error, 1)
				go func() { done <- change(p, was) }()
				synctest.Wait()
				if got := r.file("f"); got != "was\n" || len(done) != 0 {
					t.Errorf("%s: did not wait; the file holds %q", name, got)
				}
				if ends {
					r.put(map[string]string{"f": "theirs, longer\n"})
					if err := unix.Flock(int(other.Fd()), unix.LOCK_UN); err != nil {
						t.Error(err)
					}
				}
				err := <-done
				if took := time.Since(began); ends != errors.Is(err, errChanged) || ends && r.file("f") != "theirs, longer\n" || !ends && (err != nil || took != dirLockWait) {
					t.Errorf("%s, where the turn ends = %v: %v after %v; the file holds %q", name, ends, err, took, r.file("f"))
				}
			})
		}
	}
}

// Whoever never ends its turn in a directory is waited for once, not for each file of
// a patch; when it has ended it is waited for again.
func TestTurnsInVain(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("f%02d", i)] = "was\n"
	}
	r := newRoom(t, files)
	other, err := os.Open(r.root)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	lock := func(how int) {
		if err := unix.Flock(int(other.Fd()), how); err != nil {
			t.Fatal(err)
		}
	}
	replaced := func(from, to int) time.Duration {
		began := time.Now()
		for i := from; i < to; i++ {
			p, err := r.v.Path(fmt.Sprintf("f%02d", i))
			if err != nil {
				t.Fatal(err)
			}
			was, err := p.snapshot()
			if err == nil {
				err = p.replace(was, []byte("ours\n"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return time.Since(began)
	}
	synctest.Test(t, func(t *testing.T) {
		lock(unix.LOCK_EX)
		if took := replaced(0, 10); took != dirLockWait {
			t.Errorf("ten files took %v", took)
		}
		lock(unix.LOCK_UN)
		if took := replaced(10, 11); took != 0 {
			t.Errorf("a file in a free directory took %v", took)
		}
		lock(unix.LOCK_EX)
		if took := replaced(11, 12); took != dirLockWait {
			t.Errorf("a file where somebody else has its turn took %v", took)
		}
		<-time.After(dirLockRetry)
		if took := replaced(12, 14); took != dirLockWait {
			t.Errorf("two files, long after that, took %v", took)
		}
	})
}

// A turn that has ended has ended, although a process that was being started meanwhile has a
// copy of the descriptor until it runs its program.
func TestTurnsEndForCopies(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	next, err := os.Open(dir.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if dirLocked(dir) {
		t.Skip("no locks here")
	}
	held, err := unix.Dup(int(dir.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(held)
	dirUnlock(dir)
	_ = dir.Close()
	if dirLocked(next) {
		t.Error("the copy has the lock")
	}
}
