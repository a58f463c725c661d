package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGitSettings: of the person's git a command gets who commits and how lines end, and
// nothing that runs a program, leads elsewhere or reads another file.
func TestGitSettings(t *testing.T) {
	home := t.TempDir()
	for path, text := range map[string]string{
		".config/git/config": "[user]\n\tname = Old\n[init]\n\tdefaultBranch = trunk\n",
		".gitconfig": "[user]\n\tname = \"A \\\"B\\\" \\\\ C\" ; comment\n\temail = a@b.c\n\tsigningkey = KEY\n[core]\n\tautocrlf = input\n\teditor = evil\n" +
			"\tsshCommand = evil\n\tpager = evil\n\thooksPath = evil\n\tfsmonitor = evil\n\texcludesFile = ~/ignored\n[include]\n\tpath = more\n[url \"evil\"]\n\tinsteadOf = good\n" +
			"[credential]\n\thelper = evil\n[alias]\n\tx = !evil\n[safe]\n\tdirectory = /srv/p\n[user \"sub\"]\n\tname = Evil\n",
		"more": "[user]\n\tname = Included\n", "ignored": "*.log\n",
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := gitSettingsOf(home, nil)
	want := "[user]\n\tname = \"Old\"\n[init]\n\tdefaultbranch = \"trunk\"\n[user]\n\tname = \"A \\\"B\\\" \\\\ C\"\n[user]\n\temail = \"a@b.c\"\n" +
		"[core]\n\tautocrlf = \"input\"\n[safe]\n\tdirectory = \"/srv/p\"\n"
	if got.config != want || got.ignore != "*.log\n" {
		t.Errorf("got  %q %q\nwant %q", got.config, got.ignore, want)
	}
	if got := gitSettingsOf(filepath.Join(home, "nobody"), nil); got != (gitSettings{}) {
		t.Errorf("without a home: %+v", got)
	}
	if got := gitSettingsOf(home, []string{"XDG_CONFIG_HOME=" + filepath.Join(home, "elsewhere")}); got.config == want {
		t.Errorf("another folder of settings: %+v", got)
	}
}
