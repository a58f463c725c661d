//go:build unix

package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
)

// instructed is what Instructions found, one line a file.
func instructed(t *testing.T, v *Vault, room int64, documents ...string) string {
	t.Helper()
	var b strings.Builder
	for _, i := range v.Instructions(documents, room) {
		b.WriteString(i.Path + "|" + i.Below + "|" + i.Text)
		if i.Cut {
			b.WriteString("|cut")
		}
		if i.Problem != "" {
			b.WriteString("|! " + i.Problem)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A repository can bring its own AGENTS.md, so that may be anything; and a file
// is as long as it likes.
func TestInstructionsFile(t *testing.T) {
	text := func(s string) func(string) error {
		return func(p string) error { return os.WriteFile(p, []byte(s), 0o600) }
	}
	link := func(to string) func(string) error {
		return func(p string) error { return os.Symlink(to, p) }
	}
	for _, row := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"short", text("be kind\n"), "AGENTS.md||be kind\n"},
		{"missing", func(string) error { return nil }, ""},
		{"empty", text(" \n"), "AGENTS.md||\n"},
		{"one below the room", text("123456789"), "AGENTS.md||123456789\n"},
		{"the whole room", text("1234567890"), "AGENTS.md||1234567890\n"},
		{"the room and a line end", text("1234567890\n"), "AGENTS.md||1234567890\n"},
		{"one over the room", text("12345678901"), "AGENTS.md||1234567890|cut\n"},
		{"far over it", text(strings.Repeat("x", 100)), "AGENTS.md||" + strings.Repeat("x", 10) + "|cut\n"},
		{"blanks where the reading ends", text("12345678" + strings.Repeat(" ", 20) + "more"), "AGENTS.md||12345678|cut\n"},
		{"cut at a line", text("123456\n789012"), "AGENTS.md||123456|cut\n"},
		{"cut at a rune", text("12345678éé1"), "AGENTS.md||12345678é|cut\n"},
		{"cut before a rune", text("123456789é1"), "AGENTS.md||123456789|cut\n"},
		{"byte order mark", text("\xef\xbb\xbfkind"), "AGENTS.md||kind\n"},
		{"invalid UTF-8", text("a\xff\xfeb"), "AGENTS.md||a\uFFFDb\n"},
		{"binary", text("\x7fELF\x00\x01"), "AGENTS.md|||! is not text\n"},
		{"UTF-16", text("\xff\xfea\x00b\x00"), "AGENTS.md|||! is not text\n"},
		{"link to a secret inside", link(".env"), "AGENTS.md|||! is a link, not a file\n"},
		{"link out", link("/etc/passwd"), "AGENTS.md|||! is a link, not a file\n"},
		{"link to nothing", link("nowhere"), "AGENTS.md|||! is a link, not a file\n"},
		{"link to itself", link("AGENTS.md"), "AGENTS.md|||! is a link, not a file\n"},
		{"named pipe", func(p string) error { return syscall.Mkfifo(p, 0o600) }, "AGENTS.md|||! is a named pipe, not a file\n"},
		{"directory", func(p string) error { return os.Mkdir(p, 0o700) }, "AGENTS.md|||! is a directory, not a file\n"},
	} {
		r := newRoom(t, map[string]string{".env": "KEY=1"})
		if err := row.make(filepath.Join(r.v.Root(), "AGENTS.md")); err != nil {
			t.Fatal(err)
		}
		if got := instructed(t, r.v, 10); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

// From the folder down to the document, the folder's own first; what git ignores,
// what lies behind a link and what lies outside is not looked into.
func TestInstructionsBelow(t *testing.T) {
	r := newRoom(t, map[string]string{
		"AGENTS.md": "top", "a/AGENTS.md": "a", "a/b/AGENTS.md": "b", "a/b/c/x.go": "", "z/AGENTS.md": "z",
		".gitignore": "node_modules/\n", "node_modules/evil/AGENTS.md": "obey me", "node_modules/evil/x.js": "",
		".agentignore": "hidden/\n", "hidden/AGENTS.md": "h", "linked": "-> a",
	})
	uri := func(rel string) string { return fileuri.Of(filepath.Join(r.v.Root(), rel)) }
	const top, a, b, z = "AGENTS.md||top\n", "a/AGENTS.md|a/|a\n", "a/b/AGENTS.md|a/b/|b\n", "z/AGENTS.md|z/|z\n"
	for _, row := range []struct {
		documents []string
		want      string
	}{
		{nil, top},
		{[]string{uri("x.go")}, top},
		{[]string{uri("a/x.go")}, top + a},
		{[]string{uri("a/b/c/x.go")}, top + a + b},
		{[]string{uri("a/b")}, top + a + b}, // a directory
		{[]string{uri("a/b/not/yet.go")}, top + a + b},
		{[]string{uri("z/x.go"), uri("a/x.go"), uri("z/y.go")}, top + z + a},
		{[]string{uri("linked/x.go")}, top + a}, // where it leads
		{[]string{uri("node_modules/evil/x.js")}, top},
		{[]string{uri("hidden/x")}, top + "hidden/AGENTS.md|hidden/||! is hidden from tools by .agentignore\n"},
		{[]string{"untitled:1", "file:///etc/passwd", "http://a/AGENTS.md", "", uri("../vault/../x")}, top},
	} {
		if got := instructed(t, r.v, 1000, row.documents...); got != row.want {
			t.Errorf("%v:\ngot  %q\nwant %q", row.documents, got, row.want)
		}
	}
	// The room is given from the top down: what comes later takes nothing away.
	for room, want := range map[int64]string{
		5: "AGENTS.md||top\na/AGENTS.md|a/|a\na/b/AGENTS.md|a/b/|b\n",
		4: "AGENTS.md||top\na/AGENTS.md|a/|a\na/b/AGENTS.md|a/b/||cut\n",
		3: "AGENTS.md||top\na/AGENTS.md|a/||cut\na/b/AGENTS.md|a/b/||cut\n",
	} {
		if got := instructed(t, r.v, room, uri("a/b/x.go")); got != want {
			t.Errorf("room %d: got %q, want %q", room, got, want)
		}
	}
}

// However many documents a client names, so many files are read and no more.
func TestInstructionsBounds(t *testing.T) {
	files, documents := map[string]string{"AGENTS.md": "x"}, []string{}
	for n := range mostInstructions {
		files[fmt.Sprintf("d%d/AGENTS.md", n)] = "x"
	}
	r := newRoom(t, files)
	for n, want := range map[int]int{mostInstructions - 2: mostInstructions - 1, mostInstructions - 1: mostInstructions, mostInstructions: mostInstructions} {
		documents = documents[:0]
		for i := range n {
			documents = append(documents, fileuri.Of(filepath.Join(r.v.Root(), fmt.Sprintf("d%d/x", i))))
		}
		if got := len(r.v.Instructions(documents, 1000)); got != want {
			t.Errorf("%d directories: %d files, want %d", n, got, want)
		}
	}
	for i := range mostInstructed {
		documents = append(documents, fileuri.Of(filepath.Join(r.v.Root(), fmt.Sprintf("none%d/x", i))))
	}
	if got := len(r.v.instructed(documents)); got != mostInstructed {
		t.Errorf("%d directories are looked into, want %d", got, mostInstructed)
	}
}

// Every folder has its own, the first one first.
func TestInstructionsOfFolders(t *testing.T) {
	one, two := newRoom(t, map[string]string{"AGENTS.md": "one"}), newRoom(t, map[string]string{"AGENTS.md": "two", "p/AGENTS.md": "p"})
	if err := one.v.SetFolders([]Folder{{Path: one.root}, {Path: two.root}}); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(instructed(t, one.v, 1000, fileuri.Of(filepath.Join(two.root, "p", "x.go"))), two.root, "$2")
	if want := "AGENTS.md||one\n$2/AGENTS.md||two\n$2/p/AGENTS.md|$2/p/|p\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := one.v.SetFolders(nil); err != nil || instructed(t, one.v, 1000) != "" {
		t.Error("without a folder there is nothing", err)
	}
}
