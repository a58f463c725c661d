package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

var cleanings = []struct{ name, in, want string }{
	{"plain", "a\tb\nc", "a\tb\nc"},
	{"colours", "\x1b[1;31mred\x1b[0m plain", "red plain"},
	{"colon parameters", "\x1b[38:2::1:2:3mx", "x"},
	{"window title, BEL", "\x1b]0;title\x07text", "text"},
	{"link, ST", "\x1b]8;;https://x\x1b\\name\x1b]8;;\x1b\\", "name"},
	{"device string", "\x1bPq#0;2;0;0;0\x1b\\x", "x"},
	{"charset", "\x1b(Bx\x1b7y\x1b=z", "xyz"},
	{"C1 in UTF-8", "a\u009b31mb\u009d0;t\x07c\u0085d", "abcd"},
	{"unfinished title costs one line", "a\x1b]0;evil\nb", "a\nb"},
	{"unfinished CSI costs nothing more", "a\x1b[12\nb", "a\nb"},
	{"CSI broken by a character", "a\x1b[1éb", "aéb"},
	{"ESC ESC", "\x1b\x1b[1mx", "x"},
	{"escape at the end", "x\x1b[", "x"},
	{"CRLF", "a\r\nb\r\r\nc", "a\nb\nc"},
	{"progress", "0%\r50%\r100%\ndone", "100%\ndone"},
	{"progress with erasure", "0%\r\x1b[K50%\r\x1b[2K100%\r\n", "100%\n"},
	{"progress by column", "0%\x1b[G50%\x1b[1G\x1b[0K75%\x1b[0G\x1b[K100%\n", "100%\n"},
	{"another column is not the first", "a\x1b[11Gb\x1b[1;1Gc\x1b[?1Gd\x1b[2Ge", "abcde"},
	{"a link has no column", "a\x1b]8;;1G\x1b\\b", "ab"},
	{"progress stays at the end", "a\n10%\r20%\r", "a\n20%"},
	{"only its own line", "keep\nx\ry\nz", "keep\ny\nz"},
	{"overstrike", "N\bNA\bAM\bME\bE", "NAME"},
	{"backspace stops at the line", "a\n\b\bb", "a\nb"},
	{"backspace takes a character", "é\be", "e"},
	{"invalid bytes", "a\xff\xfe\xc3(b", "a\uFFFD\uFFFD\uFFFD(b"},
	{"a character cut off", "a\xe2\x82", "a\uFFFD"},
	{"surrogate half", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
	{"characters", "日本語 é 🙂\n", "日本語 é 🙂\n"},
	{"U+FFFD itself", "\uFFFD", "\uFFFD"},
	{"NUL separates", "a\x00b\x00\x00", "a\uFFFDb\uFFFD\uFFFD"},
	{"other controls", "a\x07\x0b\x0c\x0e\x0f\x7fb", "ab"},
}

// Every text is also given byte by byte, and in two parts at each place: the
// result may not depend on how reads cut it.
func TestClean(t *testing.T) {
	for _, row := range cleanings {
		for _, size := range []int{len(row.in), 1, 2, 3, 7} {
			var c Cleaner
			for rest := []byte(row.in); len(rest) > 0; {
				n := min(size, len(rest))
				c.Write(rest[:n])
				rest = rest[n:]
			}
			c.Close()
			if got := string(c.Text); got != row.want {
				t.Errorf("%s, %d bytes a read: got %q, want %q", row.name, size, got, row.want)
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, row := range cleanings {
		f.Add([]byte(row.in), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		clean := func(size int) string {
			var c Cleaner
			var got []byte
			for rest := bytes.Clone(in); len(rest) > 0; {
				n := min(size, len(rest))
				c.Write(rest[:n])
				rest = rest[n:]
				got = append(got, c.ready()...)
				c.drop()
			}
			c.Close()
			return string(append(got, c.Text...))
		}
		whole, parts := clean(len(in)+1), clean(max(1, size%100))
		if whole != parts {
			t.Fatalf("%q: %q at once, %q in parts", in, whole, parts)
		}
		for _, r := range whole {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0 {
				t.Fatalf("%q: control character %U", in, r)
			}
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("%q: invalid %q", in, whole)
		}
	})
}

func TestPlainRunFindsEverySpecialByteAtEveryPlace(t *testing.T) {
	for b := range 256 {
		plain := b >= 0x20 && b < 0x7F || b == '\n' || b == '\t'
		for at := range 20 {
			p := bytes.Repeat([]byte("x"), 20)
			p[at] = byte(b)
			want := at
			if plain {
				want = len(p)
			}
			if got := plainRun(p); got != want {
				t.Fatalf("byte %#x at %d: %d", b, at, got)
			}
		}
	}
}

func feed(k *outputtest.Kept, size int, text string) *Output {
	o := New(k)
	for text != "" {
		n := min(size, len(text))
		o.Write([]byte(text[:n]))
		text = text[n:]
	}
	return o
}

func TestSmallOutputIsTheResult(t *testing.T) {
	for _, row := range []struct{ in, note, want string }{
		{"hi\n", "", "hi\n"},
		{"hi", "(exit code 1)", "hi\n(exit code 1)"},
		{"hi\n", "(exit code 1)", "hi\n(exit code 1)"},
		{"", "(exit code 1)", "(exit code 1)"},
		{strings.Repeat("x", shownBytes), "", strings.Repeat("x", shownBytes)},
		{strings.Repeat("\n", shownLines), "", strings.Repeat("\n", shownLines)},
	} {
		k := &outputtest.Kept{}
		r := feed(k, 1000, row.in).Finish(row.note)
		if r.Text != row.want || r.Spilled != nil || len(k.Files) != 0 {
			t.Errorf("%.20q + %q: %.60q, %d files", row.in, row.note, r.Text, len(k.Files))
		}
	}
}

func TestLargeOutputGoesToTheFile(t *testing.T) {
	long := strings.Repeat("0123456789 é line of text\n", 20_000)
	for _, row := range []struct{ name, in, note string }{
		{"bytes", strings.Repeat("x", shownBytes+1), ""},
		{"lines", strings.Repeat("\n", shownLines+1), ""},
		{"a last line without newline", strings.Repeat("\n", shownLines) + "x", ""},
		{"only with its note", strings.Repeat("x", shownBytes), "(exit code 1)"},
		{"many lines", long, "(exit code 2)"},
		{"one giant line", strings.Repeat("é", 200_000), ""},
		{"between head and tail", strings.Repeat("0123456789\n", 4800), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			k := &outputtest.Kept{}
			r := feed(k, 10_007, row.in).Finish(row.note)
			s := r.Spilled
			if s == nil || r.Text != "" || len(k.Files) != 1 || k.Files[0].Closed != 1 {
				t.Fatalf("%+v, %d files", r, len(k.Files))
			}
			sum := sha256.Sum256([]byte(row.in))
			if k.Files[0].Text.String() != row.in || s.SHA256 != hex.EncodeToString(sum[:]) {
				t.Error("the file is not the output")
			}
			if s.Bytes != int64(len(row.in)) || s.Chars != int64(utf8.RuneCountInString(row.in)) ||
				s.Lines != int64(resultLines(row.in)) || s.Note != row.note || s.Capped {
				t.Errorf("%d bytes, %d characters, %d lines, %q", s.Bytes, s.Chars, s.Lines, s.Note)
			}
			if s.Artifact == nil || s.FullPath != "/artifacts/a1.txt" {
				t.Errorf("%+v", s)
			}
			if !strings.HasPrefix(row.in, s.Text+s.Head) || !strings.HasSuffix(row.in, s.Tail) || !utf8.ValidString(s.Head) || !utf8.ValidString(s.Tail) {
				t.Error("head or tail is not of the output")
			}
			switch shown := len(s.Text) + len(s.Head) + len(s.Tail); {
			case shown > len(row.in) || len(s.Head) > HeadBytes || len(s.Tail) > TailBytes:
				t.Errorf("head %d, tail %d of %d bytes", len(s.Head), len(s.Tail), len(row.in))
			case len(row.in) <= HeadBytes+TailBytes && shown != len(row.in):
				t.Errorf("nothing had to be left out: %d of %d", shown, len(row.in))
			}
		})
	}
	k := &outputtest.Kept{}
	s := feed(k, 4096, long).Finish("").Spilled
	if !strings.HasSuffix(s.Head, "\n") || !strings.HasPrefix(s.Tail, "0123456789") {
		t.Errorf("not whole lines: %q … %q", s.Head[len(s.Head)-20:], s.Tail[:20])
	}
}

func TestFileIsCapped(t *testing.T) {
	k := &outputtest.Kept{Mute: true}
	o := New(k)
	chunk := []byte(strings.Repeat("é", 1<<19))
	for range 101 {
		o.Write(chunk)
	}
	s := o.Finish("(exit code 1)").Spilled
	if !s.Capped || s.Bytes != 101<<20 || k.Files[0].Size != FileBytes || !strings.Contains(s.Note, "100 MiB") {
		t.Errorf("capped %v, %d bytes, %d in the file, %q", s.Capped, s.Bytes, k.Files[0].Size, s.Note)
	}
}

func TestFileThatCannotBeKept(t *testing.T) {
	in := strings.Repeat("0123456789\n", 100_000)
	k := &outputtest.Kept{Full: errors.New("read-only file system")}
	s := feed(k, 4096, in).Finish("").Spilled
	if s.Artifact != nil || !strings.Contains(s.Note, "could not be saved: read-only") || s.Head == "" || s.Tail == "" {
		t.Errorf("%+v", s)
	}
	k = &outputtest.Kept{Limit: 500_000}
	s = feed(k, 4096, in).Finish("").Spilled
	if s.Artifact == nil || !s.Capped || !strings.Contains(s.Note, "disk full") || s.Bytes != int64(len(in)) {
		t.Errorf("%+v", s)
	}
}

func TestLiveOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &outputtest.Kept{}
		o := New(k)
		shown := func() string {
			synctest.Wait()
			return strings.Join(k.Shown(), "|")
		}
		tick := func() string {
			<-time.After(LiveEvery + time.Millisecond)
			return shown()
		}
		fmt.Fprint(o, "compiling")
		if got := shown(); got != "" {
			t.Errorf("too early: %q", got)
		}
		if got := tick(); got != "compiling" {
			t.Errorf("an unfinished line: %q", got)
		}
		fmt.Fprint(o, " done\n")
		fmt.Fprint(o, "10%")
		if got := tick(); got != " done\n10%" {
			t.Errorf("its rest: %q", got)
		}
		fmt.Fprint(o, "\r20%")
		if got := tick(); got != "\n20%" {
			t.Errorf("a line drawn again: %q", got)
		}
		for range 50 {
			o.Write(bytes.Repeat([]byte("é"), 10_000))
		}
		if got := tick(); len(got) > LiveBytes || len(got) < LiveBytes/2 || !utf8.ValidString(got) {
			t.Errorf("a flood: %d bytes", len(got))
		}
		fmt.Fprint(o, "last")
		o.Finish("")
		if got := tick(); got != "" {
			t.Errorf("after the end: %q", got)
		}
	})
}

