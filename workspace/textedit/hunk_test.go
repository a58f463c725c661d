package textedit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/workspace/patch"
)

const three = "func a() {\n\treturn 1\n}\n\nfunc b() {\n\treturn 1\n}\n\nfunc c() {\n\treturn 1\n}\n"

const env = "*** Begin Patch\n%s*** End Patch\n"

// Each row is a text, the hunks of a patch of it and the text behind them, or
// after "!" a part of the error.
func TestApply(t *testing.T) {
	for _, row := range []struct{ name, text, hunks, want string }{
		{"one line", "a\nb\nc\n", "@@\n-b\n+x\n", "a\nx\nc\n"},
		{"context", "a\nb\nc\n", " a\n-b\n+x\n c\n", "a\nx\nc\n"},
		{"add", "a\nb\n", " a\n+x\n+y\n", "a\nx\ny\nb\n"},
		{"add in front", "a\nb\n", "+x\n a\n", "x\na\nb\n"},
		{"remove", "a\nb\nc\n", "-b\n", "a\nc\n"},
		{"remove all", "a\nb\n", "-a\n-b\n", ""},
		{"two hunks", "a\nb\nc\nd\n", "@@\n-a\n+x\n@@\n-d\n+y\n", "x\nb\nc\ny\n"},
		{"two hunks in another order", "a\nb\nc\nd\n", "@@\n-d\n+y\n@@\n-a\n+x\n", "x\nb\nc\ny\n"},
		{"hunks that share context", "a\nb\nc\n", "@@\n-a\n+x\n b\n@@\n b\n-c\n+y\n", "x\nb\ny\n"},
		{"two additions in one place", "a\nb\n", "@@\n a\n+x\n@@\n+y\n b\n", "a\nx\ny\nb\n"},
		{"whole lines only", "foobar\nfoo\n", "-foo\n+x\n", "foobar\nx\n"},
		{"not a part of a line", "foobar\n", "-foo\n+x\n", "!does not fit: its old lines are not in the file"},
		{"same lines changed twice", "a\nb\nc\n", "@@\n-b\n+x\n@@\n-b\n-c\n+y\n", "!hunks 1 and 2 change the same lines"},
		{"the second needs the first", "a\nb\n", "@@\n-a\n+x\n@@\n x\n-b\n+y\n", "!hunk 2 (line 6 of the patch) does not fit"},
		{"both wrong", "a\nb\n", "@@\n-q\n+x\n@@\n-r\n+y\n", "!hunk 1 (line 3 of the patch) does not fit"},
		{"both wrong, the second", "a\nb\n", "@@\n-q\n+x\n@@\n-r\n+y\n", "!hunk 2 (line 6 of the patch)"},
		{"the closest lines", "x\nfunc f() {\n\treturn 1\n}\n", " func f() {\n-\treturn 2\n+\treturn 3\n }\n", "!The closest lines are 2-4"},
		{"made before", "alpha\nnew line of text\nomega\n", " alpha\n-old line of text\n+new line of text\n omega\n", "!stands there already, from line 1 on"},
		{"line numbers of read", "a\nb\nc\n", " 1: a\n-2: b\n+2: x\n", "!line numbers that read puts in front"},
		{"placeholder", "a\n", " a\n+// ... rest of code\n", "!placeholder"},
		{"nothing but line ends", "a\n", "-a\n+a\n", "a\n"},

		// several places
		{"two places", "a\nb\na\nb\n", " a\n-b\n+x\n", "!fits 2 places, from line 1, 3 on"},
		{"header chooses", three, "@@ func b() {\n-\treturn 1\n+\treturn 2\n", strings.Replace(three, "b() {\n\treturn 1", "b() {\n\treturn 2", 1)},
		{"header without its end chooses", three, "@@ func b()\n-\treturn 1\n+\treturn 2\n", strings.Replace(three, "b() {\n\treturn 1", "b() {\n\treturn 2", 1)},
		{"the last header chooses", three, "@@ func c() {\n-\treturn 1\n+\treturn 2\n", strings.Replace(three, "c() {\n\treturn 1", "c() {\n\treturn 2", 1)},
		{"half a word is no header", three, "@@ fun\n-\treturn 1\n+\treturn 2\n", "!has the header \"fun\", which is no line of the file"},
		{"header that is not there", three, "@@ func d() {\n-\treturn 1\n+\treturn 2\n", "!header \"func d() {\""},
		{"header that is not there, one place", "a\nb\n", "@@ func d() {\n-b\n+x\n", "!header \"func d() {\""},
		{"header below the only place", "a()\nfunc b() {\n}\n", "@@ func b() {\n-a()\n+x()\n", "!does not fit below its header \"func b() {\"; its lines stand at line 1"},
		{"the place is in the next function", "func a() {\n\tx\n}\nfunc b() {\n\ty\n}\n", "@@ func a() {\n-\ty\n+\tz\n", "!does not fit below its header \"func a() {\""},
		{"header in several places", "func a() {\n\tx\n}\nfunc a() {\n\tx\n}\n", "@@ func a() {\n-\tx\n+\tz\n", "!fits 2 places"},
		{"header, and two places in it", "func a() {\n\tx\n\tx\n}\n", "@@ func a() {\n-\tx\n+\tz\n", "!fits 2 places"},
		{"headers in headers", "class A:\n    def f(self):\n        x\nclass B:\n    def f(self):\n        x\nclass C:\n    def f(self):\n        x\n", "@@ class B:\n@@ def f(self):\n-        x\n+        y\n",
			"class A:\n    def f(self):\n        x\nclass B:\n    def f(self):\n        y\nclass C:\n    def f(self):\n        x\n"},
		{"chapters of a text", "# A\ntext\n# B\ntext\n# C\ntext\n", "@@ # B\n-text\n+more\n", "# A\ntext\n# B\nmore\n# C\ntext\n"},
		{"header is the first line too", three, "@@ func b() {\n func b() {\n-\treturn 1\n+\treturn 2\n", strings.Replace(three, "b() {\n\treturn 1", "b() {\n\treturn 2", 1)},
		{"between this function and the next", "func a() {\n}\n\nfunc b() {\n}\n", "@@ func a() {\n }\n \n+func x() {}\n func b() {\n", "func a() {\n}\n\nfunc x() {}\nfunc b() {\n}\n"},
		{"a header does not loosen", "func a() {\n\tx  \n}\nfunc b() {\n\tx\t\n}\n", "@@ func b() {\n-\tx\n+\ty\n", "!fits 2 places"},
		{"end of file chooses", "a\nb\na\nb\n", " a\n-b\n+x\n*** End of File\n", "a\nb\na\nx\n"},
		{"end of file that is none", "a\nb\nc\n", " a\n-b\n+x\n*** End of File\n", "!should be at the end of the file, but its lines stand at line 1"},
		{"line number chooses", three, "@@ -6,1 +6,1 @@\n-\treturn 1\n+\treturn 2\n", strings.Replace(three, "b() {\n\treturn 1", "b() {\n\treturn 2", 1)},
		{"line number with wrong lengths", three, "@@ -6,3 +6,3 @@\n-\treturn 1\n+\treturn 2\n", "!fits 3 places"},
		{"line number a little off", three, "@@ -5,1 +5,1 @@\n-\treturn 1\n+\treturn 2\n", "!fits 3 places"},
		{"line number of nobody who counts", "a\nb\na\n", "@@ -1,1 +1,1 @@\n-a\n+x\n", "!fits 2 places"},
		{"line number that another hunk belies", "top\n" + three, "@@ -1,1 +1,1 @@\n-func a() {\n+func z() {\n@@ -7,1 +7,1 @@\n-\treturn 1\n+\treturn 2\n", "!fits 3 places"},
		{"line number does not loosen", "a \nb\na \n", "@@ -3,1 +3,1 @@\n-a\n+x\n", "!fits 2 places"},
		{"a wrong line number of the only place", "a\nb\nc\n", "@@ -40,1 +40,1 @@\n-b\n+x\n", "a\nx\nc\n"},
		{"heading of git chooses", three, "@@ -99,1 +99,1 @@ func b() {\n-\treturn 1\n+\treturn 2\n", strings.Replace(three, "b() {\n\treturn 1", "b() {\n\treturn 2", 1)},
		{"heading of git that is not there", "a\nb\n", "@@ -1,1 +1,1 @@ func z() {\n-b\n+x\n", "a\nx\n"},

		// what is forgiven
		{"crlf", "a\r\nb\r\nc\r\n", " a\n-b\n+x\n+y\n", "a\r\nx\r\ny\r\nc\r\n"},
		{"lf", "a\nb\nc\n", " a\r\n-b\r\n+x\n+y\n c\n", "a\nx\ny\nc\n"},
		{"trailing blanks stay where nothing changes", "a  \nb\t\nc \n", " a\n-b\n+x\n c\n", "a  \nx\nc \n"},
		{"indentation", "\tif x {\n\t\ty()\n\t}\n", " if x {\n-\ty()\n+\tz()\n+\tw()\n }\n", "\tif x {\n\t\tz()\n\t\tw()\n\t}\n"},
		{"other units of indentation", "\tif x {\n\t\ty()\n\t}\n", "     if x {\n-        y()\n+        z()\n+            w()\n     }\n", "\tif x {\n\t\tz()\n\t\t\tw()\n\t}\n"},
		{"indentation inside counts", "\tif x {\n\t\ty()\n\t}\n", " if x {\n-y()\n+z()\n }\n", "!does not fit"},
		{"quotes", "say(“a”)\nb\nc\n", " say(\"a\")\n-b\n+x\n", "say(“a”)\nx\nc\n"},
		{"escapes", "x = \"a\"\n", "-x = \\\"a\\\"\n+x = \\\"b\\\"\n", "x = \"b\"\n"},
		{"exact before forgiving", "a \nb\n\na\nb\n", " a\n-b\n+x\n", "a \nb\n\na\nx\n"},
		{"empty lines that only look nice", "a\nb\n", "@@\n-a\n+x\n\n@@\n-b\n+y\n", "x\ny\n"},
		{"empty lines that only look nice lead nowhere else", "a\nb\n\n  a\n\n", "-a\n+x\n\n@@\n-b\n+y\n", "x\ny\n\n  a\n\n"},
		{"empty line at the end that is there", "a\n\na\nb\n", " a\n+x\n\n@@\n-b\n+c\n", "a\nx\n\na\nc\n"},

		// the end of the file
		{"no final end stays", "a\nb", " a\n-b\n+x\n", "a\nx"},
		{"behind a last line without an end", "a\nb", " b\n+x\n", "a\nb\nx"},
		{"before a last line without an end", "a\nb", "+x\n b\n", "a\nx\nb"},
		{"only a line that stays without an end", "a\nb", "-a\n+x\n b\n", "x\nb"},
		{"final end stays", "a\nb\n", " a\n-b\n+x\n", "a\nx\n"},
		{"into an empty file", "", "+a\n+b\n", "a\nb\n"},
		{"at the end", "a\n", "+b\n*** End of File\n", "a\nb\n"},
		{"at an end without a line end", "a", "+b\n*** End of File\n", "a\nb"},
		{"nowhere", "a\n", "@@\n+b\n", "!only adds lines and does not say where"},
		{"nowhere, with a header", "a\n", "@@ a\n+b\n", "!only adds lines and does not say where"},
		{"only blank lines", "a\n\nb\n", " \n+x\n", "a\n\nx\nb\n"},
		{"blank lines in two places", "a\n\nb\n\n", " \n+x\n", "!fits 2 places"},
	} {
		t.Run(row.name, func(t *testing.T) {
			files, err := patch.Parse(fmt.Sprintf(env, "*** Update File: f\n"+row.hunks))
			if err != nil {
				t.Fatal(err)
			}
			checkApply(t, files[0], row.text, row.want)
		})
	}
}

