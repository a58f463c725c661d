package workspace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestRead(t *testing.T) {
	u16 := func(s string, bom bool) string {
		var b bytes.Buffer
		if bom {
			b.WriteString("\xFF\xFE")
		}
		for _, u := range utf16.Encode([]rune(s)) {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
		return b.String()
	}
	r := newRoom(t, map[string]string{
		"three": "a\nb\nc\n", "noend": "a\nb", "empty": "", "one": "\n", "crlf": "a\r\nb\r\n", "bom": "\xEF\xBB\xBFa\n",
		"long": strings.Repeat("é", 2500) + "\nx\n", "bin": "\x7fELF\x00\x01", "latin": "caf\xe9\n",
		"u16": u16("größe\nb\n", true), "u16plain": u16("some longer text\nb\n", false),
		"many": strings.Repeat("line\n", 5000), "wide": strings.Repeat(strings.Repeat("w", 1000)+"\n", 100),
		"png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + "rest", "d/x": "", "d/y/z": "", "Server.go": "x", "client.go": "x",
	})
	for _, row := range []struct {
		args []any
		fail bool
		want string
	}{
		{[]any{"path", "three"}, false, "1: a\n2: b\n3: c\n(lines 1-3 of 3)"},
		{[]any{"path", "three", "offset", 2}, false, "2: b\n3: c\n(lines 2-3 of 3)"},
		{[]any{"path", "three", "limit", 1}, false, "1: a\n(lines 1-1 of 3; next offset=2)"},
		{[]any{"path", "three", "offset", 2, "limit", 1}, false, "2: b\n(lines 2-2 of 3; next offset=3)"},
		{[]any{"path", "three", "offset", 4}, false, "three has only 3 lines; offset 4 is past its end"},
		{[]any{"path", "noend"}, false, "1: a\n2: b\n(lines 1-2 of 2)"},
		{[]any{"path", "empty"}, false, "empty is empty"},
		{[]any{"path", "one"}, false, "1: \n(lines 1-1 of 1)"},
		{[]any{"path", "crlf"}, false, "1: a\n2: b\n(lines 1-2 of 2)"},
		{[]any{"path", "bom"}, false, "1: a\n(lines 1-1 of 1)"},
		{[]any{"path", "latin"}, false, "1: café\n(lines 1-1 of 1; not UTF-8, shown as Windows-1252)"},
		{[]any{"path", "u16"}, false, "1: größe\n2: b\n(lines 1-2 of 2)"},
		{[]any{"path", "u16plain"}, false, "1: some longer text\n2: b\n(lines 1-2 of 2)"},
		{[]any{"path", "bin"}, false, "bin: binary file, 6 bytes, application/octet-stream"},
		{[]any{"path", "png"}, false, "png: image/png, 20 bytes"},
		{[]any{"path", "d"}, false, "x\ny/"},
		{[]any{"path", "server.go"}, true, "server.go does not exist; similar: Server.go"},
		{[]any{"path", "server.ts"}, true, "server.ts does not exist; similar: Server.go"},
		{[]any{"path", "nothing/like/it"}, true, "nothing/like/it does not exist"},
		{[]any{"path", "three", "offset", -1}, true, "lines are counted from 1"},
		{[]any{"path", "three", "limit", -1}, true, "must be positive"},
	} {
		if res := r.run("read", row.args...); res.Text != row.want && !(row.fail && strings.Contains(res.Text, row.want)) || res.Failed != row.fail {
			t.Errorf("%v: failed %v\n%s", row.args, res.Failed, res.Text)
		}
	}
	if res := r.run("read", "path", "png"); len(res.Parts) != 1 || res.Parts[0].MIME != "image/png" || len(res.Parts[0].Data) != 20 {
		t.Errorf("image: %+v", res.Parts)
	}
	res := r.run("read", "path", "long")
	r.want(res, false, strings.Repeat("é", 2000)+"… (line cut; it has 5001 bytes)\n2: x", "!"+strings.Repeat("é", 2001))
	r.want(r.run("read", "path", "many"), false, "(lines 1-2000 of 5000; next offset=2001)")
	for limit, last := range map[int]int{1999: 1999, 2000: 2000, 2001: 2000} {
		r.want(r.run("read", "path", "many", "limit", limit), false, fmt.Sprintf("(lines 1-%d of 5000; next offset=%d)", last, last+1))
	}
	res = r.run("read", "path", "wide")
	r.want(res, false, "(lines 1-50 of 100; next offset=51)")
	if len(res.Text) > 51200 || len(res.Text) < 50000 {
		t.Errorf("%d bytes", len(res.Text))
	}
}

// Reading goes on where the trailer says, and gives every line once.
func TestReadPages(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "%s%d\n", strings.Repeat("x", i%700), i)
	}
	r := newRoom(t, map[string]string{"f": b.String()})
	var got strings.Builder
	for offset := 1; offset != 0; {
		res := r.run("read", "path", "f", "offset", offset)
		if len(res.Text) > 51200 {
			t.Fatal(len(res.Text))
		}
		offset = 0
		for l := range strings.SplitSeq(res.Text, "\n") {
			if strings.HasPrefix(l, "(") {
				if i := strings.Index(l, "next offset="); i >= 0 {
					fmt.Sscanf(l[i:], "next offset=%d", &offset)
				}
			} else if _, text, ok := strings.Cut(l, ": "); ok {
				got.WriteString(text + "\n")
			}
		}
	}
	if got.String() != b.String() {
		t.Error("lines were lost or repeated")
	}
}

