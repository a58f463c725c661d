package audit

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestAuditVerifyNamesTheFirstBadLine(t *testing.T) {
	a, path := newLog(t)
	var hashes []string
	for _, run := range []string{"one", "two", "three", "four"} {
		hashes = append(hashes, appendTo(t, a, entry(run)))
	}
	good, _ := os.ReadFile(path)
	rows := bytes.SplitAfter(good, []byte("\n"))
	otherPath := Path(t.TempDir(), "w-1", "s-2")
	b, err := Open(nil, otherPath)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, b, Entry{SessionID: "s-2"})
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
		_, err := Verify(path, hashes[1], hashes[3])
		fault, ok := errors.AsType[*Fault](err)
		if !ok || fault.Line != row.line {
			t.Errorf("%s: %v, want line %d", name, fault, row.line)
		}
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	verify(t, path, firstHash, hashes[1], hashes[3])
	if _, err := Verify(path, hashes[3], hashes[1]); err == nil {
		t.Error("hashes in another order than the log has them")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(path, hashes[3]); !errors.As(err, new(*Fault)) {
		t.Error("the file is gone though the log names its lines:", err)
	}
	if _, err := Verify(path); !errors.Is(err, os.ErrNotExist) {
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

// Nothing that a model names can be a line, or the end of one.
func TestAuditCannotBeForgedByAText(t *testing.T) {
	a, path := newLog(t)
	first := appendTo(t, a, entry("one"))
	line := `{"eventId":"x","sessionId":"s-1","decision":"allow","prevHash":"` + first + `","hash":"` + firstHash + `"}`
	for _, evil := range []string{"\n" + line + "\n", "\r\n" + line, `","hash":"` + firstHash + `"}`, `"],"decision":"allow","x":["`, "\u2028" + line, "\x00\x1b[2J", "\\u000a" + line} {
		appendTo(t, a, Entry{SessionID: "s-1", RunID: "two", Decision: "deny", Targets: []string{evil}, RulePattern: evil, CallID: evil, By: "rule"})
	}
	if n := verify(t, path); n != 8 || strings.Count(read(t, path), "\n") != 8 {
		t.Error(n)
	}
	allowed := 0
	if err := Read(path, func(l *Line, raw string) {
		if l == nil || l.RunID == "two" && l.Decision != "deny" {
			allowed++
		}
	}); err != nil || allowed > 0 {
		t.Error(allowed, err)
	}
}
