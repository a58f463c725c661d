package changes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/notify"
)

// Lost is a command whose process died while it was followed.
type Lost struct {
	Call  Call
	Watch *Watch // it can be ended, as if the command had ended now
	// Odd says that names which are no text were followed: of those nothing is known.
	Odd bool
}

// Leftover is what a process that died has left in its directory.
type Leftover struct {
	Lost []Lost // in the order in which they began

	tracker *Tracker
}

// Close lets go of it; nothing is removed.
func (l *Leftover) Close() error { return l.tracker.Release() }

// Recover reads what a process that died has left in dir. It is an error where that
// is nothing, or nothing that could be understood. A last line that is torn is none.
func Recover(dir string) (*Leftover, error) {
	f, err := os.Open(filepath.Join(dir, journalFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := reader{kept: map[keyOf]kept{}, dirs: map[string]*dirView{}, odd: map[string]bool{}, open: map[int]*Lost{}}
	if err := r.read(f); err != nil {
		return nil, err
	}
	out := &Leftover{tracker: &Tracker{Dir: dir, notifier: notify.Notifier{Most: -1}}} // it looks once
	if len(r.open) == 0 {
		return out, nil
	}
	contents, err := os.OpenFile(filepath.Join(dir, contentsFile), os.O_RDWR, 0)
	if err == nil {
		err = out.tracker.shadow.reopen(contents, r.life)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // without one no file was read
		return nil, err
	}
	for _, number := range r.order {
		lost, still := r.open[number]
		if !still {
			continue
		}
		w := lost.Watch
		w.t, w.left, w.stop = out.tracker, hashedBytes, make(chan struct{})
		for dir, d := range w.before.dirs {
			for _, n := range d.names {
				r.find(filepath.Join(dir, n.name), n.seen)
			}
		}
		for path, s := range w.made {
			r.find(path, s)
		}
		out.tracker.watches = append(out.tracker.watches, w)
		out.Lost = append(out.Lost, *lost)
	}
	return out, nil
}

// keyOf is a file as it once was.
type keyOf struct {
	path  string
	stamp fileStat
}

// reader folds a journal.
type reader struct {
	kept  map[keyOf]kept
	life  int
	dirs  map[string]*dirView
	odd   map[string]bool
	open  map[int]*Lost // begun and not ended
	order []int
}

func (r *reader) read(from io.Reader) error {
	in := bufio.NewReader(from)
	for {
		raw, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // what is behind the last end of a line is torn
		}
		var l line
		if err == nil {
			err = json.Unmarshal(bytes.TrimSpace(raw), &l)
		}
		if err != nil {
			return err
		}
		r.take(l)
	}
}

func (r *reader) take(l line) {
	switch {
	case l.Dir != nil:
		r.dirs[l.Dir.Path], r.odd[l.Dir.Path] = l.Dir.view(), l.Dir.Odd
	case l.Gone != "":
		delete(r.dirs, l.Gone)
		delete(r.odd, l.Gone)
	case l.Kept != nil:
		k := l.Kept
		r.kept[keyOf{k.Path, k.Stamp.stat()}] = kept{k.Hash, k.Size, k.At, k.Life}
		r.life = max(r.life, k.Life)
	case l.Begin != nil:
		lost := &Lost{Call: l.Begin.Call}
		for _, odd := range r.odd {
			lost.Odd = lost.Odd || odd
		}
		lost.Watch = &Watch{
			before: &survey{dirs: maps.Clone(r.dirs)}, began: time.Unix(0, l.Begin.At), call: l.Begin.Call, made: map[string]*snapshot{}, claimed: map[string]Call{},
		}
		lost.Watch.number = l.Begin.Number
		for _, o := range r.open {
			lost.Watch.others, o.Watch.others = append(lost.Watch.others, o.Watch), append(o.Watch.others, lost.Watch)
		}
		r.open[l.Begin.Number] = lost
		r.order = append(r.order, l.Begin.Number)
	case l.Over != nil:
		var now *snapshot
		if l.Over.Stamp != nil {
			now = &snapshot{stat: l.Over.Stamp.stat()}
		}
		for _, lost := range r.open {
			lost.Watch.made[l.Over.Path] = now
		}
	case l.End != 0:
		delete(r.open, l.End)
		for _, lost := range r.open { // what it has done is told apart
			lost.Watch.others = slices.DeleteFunc(lost.Watch.others, func(o *Watch) bool { return o.number == l.End })
		}
	}
}

func (l *dirLine) view() *dirView {
	d := &dirView{stat: fileStat{mode: l.Mode}, whole: l.Whole && !l.Odd}
	for _, n := range l.Names {
		v := nameView{name: n.Name, dir: n.Dir, skipped: n.Skipped}
		if n.Stamp != nil {
			v.seen = &snapshot{stat: n.Stamp.stat()}
		}
		if !strings.ContainsRune(n.Name, filepath.Separator) {
			d.names = append(d.names, v)
		}
	}
	return d
}

// find says where the content of a snapshot is kept, as far as it is.
func (r *reader) find(path string, s *snapshot) {
	if s == nil {
		return
	}
	if k, ok := r.kept[keyOf{path, s.stat}]; ok && k.life == r.life {
		s.held = k
	}
}
