package gitconfig

import "testing"

// One repository has one origin, however it was cloned; what says nothing to another machine
// is none, and no password is in it.
func TestOrigin(t *testing.T) {
	for at, want := range map[string]string{
		"https://github.com/a/b":                "github.com/a/b",
		"https://github.com/a/b.git":            "github.com/a/b",
		"https://me:secret@GitHub.com:443/a/b/": "github.com/a/b",
		"git@github.com:a/b.git":                "github.com/a/b",
		"github.com:/a/b":                       "github.com/a/b",
		"ssh://git@github.com/a/b.git":          "github.com/a/b",
		"ssh://git@github.com:22/a//b":          "github.com/a/b",
		"ssh://git@github.com:2222/a/b":         "github.com:2222/a/b",
		"git://github.com/a/b":                  "github.com/a/b",
		"https://github.com/a/B":                "github.com/a/B",
		"/srv/git/b.git":                        "",
		"../b":                                  "",
		"file:///srv/git/b":                     "",
		"C:\\\\b":                               "",
		"https://github.com":                    "",
		"ext::sh -c evil":                       "ext/:sh -c evil",
		"":                                      "",
		"https://%zz/":                          "",
	} {
		if got := Origin("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = " + at + "\n"); got != want {
			t.Errorf("%s: %q", at, got)
		}
	}
	if got := Origin("[remote \"upstream\"]\n\turl = https://github.com/a/b\n"); got != "" {
		t.Errorf("another remote: %q", got)
	}
}
