package truncation

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func lines(n int, text string) string { return strings.Repeat(text+"\n", n) }

func TestTruncateAtTheEdge(t *testing.T) {
	for name, row := range map[string]struct {
		text string
		cut  bool
	}{
		"n-1 lines": {lines(1999, "x"), false}, "n lines": {lines(2000, "x"), false}, "n+1 lines": {lines(2001, "x"), true},
		"n lines without the last break": {strings.TrimSuffix(lines(2000, "x"), "\n"), false},
		"n-1 bytes":                      {strings.Repeat("x", 51_199), false}, "n bytes": {strings.Repeat("x", 51_200), false}, "n+1 bytes": {strings.Repeat("x", 51_201), true},
		"empty": {"", false},
		// Each of these bytes is shown as the three of U+FFFD: what counts is what is shown.
		"n bytes of invalid UTF-8": {strings.Repeat("\xffa", 12_800), false}, "n+1 bytes of invalid UTF-8": {strings.Repeat("\xffa", 12_800) + "a", true},
		"n+1 bytes that are shown as three": {strings.Repeat("\xff", 51_201), true},
	} {
		shown, cut := Truncate(Output{Tool: "read", Text: row.text}, Limits{})
		if cut.Truncated != row.cut || Needs(row.text, Limits{}) != row.cut || !row.cut && shown != strings.ToValidUTF8(row.text, "\uFFFD") || row.cut && (len(shown) > 51_200 || !strings.Contains(shown, "omitted …")) {
			t.Errorf("%s: cut %v", name, cut)
		}
	}
}

// A bound that leaves no room for the wrapper counts as the least one wherever it is
// asked about.
func TestTruncateLeastBound(t *testing.T) {
	for n, whole := range map[int]bool{10: true, 2047: true, 2048: true, 2049: false} {
		text, lim := strings.Repeat("x", n), Limits{MaxBytes: 5}
		shown, cut := Truncate(Output{Tool: "read", Text: text}, lim)
		if Needs(text, lim) == whole || Fits(text, "", lim) != whole || cut.Truncated == whole || whole && shown != text || len(shown) > 2048 {
			t.Errorf("%d bytes: needs %v, fits %v, cut %v", n, Needs(text, lim), Fits(text, "", lim), cut.Truncated)
		}
	}
	if note := strings.Repeat("n", 1000); !Fits(strings.Repeat("x", 1000), note, Limits{MaxBytes: 5}) || Fits(strings.Repeat("x", 1047), note, Limits{MaxBytes: 5}) {
		t.Error("a note is weighed against the number as it is written")
	}
}

func TestTruncateWrapper(t *testing.T) {
	path := ".agent-output/s/1.txt"
	text := lines(30_000, "line")
	shown, cut := Truncate(Output{Tool: "bash", CallID: "c1", Text: text, ArtifactPath: &path, FullPath: "/v/" + path, SHA256: "ab", TaskAvailable: true, Note: "exit code 1"}, Limits{})
	if !strings.HasPrefix(shown, `{"_truncated":true,"reason":"tool_output_too_large","tool_name":"bash","tool_use_id":"c1","original_chars":150000,"original_bytes":150000,"original_lines":30000,"preview":"line\n`) {
		t.Error(shown[:200])
	}
	tail := `exit code 1","artifact_path":".agent-output/s/1.txt","full_path":"/v/.agent-output/s/1.txt","sha256":"ab","hint":"Full output (30000 lines, 150000 bytes) saved to .agent-output/s/1.txt. Do not read the whole file into the context: use task(agent=\"explore\", prompt=\"…\"), or grep and read with offset/limit, to extract and summarise only the relevant parts."}`
	if !strings.HasSuffix(shown, tail) {
		t.Error(shown[len(shown)-500:])
	}
	var w truncated
	if err := json.Unmarshal([]byte(shown), &w); err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(w.Preview, "… ")
	if !ok || CountLines(head) != 599 || CountLines(w.Preview) > 2001 {
		t.Errorf("head of %d lines, preview of %d", CountLines(head), CountLines(w.Preview))
	}
	if cut.OmittedLines != 30_000-1999 || !strings.HasPrefix(rest, "28001 lines (140005 bytes) omitted …\n") {
		t.Errorf("%+v %q", cut, rest[:40])
	}
}

