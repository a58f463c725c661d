package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

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

// inode is what two names of one file have in common.
type inode struct{ device, number uint64 }

// twinIndex are the protected files that have several names.
type twinIndex struct {
	mu    sync.Mutex // guards what follows
	made  time.Time
	names map[inode][]string // absolute paths
}

// twins are objects of other names of a file that say what it is.
func (v *Vault) twins(abs string) []string {
	info, err := os.Lstat(abs)
	if err != nil || !info.Mode().IsRegular() || linkCount(info) < 2 {
		return nil
	}
	return v.twinsOf(v.protectedTwins(), abs, info)
}

func (v *Vault) twinsOf(names map[inode][]string, abs string, info fs.FileInfo) (objects []string) {
	id, ok := inodeOf(info)
	if !ok {
		return nil
	}
	now := v.folders.Now()
	for _, other := range names[id] {
		if other != abs {
			objects = append(objects, now.Object(other))
		}
	}
	return objects
}

// protectedTwins finds the protected files with several names, and those where the
// person keeps keys.
func (v *Vault) protectedTwins() map[inode][]string {
	v.boxMu.Lock()
	running := len(v.boxes) > 0
	v.boxMu.Unlock()
	v.twin.mu.Lock()
	defer v.twin.mu.Unlock()
	if !running && time.Since(v.twin.made) < twinTime {
		return v.twin.names
	}
	l := twinLook{v: v, left: twinEntries, names: map[inode][]string{}}
	for _, root := range v.Roots() {
		l.folder(root)
	}
	for _, place := range sandbox.SecretPlaces {
		if v.userHome != "" {
			l.place(filepath.Join(v.userHome, strings.ReplaceAll(place, "*", " ")))
		}
	}
	v.twin.names, v.twin.made = l.names, time.Now()
	return l.names
}

// forgetTwins is for when files have changed.
func (v *Vault) forgetTwins() {
	v.twin.mu.Lock()
	defer v.twin.mu.Unlock()
	v.twin.made = time.Time{}
}

// twinLook looks for protected files with several names.
type twinLook struct {
	v     *Vault
	left  int
	names map[inode][]string
}

func (l *twinLook) add(abs string) {
	info, err := os.Lstat(abs)
	if err != nil || !info.Mode().IsRegular() || linkCount(info) < 2 {
		return
	}
	if id, ok := inodeOf(info); ok {
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
				case e.IsDir() && name != ".git" && name != "node_modules" && name != l.v.artifactDir:
					next = append(next, abs)
				case e.Type().IsRegular() && l.v.guarded.Protected != nil && l.v.guarded.Protected("vault:/"+rel):
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
