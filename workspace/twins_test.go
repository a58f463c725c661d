//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bypass: a hard link to a secret has a name that says nothing, and is the same file.
func TestBypassHardLinkToASecret(t *testing.T) {
	r := newRoom(t, map[string]string{".env": "K=needle\n", "a.txt": "needle\n", "d/e/f/g/.env": "K=needle\n"})
	r.v.shields.Names = protectedNames
	r.sensitive(func(o string) bool { return strings.HasSuffix(o, ".env") || strings.HasSuffix(o, "id_rsa") })
	key := filepath.Join(r.root, "../user/.ssh/id_rsa")
	if err := os.MkdirAll(filepath.Dir(key), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, []byte("needle\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{"notes.txt": ".env", "deep.txt": "d/e/f/g/.env", "b.txt": "a.txt", "../vault/key.txt": "../user/.ssh/id_rsa"} {
		if err := os.Link(filepath.Join(r.root, from), filepath.Join(r.root, to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("notes.txt", filepath.Join(r.root, "link")); err != nil {
		t.Fatal(err)
	}
	key, _ = filepath.EvalSymlinks(key)
	for path, want := range map[string]string{"notes.txt": "vault:/.env", "deep.txt": "vault:/d/e/f/g/.env", "key.txt": "fs:" + key, "link": "vault:/.env", "b.txt": "", "a.txt": "", ".env": ""} {
		plan, err := r.plan("read", "path", path)
		if err != nil {
			t.Fatal(err)
		}
		objects := r.v.Walk("", path).Objects
		var judged []string
		for _, target := range plan.Targets {
			judged = append(judged, target.Object)
		}
		if !slices.Equal(judged, objects) || want != "" && !slices.Contains(objects, want) || want == "" && len(objects) != 1 {
			t.Errorf("%s: by a tool %q, by a command %q, want %q", path, judged, objects, want)
		}
	}
	if got := r.run("grep", "pattern", "needle", "mode", "files"); !strings.HasPrefix(got.Text, "a.txt\nb.txt\n(2 files; 6 sensitive files skipped") {
		t.Errorf("grep: %s", got.Text)
	}
}

// Bypass: behind thousands of files a name of a secret is still looked for.
func TestBypassHardLinkBehindManyFiles(t *testing.T) {
	r := newRoom(t, map[string]string{".env": "K=needle\n", "a.txt": "needle\n"})
	r.v.shields.Names = protectedNames
	for to, from := range map[string]string{"notes.txt": ".env", "b.txt": "a.txt"} {
		if err := os.Link(filepath.Join(r.root, from), filepath.Join(r.root, to)); err != nil {
			t.Fatal(err)
		}
	}
	asks := newAsks(r.v, func(o string) bool { return strings.HasSuffix(o, ".env") })
	asks.looked.Store(twinsAfter)
	for name, want := range map[string]bool{"notes.txt": true, "a.txt": false, "b.txt": false} {
		if got := asks.twin(filepath.Join(r.root, name)); got != want {
			t.Errorf("%s is a name of a secret: %v", name, got)
		}
	}
}

// protectedNames is a short form of what the permission side hands over.
var protectedNames = ProtectedNames{Protected: func(object string) bool { return strings.HasSuffix(object, ".env") }}
