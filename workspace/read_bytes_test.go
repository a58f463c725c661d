package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What is no plain UTF-8 is read as its author wrote it where that can be known,
// and the answer says what was done.
func TestReadOddBytes(t *testing.T) {
	bad := "; not valid UTF-8, the bytes that are not are shown as \uFFFD"
	western := "; not UTF-8, shown as Windows-1252"
	for name, row := range map[string]struct{ data, want string }{
		"UTF-8":                     {"größe 世界 🙂\n", "1: größe 世界 🙂\n(lines 1-1 of 1)"},
		"Latin-1":                   {"Stra\xdfe\nna\xefve caf\xe9\n", "1: Straße\n2: naïve café\n(lines 1-2 of 2" + western + ")"},
		"Windows-1252":              {"\x93quoted\x94 5 \x80\n", "1: “quoted” 5 €\n(lines 1-1 of 1" + western + ")"},
		"no such byte there":        {"a \x81 b \xe9 c\n", "1: a \uFFFD b é c\n(lines 1-1 of 1" + western + ")"},
		"GBK":                       {"\xc4\xe3\xba\xc3 ok\n", "1: \uFFFD ok\n(lines 1-1 of 1" + bad + ")"},
		"broken UTF-8":              {"größe \xff\n", "1: größe \uFFFD\n(lines 1-1 of 1" + bad + ")"},
		"cut in a character":        {"gro\xc3", "1: groÃ\n(lines 1-1 of 1" + western + ")"},
		"a late NUL":                {strings.Repeat("line\n", 2000) + "a\x00b\n", "2001: a␀b\n(lines 2001-2001 of 2001; NUL is shown as ␀)"},
		"carriage returns":          {"one\rtwo\rthree", "1: one\n2: two\n3: three\n(lines 1-3 of 3)"},
		"progress, and a line end":  {"10%\r20%\rdone\nnext\n", "1: 10%\r20%\rdone\n2: next\n(lines 1-2 of 2)"},
		"UTF-8 with its mark":       {"\xEF\xBB\xBFa\r\nb", "1: a\n2: b\n(lines 1-2 of 2)"},
		"only a mark":               {"\xEF\xBB\xBF", "f is empty"},
		"UTF-16 BE with its mark":   {"\xFE\xFF\x00h\x00i\x00\n", "1: hi\n(lines 1-1 of 1)"},
		"UTF-16 BE without":         {"\x00h\x00e\x00l\x00l\x00o\x00\n", "1: hello\n(lines 1-1 of 1)"},
		"UTF-16 LE without":         {"h\x00e\x00l\x00l\x00o\x00\n\x00", "1: hello\n(lines 1-1 of 1)"},
		"UTF-16, a lone surrogate":  {"\xFF\xFEa\x00\x00\xD8b\x00", "1: a\uFFFDb\n(lines 1-1 of 1)"},
		"UTF-16, an odd byte":       {"\xFF\xFEa\x00b", "1: a\n(lines 1-1 of 1)"},
		"UTF-16, only a mark":       {"\xFF\xFE", "f is empty"},
		"UTF-32":                    {"\xFF\xFE\x00\x00a\x00\x00\x00", "f: binary file, 8 bytes, text/plain"},
		"an SVG is text":            {"<svg xmlns=\"x\"/>\n", "1: <svg xmlns=\"x\"/>\n(lines 1-1 of 1)"},
		"text that begins as a GIF": {"GIF89a is a format\n", "1: GIF89a is a format\n(lines 1-1 of 1)"},
		"one more than 2,000":       {strings.Repeat("é", 2001) + "\n", "1: " + strings.Repeat("é", 2000) + "… (line cut; it has 4003 bytes)\n(lines 1-1 of 1)"},
		"2,000 characters":          {strings.Repeat("é", 2000) + "\n", "1: " + strings.Repeat("é", 2000) + "\n(lines 1-1 of 1)"},
		"one less":                  {strings.Repeat("é", 1999) + "\n", "1: " + strings.Repeat("é", 1999) + "\n(lines 1-1 of 1)"},
		"long, cut in a character":  {strings.Repeat("🙂", 3000) + "\n", "1: " + strings.Repeat("🙂", 2000) + "… (line cut; it has 12001 bytes)\n(lines 1-1 of 1)"},
	} {
		r := newRoom(t, map[string]string{"f": row.data})
		args := []any{"path", "f"}
		if name == "a late NUL" {
			args = append(args, "offset", 2001)
		}
		if res := r.run("read", args...); res.Text != row.want || res.Failed {
			t.Errorf("%s:\n%.300q\nwant\n%.300q", name, res.Text, row.want)
		}
	}
}

// A search numbers lines as read does.
func TestGrepNumbersLinesAsReadDoes(t *testing.T) {
	r := newRoom(t, map[string]string{"mac": "one\rtwo needle\rthree\r", "nul": strings.Repeat("line\n", 2000) + "a\x00needle\n"})
	r.want(r.run("grep", "pattern", "needle", "path", "mac"), false, "mac\n  2: two needle\n(1 matching line in 1 file)")
	r.want(r.run("grep", "pattern", "needle"), false, "mac\n  2: two needle\nnul\n  2001: a␀needle\n(2 matching lines in 2 files)")
}

