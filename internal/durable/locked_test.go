package durable

import (
	"path/filepath"
	"testing"
)

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if Locked(path) {
		t.Error("locked although there is no file")
	}
	held, err := plainDisk.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // looking does not let go of it
		if !Locked(path) {
			t.Error("not locked although somebody holds it")
		}
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if Locked(path) {
		t.Error("locked although nobody holds it")
	}
	if again, err := plainDisk.TryLock(path); err != nil {
		t.Error("looking took the lock:", err)
	} else if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// Looking keeps nobody from taking a lock that is free.
func TestLockedKeepsNobodyOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := plainDisk.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	over, looks := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-over:
				looks <- n
				return
			default:
				Locked(path)
			}
		}
	}()
	for range 2000 {
		l, err := plainDisk.TryLock(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(over)
	t.Logf("%d looks", <-looks)
}
