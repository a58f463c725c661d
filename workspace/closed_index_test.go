package workspace

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var closedNames = ProtectedNames{
	Closed: func(object string) bool {
		base := filepath.Base(object)
		if strings.HasSuffix(object, "/") {
			return base == ".aws"
		}
		return strings.HasPrefix(base, ".env")
	},
	MayHoldKey: func(object string) bool { return strings.HasSuffix(object, ".pem") },
}

func closedIn(t *testing.T, v *Vault) []string {
	t.Helper()
	c, err := v.closeFor(nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.paths
}

// walkedClosed is what a walk through everything finds, without an index.
func walkedClosed(t *testing.T, top string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && path != top && unlooked[name]:
			return fs.SkipDir
		case d.IsDir() && name == ".aws":
			out = append(out, path)
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasPrefix(name, ".env"):
			out = append(out, path)
		case d.Type().IsRegular() && strings.HasSuffix(name, ".pem"):
			if text, _ := os.ReadFile(path); strings.Contains(string(text), "PRIVATE KEY") {
				out = append(out, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// settle makes a tree look as if nothing in it had changed just now: times of changes
// cannot be set, so the answer to how long ago they were is.
func settle(v *Vault) {
	v.closed.mu.Lock()
	defer v.closed.mu.Unlock()
	for _, d := range v.closed.dirs {
		d.at += int64(time.Hour)
	}
	for path, k := range v.closed.keys {
		k.at += int64(time.Hour)
		v.closed.keys[path] = k
	}
}

// Whatever happens to a tree, the index finds what a walk through everything finds. That
// a change is seen may not depend on a directory being read anew by accident, so the index
// takes each for settled.
func TestClosedIndexFindsWhatAWalkFinds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not run: a directory has no time of its changes here")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, watches := range map[string]int{"told": 0, "told of some": 3, "not told": -1} {
		t.Run(name, func(t *testing.T) { findsWhatAWalkFinds(t, top, watches) })
	}
}

func findsWhatAWalkFinds(t *testing.T, top string, watches int) {
	v, err := Open([]Folder{{Path: top}}, Options{Protected: closedNames})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	v.closed.notify.Most = watches
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	names := []string{"a", "b", ".env", ".env.local", "x.pem", ".aws", "node_modules", "vendor", "main.go"}
	for step := range 60 {
		var dirs []string
		filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				dirs = append(dirs, path)
			}
			return nil
		})
		at := func() string { return filepath.Join(dirs[random.IntN(len(dirs))], names[random.IntN(len(names))]) }
		for range 5 {
			path := at()
			switch random.IntN(5) {
			case 0:
				os.MkdirAll(path, 0o755)
			case 1:
				os.WriteFile(path, []byte("-----BEGIN PRIVATE KEY-----\n"), 0o644)
			case 2:
				os.WriteFile(path, []byte("-----BEGIN CERTIFICATE-----\n"), 0o644)
			case 3:
				os.Rename(path, at())
			case 4:
				os.RemoveAll(path)
			}
		}
		settle(v)
		if got, want := closedIn(t, v), walkedClosed(t, top); !slices.Equal(got, want) {
			t.Fatalf("seed %d, step %d: %q, want %q", seed, step, got, want)
		}
	}
}

