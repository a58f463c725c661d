package artifact

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func nobodyIn(string) bool { return false }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// An artifact is swept when it is older than its time to live, not when it is as
// old; one of an open session never.
func TestSweepAge(t *testing.T) {
	oldest := time.Date(2026, 1, 8, 12, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		age  time.Duration // behind oldest
		open bool
		gone bool
	}{
		"younger": {-time.Second, false, false}, "as old": {0, false, false}, "older": {time.Second, false, true}, "older, but open": {time.Hour, true, false},
	} {
		r := newRoom(t, nil)
		_, full := keep(t, r.v, "s", "bash", "c", "", "x")
		at := oldest.Add(-row.age)
		if err := os.Chtimes(full, at, at); err != nil {
			t.Fatal(err)
		}
		if err := r.v.sweep(func(string) bool { return row.open }, oldest, 1<<30); err != nil {
			t.Fatal(err)
		}
		if exists(full) == row.gone {
			t.Errorf("%s: gone %v", name, !row.gone)
		}
	}
}

// All artifacts together fit into the quota, in both stores; those of open
// sessions count and stay, of the others the oldest go first.
func TestSweepQuota(t *testing.T) {
	for name, row := range map[string]struct {
		quota int64
		open  string
		left  []string
	}{
		"n+1":                    {401, "", []string{"s1", "s2", "s3", "s4"}},
		"n":                      {400, "", []string{"s1", "s2", "s3", "s4"}},
		"n-1":                    {399, "", []string{"s2", "s3", "s4"}},
		"half":                   {200, "", []string{"s3", "s4"}},
		"none":                   {0, "", nil},
		"the oldest is open":     {399, "s1", []string{"s1", "s3", "s4"}},
		"only open ones are too": {50, "s3", []string{"s3"}},
	} {
		r := newRoom(t, nil)
		paths := map[string]string{}
		now := time.Now()
		for i, s := range []string{"s1", "s2", "s3", "s4"} {
			if s == "s3" { // from here on the Vault's own store cannot be written
				r.put(map[string]string{"away/": ""})
				if err := os.Rename(filepath.Join(r.root, ".agent-output"), filepath.Join(r.root, "away/store")); err != nil {
					t.Fatal(err)
				}
				r.put(map[string]string{".agent-output": "a file"})
			}
			_, paths[s] = keep(t, r.v, s, "bash", "c", "", strings.Repeat("x", 100))
			at := now.Add(time.Duration(i-10) * time.Minute)
			if err := os.Chtimes(paths[s], at, at); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.Remove(filepath.Join(r.root, ".agent-output")), os.Rename(filepath.Join(r.root, "away/store"), filepath.Join(r.root, ".agent-output"))); err != nil {
			t.Fatal(err)
		}
		if err := r.v.sweep(func(s string) bool { return s == row.open }, now.Add(-time.Hour), row.quota); err != nil {
			t.Fatal(err)
		}
		var left []string
		for s, path := range paths {
			if exists(path) {
				left = append(left, s)
			}
		}
		if slices.Sort(left); !slices.Equal(left, row.left) {
			t.Errorf("%s: left %v, want %v", name, left, row.left)
		}
	}
}

// Only files with names of our own pattern are touched, whatever lies there.
func TestSweepLeavesWhatIsNotOurs(t *testing.T) {
	r := newRoom(t, nil)
	const ours = "20200101T000000Z_bash_c1_0123abcd.txt"
	_, full := keep(t, r.v, "0001", "bash", "c", "", "x")
	planted := map[string]string{
		"../elsewhere/0009/" + ours:                 "theirs",
		".agent-output/empty/":                      "",
		".agent-output/0002/notes.txt":              "mine",
		".agent-output/0002/" + ours + ".bak":       "mine",
		".agent-output/0002/x" + ours:               "mine",
		".agent-output/0003/" + ours + "/inside.md": "a folder of that name",
		".agent-output/" + ours:                     "not in a session's folder",
		".agent-output/.hidden/" + ours:             "hidden",
		".agent-output/0004/deep/" + ours:           "too deep",
		".agent-output/0005":                        "-> ../../elsewhere/0009",
		".agent-output/0006/" + ours:                "-> ../../../elsewhere/0009/" + ours,
		"kept/" + ours:                              "elsewhere in the folder",
	}
	r.put(planted)
	old := time.Now().Add(-1000 * time.Hour)
	if err := filepath.WalkDir(filepath.Dir(r.root), func(path string, _ os.DirEntry, err error) error {
		if fi, e := os.Lstat(path); e == nil && fi.Mode().IsRegular() {
			return os.Chtimes(path, old, old)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := r.v.sweep(nobodyIn, time.Now(), 0); err != nil {
		t.Fatal(err)
	}
	for path := range planted {
		if !exists(filepath.Join(r.root, path)) {
			t.Error("removed", path)
		}
	}
	if exists(full) || exists(filepath.Dir(full)) {
		t.Error("our own file, or its empty folder, is still there")
	}
	// The store itself swapped for a link: nothing behind it is looked at.
	if err := errors.Join(os.Rename(filepath.Join(r.root, ".agent-output"), filepath.Join(r.root, "was")), os.Symlink("../elsewhere", filepath.Join(r.root, ".agent-output"))); err != nil {
		t.Fatal(err)
	}
	if err := r.v.sweep(nobodyIn, time.Now(), 0); err != nil {
		t.Fatal(err)
	}
	if !exists(filepath.Join(r.root, "../elsewhere/0009", ours)) {
		t.Error("swept through a link")
	}
}

// A disk that is full in the middle of an output: nothing is left behind, and the
// writer is not bothered.
func TestArtifactDiskFull(t *testing.T) {
	r := newRoom(t, nil)
	sp, err := r.v.Create("s", "bash", "c", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sp.Write([]byte("begin")); err != nil {
		t.Fatal(err)
	}
	file := sp.(*spill)
	if err := file.f.Close(); err != nil { // from here on every write fails
		t.Fatal(err)
	}
	if n, err := sp.Write([]byte("more")); n != 4 || err != nil {
		t.Error(n, err)
	}
	if _, _, err := sp.Close(); err == nil {
		t.Error("a file that is not whole was handed out")
	}
	if exists(file.full) {
		t.Error("left behind", file.full)
	}
	if list, err := r.v.List("s"); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
}

// The store's .gitignore says exactly `*`, whatever stood there.
func TestArtifactGitignore(t *testing.T) {
	for name, planted := range map[string]string{
		"nothing": "", "another text": "!*\n", "with a line break": "*\n", "long": strings.Repeat("*", 1<<20), "a link": "-> ../victim",
	} {
		r := newRoom(t, map[string]string{"victim": "precious"})
		if planted != "" {
			r.put(map[string]string{".agent-output/.gitignore": planted})
		}
		keep(t, r.v, "s", "bash", "c", "", "x")
		if got := r.file(".agent-output/.gitignore"); got != "*" || r.file("victim") != "precious" {
			t.Errorf("%s: %q, %q", name, got, r.file("victim"))
		}
	}
	r := newRoom(t, map[string]string{".agent-output/.gitignore/": ""}) // a folder: not to be had
	if _, full := keep(t, r.v, "s", "bash", "c", "", "x"); !strings.HasPrefix(full, r.v.home) {
		t.Error(full)
	}
}