func TestTruncateOneGiantLine(t *testing.T) {
	text := "BEGIN" + strings.Repeat("é", 100_000) + "END"
	for tool, share := range map[string]int{"bash": 30, "read": 80} {
		shown, _ := Truncate(Output{Tool: tool, Text: text}, Limits{})
		var w truncated
		if err := json.Unmarshal([]byte(shown), &w); err != nil || len(shown) > 51_200 || !utf8.ValidString(shown) {
			t.Fatal(err, len(shown))
		}
		head, tail, _ := strings.Cut(w.Preview, "\n… ")
		if !strings.HasPrefix(head, "BEGIN") || !strings.HasSuffix(tail, "END") {
			t.Error("head or tail is missing")
		}
		if got := 100 * len(head) / len(w.Preview); got < share-3 || got > share+3 {
			t.Errorf("%s: head is %d %%", tool, got)
		}
		if len(shown) < 45_000 {
			t.Errorf("only %d bytes of the room are used", len(shown))
		}
		if w.ArtifactPath != nil || !strings.Contains(shown, `"artifact_path":null`) || !strings.Contains(w.Hint, "could not be saved") {
			t.Error(w.Hint)
		}
	}
}

func TestTruncateSpilled(t *testing.T) {
	path := "a.txt"
	shown, cut := Truncate(Output{Tool: "bash", CallID: "c", Head: lines(100, "h"), Tail: lines(100, "t"), Bytes: 2 << 30, Chars: 2 << 30, Lines: 1 << 28, SHA256: "s", ArtifactPath: &path, FullPath: "/a.txt", Capped: true}, Limits{})
	var w truncated
	if err := json.Unmarshal([]byte(shown), &w); err != nil {
		t.Fatal(err)
	}
	if !w.Capped || w.OriginalBytes != 2<<30 || !strings.Contains(w.Preview, "omitted …\nt\n") || cut.OmittedLines != 1<<28-200 {
		t.Error(w.Preview, cut)
	}
	if w.Hint != "Full output (268435456 lines, 2147483648 bytes) saved to a.txt. Use grep, or read with offset/limit, on the relevant parts only." {
		t.Error(w.Hint)
	}
}

func FuzzTruncate(f *testing.F) {
	f.Add("a\nb\n", "bash", 10, 100, "note")
	f.Add(strings.Repeat("\x00\"\n", 3000), "read", 5, 3000, "")
	f.Add(strings.Repeat("日本\n", 900), "bash", 3, 2100, "")
	f.Add("\xff\xfe"+strings.Repeat("x", 5000), "grep", 0, 2048, "x")
	f.Add("\xff\xfe"+strings.Repeat("x", 2126), "grep", 0, 2128, "") // shown one byte longer than it came
	f.Fuzz(func(t *testing.T, text, tool string, maxLines, maxBytes int, note string) {
		if len(tool)+len(note) > 100 {
			return
		}
		lim := Limits{MaxLines: maxLines % 5000, MaxBytes: maxBytes % 100_000}
		shown, cut := Truncate(Output{Tool: tool, Text: text, Note: note}, lim)
		lim = lim.orDefault()
		if len(shown) > max(lim.MaxBytes, MinWrapperBytes) {
			t.Fatalf("%d bytes shown, %d allowed", len(shown), lim.MaxBytes)
		}
		if !cut.Truncated {
			if !strings.HasPrefix(shown, strings.ToValidUTF8(text, "\uFFFD")) {
				t.Fatal("shown text differs")
			}
			return
		}
		var w truncated
		if err := json.Unmarshal([]byte(shown), &w); err != nil {
			t.Fatal(err)
		}
		if w.OriginalBytes != int64(len(text)) || CountLines(w.Preview) > max(3, int64(lim.MaxLines))+1+CountLines(note) {
			t.Fatalf("%d lines of preview, %d allowed", CountLines(w.Preview), lim.MaxLines)
		}
		if cut.OmittedBytes == 0 && !strings.HasPrefix(w.Preview, strings.ToValidUTF8(text, "\uFFFD")) {
			t.Fatal("nothing omitted, yet text is missing")
		}
	})
}

// The tests take these from the code; here they are written a second time.
func TestTruncationNumbers(t *testing.T) {
	if DefaultMaxLines != 2000 || DefaultMaxBytes != 51_200 {
		t.Errorf("%d lines and %d bytes of a result reach the conversation", DefaultMaxLines, DefaultMaxBytes)
	}
}
