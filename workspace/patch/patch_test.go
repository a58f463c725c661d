package patch

import (
	"fmt"
	"strings"
	"testing"
)

// shown writes what a patch means in one line a file.
func shown(files []File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %s", [...]string{"none", "add", "update", "delete"}[f.Op], f.Path)
		if f.To != "" {
			fmt.Fprintf(&b, " to %s", f.To)
		}
		if f.Op == Add {
			fmt.Fprintf(&b, " %q", f.Content)
		}
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, " [")
			if h.Start > 0 {
				fmt.Fprintf(&b, "%d", h.Start)
				if !h.Counted {
					b.WriteString("?")
				}
				b.WriteString(" ")
			}
			if h.Headers != nil {
				fmt.Fprintf(&b, "%q ", h.Headers)
			}
			for i, l := range h.Lines {
				if i > 0 {
					b.WriteString("|")
				}
				fmt.Fprintf(&b, "%c%s", l.Kind, strings.ReplaceAll(l.Text, "\r", "\\r"))
			}
			for _, end := range []struct {
				is   bool
				text string
			}{{h.AtEnd, " end"}, {h.OldEnd, " old"}, {h.NewEnd, " new"}} {
				if end.is {
					b.WriteString(end.text)
				}
			}
			b.WriteString("]")
		}
		b.WriteString("\n")
	}
	return b.String()
}

const env = "*** Begin Patch\n%s*** End Patch\n"

