package undo

import (
	"cmp"
	"slices"
	"strings"
)

// turn is when a step is taken; the zero turn follows from what the step does.
type turn int

const (
	clears turn = iota + 1 // it makes room for a directory
	closes                 // it puts a file where a directory was removed
)

// replaced are the paths where the changes left a file or a link in place of a
// directory, and where one still is. Nothing is below them until the directory is back.
func replaced(all []*group, t Tree) (paths []string) {
	for _, g := range all {
		for _, at := range g.places {
			if at.origin.Kind != Dir || at.left.Kind != File && at.left.Kind != Special {
				continue
			}
			if now, err := t.Look(at.path); err == nil && (now.Kind == File || now.Kind == Link || now.Kind == Special) {
				paths = append(paths, at.path)
			}
		}
	}
	return paths
}

// isBelow says that path is inside of one of the directories.
func isBelow(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		rest, ok := strings.CutPrefix(path, dir)
		return ok && rest != "" && (rest[0] == '/' || rest[0] == '\\')
	})
}

// elsewhere is a content that is wanted and was not kept, read at a path of the group
// to which it was moved; nil where it is at none.
func (g *group) elsewhere(want Image, t Tree) []byte {
	for _, at := range g.places {
		if at.now.Kind != File || !at.now.Same(want) {
			continue
		}
		if data, err := t.Read(at.path); err == nil && HashOf(data) == want.Hash {
			return append([]byte{}, data...)
		}
	}
	return nil
}

// split makes two steps of one that puts a directory where a file or a link is, or the
// other way round: what is there goes, and can be brought back by itself, and then what
// was there comes.
func (p *Plan) split() {
	var steps []Step
	for _, s := range p.Steps {
		toDir, fromDir := s.Want.Kind == Dir, s.Was.Kind == Dir
		if toDir == fromDir || s.Want.Kind == Nothing || s.Was.Kind == Nothing {
			steps = append(steps, s)
			continue
		}
		first := Step{Path: s.Path, Was: s.Was}
		s.Was, s.Behind = Image{}, true
		if toDir {
			first.turn = clears
		} else {
			s.turn = closes
		}
		steps = append(steps, first, s)
	}
	p.Steps = steps
}

// order puts the steps so that each can be done: what is in the way of a directory
// goes, directories come back, then their contents, then what goes, a directory behind
// what is in it, and last what comes in the place of one.
func (p *Plan) order() {
	rank := func(s Step) int {
		switch {
		case s.turn == clears:
			return 0
		case s.turn == closes:
			return 5
		case s.Want.Kind == Dir:
			return 1
		case s.Want.Kind != Nothing:
			return 2
		case s.Was.Kind != Dir:
			return 3
		}
		return 4
	}
	slices.SortStableFunc(p.Steps, func(a, b Step) int {
		if d := cmp.Compare(rank(a), rank(b)); d != 0 {
			return d
		}
		switch rank(a) {
		case 1:
			return strings.Compare(a.Path, b.Path)
		case 4:
			return strings.Compare(b.Path, a.Path)
		}
		return 0
	})
}
