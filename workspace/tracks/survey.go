package tracks

import (
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"
)

// What a command changed is found by looking at every file before and behind it:
// size, times and inode of at most 20,000 files that the rules do not leave out
// (workspace §5). A look at a tree that was looked at before reuses what did not
// change, so that it costs little more than asking the system about each file.
const trackedFiles = 20_000

// lookTime bounds a look on a slow disk: what is further down is not followed then.
const lookTime = time.Second

// survey is the folders as they were at one time, by the absolute paths of their
// directories.
type survey struct{ dirs map[string]*dirView }

func (l *survey) dir(path string) *dirView {
	if l == nil {
		return nil
	}
	return l.dirs[path]
}

// find is what a look saw at a path; nil where it saw nothing.
func (l *survey) find(path string) *sighting {
	if d := l.dir(filepath.Dir(path)); d != nil {
		if n := d.find(filepath.Base(path)); n != nil {
			return n.seen
		}
	}
	return nil
}

// look looks at all folders, the nearest directories first, and stops at most files
// or directories. last is the look before, or nil.
func look(folders []Folder, last *survey, most int) *survey {
	now := &survey{dirs: map[string]*dirView{}}
	began, left := time.Now(), most
	level := slices.Clone(folders)
	tops := map[string]bool{}
	for i, f := range level {
		if was := last.dir(f.Path); was != nil && reflect.DeepEqual(f.Rules, was.above) {
			level[i].Rules = was.above
		}
		tops[f.Path] = true
	}
	for len(level) > 0 && left > 0 && len(now.dirs) < most && time.Since(began) < lookTime {
		views := lookAt(level, last)
		var next []Folder
		for i, f := range level {
			d := views[i]
			if d == nil {
				continue
			}
			files := d.files()
			if left -= files; left < 0 {
				continue // what is in it is not followed, and nothing below
			}
			now.dirs[f.Path] = d
			for _, n := range d.names {
				child := filepath.Join(f.Path, n.name)
				if n.dir && !n.skipped && !tops[child] {
					next = append(next, Folder{child, d.rules})
				}
			}
		}
		level = next
	}
	return now
}

// lookAt reads the directories of one level, several at a time.
func lookAt(level []Folder, last *survey) []*dirView {
	views := make([]*dirView, len(level))
	workers := min(runtime.GOMAXPROCS(0), 4, len(level))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w; i < len(level); i += workers {
				views[i] = lookInto(level[i], last.dir(level[i].Path))
			}
		})
	}
	wait.Wait()
	return views
}
