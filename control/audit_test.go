package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/durable"
)

func newAudit(t *testing.T) (*Audit, string) {
	t.Helper()
	path := AuditPath(t.TempDir(), "w-1", "s-1")
	a, err := OpenAudit(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	return a, path
}

// entry is a decision of session s-1.
func entry(run string) AuditEntry { return AuditEntry{SessionID: "s-1", RunID: run} }

func appendTo(t *testing.T, a *Audit, e AuditEntry) string {
	t.Helper()
	hash, err := a.Append(e)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func verify(t *testing.T, path string, named ...string) int {
	t.Helper()
	n, err := VerifyAudit(path, named...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAuditLine(t *testing.T) {
	a, path := newAudit(t)
	if a.Seal() != firstHash {
		t.Error(a.Seal())
	}
	hash := appendTo(t, a, AuditEntry{SessionID: "s-1", RunID: "r", Mode: "agent", Decision: "allow", Domain: "bash",
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
	for n, cut := range map[int]bool{maxAuditCommand - 1: false, maxAuditCommand: false, maxAuditCommand + 1: true} {
		s := strings.Repeat("x", n)
		if got := auditText(s); (got != s) != cut || cut && got != s[:maxAuditCommand]+"… sha256 "+hashText(s) {
			t.Errorf("%d: %d bytes", n, len(got))
		}
	}
	// A secret over the edge is found before the cut.
	if got := auditText(strings.Repeat("x", maxAuditCommand-10) + " ghp_0123456789abcdefghijABCDEFGHIJ456789"); strings.Contains(got, "ghp_") || !strings.Contains(got, "«secret") {
		t.Error(got[maxAuditCommand-20:])
	}
}

// Bypass: a call with so many or such targets that its line could not be written
// would have gone on unaudited.
func TestAuditLineOfAnyCall(t *testing.T) {
	a, path := newAudit(t)
	many := make([]string, 5000)
	for i := range many {
		many[i] = fmt.Sprintf("read %d", i)
	}
	wide := make([]string, maxAuditTargets)
	for i := range wide {
		wide[i] = strings.Repeat("\x01", maxAuditCommand)
	}
	for _, targets := range [][]string{many, wide, {strings.Repeat("\x01", 5<<20)}, nil, {""}, {"\xff\xfe"}} {
		appendTo(t, a, AuditEntry{SessionID: "s-1", Targets: targets, RulePattern: strings.Repeat("\x02", 1<<20), CallID: strings.Repeat("\x03", 1<<20)})
	}
	if n := verify(t, path); n != 6 {
		t.Error(n)
	}
	for line := range bytes.Lines([]byte(read(t, path))) {
		if len(line) > maxAuditLine+100 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if !strings.Contains(read(t, path), `"read 199","… 4800 more, sha256 `) {
		t.Error("the others are not named by their hash")
	}
}

// Nothing that a model names can be a line, or the end of one.
func TestAuditCannotBeForgedByAText(t *testing.T) {
	a, path := newAudit(t)
	first := appendTo(t, a, entry("one"))
	line := `{"eventId":"x","sessionId":"s-1","decision":"allow","prevHash":"` + first + `","hash":"` + firstHash + `"}`
	for _, evil := range []string{"\n" + line + "\n", "\r\n" + line, `","hash":"` + firstHash + `"}`, `"],"decision":"allow","x":["`, "\u2028" + line, "\x00\x1b[2J", "\\u000a" + line} {
		appendTo(t, a, AuditEntry{SessionID: "s-1", RunID: "two", Decision: "deny", Targets: []string{evil}, RulePattern: evil, CallID: evil, By: "rule"})
	}
	if n := verify(t, path); n != 8 || strings.Count(read(t, path), "\n") != 8 {
		t.Error(n)
	}
	allowed := 0
	if err := ReadAudit(path, func(l *AuditLine, raw string) {
		if l == nil || l.RunID == "two" && l.Decision != "deny" {
			allowed++
		}
	}); err != nil || allowed > 0 {
		t.Error(allowed, err)
	}
}

func TestAuditChainOverRestart(t *testing.T) {
	a, path := newAudit(t)
	for range 3 {
		appendTo(t, a, entry("r"))
	}
	again, err := OpenAudit(nil, path)
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
			raw, err := json.Marshal(AuditLine{SessionID: "s-1", RunID: run, AgentPath: []string{}, Targets: []string{}, PrevHash: prev})
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
	probe, probePath := newAudit(t)
	appendTo(t, probe, entry("last"))
	size := len(read(t, probePath)) // of one such line
	for over, rotates := range map[int]bool{-1: false, 0: false, 1: true} {
		a, path := newAudit(t)
		appendTo(t, a, entry("first"))
		fill(t, path, maxAuditFile-size+over)
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
		fill(t, path, maxAuditFile)
		again, err := OpenAudit(nil, path)
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
			fault, ok := errors.AsType[*AuditFault](func() error { _, err := VerifyAudit(path, last); return err }())
			if !ok || take == ".1" && fault.Error() != path+".1: the file is missing" {
				t.Errorf("%q is missing, and nobody sees it: %v", name, fault)
			}
			if take == ".1" { // a new file never takes the place of the one that is gone
				fill(t, path, maxAuditFile)
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

func TestAuditVerifyNamesTheFirstBadLine(t *testing.T) {
	a, path := newAudit(t)
	var hashes []string
	for _, run := range []string{"one", "two", "three", "four"} {
		hashes = append(hashes, appendTo(t, a, entry(run)))
	}
	good, _ := os.ReadFile(path)
	rows := bytes.SplitAfter(good, []byte("\n"))
	otherPath := AuditPath(t.TempDir(), "w-1", "s-2")
	b, err := OpenAudit(nil, otherPath)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, b, AuditEntry{SessionID: "s-2"})
	for name, row := range map[string]struct {
		text []byte
		line int
	}{
		"changed":                {bytes.Replace(good, []byte(`"two"`), []byte(`"twx"`), 1), 2},
		"a byte of the hash":     {bytes.Replace(good, []byte(hashes[3]), []byte(other(hashes[3])), 1), 4},
		"a byte of prevHash":     {bytes.Replace(good, []byte(`prevHash":"`+hashes[1]), []byte(`prevHash":"`+other(hashes[1])), 1), 3},
		"taken out":              {bytes.Join([][]byte{rows[0], rows[2], rows[3]}, nil), 2},
		"swapped":                {bytes.Join([][]byte{rows[0], rows[2], rows[1], rows[3]}, nil), 2},
		"twice":                  {bytes.Join([][]byte{rows[0], rows[1], rows[1], rows[2], rows[3]}, nil), 3},
		"first taken out":        {bytes.Join(rows[1:], nil), 1},
		"first two taken out":    {bytes.Join(rows[2:], nil), 1},
		"torn":                   {good[:len(good)-5], 4},
		"no line end":            {good[:len(good)-1], 4},
		"blank line":             {bytes.Replace(good, rows[1], append([]byte("\n"), rows[1]...), 1), 2},
		"added":                  {append(bytes.Clone(good), "{}\n"...), 5},
		"a hash renewed":         {bytes.Replace(good, rows[1], forged(rows[1]), 1), 3},
		"last line taken out":    {bytes.Join(rows[:3], nil), 0},
		"last two taken out":     {bytes.Join(rows[:2], nil), 0},
		"all taken out":          {nil, 0},
		"of another session":     {[]byte(read(t, otherPath)), 1},
		"last line forged":       {bytes.Replace(good, rows[3], forged(bytes.Replace(rows[3], []byte(`"four"`), []byte(`"two"`), 1)), 1), 0},
		"a blank behind a comma": {bytes.Replace(good, []byte(`,"runId":"two"`), []byte(`, "runId":"two"`), 1), 2},
	} {
		if err := os.WriteFile(path, row.text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := VerifyAudit(path, hashes[1], hashes[3])
		fault, ok := errors.AsType[*AuditFault](err)
		if !ok || fault.Line != row.line {
			t.Errorf("%s: %v, want line %d", name, fault, row.line)
		}
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	verify(t, path, firstHash, hashes[1], hashes[3])
	if _, err := VerifyAudit(path, hashes[3], hashes[1]); err == nil {
		t.Error("hashes in another order than the log has them")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyAudit(path, hashes[3]); !errors.As(err, new(*AuditFault)) {
		t.Error("the file is gone though the log names its lines:", err)
	}
	if _, err := VerifyAudit(path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// other is a hash with its first digit changed.
func other(hash string) string {
	if hash[0] == 'f' {
		return "0" + hash[1:]
	}
	return "f" + hash[1:]
}

// forged changes a line and gives it a hash that fits.
func forged(line []byte) []byte {
	line = bytes.Replace(line, []byte(`"two"`), []byte(`"twx"`), 1)
	bare := hashMember().ReplaceAll(bytes.TrimSuffix(line, []byte("\n")), []byte("}"))
	return append(bytes.TrimSuffix(bare, []byte("}")), `,"hash":"`+hashText(string(bare))+"\"}\n"...)
}

// What a dead writer left of a line is set aside, and the chain goes on.
func TestAuditTornLine(t *testing.T) {
	a, path := newAudit(t)
	appendTo(t, a, entry("one"))
	appendTo(t, a, entry("two"))
	good := read(t, path)
	for _, cut := range []int{1, 5, 100} {
		torn := good[:len(good)-cut]
		write(t, path, torn)
		_ = os.Remove(path + ".torn")
		again, err := OpenAudit(nil, path)
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

func TestAuditConcurrentWriters(t *testing.T) {
	a, path := newAudit(t)
	b, err := OpenAudit(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, w := range []*Audit{a, b, a, b} {
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
	a, err := OpenAudit(nil, path)
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
	_, path := newAudit(t)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestAuditWriterProcess$", "-test.v")
			cmd.Env = append(os.Environ(), "AUDIT_TEST_PATH="+path)
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
	before, err := VerifyAudit(path)
	if fault, torn := errors.AsType[*AuditFault](err); err != nil && (!torn || fault.Reason != "the line is torn") {
		t.Fatal(err)
	}
	a, err := OpenAudit(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, a, entry("after"))
	if n := verify(t, path, a.Seal()); n != before+1 || n < 100 {
		t.Errorf("%d lines, then %d", before, n)
	}
}

// Every way in which the disk can refuse is an error, and nothing is left behind
// that would break the chain; afterwards it goes on.
func TestAuditThatCannotBeWritten(t *testing.T) {
	full := errors.New("no space left on device")
	for _, how := range []error{full, durable.Torn{Bytes: 40}} {
		for _, at := range []durable.Op{durable.OpOpen, durable.OpAppend} {
			disk := &durable.Disk{}
			path := AuditPath(t.TempDir(), "w-1", "s-1")
			a, err := OpenAudit(disk, path)
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
	if _, err := OpenAudit(disk, AuditPath(t.TempDir(), "w", "s")); !errors.Is(err, full) {
		t.Error(err)
	}
	a, path := newAudit(t)
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Append(AuditEntry{}); err == nil {
		t.Error("nothing was written, and nobody was told")
	}
	if _, err := (*Audit)(nil).Append(AuditEntry{}); err == nil || (*Audit)(nil).Seal() != firstHash {
		t.Error("an audit that could not be opened took a line")
	}
}
