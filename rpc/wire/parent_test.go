package wire

import (
	"context"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"
)

// TestParent: the end of a process is told once, within the 5 s that are promised,
// also while nobody has waited for it yet.
func TestParent(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	died := make(chan struct{})
	stop, watching := WatchParent(cmd.Process.Pid, func() { close(died) })
	if !watching {
		t.Fatal("a living process is not watched")
	}
	select {
	case <-died:
		t.Fatal("told of a living process")
	default:
	}
	cmd.Process.Kill()
	select {
	case <-died: // a zombie until Wait
	case <-time.After(time.Minute): // a busy machine takes its time
		t.Error("not told within a minute")
	}
	stop()

	if stop, watching := WatchParent(cmd.Process.Pid, func() { t.Error("told of a zombie") }); watching {
		t.Error("a process that ended before is watched")
	} else {
		stop()
	}
	cmd.Wait()
}

// TestParentUnknown: what does not exist is not watched.
func TestParentUnknown(t *testing.T) {
	for _, pid := range []int{0, -1, 1 << 30} {
		if stop, watching := WatchParent(pid, func() { t.Errorf("told of %d", pid) }); watching {
			t.Errorf("%d is watched", pid)
			stop()
		}
	}
}

// TestParentStop: a watch can be ended while the process lives.
func TestParentStop(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	stop, watching := WatchParent(cmd.Process.Pid, func() { t.Error("told of a living process") })
	if !watching {
		t.Fatal("not watched")
	}
	stop()
}

// TestPollExit is the way without a pidfd.
func TestPollExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if !pollExit(t.Context(), 1<<30) {
			t.Error("a process that does not exist lives")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if pollExit(ctx, 1) {
			t.Error("process 1 ended")
		}
	})
}
