package shields

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// A hard link gives a file a second name, and none of the two is the link. Of a file
// with several names those count, too, that tell what it is: `.env` linked to `notes.txt`
// is judged as `.env`.

const (
	// twinEntries is how many names of all folders are looked at for them.
	twinEntries = 20_000
	// twinTime is how long what was found counts while no command runs.
	twinTime = 2 * time.Second
)

// Twins are the protected objects that are further names of the file at abs: hard links, so
// that a change of one is a change of all. Of a file with one name there are none.
func (k *Set) Twins(abs string) []string {
	info, err := os.Lstat(abs)
	if err != nil || !info.Mode().IsRegular() || openat.LinkCount(info) < 2 {
		return nil
	}
	return k.TwinsOf(k.ProtectedTwins(), abs, info)
}

// TwinsOf are the objects of the other names of a file, among names, which ProtectedTwins gave.
func (k *Set) TwinsOf(names map[openat.Inode][]string, abs string, info fs.FileInfo) (objects []string) {
	id, ok := openat.InodeOf(info)
	if !ok {
		return nil
	}
	now := k.folders.Now()
	for _, other := range names[id] {
		if other != abs {
			objects = append(objects, now.Object(other))
		}
	}
	return objects
}

// ProtectedTwins finds the protected files with several names, and those where the
// person keeps keys.
func (k *Set) ProtectedTwins() map[openat.Inode][]string {
	k.twin.mu.Lock()
	defer k.twin.mu.Unlock()
	if k.Running.Load() == 0 && time.Since(k.twin.made) < twinTime {
		return k.twin.names
	}
	l := twinLook{k: k, left: twinEntries, names: map[openat.Inode][]string{}}
	for _, root := range k.folders.Now().Paths() {
		l.folder(root)
	}
	for _, place := range sandbox.SecretPlaces {
		if k.home != "" {
			l.place(filepath.Join(k.home, strings.ReplaceAll(place, "*", " ")))
		}
	}
	k.twin.names, k.twin.made = l.names, time.Now()
	return l.names
}

// ForgetTwins is for when files have changed.
func (k *Set) ForgetTwins() {
	k.twin.mu.Lock()
	defer k.twin.mu.Unlock()
	k.twin.made = time.Time{}
}

// twinLook looks for protected files with several names.
type twinLook struct {
	k     *Set
	left  int
	names map[openat.Inode][]string
}

func (l *twinLook) add(abs string) {
	info, err := os.Lstat(abs)
	if err != nil || !info.Mode().IsRegular() || openat.LinkCount(info) < 2 {
		return
	}
	if id, ok := openat.InodeOf(info); ok {
		l.names[id] = append(l.names[id], abs)
	}
}

// folder looks at the names of a folder, the nearest ones first.
func (l *twinLook) folder(top string) {
	for level := []string{top}; len(level) > 0; {
		var next []string
		for _, dir := range level {
			entries, err := os.ReadDir(dir)
			if l.left -= len(entries); err != nil || l.left < 0 {
				continue
			}
			for _, e := range entries {
				abs, name := filepath.Join(dir, e.Name()), e.Name()
				rel, _ := pathname.Below(top, abs)
				switch {
				case e.IsDir() && name != ".git" && name != "node_modules" && name != l.k.output:
					next = append(next, abs)
				case e.Type().IsRegular() && l.k.Names.Protected != nil && l.k.Names.Protected("vault:/"+rel):
					l.add(abs)
				}
			}
		}
		level = next
	}
}

// place looks at a file, or at those of a directory.
func (l *twinLook) place(abs string) {
	l.add(abs)
	entries, _ := os.ReadDir(abs)
	for _, e := range entries[:min(len(entries), 1000)] {
		l.add(filepath.Join(abs, e.Name()))
	}
}