// Each row is a patch and what it says, or after "!" a part of the error.
func TestParse(t *testing.T) {
	in := func(s string) string { return fmt.Sprintf(env, s) }
	for _, row := range []struct{ name, patch, want string }{
		// *** Begin Patch
		{"update", in("*** Update File: a.go\n@@ func main() {\n-\tx\n+\ty\n"), "update a.go [[\"func main() {\"] -\tx|+\ty]\n"},
		{"without @@", in("*** Update File: a\n a\n-b\n+c\n"), "update a [ a|-b|+c]\n"},
		{"several hunks", in("*** Update File: a\n@@\n-b\n+c\n@@\n-d\n+e\n"), "update a [-b|+c] [-d|+e]\n"},
		{"several headers", in("*** Update File: a\n@@ class A\n@@ def f(self):\n-b\n+c\n"), "update a [[\"class A\" \"def f(self):\"] -b|+c]\n"},
		{"header between two marks", in("*** Update File: a\n@@ def f(): @@\n-b\n+c\n"), "update a [[\"def f():\"] -b|+c]\n"},
		{"header of the other form", in("*** Update File: a\n@@ -3,1 +3,1 @@ f\n-b\n+c\n"), "update a [3 -b|+c]\n"},
		{"end of file", in("*** Update File: a\n@@\n b\n+c\n*** End of File\n"), "update a [ b|+c end]\n"},
		{"add", in("*** Add File: d/a.go\n+package d\n+\n+// x\n"), "add d/a.go \"package d\\n\\n// x\\n\"\n"},
		{"add nothing", in("*** Add File: empty\n"), "add empty \"\"\n"},
		{"delete", in("*** Delete File: a b.txt  \n"), "delete a b.txt\n"},
		{"move", in("*** Update File: a\n*** Move to: d/b\n@@\n-x\n+y\n"), "update a to d/b [-x|+y]\n"},
		{"move alone", in("*** Update File: a\n*** Move to: d/b\n"), "update a to d/b\n"},
		{"all", in("*** Add File: n\n+x\n\n*** Update File: u\n@@\n-a\n+b\n\n*** Delete File: d\n"), "add n \"x\\n\"\nupdate u [-a|+b| ]\ndelete d\n"},
		{"twice the same file", in("*** Update File: a\n-b\n+c\n*** Update File: a\n-d\n+e\n"), "update a [-b|+c] [-d|+e]\n"},
		{"empty line without its blank", in("*** Update File: a\n a\n\n-b\n"), "update a [ a| |-b]\n"},
		{"marks in the text", in("*** Update File: a\n *** End Patch\n-*** Add File: x\n+*** End of File\n"), "update a [ *** End Patch|-*** Add File: x|+*** End of File]\n"},
		{"in a fence", "```diff\n" + in("*** Delete File: a\n") + "```\n", "delete a\n"},
		{"CRLF", strings.ReplaceAll(in("*** Update File: a\n-b\n+c\n"), "\n", "\r\n"), "update a [-b|+c]\n"},
		{"CRLF in the lines only", in("*** Update File: a\n-b\r\n+c\r\n"), "update a [-b\\r|+c\\r]\n"},
		{"unicode name", in("*** Delete File: größe 😀.txt\n"), "delete größe 😀.txt\n"},
		// refused
		{"empty", " \n", "!the patch is empty"},
		{"nothing in it", in(""), "!there is nothing between"},
		{"cut off", "*** Begin Patch\n*** Update File: a\n-b\n+c\n", "!may be cut off"},
		{"cut off in a new file", "*** Begin Patch\n*** Add File: a\n+b", "!may be cut off"},
		{"text behind", in("*** Delete File: a\n") + "and more\n", "!there is text behind"},
		{"no file", in("@@\n-a\n+b\n"), "!line 2 of the patch"},
		{"no mark in front", in("*** Update File: a\n@@\nfunc f() {\n-b\n+c\n"), "!line 4 of the patch: \"func f() {\" begins with neither a blank"},
		{"tab in front", in("*** Update File: a\n@@\n\tx\n-b\n+c\n"), "!begins with neither a blank"},
		{"no plus in a new file", in("*** Add File: a\n+b\nc\n"), "!line 4 of the patch: \"c\" has no +"},
		{"empty line in a new file", in("*** Add File: a\n+b\n\n+c\n"), "!has no +"},
		{"text below delete", in("*** Delete File: a\n-b\n"), "!nothing may stand below"},
		{"no hunk", in("*** Update File: a\n"), "!nothing is said about what changes in a"},
		{"hunk without lines", in("*** Update File: a\n@@ f\n*** Delete File: b\n"), "!no lines behind @@"},
		{"only context", in("*** Update File: a\n@@\n b\n c\n"), "!changes nothing"},
		{"no name", in("*** Delete File:\n"), "!name of the file is missing"},
		{"unknown mark", in("*** Rename File: a\n"), "!none of"},
		{"too many files", in(func() (s string) {
			for i := range maxPatchFiles + 1 {
				s += fmt.Sprintf("*** Delete File: f%d\n", i)
			}
			return s
		}()), "!changes 201 files, at most 200"},
		{"text", "please change a to b\n", "!this is no patch"},

		// unified diffs
		{"plain", "--- a.go\n+++ a.go\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "update a.go [1  a|-b|+c]\n"},
		{"prefixes", "--- a/d/x.go\n+++ b/d/x.go\n@@ -7 +7 @@ func f() {\n-b\n+c\n", "update d/x.go [7 -b|+c]\n"},
		{"same prefix is a folder", "--- a/x\n+++ a/x\n@@ -1 +1 @@\n-b\n+c\n", "update a/x [1 -b|+c]\n"},
		{"mnemonic prefixes", "--- i/x\n+++ w/x\n@@ -1 +1 @@\n-b\n+c\n", "update x [1 -b|+c]\n"},
		{"times", "--- a/x\t2024-01-02 03:04:05.000 +0100\n+++ b/x\t2024-01-02 03:04:06.000 +0100\n@@ -1 +1 @@\n-b\n+c\n", "update x [1 -b|+c]\n"},
		{"times behind blanks", "--- x y.c 2024-01-02 03:04:05\n+++ x y.c 2024-01-02 03:04:06\n@@ -1 +1 @@\n-b\n+c\n", "update x y.c [1 -b|+c]\n"},
		{"git", "diff --git a/x b/x\nindex 1234567..89abcde 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n", "update x [1 -b|+c]\n"},
		{"a script stays one", "diff --git a/x b/x\nindex 1234567..89abcde 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n", "update x [1 -b|+c]\n"},
		{"new", "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..89abcde\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n", "add n \"a\\nb\\n\"\n"},
		{"new without git", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n", "add n \"a\\n\"\n"},
		{"new without a final end", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", "add n \"a\"\n"},
		{"new and empty", "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n", "add n \"\"\n"},
		{"new without prefixes", "diff --git b/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n", "add b/n \"a\\n\"\n"},
		{"deleted", "diff --git a/d b/d\ndeleted file mode 100644\nindex 89abcde..0000000\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "delete d [1 -a]\n"},
		{"deleted and empty", "diff --git a/d b/d\ndeleted file mode 100644\nindex e69de29..0000000\n", "delete d\n"},
		{"renamed", "diff --git a/x b/y z\nsimilarity index 100%\nrename from x\nrename to y z\n", "update x to y z\n"},
		{"renamed and changed", "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -2 +2 @@\n-a\n+b\n", "update x to y [2 -a|+b]\n"},
		{"quoted", "diff --git \"a/gr\\303\\266\\303\\237e\" \"b/gr\\303\\266\\303\\237e\"\n--- \"a/gr\\303\\266\\303\\237e\"\n+++ \"b/gr\\303\\266\\303\\237e\"\n@@ -1 +1 @@\n-a\n+b\n", "update größe [1 -a|+b]\n"},
		{"quoted tab and quote", "--- \"a/x\\ty\\\"z\"\n+++ \"b/x\\ty\\\"z\"\n@@ -1 +1 @@\n-a\n+b\n", "update x\ty\"z [1 -a|+b]\n"},
		{"blank in a name", "diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-a\n+b\n", "update x y [1 -a|+b]\n"},
		{"several files", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n", "update x [1 -b|+c]\nupdate y [1 -b|+c]\n"},
		{"blank line between files", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n", "update x [1 -b|+c]\nupdate y [1 -b|+c]\n"},
		{"several hunks", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n@@ -9 +9,2 @@ f\n d\n+e\n", "update x [1 -b|+c] [9  d|+e]\n"},
		{"wrong lengths", "--- a/x\n+++ b/x\n@@ -5,9 +5,9 @@\n a\n-b\n+c\n@@ -20,1 +20,7 @@\n-d\n+e\n", "update x [5?  a|-b|+c] [20? -d|+e]\n"},
		{"lengths too short", "--- a/x\n+++ b/x\n@@ -5,1 +5,1 @@\n a\n-b\n+c\n", "update x [5?  a|-b|+c]\n"},
		{"wrong lengths before a file", "--- a/x\n+++ b/x\n@@ -5,9 +5,9 @@\n-b\n+c\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n", "update x [5? -b|+c]\nupdate y [1 -b|+c]\n"},
		{"no numbers", "--- a/x\n+++ b/x\n@@\n-b\n+c\n@@ ... @@\n-d\n+e\n", "update x [-b|+c] [-d|+e]\n"},
		{"a line that looks like a name", "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n a\n", "update x.sql [1 --- old|+++ new| a]\n"},
		{"no final end", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+c\n", "update x [1 -b|+c end old]\n"},
		{"no final end any more", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n\\ No newline at end of file\n", "update x [1 -b|+c end new]\n"},
		{"no final end stays", "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n+c\n b\n\\ No newline at end of file\n", "update x [1 +c| b end old new]\n"},
		{"empty line without its blank", "--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n a\n\n-b\n", "update x [1  a| |-b]\n"},
		{"git mail", "From 0123 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: x\n\ntext\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n-- \n2.40.1\n\n", "update x [1 -b|+c]\n"},
		{"subversion", "Index: x\n===================================================================\n--- x\t(revision 1)\n+++ x\t(working copy)\n@@ -1 +1 @@\n-b\n+c\n", "update x [1 -b|+c]\n"},
		{"in a fence, unified", "```\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n```\n", "update x [1 -b|+c]\n"},
		{"CRLF everywhere", "--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-b\r\n+c\r\n", "update x [1 -b|+c]\n"},
		{"CRLF in the lines of git", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\r\n+c\r\n", "update x [1 -b\\r|+c\\r]\n"},
		// refused
		{"hunk without a file", "@@ -1 +1 @@\n-b\n+c\n", "!no file above this hunk"},
		{"names without a hunk", "--- a/x\n+++ b/x\n", "!a hunk that begins with @@"},
		{"two names", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n", "!names two files, x and y"},
		{"no mark in front, unified", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\nx\n-b\n+c\n", "!line 4 of the patch: \"x\" begins with neither"},
		{"text behind, unified", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n\nThat is all.\n", "!line 7 of the patch"},
		{"lines behind a gap", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n\n+d\n", "!line 7 of the patch: \"+d\" stands in no hunk"},
		{"binary", "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmb\n", "!binary patches cannot be applied"},
		{"binary files differ", "diff --git a/x.png b/x.png\nindex 1..2\nBinary files a/x.png and b/x.png differ\n", "!binary patches cannot be applied"},
		{"copy", "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "!cannot copy"},
		{"mode", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "!changes the mode of a file from 100644 to 100755"},
		{"new script", "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", "!mode 100755"},
		{"link", "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n", "!a link or a submodule"},
		{"submodule", "diff --git a/x b/x\nindex 1..2 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n", "!a link or a submodule"},
		{"combined", "diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n- b\n++c\n", "!combined diff"},
		{"rename against its hunks", "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/z\n@@ -1 +1 @@\n-b\n+c\n", "!its hunks name x and z"},
		{"two nulls", "--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n", "!both names"},
		{"new with context", "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n a\n+b\n", "!lines without +"},
		{"new in two hunks", "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n@@ -0,0 +5 @@\n+b\n", "!has 2 hunks"},
		{"deleted with plus", "--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "!every line of its hunk begins with -"},
		{"mixed", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\n*** End Patch\n", "!cannot be mixed"},
		{"no names", "diff --git a/x b/y\nindex 1..2\n", "!name of the file"},
	} {
		t.Run(row.name, func(t *testing.T) {
			files, err := Parse(row.patch)
			got := shown(files)
			if err != nil {
				got = "!" + err.Error()
			}
			if want, isErr := strings.CutPrefix(row.want, "!"); isErr && (err == nil || !strings.Contains(got, want)) || !isErr && got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}
