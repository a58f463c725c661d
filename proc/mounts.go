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
	private              // another directory, the command's own
	writable             // as it is, to be changed
	readOnly             // as it is, below something writable
)

// place is one path and its view. Everything that is not below a place can be
// read.
type place struct {
	path string
	is   view
}

// places lists what differs from "can be read", each after everything that it
// lies below, so that the deepest place counts. The same path twice: the
// stricter rule for it comes last, except that what is shown was meant for it.
func (c Confinement) places() []place {
	var all []place
	add := func(is view, paths ...string) {
		for _, p := range paths {
			all = append(all, place{filepath.Clean(p), is})
		}
	}
	if c.Temp != "" {
		add(private, "/tmp", "/var/tmp")
	}
	add(writable, c.Write...)
	add(readOnly, c.ReadOnly...)
	add(hidden, c.Hidden...)
	add(shown, c.Shown...)
	slices.SortStableFunc(all, func(a, b place) int { return depth(a.path) - depth(b.path) })
	return all
}

func depth(path string) int {
	if path == "/" {
		return 0
	}
	return strings.Count(path, "/")
}