func BenchmarkOutput(b *testing.B) {
	for name, line := range map[string]string{
		"ascii": strings.Repeat("the quick brown fox jumps over the lazy dog 0123456789\n", 1)[:],
		"short": "y\n",
		"crlf":  "the quick brown fox\r\n",
		"cjk":   "日本語のテキストです\n",
		"nul":   "\x00",
		"noise": noise(4 << 10),
		"ansi":  "\x1b[32mok\x1b[0m package/name 0.1s\n",
	} {
		chunk := bytes.Repeat([]byte(line), 256<<10/len(line))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(chunk)))
			o := New(&outputtest.Kept{Mute: true})
			for b.Loop() {
				o.Write(chunk)
			}
		})
		b.Run(name+"/clean", func(b *testing.B) {
			b.SetBytes(int64(len(chunk)))
			var c Cleaner
			for b.Loop() {
				c.Write(chunk)
				c.ready()
				c.drop()
			}
		})
	}
}

// noise is what a binary file looks like.
func noise(n int) string {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(p)
	return string(p)
}

// chunkings are ways in which the same output can arrive: sizes of reads, the last
// one repeated.
var chunkings = [][]int{{1 << 30}, {PipeRead}, {64 << 10}, {4096}, {10_007}, {1}, {7}, {9_000, 1, 5_000}, {50_000, 3}, {HeadBytes, 1, TailBytes}, {HeadBytes - 1, 2, 1 << 30}}

