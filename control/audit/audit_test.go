package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
)

func newLog(t *testing.T) (*Log, string) {
	t.Helper()
	path := Path(t.TempDir(), "w-1", "s-1")
	a, err := Open(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	return a, path
}

// entry is a decision of session s-1.
func entry(run string) Entry { return Entry{SessionID: "s-1", RunID: run} }

func appendTo(t *testing.T, a *Log, e Entry) string {
	t.Helper()
	hash, err := a.Append(e)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func verify(t *testing.T, path string, named ...string) int {
	t.Helper()
	n, err := Verify(path, named...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAuditLine(t *testing.T) {
	a, path := newLog(t)
	if a.Seal() != firstHash {
		t.Error(a.Seal())
	}
	hash := appendTo(t, a, Entry{SessionID: "s-1", RunID: "r", Mode: "agent", Decision: "allow", Domain: "bash",
		Targets: []string{"shell:echo <a> & sk-abcdefghijklmnopqrstuvwx", "shell:" + strings.Repeat("é", 4096)}, RulePattern: "echo *", RuleSource: "config", By: "rule", CallID: "c", Input: []byte(`{}`)})
	text, _ := os.ReadFile(path)
	shape := regexp.MustCompile(`^\{"eventId":"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f-]{17}","sessionId":"s-1","runId":"r","agentPath":\[\],"mode":"agent","decision":"allow","permissionDomain":"bash","targets":\["shell:echo <a> & «secret:sk»","shell:é+… sha256 [0-9a-f]{64}"\],"rulePattern":"echo \*","ruleSource":"config","by":"rule","callId":"c","inputHash":"[0-9a-f]{64}","timestamp":"[0-9T:.-]+Z","prevHash":"0{64}","hash":"` + hash + `"\}\n$`)
	if !shape.Match(text) {
		t.Errorf("%s", text)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
	if info, _ := os.Stat(filepath.Dir(path)); info.Mode().Perm() != 0o700 {
		t.Error(info.Mode())
	}
	if a.Seal() != hash {
		t.Error("run.ended would name another hash")
	}
}

// A command of 4 KiB stands whole; one byte more is cut, with the hash of all.
func TestAuditCommandAtTheEdge(t *testing.T) {
	for n, cut := range map[int]bool{maxText - 1: false, maxText: false, maxText + 1: true} {
		s := strings.Repeat("x", n)
		if got := redacted(s); (got != s) != cut || cut && got != s[:maxText]+"… sha256 "+hashText(s) {
			t.Errorf("%d: %d bytes", n, len(got))
		}
	}
	// A secret over the edge is found before the cut.
	if got := redacted(strings.Repeat("x", maxText-10) + " ghp_0123456789abcdefghijABCDEFGHIJ456789"); strings.Contains(got, "ghp_") || !strings.Contains(got, "«secret") {
		t.Error(got[maxText-20:])
	}
}

// Bypass: a call with so many or such targets that its line could not be written
// would have gone on unaudited.
func TestAuditLineOfAnyCall(t *testing.T) {
	a, path := newLog(t)
	many := make([]string, 5000)
	for i := range many {
		many[i] = fmt.Sprintf("read %d", i)
	}
	wide := make([]string, maxTargets)
	for i := range wide {
		wide[i] = strings.Repeat("\x01", maxText)
	}
	for _, targets := range [][]string{many, wide, {strings.Repeat("\x01", 5<<20)}, nil, {""}, {"\xff\xfe"}} {
		appendTo(t, a, Entry{SessionID: "s-1", Targets: targets, RulePattern: strings.Repeat("\x02", 1<<20), CallID: strings.Repeat("\x03", 1<<20)})
	}
	if n := verify(t, path); n != 6 {
		t.Error(n)
	}
	for line := range bytes.Lines([]byte(read(t, path))) {
		if len(line) > maxLine+100 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if !strings.Contains(read(t, path), `"read 199","… 4800 more, sha256 `) {
		t.Error("the others are not named by their hash")
	}
}

func TestAuditChainOverRestart(t *testing.T) {
	a, path := newLog(t)
	for range 3 {
		appendTo(t, a, entry("r"))
	}
	again, err := Open(nil, path)
	if err != nil || again.Seal() != a.Seal() {
		t.Fatal(err, "the chain is lost over a restart")
	}
	appendTo(t, again, entry("r"))
	appendTo(t, a, entry("r")) // two writers of one file
	appendTo(t, again, entry("r"))
	if n := verify(t, path, a.Seal(), again.Seal()); n != 6 {
		t.Error(n)
	}
}

// fill makes the audit's file n bytes long with lines that belong to the chain.
func fill(t *testing.T, path string, n int) {
	t.Helper()
	var b bytes.Buffer
	prev, err := lastOf(path)
	if err != nil {
		t.Fatal(err)
	}
	prefix := read(t, path)
	for left := n - len(prefix); left > 0; {
		line := func(run string) []byte {
			raw, err := json.Marshal(Line{SessionID: "s-1", RunID: run, AgentPath: []string{}, Targets: []string{}, PrevHash: prev})
			if err != nil {
				t.Fatal(err)
			}
			prev := hashText(string(raw))
			return append(raw[:len(raw)-1], `,"hash":"`+prev+"\"}\n"...)
		}
		size := min(left, 1<<20)
		if left-size < 1000 && left != size { // room for one more
			size = left / 2
		}
		whole := line(strings.Repeat("x", size-len(line(""))))
		prev = hashMember().FindStringSubmatch(strings.TrimSuffix(string(whole), "\n"))[1]
		b.Write(whole)
		left -= len(whole)
	}
	write(t, path, prefix+b.String())
}

// A line that makes the file exactly 10 MiB stays in it; one that would make it
// longer goes into a new one. The chain goes on over the numbers.
func TestAuditRotatesAtTheEdge(t *testing.T) {
	probe, probePath := newLog(t)
	appendTo(t, probe, entry("last"))
	size := len(read(t, probePath)) // of one such line
	for over, rotates := range map[int]bool{-1: false, 0: false, 1: true} {
		a, path := newLog(t)
		appendTo(t, a, entry("first"))
		fill(t, path, maxFile-size+over)
		before := verify(t, path)
		hash := appendTo(t, a, entry("last"))
		_, err := os.Stat(path + ".1")
		if (err == nil) != rotates {
			t.Errorf("%+d: %v", over, err)
		}
		if n := verify(t, path, hash); n != before+1 {
			t.Errorf("%+d: %d lines of %d", over, n, before+1)
		}
		if !rotates {
			continue
		}
		// And once more, in another process' eyes.
		fill(t, path, maxFile)
		again, err := Open(nil, path)
		if err != nil {
			t.Fatal(err)
		}
		appendTo(t, again, entry("third file"))
		last := appendTo(t, a, entry("by the first"))
		verify(t, path, hash, last)
		for name, take := range map[string]string{".1": ".1", ".2": ".2", "": ""} {
			aside := filepath.Join(t.TempDir(), "aside")
			if err := os.Rename(path+take, aside); err != nil {
				t.Fatal(err)
			}
			fault, ok := errors.AsType[*Fault](func() error { _, err := Verify(path, last); return err }())
			if !ok || take == ".1" && fault.Error() != path+".1: the file is missing" {
				t.Errorf("%q is missing, and nobody sees it: %v", name, fault)
			}
			if take == ".1" { // a new file never takes the place of the one that is gone
				fill(t, path, maxFile)
				appendTo(t, again, entry("fourth file"))
				if _, err := os.Stat(path + ".3"); err != nil {
					t.Error(err)
				}
				_ = os.Rename(path, filepath.Join(t.TempDir(), "x"))
				_ = os.Rename(path+".3", path)
			}
			if err := os.Rename(aside, path+take); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What a dead writer left of a line is set aside, and the chain goes on.
func TestAuditTornLine(t *testing.T) {
	a, path := newLog(t)
	appendTo(t, a, entry("one"))
	appendTo(t, a, entry("two"))
	good := read(t, path)
	for _, cut := range []int{1, 5, 100} {
		torn := good[:len(good)-cut]
		write(t, path, torn)
		_ = os.Remove(path + ".torn")
		again, err := Open(nil, path)
		if err != nil {
			t.Fatal(err)
		}
		appendTo(t, again, entry("three"))
		if n := verify(t, path); n != 2 {
			t.Errorf("cut %d: %d lines", cut, n)
		}
		if want := torn[strings.Index(torn, "\n")+1:] + "\n"; read(t, path+".torn") != want {
			t.Errorf("cut %d: set aside: %q", cut, read(t, path+".torn"))
		}
	}
}

// Every way in which the disk can refuse is an error, and nothing is left behind
// that would break the chain; afterwards it goes on.
func TestAuditThatCannotBeWritten(t *testing.T) {
	full := errors.New("no space left on device")
	for _, how := range []error{full, durable.Torn{Bytes: 40}} {
		for _, at := range []durable.Op{durable.OpOpen, durable.OpAppend} {
			disk := &durable.Disk{}
			path := Path(t.TempDir(), "w-1", "s-1")
			a, err := Open(disk, path)
			if err != nil {
				t.Fatal(err)
			}
			before := appendTo(t, a, entry("one"))
			disk.Fail(func(op durable.Op, _ string) error {
				if op == at {
					return how
				}
				return nil
			})
			if _, err := a.Append(entry("two")); !errors.Is(err, how) {
				t.Errorf("%s: %v", at, err)
			}
			if a.Seal() != before {
				t.Errorf("%s: a hash that is not on disk", at)
			}
			disk.Fail(nil)
			appendTo(t, a, entry("three"))
			if n := verify(t, path, before); n != 2 {
				t.Errorf("%s: %d lines", at, n)
			}
		}
	}
	disk := &durable.Disk{}
	disk.Fail(func(op durable.Op, _ string) error {
		if op == durable.OpMkdir {
			return full
		}
		return nil
	})
	if _, err := Open(disk, Path(t.TempDir(), "w", "s")); !errors.Is(err, full) {
		t.Error(err)
	}
	a, path := newLog(t)
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Append(Entry{}); err == nil {
		t.Error("nothing was written, and nobody was told")
	}
	if _, err := (*Log)(nil).Append(Entry{}); err == nil || (*Log)(nil).Seal() != firstHash {
		t.Error("an audit that could not be opened took a line")
	}
}
