package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// TestReport is what each level says about itself.
func TestReport(t *testing.T) {
	const late = "unix sockets that appear while a command runs, or are not where they were bound"
	partial := []string{"protected files (restored afterwards)", "repositories: their history can be changed", "sensitive files of the workspace", "mode, owner and times of files outside the workspace, and of those that a job only reads", "the list of processes", "System V shared memory", "bounds of processes, memory and disk"}
	all := []string{"files", "network", "processes"}
	for _, row := range []struct {
		level   string
		network bool
		abi     int
		filter  bool
		system  string
		want    Report
	}{
		{proc.Namespaces, false, 7, true, "linux", Report{"namespaces", "off", "full", []string{late}}},
		{proc.Namespaces, true, 7, true, "linux", Report{"namespaces", "open", "full", []string{late}}},
		{proc.Namespaces, true, 6, true, "linux", Report{"namespaces", "open", "full", []string{late}}},
		{proc.Namespaces, true, 5, true, "linux", Report{"namespaces", "open", "full", []string{"abstract unix sockets, with the network", late}}},
		{proc.Namespaces, false, 0, false, "linux", Report{"namespaces", "off", "full", []string{late, "system calls"}}},
		{proc.Landlock, false, 7, true, "linux", Report{"landlock", "off", "partial", partial}},
		{proc.Landlock, false, 6, true, "linux", Report{"landlock", "off", "partial", partial}},
		{proc.Landlock, false, 5, true, "linux", Report{"landlock", "off", "partial", append(partial[:7:7], "signals to other processes of the user")}},
		{proc.Landlock, false, 2, true, "linux", Report{"landlock", "off", "partial", append(partial[:7:7], "truncation of files outside the workspace", "signals to other processes of the user")}},
		{proc.Landlock, false, 4, false, "linux", Report{"landlock", "tcp-only", "partial", append(partial[:7:7], "signals to other processes of the user", "unix sockets", "system calls")}},
		{proc.Landlock, false, 3, false, "linux", Report{"landlock", "open", "partial", append(partial[:7:7], "signals to other processes of the user", "unix sockets", "system calls")}},
		{proc.Seatbelt, false, 0, false, "darwin", Report{"seatbelt", "off", "partial", []string{"not tested on this system", "files made by name in protected places (undone afterwards)", "repositories: their history can be changed", "bounds of processes, memory and disk"}}},
		{proc.None, false, 7, true, "linux", Report{"none", "open", "partial", all}},
		{"", false, 7, true, "linux", Report{"none", "open", "partial", all}},
		{proc.None, false, 0, false, "windows", Report{"none", "open", "partial", []string{"commands do not run"}}},
	} {
		if diff := cmp.Diff(row.want, describe(Level{Name: row.level}, row.network, row.abi, row.filter, row.system)); diff != "" {
			t.Errorf("%+v\n%s", row, diff)
		}
	}
}

// TestProberRemembers: the second process on the same boot does not probe, a
// changed machine does, and what did not work is tried again. Who asks what was found
// waits for no file, and nothing is synced.
func TestProberRemembers(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	p := NewProber(home)
	first := p.best()
	if fileExists(home) {
		t.Error("asking what works has written something")
	}
	disk := &durable.Disk{}
	disk.Watch(func(op durable.Op, path string) {
		if op == durable.OpSync || op == durable.OpSyncTemp || op == durable.OpSyncDir {
			t.Errorf("%s %s", op, path)
		}
	})
	p.Remember(disk)
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
	other := Level{Name: proc.Landlock, Bubblewrap: "as remembered"}
	found := func(key string) {
		p.found, p.news = &other, key
		p.Remember(disk)
	}
	found(machineKey())
	if got := NewProber(home).best(); got != other {
		t.Errorf("remembered %+v, got %+v", other, got)
	}
	found("another machine")
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
	promised := &Prober{home: home, found: &other, news: machineKey()}
	promised.Forget()
	promised.Remember(disk)
	if fileExists(p.file()) || promised.best() != other {
		t.Errorf("after Forget: there %v, %+v", fileExists(p.file()), promised.best())
	}
}