// However reads cut an output, the result is the same; where head and tail meet it
// has all of it, else both ends, and the last line is never lost.
func TestReadsDoNotShowInTheResult(t *testing.T) {
	seq := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintln(&b, i+1)
		}
		return b.String()
	}
	long := strings.Repeat("x", heldLine)
	for name, in := range map[string]string{
		"at the limit of lines": seq(shownLines), "one line more": seq(shownLines + 1), "2101 lines": seq(2101), "3000 lines": seq(3000), "30000 lines": seq(30_000),
		"short lines and a word": strings.Repeat("ok\n", 2500) + "FAILED\n", "no last break": strings.Repeat("ok\n", 2500) + "FAILED",
		"at the limit of bytes": strings.Repeat("y", shownBytes), "one byte more": strings.Repeat("y", shownBytes+1),
		"head and tail meet": strings.Repeat("0123456\n", (HeadBytes+TailBytes)/8), "they do not": strings.Repeat("0123456\n", (HeadBytes+TailBytes)/8) + "!\n",
		"one line of characters": strings.Repeat("é", 60_000) + "END", "long lines": strings.Repeat(long+"\n", 3) + "END\n",
		"a long line drawn again": long + "yyy\rEND\n", "a long line taken back": strings.Repeat("é", heldLine/2) + "yyy\b\b\b\b\bEND\n",
		"a long line drawn twice": long + long + "y\rzz\r" + long + "yy\rEND\n", "bad bytes": strings.Repeat("\x00\xff", 40_000) + "\rEND", "only breaks": strings.Repeat("\n", 3000) + "END\n",
	} {
		for _, full := range []error{nil, errors.New("no room")} {
			var first tool.Result
			for i, sizes := range chunkings {
				o := New(&outputtest.Kept{Full: full})
				o.live.closed = true
				for rest := in; rest != ""; sizes = sizes[min(1, len(sizes)-1):] {
					n := min(sizes[0], len(rest))
					o.Write([]byte(rest[:n]))
					rest = rest[n:]
				}
				r := o.Finish("(a note)")
				if i == 0 {
					first = r
				}
				a, _ := json.Marshal(first)
				if b, _ := json.Marshal(r); !bytes.Equal(a, b) {
					t.Fatalf("%s, reads of %v: %d bytes of result and not %d", name, chunkings[i], len(b), len(a))
				}
			}
			if s := first.Spilled; s != nil {
				first.Text = s.Text + s.Tail
				if met := s.Bytes <= HeadBytes+TailBytes; (s.Text != "") != met || met && int64(len(s.Text)) != s.Bytes {
					t.Errorf("%s: %d bytes of %d", name, len(s.Text), s.Bytes)
				}
			}
			last := in[strings.LastIndexByte(strings.TrimSuffix(in, "\n"), '\n')+1:]
			if strings.Contains(last, "END") {
				last = "END"
			}
			if text := strings.TrimSuffix(strings.TrimSuffix(first.Text, "(a note)"), "\n"); !strings.HasSuffix(text, strings.TrimSuffix(last[max(0, len(last)-100):], "\n")) {
				t.Errorf("%s: the last line is missing: %q", name, text[max(0, len(text)-40):])
			}
		}
	}
}
