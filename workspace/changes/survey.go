package changes

import (
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/notify"
)

// What a command changed is found by looking at the files before and behind it: size,
// times and inode of at most 20,000 files that the rules do not leave out. A look at a
// tree that was looked at before goes only into the directories in which something has
// changed since, where the system says which those are. Where it does not, a look
// reuses what did not change, so that it costs little more than asking the system about
// each file.
const trackedFiles = 20_000

// lookTime bounds a look on a slow disk: what is further down is not followed then.
const lookTime = time.Second

// survey is the folders as they were at one time, by the absolute paths of their
// directories.
type survey struct {
	dirs   map[string]*dirView
	tops   int   // folders
	sure   bool  // as long as nothing is noticed another look would see the same
	newest int64 // the last time of a file
}

func (l *survey) dir(path string) *dirView {
	if l == nil {
		return nil
	}
	return l.dirs[path]
}

// find is what a look saw at a path; nil where it saw nothing.
func (l *survey) find(path string) *snapshot {
	if d := l.dir(filepath.Dir(path)); d != nil {
		if n := d.find(filepath.Base(path)); n != nil {
			return n.seen
		}
	}
	return nil
}

// looker makes one survey.
type looker struct {
	notifier *notify.Notifier
	cost     *cost
	marks    []string // names that make a directory special
	last     *survey  // the one before, or nil
	tops     map[string]bool
	room     int // for files
	until    time.Time
	doubt    atomic.Bool
}

// cost counts what looks have asked the system.
type cost struct{ dirs, names atomic.Int64 }

// unsure says that something could not be seen for a reason that may pass unnoticed.
func (l *looker) unsure(is bool) {
	if is {
		l.doubt.Store(true)
	}
}

// look looks at all folders, the nearest directories first, and stops at most files
// or directories. Of the looker it needs the notifier, the cost, the marks and the
// look before.
func (l *looker) look(folders []Folder, most int) *survey {
	n, last := l.notifier, l.last
	l.tops = map[string]bool{}
	l.until = time.Now().Add(lookTime)
	n.Update()
	level := slices.Clone(folders)
	same := last != nil && last.sure && last.tops == len(folders)
	for i, f := range level {
		was := last.dir(f.Path)
		if was != nil && (f.Rules == was.above || reflect.DeepEqual(f.Rules, was.above)) {
			level[i].Rules = was.above
		} else {
			same = false
		}
		n.Top(f.Path)
		l.tops[f.Path] = true
	}
	if same && n.AllStill(len(last.dirs)) {
		return last
	}
	now := l.levels(level, most)
	l.linked(now)
	now.tops = len(folders)
	now.sure = !l.doubt.Load()
	for _, d := range now.dirs {
		now.newest = max(now.newest, d.newest)
		now.sure = now.sure && d.whole && len(d.linked) == 0
	}
	n.Keep(func(path string) bool { return now.dirs[path] != nil })
	return now
}

// levels looks at the directories of a level, and then at those in them.
func (l *looker) levels(level []Folder, most int) *survey {
	now := &survey{dirs: map[string]*dirView{}}
	left := most
	for len(level) > 0 && left > 0 && len(now.dirs) < most {
		if !time.Now().Before(l.until) {
			l.unsure(true)
			break
		}
		level = level[:min(len(level), most-len(now.dirs))]
		l.room = left
		views := l.lookAt(level)
		var next []Folder
		for i, f := range level {
			d := views[i]
			if d == nil {
				continue
			}
			if left -= d.count; left < 0 {
				break // what is in it is not followed, and nothing behind or below it
			}
			now.dirs[f.Path] = d
			for _, name := range d.dirs {
				if len(next) >= most {
					break
				}
				if child := filepath.Join(f.Path, name); !l.tops[child] {
					next = append(next, Folder{child, d.rules})
				}
			}
		}
		level = next
	}
	return now
}

// lookAt reads the directories of one level in their order, several at a time, and
// none that surely are as they were. It begins no other one when those that were read
// have more than room files, or the time is over: a level can be as wide as the tree is
// large. What was not read is nil.
func (l *looker) lookAt(level []Folder) []*dirView {
	views := make([]*dirView, len(level))
	var next, files atomic.Int64
	work := func() {
		for files.Load() <= int64(l.room) {
			i := int(next.Add(1)) - 1
			if i >= len(level) {
				return
			}
			if d := l.known(level[i]); d != nil {
				views[i] = d
				files.Add(int64(d.count))
				continue
			}
			if !time.Now().Before(l.until) {
				l.unsure(true)
				return
			}
			d, n := l.lookInto(level[i])
			views[i] = d
			files.Add(int64(n))
		}
	}
	workers := min(runtime.GOMAXPROCS(0), 4, len(level))
	var wait sync.WaitGroup
	for range workers {
		wait.Go(work)
	}
	wait.Wait()
	return views
}

// known is the view of a directory that surely is as it was.
func (l *looker) known(at Folder) *dirView {
	if d := l.last.dir(at.Path); d != nil && d.whole && len(d.linked) == 0 && d.above == at.Rules && l.notifier.Still(at.Path) {
		return d
	}
	return nil
}

// linked looks again at the directories that hold a file which has got another name
// meanwhile: who writes to it there is not noticed here.
func (l *looker) linked(now *survey) {
	shared := map[fileID]bool{}
	for path, d := range now.dirs {
		if l.last.dir(path) != d {
			for _, id := range d.linked {
				shared[id] = true
			}
		}
	}
	if len(shared) == 0 {
		return
	}
	for path, d := range now.dirs {
		if l.last.dir(path) != d || len(d.linked) > 0 {
			continue
		}
		if slices.ContainsFunc(d.names, func(n nameView) bool {
			return n.seen != nil && shared[fileID{n.seen.stat.device, n.seen.stat.inode}]
		}) {
			l.room = trackedFiles
			if again, _ := l.lookInto(Folder{path, d.above}); again != nil && again.rules == d.rules {
				now.dirs[path] = again
			}
		}
	}
}
