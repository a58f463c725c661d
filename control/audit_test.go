package control

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func newAudit(t *testing.T) (*Audit, string) {
	t.Helper()
	path := AuditPath(t.TempDir(), "w-1", "s-1")
	a, err := OpenAudit(path)
	if err != nil {
		t.Fatal(err)
	}
	return a, path
}

func appendTo(t *testing.T, a *Audit, e AuditEntry) string {
	t.Helper()
	hash, err := a.Append(e)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestAuditLine(t *testing.T) {
	a, path := newAudit(t)
	if a.Last() != firstHash {
		t.Error(a.Last())
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
}

func TestAuditChainOverRestartAndRotation(t *testing.T) {
	a, path := newAudit(t)
	for range 3 {
		appendTo(t, a, AuditEntry{SessionID: "s-1"})
	}
	// Fill the file so that the next line rotates.
	big := AuditEntry{SessionID: strings.Repeat("x", 4<<20)}
	appendTo(t, a, big)
	appendTo(t, a, big)
	appendTo(t, a, big)
	again, err := OpenAudit(path)
	if err != nil || again.Last() != a.Last() {
		t.Fatal(err, "the chain is lost over a restart")
	}
	appendTo(t, again, AuditEntry{SessionID: "s-1"})
	appendTo(t, a, AuditEntry{SessionID: "s-1"}) // two writers of one file
	if err := VerifyAudit(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Fatal("not rotated")
	}
}

func TestAuditVerifyNamesTheFirstBadLine(t *testing.T) {
	a, path := newAudit(t)
	for _, id := range []string{"one", "two", "three", "four"} {
		appendTo(t, a, AuditEntry{SessionID: id})
	}
	good, _ := os.ReadFile(path)
	rows := bytes.SplitAfter(good, []byte("\n"))
	for name, row := range map[string]struct {
		text []byte
		line int
	}{
		"changed":         {bytes.Replace(good, []byte(`"two"`), []byte(`"twx"`), 1), 2},
		"taken out":       {bytes.Join([][]byte{rows[0], rows[2], rows[3]}, nil), 2},
		"swapped":         {bytes.Join([][]byte{rows[0], rows[2], rows[1], rows[3]}, nil), 2},
		"first taken out": {bytes.Join(rows[1:], nil), 1},
		"torn":            {good[:len(good)-5], 4},
		"added":           {append(bytes.Clone(good), "{}\n"...), 5},
		"a hash renewed":  {bytes.Replace(good, rows[1], forged(rows[1]), 1), 3},
	} {
		if err := os.WriteFile(path, row.text, 0o600); err != nil {
			t.Fatal(err)
		}
		fault, ok := errors.AsType[*AuditFault](VerifyAudit(path))
		if !ok || fault.Line != row.line {
			t.Errorf("%s: %v, want line %d", name, fault, row.line)
		}
	}
	// A line that follows a torn one is still readable by itself.
	if err := os.WriteFile(path, good[:len(good)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	appendTo(t, a, AuditEntry{SessionID: "five"})
	text, _ := os.ReadFile(path)
	if bytes.Count(text, []byte("\n")) != 5 || !bytes.HasSuffix(text, []byte("}\n")) {
		t.Errorf("%s", text)
	}
}

// forged changes a line and gives it a hash that fits.
func forged(line []byte) []byte {
	line = bytes.Replace(line, []byte(`"two"`), []byte(`"twx"`), 1)
	bare := hashMember().ReplaceAll(bytes.TrimSuffix(line, []byte("\n")), []byte("}"))
	return append(bytes.TrimSuffix(bare, []byte("}")), `,"hash":"`+hashText(string(bare))+"\"}\n"...)
}

func TestAuditConcurrentWriters(t *testing.T) {
	a, path := newAudit(t)
	b, err := OpenAudit(path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, w := range []*Audit{a, b, a, b} {
		wg.Go(func() {
			for range 10 {
				if _, err := w.Append(AuditEntry{SessionID: "s"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := VerifyAudit(path); err != nil {
		t.Error(err)
	}
}

func TestAuditThatCannotBeWrittenIsAnError(t *testing.T) {
	a, path := newAudit(t)
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Append(AuditEntry{}); err == nil {
		t.Error("nothing was written, and nobody was told")
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"token ghp_0123456789abcdefghijABCDEFGHIJ456789 x":                    "token «secret:ghp» x",
		"AKIAIOSFODNN7EXAMPLE":                                                "«secret:aws»",
		"git clone https://me:hunter2@host/x":                                 "git clone https://«secret:url»@host/x",
		"sk-short and task-abcdefghijklmnopqrstuvwxyz":                        "sk-short and task-abcdefghijklmnopqrstuvwxyz",
		"-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY----- y": "«secret:pem» y",
	} {
		if got := Redact(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
