package textedit

import (
	"strings"
	"testing"
)

// Each row is one edit of a text. want is the new text, or after "!" a part of
// the error.
func TestSubstitute(t *testing.T) {
	for _, row := range []struct {
		name, text, old, new string
		all                  bool
		want                 string
	}{
		// exact
		{"word", "a b c", "b", "x", false, "a x c"},
		{"line", "a\nb\nc\n", "b\n", "x\ny\n", false, "a\nx\ny\nc\n"},
		{"delete", "a\nb\nc\n", "b\n", "", false, "a\nc\n"},
		{"whole", "a\n", "a\n", "b\n", false, "b\n"},
		{"across lines", "f(a,\n  b)\n", "a,\n  b", "c", false, "f(c)\n"},
		{"unicode", "größe = 1\n", "größe", "maß", false, "maß = 1\n"},
		{"invalid bytes stay", "a\xff b\n", "b", "c", false, "a\xff c\n"},
		{"dollar is plain", "cost\n", "cost", "$1", false, "$1\n"},
		{"to empty file", "a", "a", "", false, ""},
		{"at the start", "ab", "a", "x", false, "xb"},
		{"no final end added", "a\nb", "b", "c", false, "a\nc"},
		{"final end kept", "a\nb\n", "b\n", "c", false, "a\nc\n"},
		{"all", "a b a\n", "a", "x", true, "x b x\n"},
		{"all of overlapping", "aaa\n", "aa", "b", true, "ba\n"},
		{"all with one", "a b\n", "b", "x", true, "a x\n"},
		// errors
		{"twice", "a\nb\na\n", "a", "x", false, "!2 places"},
		{"twice names lines", "a\nb\na\n", "a", "x", false, "!line 1, 3"},
		{"overlapping is twice", "aaa", "aa", "x", false, "!2 places"},
		{"absent", "hello world\n", "zzzqqq", "x", false, "!nothing in it is alike"},
		{"near", "func a() {\n\treturn 1\n}\n", "func a() {\n\treturn 2\n}\n", "x", false, "!closest lines are 1-3"},
		{"near has numbers", "x\nfunc a() {\n\treturn 1\n}\n", "func a() {\n\treturn 2\n}\n", "x", false, "!  3: \treturn 1"},
		{"near by words", "one\nvar counter int\n", "var counter string", "x", false, "!2: var counter int"},
		{"empty old", "a", "", "x", false, "!old text is empty"},
		{"same", "a", "a", "a", false, "!are the same"},
		{"blank old needs exactness", "a\n\n\nb\n", "  \n", "x", false, "!not in the file"},
		{"similar is not enough", "colour := 1\n", "color := 1", "x := 1", false, "!not in the file"},
		{"case counts", "Foo\n", "foo", "bar", false, "!not in the file"},
		// line ends
		{"crlf file, lf old", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", false, "x\r\ny\r\nc\r\n"},
		{"crlf file, exact old, lf new", "a\r\nb\r\n", "b", "x\ny", false, "a\r\nx\r\ny\r\n"},
		{"lf file, crlf old and new", "a\nb\n", "a\r\nb\r\n", "x\r\ny\r\n", false, "x\ny\n"},
		{"never between CR and LF", "a\r\nb", "\nb", "\nc", false, "a\r\nc"},
		{"never between CR and LF, more lines", "a\r\nb", "\nb", "\nc\nd", false, "a\r\nc\r\nd"},
		{"never after a bare CR", "a\r\nb\r\n", "a\r", "x", false, "!not in the file"},
		{"mixed file keeps the rest", "a\r\nb\nc\n", "b", "x\ny", false, "a\r\nx\ny\nc\n"},
		{"crlf final end kept", "a\r\nb\r\n", "b\n", "c", false, "a\r\nc\r\n"},
		// trailing blanks
		{"blanks in the file", "if x {  \n\ty()\t\n}\n", "if x {\n\ty()\n}", "if z {\n\ty()\n}", false, "if z {\n\ty()\t\n}\n"},
		{"blanks in old", "a\nb\n", "a  \nb ", "c", false, "c\n"},
		{"blanks in old only at a line end", "foobar\n", "foo  ", "x", false, "!not in the file"},
		{"blank line with blanks", "a\n  \nb\n", "a\n\nb", "c", false, "c\n"},
		// indentation
		{"less indented", "\tif x {\n\t\ty()\n\t}\n", "if x {\n\ty()\n}\n", "if z {\n\ty()\n\tw()\n}\n", false, "\tif z {\n\t\ty()\n\t\tw()\n\t}\n"},
		{"more indented", "if x {\n  y\n}\n", "    if x {\n      y\n    }", "    if x {\n      z\n    }", false, "if x {\n  z\n}\n"},
		{"tabs for spaces in front", "\ta\n\tb\n", "    a\n    b\n", "    a\n    c\n", false, "\ta\n\tc\n"},
		{"indentation inside counts", "a\n\tb\n", "a\n\t\tb\n", "x", false, "!not in the file"},
		{"other units", "a\n\tb\n\t\tc\n", "a\n  b\n    c\n", "a\n  b\n    d\n      e\n", false, "a\n\tb\n\t\td\n\t\t\te\n"},
		{"two indented places", "\ta\n\tb\n\n\t\ta\n\t\tb\n", "  a\n  b\n", "x", false, "!2 places"},
		{"blank lines do not count", "\tf()\n\n\tg()\n", "f()\n\ng()\n", "f()\n\nh()\n", false, "\tf()\n\n\th()\n"},
		{"at the end without line end", "x\n\ta\n\tb", "a\nb", "a\nc", false, "x\n\ta\n\tc"},
		{"crlf and indentation", "\ta\r\n\tb\r\n", "  a\n  b\n", "  a\n  c\n", false, "\ta\r\n\tc\r\n"},
		// punctuation
		{"quotes", "say “hi” – now\n", `say "hi" - now`, `say "ho" - now`, false, "say \"ho\" - now\n"},
		{"untouched lines keep theirs", "it’s\nb\n", "it's\nb\n", "it's\nc\n", false, "it’s\nc\n"},
		{"ellipsis", "wait…\n", "wait...", "go", false, "go\n"},
		{"not inside an ellipsis", "wait…\n", "wait..", "go", false, "!not in the file"},
		{"no-break space", "a\u00a0b\n", "a b", "c", false, "c\n"},
		{"straight in the file", "it's\n", "it’s", "was", false, "was\n"},
		{"punctuation and indentation", "\tsay(“a”)\n\tb\n", "say(\"a\")\nb\n", "say(\"a\")\nc\n", false, "\tsay(“a”)\n\tc\n"},
		// escapes
		{"escaped newline", "a\nb\n", `a\nb`, `a\nc`, false, "a\nc\n"},
		{"escaped quote", "x = \"a\"\n", `x = \"a\"`, `x = \"b\"`, false, "x = \"b\"\n"},
		{"escapes in the file are exact", `s := "a\n"`, `a\n`, `b\n`, false, `s := "b\n"`},
		{"escaped backslash", `a\b` + "\n", `a\\b`, `a\\c`, false, `a\c` + "\n"},
		// the first rung with a match decides
		{"exact before forgiving", "a \nb\na\nb\n", "a\nb", "x", false, "a \nb\nx\n"},
		// placeholders
		{"placeholder", "a\n", "a", "// ... rest of code", false, "!placeholder"},
		{"placeholder hash", "a\n", "a", "x\n# ... existing code ...\ny", false, "!placeholder"},
		{"placeholder html", "a\n", "a", "<!-- rest of the file unchanged… -->", false, "!placeholder"},
		{"placeholder bare", "a\n", "a", "  ... remaining methods ...", false, "!placeholder"},
		{"placeholder in brackets", "a\n", "a", "[... other functions ...]", false, "!placeholder"},
		{"the file's own is no placeholder", "// ... rest of code\na\n", "// ... rest of code\na", "// ... rest of code\nb", false, "// ... rest of code\nb\n"},
		{"spread is no placeholder", "a\n", "a", "f(...rest)", false, "f(...rest)\n"},
		{"variadic is no placeholder", "a\n", "a", "append(x, other...)", false, "append(x, other...)\n"},
		{"prose is no placeholder", "a\n", "a", "// wait for the rest of the code to load", false, "// wait for the rest of the code to load\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := Substitute(row.text, row.old, row.new, row.all)
			if want, isErr := strings.CutPrefix(row.want, "!"); isErr {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Fatalf("got %q, %v; want error with %q", got, err, want)
				}
				return
			}
			if err != nil || got != row.want {
				t.Fatalf("got %q, %v; want %q", got, err, row.want)
			}
		})
	}
}

// Whatever is edited, what lies outside the match stays byte for byte, and an
// exact single match is exactly strings.Replace.
func FuzzSubstitute(f *testing.F) {
	f.Add("a\nb\n", "b", "c")
	f.Add("\ta\r\n\tb\r\n", "a\nb", "x")
	f.Add("it’s…", "it's...", "y")
	for _, m := range readMisses(f) {
		f.Add(m.text, m.old, m.new)
	}
	f.Fuzz(func(t *testing.T, text, old, new string) {
		holds(t, text, old, new)
		got, err := Substitute(text, old, new, false)
		if err != nil || strings.Count(text, old) != 1 || strings.Contains(text+old+new, "\r") {
			return
		}
		want := strings.Replace(text, old, new, 1)
		if got != want && got != want+"\n" {
			t.Fatalf("%q, %q → %q: got %q", text, old, new, got)
		}
	})
}
