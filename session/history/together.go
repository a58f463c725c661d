package history

import (
	"slices"
	"strconv"
)

// Calls are calls by their names: "<session>/<call>", of a sub-agent
// "<session>.<number>/<call>".
type Calls map[string]bool

// CallsIn are those that begin in a part of a session's history.
func CallsIn(session string, deeds []Deed) Calls {
	calls := Calls{}
	for _, d := range deeds {
		if d.Call != "" && d.File == nil && d.Lost == "" && d.Own {
			calls[d.Name(session)] = true
		}
	}
	return calls
}

// Writers are the calls that have changed a file as the log has it: by path and call,
// where in the history the last change is.
type Writers map[string]map[string]int

// WritersIn are those of a session's own history.
func WritersIn(session string, deeds []Deed) Writers {
	w := Writers{}
	for i, d := range deeds {
		if d.File == nil || !d.Own {
			continue
		}
		for _, path := range d.File.paths() {
			if w[path] == nil {
				w[path] = map[string]int{}
			}
			w[path][d.Name(session)] = i
		}
	}
	return w
}

// Others are the calls that have changed the file of a change, too, while they ran
// at the same time, and are not undone with it. Of one that merely ran then nobody
// knows more than that. The call itself is one where the change is counted to it and
// only another one is undone. later says that one of the changes would be lost which
// came with this one or behind it; at is where this one is.
func (w Writers) Others(session string, at int, d Deed, undone Calls) (names []string, later bool) {
	ran := d.File.With
	if slices.ContainsFunc(ran, func(name string) bool { return undone[name] }) {
		ran = append(slices.Clone(ran), d.Name(session))
	}
	for _, name := range ran {
		last, wrote := -1, false
		for _, path := range d.File.paths() {
			if i, has := w[path][name]; has {
				last, wrote = max(last, i), true
			}
		}
		if wrote && !undone[name] {
			names = append(names, name)
			later = later || last >= at
		}
	}
	return names, later
}

// paths are the names that the file has, before and after.
func (f *FileChanged) paths() []string {
	if f.From == "" {
		return []string{f.Path}
	}
	return []string{f.Path, f.From}
}

// Name is what the deed's call is called in the changes of others.
func (d Deed) Name(session string) string {
	if d.child > 0 {
		session += "." + strconv.Itoa(d.child)
	}
	return session + "/" + d.Call
}