// A directory that another one with the same time has replaced is read: it is another
// one, whatever its time is.
func TestClosedIndexKnowsAReplacedDirectory(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v, err := Open([]Folder{{Path: top}}, Options{Protected: closedNames})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	when := time.Now().Add(-time.Hour)
	for _, dir := range []string{"conf", "other"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "other", ".env"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"conf", "other"} {
		if err := os.Chtimes(filepath.Join(top, dir), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if got := closedIn(t, v); len(got) != 1 {
		t.Fatal(got)
	}
	settle(v)
	for _, step := range [][2]string{{"conf", "away"}, {"other", "conf"}, {"away", "other"}} {
		if err := os.Rename(filepath.Join(top, step[0]), filepath.Join(top, step[1])); err != nil {
			t.Fatal(err)
		}
	}
	if got := closedIn(t, v); len(got) != 1 || got[0] != filepath.Join(top, "conf", ".env") {
		t.Error(got)
	}
}

// What only just changed may have changed again within the same tick of the clock: it is
// read again, until it has settled.
func TestClosedIndexReadsWhatHasJustChanged(t *testing.T) {
	for _, row := range []struct {
		changed, read int64
		settled       bool
	}{{0, int64(time.Hour), false}, {1000, 1000, false}, {1000, 1000 + int64(sameTick) - 1, false}, {1000, 1000 + int64(sameTick), true}} {
		if got := (pathStamp{ctime: row.changed}).settled(row.read); got != row.settled {
			t.Errorf("%+v: %v", row, got)
		}
	}
}

// The second search of a large tree reads no directory, and asks about those alone of which
// the system does not tell.
func TestClosedIndexOfALargeTree(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const dirs, files = 5000, 6000
	for i := range dirs {
		if err := os.MkdirAll(filepath.Join(top, fmt.Sprint("d", i/70), fmt.Sprint("e", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := range files {
		f, err := os.OpenFile(filepath.Join(top, fmt.Sprint("d", i%dirs/70), fmt.Sprint("e", i%dirs), fmt.Sprint("f", i, ".go")), os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	for _, name := range []string{"d0/.env", "d3/e250/x.pem", ".env.local"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte("PRIVATE KEY"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v, err := Open([]Folder{{Path: top}}, Options{Protected: closedNames})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for i := range 3 {
		before, asked := v.closed.read, v.closed.asked
		began := time.Now()
		if got := closedIn(t, v); len(got) != 3 {
			t.Fatal(got)
		}
		t.Logf("search %d: %d directories read, %v", i+1, v.closed.read-before, time.Since(began).Round(100*time.Microsecond))
		if i > 0 && v.closed.read != before {
			t.Errorf("search %d reads %d directories", i+1, v.closed.read-before)
		}
		if i > 0 && v.closed.asked-asked > len(v.closed.dirs)-v.closed.notify.Watches() {
			t.Errorf("search %d asks about %d directories", i+1, v.closed.asked-asked)
		}
		settle(v)
	}
}

// What a name or a text says of a key.
func TestPublicKeys(t *testing.T) {
	utf16 := func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			b.WriteByte(c)
			b.WriteByte(0)
		}
		return b.String()
	}
	certificate := "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n"
	for name, row := range map[string]struct {
		text   string
		public bool
	}{
		"a certificate":                 {certificate, true},
		"many certificates":             {strings.Repeat("# an authority\n"+certificate, 5000), true},
		"a public key":                  {"-----BEGIN PUBLIC KEY-----\nMII=\n", true},
		"nothing":                       {"\n", true},
		"a key":                         {"-----BEGIN PRIVATE KEY-----\nMII=\n", false},
		"a key of OpenSSH":              {"-----BEGIN OPENSSH PRIVATE KEY-----\n", false},
		"in small letters":              {"-----begin rsa private key-----\n", false},
		"behind a certificate":          {certificate + "-----BEGIN EC PRIVATE KEY-----\n", false},
		"behind 64 KiB":                 {strings.Repeat(certificate, 2000) + "-----BEGIN PRIVATE KEY-----\n", false},
		"behind what is read":           {strings.Repeat(certificate, 30_000), false},
		"in two bytes for each letter":  {utf16("-----BEGIN PRIVATE KEY-----\n"), false},
		"a binary key":                  {"0\x82\x04\xa4\x02\x01\x00", false},
		"a key without lines around it": {"8f1c0b7e5a2d4c6f9e3b1a7d5c2f4e6a\n", false},
		"a key of age":                  {"-----BEGIN PUBLIC KEY-----\nAGE-SECRET-KEY-1QQ\n", false},
		"a key of OpenVPN":              {"-----BEGIN OpenVPN Static key V1-----\n", false},
	} {
		if got := isPublic([]byte(row.text)); got != row.public {
			t.Errorf("%s: %v", name, got)
		}
	}
}
