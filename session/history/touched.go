package history

import (
	"slices"
	"strings"
)

// Touched is a file that a run, or a session, has changed: where it is now as far as
// the log knows, and the first of its changes, which has what was there before.
type Touched struct {
	Path  string
	From  string // where it was before, "" where it still is there or was made
	First FileChanged
	Calls []string // in order, without undos
}

// Made says that there was no such file before.
func (t Touched) Made() bool { return t.First.Kind == "created" }

// TouchedBy folds changes into one row a file, in the order in which the files were
// first touched. Of a run, "" for the whole session, only what it changed itself has
// a row; where that has gone since is followed. What the session did not do itself has
// none.
func TouchedBy(deeds []Deed, run string) []Touched {
	rows := map[string]*Touched{}
	var all []*Touched
	add := func(path string, f FileChanged) *Touched {
		t := &Touched{Path: path, First: f}
		rows[path], all = t, append(all, t)
		return t
	}
	within := run == ""
	for _, d := range deeds {
		if d.Run != "" && run != "" {
			within = d.Run == run
		}
		if d.File == nil || !d.Own {
			continue
		}
		f, undone := *d.File, strings.HasPrefix(d.Call, UndoName)
		news := within && !undone
		at := f.Path
		if f.Kind == "moved" {
			at = f.From
		}
		t := rows[at]
		switch {
		case t == nil && !news:
			continue
		case t == nil:
			t = add(at, f)
		}
		if news && !slices.Contains(t.Calls, d.Call) {
			t.Calls = append(t.Calls, d.Call)
		}
		if f.Kind == "moved" {
			t.moved(rows, f)
		}
	}
	out := make([]Touched, len(all))
	for i, t := range all {
		out[i] = *t
	}
	return out
}

// moved takes a row along. Where another file was before that has a row, too, what
// is there is that one, changed, and this one is gone.
func (t *Touched) moved(rows map[string]*Touched, f FileChanged) {
	if rows[f.Path] != nil {
		return
	}
	if t.From == "" && !t.Made() {
		t.From = f.From
	}
	if t.From == f.Path { // it is back
		t.From = ""
	}
	t.Path = f.Path
	delete(rows, f.From)
	rows[f.Path] = t
}
