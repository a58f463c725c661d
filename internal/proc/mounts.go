package proc

import (
	"path/filepath"
	"slices"
	"strings"
)

// view is what a path looks like to a confined command.
type view int

const (
	hidden   view = iota // the zero view shows nothing
	shown                // as it is, to be read
	writable             // as it is, to be changed
	readOnly             // as it is, below something writable
)

// place is one path and its view. What is below no place is not there.
type place struct {
	path string
	is   view
	from string // what is seen there; "" is the path itself
}

// source is what is seen at the place.
func (p place) source() string {
	if p.from != "" {
		return p.from
	}
	return p.path
}

// places lists what a command sees where nothing else is there.
func (c Confinement) places() []place { return seen(c.rules()) }

// rules lists what c says, each place after everything that it is below, so that the
// deepest counts. The same path twice: the stricter rule for it comes last, except that
// what is shown was meant for it.
func (c Confinement) rules() []place {
	var all []place
	add := func(is view, paths ...string) {
		for _, p := range paths {
			all = append(all, place{path: filepath.Clean(p), is: is})
		}
	}
	add(shown, c.Read...)
	if c.Temp != "" {
		all = append(all, place{"/tmp", writable, c.Temp}, place{"/var/tmp", writable, c.Temp})
	}
	for _, own := range c.Own {
		is := shown
		if own.Write {
			is = writable
		}
		all = append(all, place{filepath.Clean(own.At), is, own.From})
	}
	add(writable, c.Write...)
	add(readOnly, c.ReadOnly...)
	add(hidden, c.Hidden...)
	add(shown, c.Shown...)
	slices.SortStableFunc(all, func(a, b place) int { return depth(a.path) - depth(b.path) })
	return all
}

// seen leaves out what would show something by itself: what is hidden or read-only counts
// only below a place that shows what is there.
func seen(all []place) (out []place) {
	at := map[string]place{}
	for _, p := range all {
		if p.is == hidden || p.is == readOnly {
			around, ok := at[p.path]
			for dir := p.path; !ok && dir != "/"; {
				dir = filepath.Dir(dir)
				around, ok = at[dir]
			}
			if !ok || around.is == hidden || around.from != "" {
				continue
			}
		}
		at[p.path] = p
		out = append(out, p)
	}
	return out
}

// Shows says that a command sees what is at an absolute path, at level namespaces.
func (c Confinement) Shows(path string) bool {
	at := covering(c.places(), path)
	return at.is != hidden && at.from == ""
}

// Changeable are those of the absolute paths at which a command may change what is there, at
// level namespaces.
func (c Confinement) Changeable(paths []string) []string {
	places := c.places()
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		at := covering(places, path)
		return at.is != writable || at.from != ""
	})
}

// covering is the deepest place that a path is in; the zero place shows nothing.
func covering(places []place, path string) (at place) {
	for _, p := range append([]place{{path: "/proc", is: shown}, {path: "/dev", is: shown}}, places...) {
		if within := p.path == path || strings.HasPrefix(path, strings.TrimSuffix(p.path, "/")+"/"); within && len(p.path) >= len(at.path) {
			at = p
		}
	}
	return at
}

// opens says that something below a hidden directory is to be seen all the same.
func opens(places []place, dir string) bool {
	return slices.ContainsFunc(places, func(p place) bool { return p.is != hidden && strings.HasPrefix(p.path, dir+"/") })
}

func depth(path string) int {
	if path == "/" {
		return 0
	}
	return strings.Count(path, "/")
}
