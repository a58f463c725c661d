package undo

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Tree is what a plan is made on: the files as they are, and what was kept of
// them.
type Tree interface {
	// Look says what is at a path. An error is why nothing may be done there; it
	// is shown to a person.
	Look(path string) (Image, error)
	// Read is the content of the file at a path.
	Read(path string) ([]byte, error)
	// Inside is what is below a directory, by paths that begin with the directory's as it
	// was given. false: it cannot be said.
	Inside(dir string) (dirs, others []string, ok bool)
	// Load is a kept content.
	Load(hash string) ([]byte, error)
}

// Step brings one path back.
type Step struct {
	Path string
	Was  Image  // what is there, and must still when the step is taken
	Want Image  // what shall be there
	From string // Want comes by a rename from there, where it is as it shall be
	Data []byte // Want's content where it was merged; else it is kept under its hash
	Mode bool   // Want's mode counts too: the changes were about it
	// Behind says that other steps of the plan make room for this one: before them,
	// something else is at its path, or where its directory will be.
	Behind bool
	turn   turn
}

// Plan is what it takes, in the order in which it must be done.
type Plan struct {
	Steps     []Step
	Conflicts []tool.Conflict
}

// More is the path of a change that stands for all those of a command which are
// not named one by one. Where it has a checkpoint that is a list of them: who plans has
// put them in its place, or could not read it.
const More = "."

// Make plans to undo changes, given in the order in which they were made: every
// file they name comes back to what it was before the first of them, where it is
// still what the last of them left. A file that is back already needs nothing, so
// that an undo that died half way is finished by the next. With merge, what
// somebody else changed meanwhile is kept where the lines are others. A file, and
// whatever it was moved to, comes back as a whole or not at all.
func Make(changes []tool.Change, t Tree, merge bool) Plan {
	var p Plan
	all := groups(changes)
	gone := replaced(all, t)
	r := roomOf(all)
	for _, g := range all {
		if g.places[0].path == More {
			why := tool.TooMany
			if slices.ContainsFunc(g.changes, func(c tool.Change) bool { return c.Checkpoint != "" }) {
				why = tool.NotKeptNow
			}
			p.conflict(More, why)
			continue
		}
		g.plan(t, merge, gone, r, &p)
	}
	p.split()
	p.order()
	return p
}

// place is one path in the changes.
type place struct {
	path    string
	origin  Image // before the first change
	left    Image // behind the last
	foreign bool  // somebody else changed it in between
	mode    bool  // a change was about its mode alone
	below   bool  // a directory above it is a file or a link now
	now     Image
}

// group are the paths that moves tie together, mostly one, with their changes.
type group struct {
	places  []*place // in the order in which they were touched
	changes []tool.Change
}

// groups sorts changes by what belongs together, in order.
func groups(changes []tool.Change) []*group {
	of := map[string]*group{}
	for _, c := range changes {
		g, from := of[c.Path], of[c.From]
		switch {
		case g == nil && from == nil:
			g = &group{}
		case g == nil:
			g = from
		case from != nil && from != g:
			for path, its := range of {
				if its == from {
					of[path] = g
				}
			}
		}
		of[c.Path] = g
		if c.From != "" {
			of[c.From] = g
		}
	}
	var all []*group
	for _, c := range changes {
		g := of[c.Path]
		if len(g.changes) == 0 {
			all = append(all, g)
		}
		g.changes = append(g.changes, c)
	}
	for _, g := range all {
		g.fold()
	}
	return all
}

// fold finds out what every path was before and what was left there.
func (g *group) fold() {
	at := map[string]*place{}
	touch := func(path string, before, after Image, onlyMode bool) {
		p := at[path]
		if p == nil {
			p = &place{path: path, origin: before}
			at[path] = p
			g.places = append(g.places, p)
		} else if !p.left.Same(before) && (p.left.Kind != Special || before.Kind != Nothing) { // no change tells of one that goes
			p.foreign = true
		}
		p.left, p.mode = after, p.mode || onlyMode
	}
	for _, c := range g.changes {
		before, after := images(c)
		if c.Kind == "moved" {
			touch(c.From, before, Image{}, false)
			touch(c.Path, Image{}, after, false)
			continue
		}
		touch(c.Path, before, after, c.Kind == "modified" && c.Before == c.After)
	}
}

// Before is what a change says was there before it.
func Before(c tool.Change) Image {
	before, _ := images(c)
	return before
}

// images are what a change says of its file before and after it; for a move that
// is the file which moved.
func images(c tool.Change) (before, after Image) {
	kept, ok := Parse(c.Checkpoint)
	if !ok || kept.Kind != Dir && kept.Hash != c.Before {
		kept = Image{Kind: File, Hash: c.Before}
	}
	if kept.Kind == Dir {
		after = Image{Kind: Dir, Mode: kept.Mode}
	} else {
		after = Image{Kind: File, Hash: c.After}
	}
	switch c.Kind {
	case "created":
		return Image{}, after
	case "deleted":
		if c.After != "" {
			return kept, Image{Kind: Special, Hash: c.After}
		}
		return kept, Image{}
	}
	return kept, after
}