// A level that had no time to start is looked for again by the next process: what
// worked in its place is used, and not remembered.
func TestProberRemembersNothingInAHurry(t *testing.T) {
	p := NewProber(filepath.Join(t.TempDir(), "home"))
	works := candidates()
	for len(works) > 0 && Probe(works[0]) != nil {
		works = works[1:]
	}
	if len(works) == 0 || runtime.GOOS != "linux" {
		t.Skip("not run: no level of the sandbox works here")
	}
	stalls := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(stalls, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	got := p.first("key", []Level{{proc.Namespaces, stalls}, works[0]})
	p.found = got
	if p.Remember(nil); *got != works[0] || fileExists(p.file()) {
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
	if s := p.Report(Settings{Mode: "off"}); s.Level != "none" || runtime.GOOS == "linux" && len(s.Missing) != 3 {
		t.Errorf("%+v", s)
	}
}

// TestHint is how a result says how to ask for more.
func TestHint(t *testing.T) {
	network := `(commands run without a network; if this one needs it, call again with needs: "network" and a reason)`
	git := `(commands cannot change a repository; if this one needs to, call again with needs: "git" and a reason)`
	files := `(commands can change only the workspace and the temporary directory, and not its protected files; if this one needs more, call again with needs: "unconfined" and a reason)`
	job := `(of the workspace a command with background: true can change only directories that git ignores and that were there when it began: make the directory first, run it without background, or call again with needs: "direct" and a reason)`
	for _, row := range []struct {
		level string
		needs tool.Needs
		end   string
		want  string
	}{
		{proc.Namespaces, nil, "touch: cannot touch 'src/a.go': Read-only file system", job},
		{proc.Namespaces, nil, "Error: EROFS: open 'src/a.go'", job},
		{proc.Namespaces, nil, "open /x: permission denied", files},
		{proc.Landlock, nil, "touch: cannot touch 'src/a.go': Permission denied", job},
		{proc.Namespaces, tool.Needs{tool.NeedDirect}, "touch: cannot touch '/etc/x': Read-only file system", files},
		{proc.Namespaces, nil, "connect: Network is unreachable", network},
		{proc.Namespaces, nil, "FAIL", ""},
	} {
		if got := Hint(proc.Confinement{Level: row.level}, Policy{Job: true, Needs: row.needs}, nil, []byte(row.end)); got != row.want {
			t.Errorf("a job, %s, %v, %q: %q", row.level, row.needs, row.end, got)
		}
	}
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
		{"fatal: Unable to create '/w/.git/index.lock': Read-only file system", false, git},
		{"fatal: Unable to create '/w/.git/index.lock': Read-only file system", true, git},
		{"fatal: cannot lock ref 'refs/tags/x': Unable to create '/r/refs/tags/x.lock': Read-only file system", false, git},
		{"rm: cannot remove '.git/HEAD': Read-only file system", false, git},
		{"error: could not lock config file .git/config: Read-only file system", false, files},
		{"touch: cannot touch '.git/hooks/x': Read-only file system", false, files},
		{"FAIL main_test.go:3", false, ""},
		{"/bin/bash: line 1: nodir/x: No such file or directory", true, ""},
		{"", false, ""},
	} {
		is := proc.Confinement{Level: proc.Namespaces, Network: row.network}
		if got := Hint(is, Policy{}, nil, []byte(row.end)); got != row.want {
			t.Errorf("%q, network %v: %q", row.end, row.network, got)
		}
	}
	for name, w := range map[string]Policy{"granted": {Needs: tool.Needs{tool.NeedGit}}, "held to a folder": {Bounds: tool.Bounds{Within: []string{"vault:/a"}}}} {
		if got := Hint(proc.Confinement{Level: proc.Namespaces}, w, nil, []byte("fatal: Unable to create '/w/.git/index.lock': Read-only file system")); got == git {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Who only looks is told what the sandbox is, and not to ask for more: that is refused.
func TestHintOfALook(t *testing.T) {
	for end, want := range map[string]string{
		"touch: cannot touch 'a': Read-only file system":                      "(commands see the whole workspace read-only here: they can change only their own /tmp, home and caches)",
		"Error: EROFS: open 'a'":                                              "(commands see the whole workspace read-only here: they can change only their own /tmp, home and caches)",
		"fatal: Unable to create '/w/.git/index.lock': Read-only file system": "(commands see the whole workspace read-only here: they can change only their own /tmp, home and caches)",
		"curl: (6) Could not resolve host: example.org":                       "(commands run without a network here)",
		"cat: .env: Permission denied":                                        `(commands cannot read ".env", which may hold secrets)`,
		"FAIL":                                                                "",
	} {
		for _, job := range []bool{false, true} {
			got := Hint(proc.Confinement{Level: proc.Namespaces, Read: []string{"/root"}}, Policy{Sandbox: tool.SandboxedReadOnly, Job: job}, []string{".env"}, []byte(end))
			if got != want || strings.Contains(got, "needs") {
				t.Errorf("%q: %q", end, got)
			}
		}
	}
	absent := Hint(proc.Confinement{Level: proc.Namespaces}, Policy{Sandbox: tool.SandboxedReadOnly}, nil, []byte("cat: /usr/x: No such file or directory"))
	if !strings.HasPrefix(absent, `(commands do not see "/usr/x": `) || strings.Contains(absent, "needs") {
		t.Error(absent)
	}
}

// Who was refused a closed file is told how to ask for that one.
func TestHintOfAClosedFile(t *testing.T) {
	closed := []string{".env", ".env.local", "app/.env", "tls/server.pem", ".aws"}
	for end, want := range map[string]string{
		"cat: .env: Permission denied":                                   ".env",
		"cat: /w/p/app/.env: Permission denied\nmake: *** [all] Error 1": "app/.env",
		"cat: .env.local: Permission denied":                             ".env.local",
		"Error: EACCES: permission denied, open '/w/p/tls/server.pem'":   "tls/server.pem",
		"open server.pem: permission denied":                             "tls/server.pem",
		"ls: cannot open directory '.aws': Permission denied":            ".aws",
		"cat: /etc/shadow: Permission denied":                            "",
		"cat: .env: No such file or directory":                           "",
		"touch: cannot touch '/etc/x': Permission denied\nwrote .env":    "",
	} {
		is := proc.Confinement{Level: proc.Namespaces, Network: true}
		for _, bounds := range []tool.Bounds{{}, {Confined: true}} {
			got := Hint(is, Policy{Bounds: bounds}, closed, []byte(end))
			if named := strings.Contains(got, "reads: ["); named != (want != "") || named && !strings.Contains(got, `reads: ["`+want+`"]`) {
				t.Errorf("%s: %s", end, got)
			}
		}
	}
}

// Whole is a level at which commands run without a question: namespaces, filter and no
// network, whatever stands for sockets.
func TestReportWhole(t *testing.T) {
	for _, row := range []struct {
		level   string
		network bool
		filter  bool
		want    bool
	}{
		{proc.Namespaces, false, true, true}, {proc.Namespaces, true, true, false}, {proc.Namespaces, false, false, false},
		{proc.Landlock, false, true, false}, {proc.Seatbelt, false, true, false}, {proc.None, false, true, false}, {"", false, true, false},
	} {
		if got := describe(Level{Name: row.level}, row.network, 7, row.filter, "linux").Whole(); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
	if (Report{}).Whole() {
		t.Error("nothing at all is whole")
	}
	gap := describe(Level{Name: proc.Namespaces}, false, 7, true, "linux")
	gap.Missing = append(gap.Missing, "a wall of tomorrow")
	if gap.Whole() {
		t.Error("a gap that nobody knows is none")
	}
}

// What was decided because of the sandbox gets all of it, or an error: what was true then
// may be true no more.
func TestBypassBoxedInAWeakerSandbox(t *testing.T) {
	if !proc.HasFilter() {
		t.Skip("not run: no filter of system calls here")
	}
	boxed := Policy{Sandbox: tool.Sandboxed}
	for name, row := range map[string]struct {
		level string
		s     Settings
		w     Policy
		ok    bool
	}{
		"as it was":               {proc.Namespaces, Settings{}, boxed, true},
		"to look":                 {proc.Namespaces, Settings{}, Policy{Sandbox: tool.SandboxedReadOnly}, true},
		"to look, at landlock":    {proc.Landlock, Settings{}, Policy{Sandbox: tool.SandboxedReadOnly}, false},
		"to look, turned off":     {proc.Namespaces, Settings{Mode: "off"}, Policy{Sandbox: tool.SandboxedReadOnly}, false},
		"to look, and git":        {proc.Namespaces, Settings{}, Policy{Sandbox: tool.SandboxedReadOnly, Needs: tool.Needs{tool.NeedGit}}, false},
		"required":                {proc.Namespaces, Settings{Mode: "required"}, boxed, true},
		"turned off":              {proc.Namespaces, Settings{Mode: "off"}, boxed, false},
		"with the network":        {proc.Namespaces, Settings{Network: true}, boxed, false},
		"landlock":                {proc.Landlock, Settings{}, boxed, false},
		"none":                    {proc.None, Settings{}, boxed, false},
		"it wants the network":    {proc.Namespaces, Settings{}, Policy{Sandbox: tool.Sandboxed, Needs: tool.Needs{tool.NeedNetwork}}, false},
		"it wants out":            {proc.Namespaces, Settings{}, Policy{Sandbox: tool.Sandboxed, Needs: tool.Needs{tool.NeedUnconfined}}, false},
		"more is in reach":        {proc.Namespaces, Settings{}, Policy{Sandbox: tool.Sandboxed, Wide: true}, false},
		"it opens what is closed": {proc.Namespaces, Settings{}, Policy{Sandbox: tool.Sandboxed, Opens: []string{"/x"}}, false},
	} {
		l, err := At(Level{Name: row.level}).For(row.s, row.w)
		if (err == nil) != row.ok || row.ok && l.Name != proc.Namespaces {
			t.Errorf("%s: %q %v", name, l.Name, err)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), "the sandbox cannot keep this command: ") || !strings.HasSuffix(err.Error(), "; nothing was run")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (*Prober)(nil).For(Settings{}, boxed); err == nil {
		t.Error("without any sandbox it runs")
	}
}

// A directory of the person's that holds their home is more than a workspace.
func TestWide(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(base, "home")
	for _, dir := range []string{home + "/data", base + "/beside"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(base, base+"/beside/link"); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{
		"": false, "~/data": false, home + "/data": false, base + "/beside": false, base + "/none": false, "/usr": false,
		"~": true, "~/": true, home: true, base: true, "/": true, "//": true, base + "/beside/link": true, "~/data/..": true,
	} {
		if got := (Settings{Writable: []string{"/usr", dir}}).Wide(home); got != want {
			t.Errorf("writable %q: %v", dir, got)
		}
		if got := (Settings{Readable: []string{dir}}).Wide(home); got != want {
			t.Errorf("readable %q: %v", dir, got)
		}
	}
}
