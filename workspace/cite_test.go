package workspace

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// What may be cited is what read shows without asking anybody, and nothing else is
// touched: a citation cannot find out whether a file is there.
func TestCited(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package a\n", ".env": "KEY=1\n", "bom.txt": "\uFEFFfirst\n", "dir/b.go": "package b\n", "bin": "a\x00b\n",
		"wide.txt": string(wide("one\ntwo\n")), "open.txt": "on disk\n",
		"old.txt": "one\rtwo\r", "wideold.txt": string(wide("one\rtwo\r")), "openold.txt": "on disk\n", "dos.txt": "one\r\ntwo\r\n",
		"late.txt": strings.Repeat("x\r", sniffBytes/2) + "y\nz\r", "early.txt": strings.Repeat("x\r", sniffBytes/2-1) + "y\nz\r", "bomold.txt": "\uFEFFone\rtwo",
	} {
		noError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	noError(t, os.WriteFile(filepath.Join(out, "secret.txt"), []byte("hush\n"), 0o600))
	noError(t, os.Symlink(filepath.Join(out, "secret.txt"), filepath.Join(dir, "link.txt")))
	noError(t, os.Symlink(".env", filepath.Join(dir, "plain.txt")))
	noError(t, os.Symlink("a.go", filepath.Join(dir, "same.txt")))
	noError(t, os.Symlink("loop.txt", filepath.Join(out, "loop.txt")))
	v, err := Open([]Folder{{Path: dir}}, Options{})
	noError(t, err)
	defer v.Close()
	v.DidOpen("file://"+filepath.Join(dir, "open.txt"), 1, "on disk\n")
	v.DidChange("file://"+filepath.Join(dir, "open.txt"), 2, "in the editor\n")
	v.DidOpen("file://"+filepath.Join(dir, "openold.txt"), 1, "on disk\n")
	v.DidChange("file://"+filepath.Join(dir, "openold.txt"), 2, "one\rtwo\r")
	may := func(object string) bool {
		return strings.HasPrefix(object, "vault:") && !strings.HasSuffix(object, ".env")
	}
	for _, row := range []struct{ path, want string }{ // want "" = refused
		{"a.go", "package a\n"},
		{"./dir/../a.go", "package a\n"},
		{"vault:/dir/b.go", "package b\n"},
		{filepath.Join(dir, "a.go"), "package a\n"},
		{"file://" + filepath.Join(dir, "a.go"), "package a\n"},
		{"same.txt", "package a\n"},
		{"bom.txt", "first\n"},
		{"wide.txt", "one\ntwo\n"},
		{"open.txt", "in the editor\n"},
		// Lines are those of read: a carriage return alone ends them where no line of
		// the beginning ends otherwise, and what ends none then is part of its line.
		{"old.txt", "one\ntwo\n"},
		{"wideold.txt", "one\ntwo\n"},
		{"openold.txt", "one\ntwo\n"},
		{"bomold.txt", "one\ntwo"},
		{"dos.txt", "one\r\ntwo\r\n"},
		{"late.txt", strings.Repeat("x\n", sniffBytes/2) + "y\rz\n"},
		{"early.txt", strings.Repeat("x\r", sniffBytes/2-1) + "y\nz\r"},
		{"bin", ""},
		{"dir", ""},
		{"nope.go", ""},
		{"", ""},
		{"a\x00b", ""},
		{".env", ""},
		{"plain.txt", ""}, // leads to it
		{"link.txt", ""},  // leads out
		{filepath.Join(out, "secret.txt"), ""},
		{"../" + filepath.Base(out) + "/secret.txt", ""},
		{"fs:" + filepath.Join(out, "secret.txt"), ""},
		{"file://" + filepath.Join(out, "secret.txt"), ""},
		{"file://elsewhere/share/a.go", ""},
		{"agent-artifact:/0001/20260101T000000Z_bash_c1_12345678.txt", ""},
		{"~/secret.txt", ""},
	} {
		f, err := v.Cited(row.path, may)
		switch {
		case err != nil && row.want != "":
			t.Errorf("%q: %v", row.path, err)
		case err == nil:
			text, _ := io.ReadAll(f)
			f.Close()
			if row.want == "" || string(text) != row.want {
				t.Errorf("%q: got %q, want %q", row.path, text, row.want)
			}
		}
	}
	// Outside, the answer comes before anything is looked at: all are the same.
	for _, name := range []string{"secret.txt", "nothing.txt", "loop.txt", "secret.txt/x"} {
		path := filepath.Join(out, name)
		if _, err := v.Cited(path, may); err == nil || err.Error() != path+" cannot be cited" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func wide(s string) []byte {
	out := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
