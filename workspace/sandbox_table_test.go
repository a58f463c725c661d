package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sidecar/agent-sidecar/proc"
)

// TestSandboxReport is what each level says about itself (ruling 78).
func TestSandboxReport(t *testing.T) {
	const late = "unix sockets that appear while a command runs, or are not where they were bound"
	partial := []string{"protected files (restored afterwards)", "mode, owner and times of files outside the workspace", "the list of processes", "System V shared memory"}
	all := []string{"files", "network", "processes"}
	for _, row := range []struct {
		level   string
		network bool
		abi     int
		filter  bool
		system  string
		want    Sandbox
	}{
		{proc.Namespaces, false, 7, true, "linux", Sandbox{"namespaces", "off", "full", []string{late}}},
		{proc.Namespaces, true, 7, true, "linux", Sandbox{"namespaces", "open", "full", []string{late}}},
		{proc.Namespaces, true, 6, true, "linux", Sandbox{"namespaces", "open", "full", []string{late}}},
		{proc.Namespaces, true, 5, true, "linux", Sandbox{"namespaces", "open", "full", []string{"abstract unix sockets, with the network", late}}},
		{proc.Namespaces, false, 0, false, "linux", Sandbox{"namespaces", "off", "full", []string{late, "system calls"}}},
		{proc.Landlock, false, 7, true, "linux", Sandbox{"landlock", "off", "partial", partial}},
		{proc.Landlock, false, 6, true, "linux", Sandbox{"landlock", "off", "partial", partial}},
		{proc.Landlock, false, 5, true, "linux", Sandbox{"landlock", "off", "partial", append(partial[:4:4], "signals to other processes of the user")}},
		{proc.Landlock, false, 2, true, "linux", Sandbox{"landlock", "off", "partial", append(partial[:4:4], "truncation of files outside the workspace", "signals to other processes of the user")}},
		{proc.Landlock, false, 4, false, "linux", Sandbox{"landlock", "tcp-only", "partial", append(partial[:4:4], "signals to other processes of the user", "unix sockets", "system calls")}},
		{proc.Landlock, false, 3, false, "linux", Sandbox{"landlock", "open", "partial", append(partial[:4:4], "signals to other processes of the user", "unix sockets", "system calls")}},
		{proc.Seatbelt, false, 0, false, "darwin", Sandbox{"seatbelt", "off", "partial", []string{"not tested on this system", "files made by name in protected places (undone afterwards)"}}},
		{proc.None, false, 7, true, "linux", Sandbox{"none", "open", "partial", all}},
		{"", false, 7, true, "linux", Sandbox{"none", "open", "partial", all}},
		{proc.None, false, 0, false, "windows", Sandbox{"none", "open", "partial", []string{"commands do not run"}}},
	} {
		if diff := cmp.Diff(row.want, describe(level{Name: row.level}, row.network, row.abi, row.filter, row.system)); diff != "" {
			t.Errorf("%+v\n%s", row, diff)
		}
	}
}

// TestProberRemembers: the second process on the same boot does not probe, a
// changed machine does, and what did not work is tried again.
func TestProberRemembers(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	p := NewProber(home)
	first := p.best()
	if first.Name == proc.None {
		if _, err := os.Stat(p.file()); err == nil {
			t.Error("that nothing works is remembered")
		}
		t.Skip("not run: no level of the sandbox works here")
	}
	text, err := os.ReadFile(p.file())
	if err != nil {
		t.Fatal(err)
	}
	other := level{Name: proc.Landlock, Bubblewrap: "as remembered"}
	p.remember(machineKey(), other)
	if got := NewProber(home).best(); got != other {
		t.Errorf("remembered %+v, got %+v", other, got)
	}
	p.remember("another machine", other)
	if got := NewProber(home).best(); got != first {
		t.Errorf("on another machine: %+v, want %+v", got, first)
	}
	if err := os.WriteFile(p.file(), text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := NewProber(home).best(); got != first {
		t.Errorf("from a torn file: %+v, want %+v", got, first)
	}
	// A level that failed is looked for again by the next process, not by this
	// one: it would silently be weaker than what clients were told.
	promised := &Prober{home: home, found: &other}
	promised.forget()
	if fileExists(p.file()) || promised.best() != other {
		t.Errorf("after forget: there %v, %+v", fileExists(p.file()), promised.best())
	}
}

// A level that had no time to start is looked for again by the next process: what
// worked in its place is used, and not remembered.
func TestProberRemembersNothingInAHurry(t *testing.T) {
	p := NewProber(filepath.Join(t.TempDir(), "home"))
	works := candidates()
	for len(works) > 0 && probe(works[0]) != nil {
		works = works[1:]
	}
	if len(works) == 0 || runtime.GOOS != "linux" {
		t.Skip("not run: no level of the sandbox works here")
	}
	stalls := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(stalls, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := p.first("key", []level{{proc.Namespaces, stalls}, works[0]}); *got != works[0] || fileExists(p.file()) {
		t.Errorf("%+v instead of %+v, remembered: %v", *got, works[0], fileExists(p.file()))
	}
}

func fileExists(path string) bool { _, err := os.Lstat(path); return err == nil }

// TestNilProber: a Vault without one confines nothing and does not crash.
func TestNilProber(t *testing.T) {
	var p *Prober
	if l := p.best(); l.Name != proc.None {
		t.Error(l)
	}
	if s := p.Sandbox(SandboxSettings{Mode: "off"}); s.Level != "none" || runtime.GOOS == "linux" && len(s.Missing) != 3 {
		t.Errorf("%+v", s)
	}
}

// TestHint is how a result says how to ask for more (ruling 79).
func TestHint(t *testing.T) {
	network := `(commands run without a network; if this one needs it, call again with needs: "network" and a reason)`
	files := `(commands can change only the workspace and the temporary directory, and not its protected files; if this one needs more, call again with needs: "unconfined" and a reason)`
	for _, row := range []struct {
		end     string
		network bool
		want    string
	}{
		{"curl: (6) Could not resolve host: example.org", false, network},
		{"curl: (6) Could not resolve host: example.org", true, ""},
		{"connect: Network is unreachable", false, network},
		{"npm ERR! code EAI_AGAIN", false, network},
		{"touch: cannot touch '/etc/x': Read-only file system", false, files},
		{"touch: cannot touch '/etc/x': Read-only file system", true, files},
		{"open /x: permission denied", false, files},
		{"socket: Operation not permitted", true, files},
		{"FAIL main_test.go:3", false, ""},
		{"", false, ""},
	} {
		b := &box{is: proc.Confinement{Level: proc.Namespaces, Network: row.network}}
		if got := b.hint([]byte(row.end)); got != row.want {
			t.Errorf("%q, network %v: %q", row.end, row.network, got)
		}
	}
}