func TestLs(t *testing.T) {
	r := newRoom(t, map[string]string{
		".gitignore": "ignored\n*.log\n", "a.go": "", "ignored/x": "", "b.log": "", "d/e/f/g": "", "d/z": "", ".git/HEAD": "", "link": "-> a.go",
		".agentignore": "private\n", "private/x": "", "empty/": "",
	})
	r.sensitive(func(o string) bool { return strings.Contains(o, ".env") })
	r.put(map[string]string{".env": "", "env": "-> .env"})
	for _, row := range []struct {
		args []any
		fail bool
		want string
	}{
		{nil, false, ".agentignore\n.gitignore\na.go\nd/\nempty/\nlink -> a.go\n(3 ignored, shown with all; 2 sensitive files skipped)"},
		{[]any{"depth", 2}, false, "d/\n  e/\n  z\nempty/"},
		{[]any{"depth", 3, "path", "d"}, false, "e/\n  f/\n    g\nz"},
		{[]any{"all", true}, false, ".git/"},
		{[]any{"path", "ignored"}, false, "x"},
		{[]any{"path", "empty"}, false, "(nothing to show)"},
		{[]any{"path", "a.go"}, true, "a.go: is not a directory; use read"},
		{[]any{"path", "aa.go"}, true, "aa.go does not exist; similar: a.go"},
		{[]any{"path", "private"}, true, "hidden from tools by .agentignore"},
		{[]any{"depth", 4}, true, `argument "depth" must be 1, 2 or 3`},
	} {
		r.want(r.run("ls", row.args...), row.fail, row.want, "!private/x", "!.env\n")
	}
	for i := range 1200 {
		os.WriteFile(filepath.Join(r.root, "empty", fmt.Sprint("f", i)), nil, 0o644)
	}
	res := r.run("ls", "path", "empty")
	r.want(res, false, "(only the first 1000 entries")
	if n := strings.Count(res.Text, "\n"); n != 1000 {
		t.Errorf("%d entries", n)
	}
}

func TestAgentIgnoreOnlyNarrows(t *testing.T) {
	r := newRoom(t, map[string]string{
		".gitignore": "*.log\n", ".agentignore": "secret/\n!*.log\n*.key\n", "a.log": "needle\n", "secret/f": "needle\n", "sub/x.key": "needle\n", "b": "needle\n",
		"sub/.agentignore": "!x.key\nhid\n", "sub/hid": "needle\n", "mixed/p.key": "",
	})
	r.want(r.run("grep", "pattern", "needle"), false, "b\n  1: needle", "!a.log", "!secret", "!hid")
	for _, call := range [][]any{
		{"read", "path", "secret/f"}, {"write", "path", "secret/new", "content", "x"}, {"ls", "path", "secret"}, {"grep", "path", "secret/f", "pattern", "n"},
		{"delete", "path", "secret/f"}, {"move", "from", "b", "to", "secret/b"}, {"read", "path", "mixed/p.key"}, {"read", "path", "sub/hid"},
		{"delete", "path", "mixed", "recursive", true},
	} {
		r.want(r.run(call[0].(string), call[1:]...), true, "hidden from tools by .agentignore")
	}
}
