package undo

import "slices"

// room says which directories the undo leaves empty. A directory in the place of a file
// that went may have come without a change of its own: of an empty one no command is
// known to have made it, and a file that is written makes those above it.
type room struct {
	taken map[string]bool // what the changes put where nothing was
	dirs  map[string]bool // directories that have changes of their own
}

func roomOf(all []*group) room {
	r := room{taken: map[string]bool{}, dirs: map[string]bool{}}
	for _, g := range all {
		for _, at := range g.places {
			r.taken[at.path] = at.origin.Kind == Nothing
			r.dirs[at.path] = at.left.Kind == Dir
		}
	}
	return r
}

// leaves says that nothing is in a directory but what the undo takes away, and
// directories.
func (r room) leaves(dir string, t Tree) bool {
	_, others, ok := t.Inside(dir)
	return ok && !slices.ContainsFunc(others, func(path string) bool { return !r.taken[path] })
}

// empty plans the end of the directories below one that the undo empties.
func (r room) empty(dir string, t Tree, p *Plan) {
	dirs, _, _ := t.Inside(dir)
	for _, path := range dirs {
		if r.dirs[path] {
			continue
		}
		if now, err := t.Look(path); err == nil && now.Kind == Dir {
			p.Steps = append(p.Steps, Step{Path: path, Was: now})
			r.dirs[path] = true
		}
	}
}
