package gitconfig

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever stands there, no two readings of it differ in what they name: this one finds at
// least what git does.
func TestGitConfigAsGitReadsIt(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("not run: git is not installed")
	}
	file := filepath.Join(t.TempDir(), "config")
	for _, text := range []string{
		"[a]\nb = c\n", "[A \"B]\\\"x\"]\n\tC=d # e\n", "[a]b=c\n[d] e\n", "[a]\nb = \"c # d\" ; e\n", "[a]\nb = c \\\n d\n", "[a]\nb = c \"  d \" e   \n", "\ufeff[a]\r\nb = c\r\n",
		"[a.B]\nc = d\\te\\nf\\\\g\n", "# [x]\n; y\n[a]\n  B-c=\n", "[a]\nb\n[c]\nd=e", "[a]\nb = \"c\\\"d\"e\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(git, "config", "--file", file, "--list", "-z").Output()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var want, got []string
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			key, value, _ := strings.Cut(entry, "\n")
			want = append(want, key+"="+value)
		}
		for _, s := range Parse(text) {
			got = append(got, s.Key+"="+s.Value)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, and git reads %q", text, got, want)
		}
	}
}
