package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// These are no tests but what other processes do for the tests below: the test
// binary starts itself with CONFIG_TEST_HOME.
func TestConfigWriterProcess(t *testing.T) {
	home, who := os.Getenv("CONFIG_TEST_HOME"), os.Getenv("CONFIG_TEST_WHO")
	if home == "" || who == "" {
		t.Skip("runs inside another test")
	}
	s, err := Open(home, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range writesEach {
		if err := s.AddAlways(control.Rule{Domain: "bash", Pattern: fmt.Sprintf("%s-%d", who, n), Decision: "allow"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConfigCrashProcess(t *testing.T) {
	home, at := os.Getenv("CONFIG_TEST_HOME"), os.Getenv("CONFIG_TEST_DIE")
	if home == "" || at == "" {
		t.Skip("runs inside another test")
	}
	disk := &durable.Disk{}
	disk.Fail(func(op durable.Op, path string) error {
		if string(op) == at && !strings.HasSuffix(path, ".lock") {
			os.Exit(9)
		}
		return nil
	})
	s, err := Open(home, Options{Disk: disk})
	if err != nil {
		t.Fatal(err)
	}
	t.Fatal("lived on", s.TrustWorkspace("/w"))
}

const (
	writerProcesses = 8
	writesEach      = 5
)

// Eight processes write at once: no rule is lost, and whoever reads meanwhile
// never sees anything but a whole configuration with its comments.
func TestConfigEightProcessesWriteAtOnce(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "config.jsonc")
	write(t, path, commented)
	var wg sync.WaitGroup
	for i := range writerProcesses {
		wg.Go(func() {
			if out, err := process("TestConfigWriterProcess", "CONFIG_TEST_HOME="+home, fmt.Sprintf("CONFIG_TEST_WHO=%d", i)).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	looks, seen := 0, 0
	for running := true; running; looks++ {
		select {
		case <-done:
			running = false
		default:
		}
		text := read(t, path)
		doc, err := readDocument("config", []byte(text))
		if err != nil || len(doc.diagnostics) != 0 || len(doc.rules) < seen || !strings.HasPrefix(text, "// my configuration") || !strings.HasSuffix(text, "}\n") {
			t.Fatalf("at some instant the file was not whole: %v\n%s", err, text)
		}
		seen = len(doc.rules)
	}
	if seen != 1+writerProcesses*writesEach || !strings.Contains(read(t, path), "// read docs") {
		t.Errorf("%d of %d rules survived", seen-1, writerProcesses*writesEach)
	}
	for _, e := range list(t, home) {
		if e != "config.jsonc" && e != "config.jsonc.lock" {
			t.Error("left behind:", e)
		}
	}
	t.Logf("read %d times meanwhile", looks)
}

// A process that dies while it writes leaves the old file or the new one, and no
// lock that anybody must break.
func TestConfigWriterThatDies(t *testing.T) {
	for _, at := range []durable.Op{durable.OpCreate, durable.OpTemp, durable.OpSyncTemp, durable.OpRename, durable.OpSyncDir} {
		home := t.TempDir()
		path := filepath.Join(home, "config.jsonc")
		write(t, path, commented)
		cmd := process("TestConfigCrashProcess", "CONFIG_TEST_HOME="+home, "CONFIG_TEST_DIE="+string(at))
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 9 {
			t.Fatalf("%s: %s", at, out)
		}
		s, err := Open(home, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); (got == commented) != (at != durable.OpSyncDir) || s.Trusted("/w") != (at == durable.OpSyncDir) {
			t.Errorf("%s: %s", at, got)
		}
		if err := s.TrustWorkspace("/again"); err != nil || !s.Trusted("/again") {
			t.Errorf("%s: the next writer: %v", at, err)
		}
	}
}

// A home that cannot be written is an error for the person; what holds goes on.
func TestConfigThatCannotBeWritten(t *testing.T) {
	for _, at := range []durable.Op{durable.OpCreate, durable.OpTemp, durable.OpSyncTemp, durable.OpRename} {
		home := t.TempDir()
		write(t, filepath.Join(home, "config.jsonc"), commented)
		full := errors.New("no space left on device")
		disk := &durable.Disk{}
		s, err := Open(home, Options{Disk: disk})
		if err != nil {
			t.Fatal(err)
		}
		disk.Fail(func(op durable.Op, _ string) error {
			if op == at {
				return full
			}
			return nil
		})
		if err := s.Set("model", []byte(`"other"`)); !errors.Is(err, full) || !strings.HasPrefix(err.Error(), "set model: ") {
			t.Errorf("%s: %v", at, err)
		}
		if read(t, filepath.Join(home, "config.jsonc")) != commented || s.Settings().Model != "m" {
			t.Errorf("%s: something changed", at)
		}
		for _, e := range list(t, home) {
			if strings.HasSuffix(e, ".tmp") {
				t.Errorf("%s: left behind: %s", at, e)
			}
		}
		disk.Fail(nil)
		if err := s.Set("model", []byte(`"other"`)); err != nil || s.Settings().Model != "other" {
			t.Errorf("%s: afterwards: %v", at, err)
		}
	}
}

// Two stores of one file, as two processes have them: whoever only looks is told,
// and the file stays its owner's alone.
func TestConfigTwoStoresWriteAtOnce(t *testing.T) {
	a, path := openStore(t, commented)
	b, err := Open(filepath.Dir(path), Options{})
	if err != nil {
		t.Fatal(err)
	}
	changed := b.Changed()
	var wg sync.WaitGroup
	for i, s := range []*Store{a, b} {
		wg.Go(func() {
			for n := range 10 {
				if err := s.AddAlways(control.Rule{Domain: "bash", Pattern: fmt.Sprintf("%d-%d", i, n), Decision: "allow"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	a.Reload()
	n := 0
	for _, r := range a.Settings().Layers[len(a.Settings().Layers)-1].Rules {
		if r.By == "always" {
			n++
		}
	}
	if n != 20 || !strings.Contains(read(t, path), "// my configuration") {
		t.Errorf("%d of 20 rules survived", n)
	}
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
}