// The markers of a unified diff say what the file ends with.
func TestApplyFinalEnd(t *testing.T) {
	const no = "\\ No newline at end of file\n"
	for _, row := range []struct{ name, text, hunk, want string }{
		{"gets one", "a\nb", "-b\n" + no + "+x\n", "a\nx\n"},
		{"gets one, same line", "a\nb", "-b\n" + no + "+b\n", "a\nb\n"},
		{"gets one with a line", "a\nb", "-b\n" + no + "+b\n+c\n", "a\nb\nc\n"},
		{"loses it", "a\nb\n", "-b\n+x\n" + no, "a\nx"},
		{"loses it, same line", "a\nb\n", "-b\n+b\n" + no, "a\nb"},
		{"loses it with CRLF", "a\r\nb\r\n", "-b\n+x\n" + no, "a\r\nx"},
		{"keeps none", "a\nb", "-b\n" + no + "+x\n" + no, "a\nx"},
		{"not at the end", "a\nb\nc\n", "-b\n" + no + "+x\n" + no, "!should be at the end of the file"},
		{"the marker chooses", "b\na\nb", "-b\n" + no + "+x\n" + no, "b\na\nx"},
	} {
		t.Run(row.name, func(t *testing.T) {
			files, err := patch.Parse("--- a/f\n+++ b/f\n@@\n" + row.hunk)
			if err != nil {
				t.Fatal(err)
			}
			checkApply(t, files[0], row.text, row.want)
		})
	}
}

func checkApply(t *testing.T, f patch.File, text, want string) {
	t.Helper()
	got, err := Apply(f, text)
	if part, isErr := strings.CutPrefix(want, "!"); isErr {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Fatalf("got %q, %v; want error with %q", got, err, part)
		}
	} else if err != nil || got != want {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}