func TestReadLimits(t *testing.T) {
	r := newRoom(t, map[string]string{"f": "a\nb\nc\n"})
	most := int(^uint(0) >> 1)
	r.want(r.run("read", "path", "f", "offset", 2, "limit", most), false, "2: b\n3: c\n(lines 2-3 of 3)")
	r.want(r.run("read", "path", "f", "offset", most), false, "f has only 3 lines; offset 9223372036854775807 is past its end")
	for lines, want := range map[int]string{
		1999: "(lines 1-1999 of 1999)", 2000: "(lines 1-2000 of 2000)", 2001: "(lines 1-2000 of 2001; next offset=2001)",
	} {
		r.put(map[string]string{"f": strings.Repeat("x\n", lines)})
		r.want(r.run("read", "path", "f"), false, want)
	}
	// The whole answer, at its edge: lines whose numbers and ends fill it.
	for size := 480; size < 520; size++ {
		r.put(map[string]string{"f": strings.Repeat(strings.Repeat("y", size)+"\n", 300)})
		if res := r.run("read", "path", "f"); len(res.Text) > readBytes || len(res.Text) < readBytes-2*size-trailerRoom {
			t.Errorf("lines of %d: %d bytes", size, len(res.Text))
		}
	}
	// Bytes that become three.
	r.put(map[string]string{"f": strings.Repeat(strings.Repeat("世\xff", 300)+"\n", 100)})
	if res := r.run("read", "path", "f"); len(res.Text) > readBytes || !strings.Contains(res.Text, "next offset=") {
		t.Errorf("%d bytes: …%q", len(res.Text), res.Text[max(0, len(res.Text)-100):])
	}
}

// Images and PDF go to the model as what they are, up to 5 MB.
func TestReadImages(t *testing.T) {
	heads := map[string]string{
		"image/png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/jpeg": "\xFF\xD8\xFF\xE0\x00\x10JFIF", "image/gif": "GIF89a\x01\x00\x01\x00",
		"image/webp": "RIFF\x24\x00\x00\x00WEBPVP8 ", "application/pdf": "%PDF-1.7\n",
	}
	for kind, head := range heads {
		r := newRoom(t, map[string]string{"wrong.txt": head})
		res := r.run("read", "path", "wrong.txt")
		if res.Text != fmt.Sprintf("wrong.txt: %s, %d bytes", kind, len(head)) || len(res.Parts) != 1 || res.Parts[0].MIME != kind || string(res.Parts[0].Data) != head {
			t.Errorf("%s: %q %v", kind, res.Text, len(res.Parts))
		}
		for _, size := range []int64{5<<20 - 1, 5 << 20, 5<<20 + 1} {
			if err := os.Truncate(filepath.Join(r.root, "wrong.txt"), size); err != nil {
				t.Fatal(err)
			}
			res := r.run("read", "path", "wrong.txt")
			if shown := len(res.Parts) == 1; shown != (size <= 5<<20) || shown && int64(len(res.Parts[0].Data)) != size {
				t.Errorf("%s of %d bytes: %q", kind, size, res.Text)
			} else if !shown {
				r.want(res, false, kind+", over the 5 MB that can be shown")
			}
		}
	}
	r := newRoom(t, map[string]string{"icon.png": "\x00\x00\x01\x00\x01\x00"})
	if res := r.run("read", "path", "icon.png"); res.Text != "icon.png: binary file, 6 bytes, image/x-icon" || len(res.Parts) != 0 {
		t.Error(res.Text)
	}
}

// A huge file costs a bounded time, wherever in it the page lies.
func TestReadHugeFile(t *testing.T) {
	r := newRoom(t, map[string]string{"zeros": "", "text": strings.Repeat(strings.Repeat("t", 99)+"\n", 100)})
	for _, name := range []string{"zeros", "text"} {
		if err := os.Truncate(filepath.Join(r.root, name), 10<<30); err != nil {
			t.Skip(err)
		}
	}
	r.want(r.run("read", "path", "zeros"), false, "zeros: binary file, 10737418240 bytes, application/octet-stream")
	r.want(r.run("read", "path", "text", "limit", 2), false, "2: "+strings.Repeat("t", 99)+"\n(lines 1-2 of more than 100; next offset=3)")
	r.want(r.run("read", "path", "text", "offset", 5000), false, "line 5000 of text lies behind its first 256 MB (100 lines), which is as far as read goes")
	// Nobody has seen all of it, so it does not count as read.
	d := newToolset(r.v, Owner{Session: "s"})
	at, err := r.v.Path("text")
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int64]int{readScan - 1: 1, readScan: 1, readScan + 1: 0} {
		clear(d.reads.hashes)
		if _, err := d.readFile(t.Context(), at, io.LimitReader(zeros{}, size), size, 1, 1); err != nil || len(d.reads.hashes) != want {
			t.Errorf("%d bytes: %d files count as read, %v", size, len(d.reads.hashes), err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, _ := r.plan("read", "path", "text")
	if _, err := p.Run(ctx, tool.Grant{}, nil); err == nil {
		t.Error("went on")
	}
}

// zeros is a file without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// Files that say they are empty and are not, and those that no one can read to
// the end.
func TestReadSpecialFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc and /dev")
	}
	r := newRoom(t, map[string]string{"x": ""})
	r.want(r.run("read", "path", "/proc/self/status"), false, "1: Name:", "(lines 1-")
	r.want(r.run("read", "path", "/dev/zero"), true, "/dev/zero: is a device, not a file")
	r.want(r.run("grep", "pattern", "^Name", "path", "/proc/self/status"), false, "  1: Name:")
}
