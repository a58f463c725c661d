package audit

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

func TestAuditConcurrentWriters(t *testing.T) {
	a, path := newLog(t)
	b, err := Open(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, w := range []*Log{a, b, a, b} {
		wg.Go(func() {
			for range 10 {
				if _, err := w.Append(entry("r")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := verify(t, path); n != 40 {
		t.Error(n)
	}
}

// This is no test but what another process does for the one below.
func TestAuditWriterProcess(t *testing.T) {
	path := os.Getenv("AUDIT_TEST_PATH")
	if path == "" {
		t.Skip("runs inside another test")
	}
	a, err := Open(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	for {
		appendTo(t, a, entry("r"))
		fmt.Println("appended") // until it is killed
	}
}

// Four processes append to one audit until each is killed with -9 at any instant:
// the chain is whole, and the next process goes on.
func TestAuditProcessesThatAreKilled(t *testing.T) {
	_, path := newLog(t)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			cmd := process("TestAuditWriterProcess", "AUDIT_TEST_PATH="+path)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Error(err)
				return
			}
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			line := make([]byte, 9)
			for range 20 + 7*i {
				if _, err := out.Read(line); err != nil {
					t.Error(err)
				}
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait() // it was killed
		})
	}
	wg.Wait()
	before, err := Verify(path)
	if fault, torn := errors.AsType[*Fault](err); err != nil && (!torn || fault.Reason != "the line is torn") {
		t.Fatal(err)
	}
	a, err := Open(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, a, entry("after"))
	if n := verify(t, path, a.Seal()); n != before+1 || n < 100 {
		t.Errorf("%d lines, then %d", before, n)
	}
}