func (g *group) plan(t Tree, merge bool, gone []string, r room, p *Plan) {
	back, ours := true, true
	var conflicts []tool.Conflict
	var emptied []string
	for _, at := range g.places {
		var err error
		if at.below = isBelow(at.path, gone); at.below {
			at.now = Image{}
		} else if at.now, err = t.Look(at.path); err != nil {
			p.conflict(at.path, tool.ReasonOf(err))
			return
		}
		if at.now.Kind == Dir && at.left.Kind == Nothing && (at.origin.Kind == File || at.origin.Kind == Link) && r.leaves(at.path, t) {
			at.left, emptied = at.now, append(emptied, at.path)
		}
		isBack := at.now.Same(at.origin) && (!at.mode || at.now.Mode == at.origin.Mode)
		back = back && isBack
		if why := at.lost(); why != "" && !isBack {
			ours = false
			conflicts = append(conflicts, tool.Conflict{Path: at.path, Reason: why})
		}
	}
	if c := g.held(); c.Held != "" && !back {
		for _, at := range g.places {
			p.Conflicts = append(p.Conflicts, tool.Conflict{Path: at.path, Reason: c.Held, With: c.With})
		}
		return
	}
	switch {
	case back:
	case ours:
		before := len(p.Steps)
		if g.restore(t, p); len(p.Steps) > before {
			for _, dir := range emptied {
				r.empty(dir, t, p)
			}
		}
	case slices.ContainsFunc(g.places, func(at *place) bool { return at.now.Unsaved }):
		p.Conflicts = append(p.Conflicts, conflicts...)
	case merge && len(g.places) == 1:
		g.merge(t, p)
	default:
		p.Conflicts = append(p.Conflicts, conflicts...)
	}
}

// held is a change that says why the group stays as it is whatever is there; mostly
// there is none.
func (g *group) held() tool.Change {
	for _, c := range g.changes {
		if c.Held != "" {
			return c
		}
	}
	return tool.Change{}
}

// lost says why a path is not simply what the agent left, "" where it is.
func (at *place) lost() tool.Reason {
	switch {
	case at.left.Kind == File && at.left.Hash == "" && at.now.Kind != Nothing:
		return tool.NeverKept // nobody knows what was left there
	case at.foreign:
		return tool.ChangedBetween
	case at.now.Same(at.left), at.left.Kind == Special && at.now.Kind == Nothing:
		return ""
	case at.now.Unsaved:
		return tool.Unsaved
	case at.now.Kind == Nothing:
		return tool.DeletedSince
	case at.left.Kind == Nothing:
		return tool.AppearedSince
	}
	return tool.ChangedSince
}

// restore brings every path of the group back to its origin.
func (g *group) restore(t Tree, p *Plan) {
	for _, at := range g.places {
		if at.now.Unsaved && at.origin.Kind != File {
			p.conflict(at.path, tool.Unsaved)
			return
		}
	}
	var steps []Step
	gone := map[string]bool{} // paths that a rename empties
	for _, at := range g.places {
		if at.now.Same(at.origin) && (!at.mode || at.now.Mode == at.origin.Mode) {
			continue
		}
		s := Step{Path: at.path, Was: at.now, Want: g.known(at.origin), Mode: at.mode, Behind: at.below}
		if at.now.Kind == Nothing && at.origin.Kind != Dir {
			if from := g.holder(at.origin, gone); from != nil {
				s.From, s.Want.Mode = from.path, from.now.Mode
				gone[from.path] = true
			}
		}
		why := s.missing(t)
		if why != "" {
			if s.Data = g.elsewhere(s.Want, t); s.Data == nil {
				p.conflict(at.path, why)
				return
			}
		}
		steps = append(steps, s)
	}
	p.Steps = append(p.Steps, slices.DeleteFunc(steps, func(s Step) bool { return gone[s.Path] })...)
}

// known is an image with what the other changes of the group say of the same
// content: a move keeps none, and does not say its mode.
func (g *group) known(i Image) Image {
	for _, c := range g.changes {
		if kept, ok := Parse(c.Checkpoint); ok && i.Mode == 0 && kept.Kept && kept.Same(i) {
			return kept
		}
	}
	return i
}

// holder is a path of the group that holds what is wanted elsewhere and shall hold
// nothing itself.
func (g *group) holder(want Image, gone map[string]bool) *place {
	for _, at := range g.places {
		if at.origin.Kind == Nothing && at.now.Kind != Nothing && at.now.Same(want) && !gone[at.path] {
			return at
		}
	}
	return nil
}

// missing says why what a step wants is not to be had, "" where it is.
func (s Step) missing(t Tree) tool.Reason {
	if s.From != "" || s.Data != nil || s.Want.Kind != File && s.Want.Kind != Link || s.Want.Same(s.Was) {
		return ""
	}
	if s.Want.Hash == "" {
		return tool.NeverKept
	}
	if _, err := t.Load(s.Want.Hash); err != nil {
		if s.Want.Kept {
			return tool.NotKeptNow
		}
		return tool.NeverKept
	}
	return ""
}

func (p *Plan) conflict(path string, why tool.Reason) {
	p.Conflicts = append(p.Conflicts, tool.Conflict{Path: path, Reason: why})
}
