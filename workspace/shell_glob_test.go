//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// What bash makes of the same pattern is the truth.
func TestGlobIsWhatTheShellExpands(t *testing.T) {
	r := newRoom(t, map[string]string{
		"a.txt": "", "b.txt": "", ".env": "", ".envrc": "", "sub/c.txt": "", "sub/.env": "", "sub/deep/d.txt": "", "-x": "", "[x].env": "", "~y": "", "q?": "",
		"[a]x": "", "ax": "", `b\s`: "", "{c}": "", "!d": "",
	})
	root := r.v.Root()
	if err := os.Symlink(filepath.Join(root, "sub", "deep"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{
		"*", ".*", ".e*", "*.txt", "?.txt", "[ab].txt", "[!a].txt", "sub/*", "*/*", "*/.env", "**", "**/c.txt", "sub/../*.txt", "link/../*", "link/*",
		"pipe/*", "[[]x].env", ".[[:alpha:]]nv", "[!.]*", "[a-b].txt", "[[:lower:]].*", "[]x]*", "s[u]b/.[!x]nv", "[[]*", "q[?]", "nothing*", "./*", "-*", "*~*", "sub/*/", ".*/*", root + "/s*/*.txt",
		`\[a\]*`, `[\[]*`, `.e[n\x]v`, `\**`, `q\?*`, `b\\*`, `\{*`, `[\!a]*`, `[x\-z]*`, `\[a\]x/../*`, `s\ub/*`,
	} {
		got, complete := r.v.Glob(root, pattern)
		if !complete {
			t.Errorf("%s: gave up", pattern)
			continue
		}
		var hits []string
		for _, p := range got {
			if dir, err := filepath.EvalSymlinks(p[:strings.LastIndex(p, "/")]); err == nil && strings.Contains(pattern, "..") {
				p = filepath.Join(dir, filepath.Base(p)) // ".." behind a link
			}
			hits = append(hits, filepath.Clean(p))
		}
		res := bashRun(t, newBash(r.v, "s"), `shopt -s nullglob; for f in `+strings.ReplaceAll(pattern, root, `"`+root+`"`)+`; do printf '%s\n' "$f"; done`)
		var want []string
		for line := range strings.Lines(res.Text) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "(no output") || line == "" {
				continue
			}
			if !filepath.IsAbs(line) {
				line = root + "/" + line
			}
			if dir, err := filepath.EvalSymlinks(line[:strings.LastIndex(line, "/")]); err == nil && strings.Contains(pattern, "..") {
				line = filepath.Join(dir, filepath.Base(line)) // ".." behind a link
			}
			want = append(want, filepath.Clean(line))
		}
		for _, w := range want {
			if !slices.Contains(hits, w) {
				t.Errorf("%s: the shell also expands to %s; got %v", pattern, w, hits)
			}
		}
	}
}

func TestGlobGivesUp(t *testing.T) {
	r := newRoom(t, map[string]string{"a.txt": ""})
	for _, pattern := range []string{"[[.a.]]*", "[[=a=]]*", "[[:none:]]*", `*\`, "~/*", "~*", "*\xff"} {
		if got, complete := r.v.Glob(r.v.Root(), pattern); complete {
			t.Errorf("%q: %v", pattern, got)
		}
	}
	if err := os.WriteFile(filepath.Join(r.v.Root(), "\xff.env"), nil, 0o600); err == nil {
		if got, complete := r.v.Glob(r.v.Root(), "*"); complete {
			t.Errorf("a name that is no text: %v", got)
		}
	}
}
