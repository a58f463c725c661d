package runner

import (
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// What a policy asks about paths is asked there. Where nobody answers nothing is known, and
// what is not known is asked about.

// one asks one question.
func (l *link) one(q seam.Question) (a seam.Answer, ok bool) {
	all, ok := glance[[]seam.Answer](l, seam.Resolve, []seam.Question{q})
	if !ok || len(all) != 1 {
		return a, false
	}
	return all[0], true
}

// Walk implements control.Resolver.
func (h *Hands) Walk(dir, path string) tool.Walk {
	a, ok := h.one(seam.Question{Ask: "Walk", Dir: dir, Word: path})
	if !ok || a.Walk == nil {
		return tool.Walk{Unknown: fmt.Sprintf("the worker that has %s cannot be asked", path)}
	}
	return *a.Walk
}

// Directory implements control.Directories.
func (h *Hands) Directory(object string) bool {
	a, _ := h.one(seam.Question{Ask: "Directory", Word: object})
	return a.Yes
}

// Ignored implements control.Ignores.
func (h *Hands) Ignored(object string) bool {
	a, _ := h.one(seam.Question{Ask: "Ignored", Word: object})
	return a.Yes
}

// Repositories implements control.Repositories. Where nobody answers each of them may be.
func (h *Hands) Repositories(objects []string) []string {
	a, ok := h.one(seam.Question{Ask: "Repositories", Objects: objects})
	if !ok {
		return objects
	}
	return a.Names
}

// Glob implements control.Globber.
func (h *Hands) Glob(dir, pattern string) (paths []string, complete bool) {
	a, ok := h.one(seam.Question{Ask: "Glob", Dir: dir, Word: pattern})
	return a.Names, ok && a.All
}

// Program implements control.Finder.
func (h *Hands) Program(name string) string {
	a, _ := h.one(seam.Question{Ask: "Program", Word: name})
	return a.Text
}

// Planted implements control.Finder. Where nobody answers it may be.
func (h *Hands) Planted(name string) (planted, shadows bool) {
	a, ok := h.one(seam.Question{Ask: "Planted", Word: name})
	return a.Yes || !ok, a.All
}

// Read implements control.Reader.
func (h *Hands) Read(path string) (text string, there, whole bool) {
	a, ok := h.one(seam.Question{Ask: "Read", Word: path})
	return a.Text, a.Yes || !ok, a.All
}

// Names implements control.Reader.
func (h *Hands) Names(dir string) []string {
	a, _ := h.one(seam.Question{Ask: "Names", Word: dir})
	return a.Names
}

// OwnProgram implements control.Reader.
func (h *Hands) OwnProgram(name string) string {
	a, _ := h.one(seam.Question{Ask: "OwnProgram", Word: name})
	return a.Text
}

// Below implements control.Searcher.
func (h *Hands) Below(dir, word string, links bool, ends []string, asked func(object string) bool) (objects []string, complete bool) {
	a, ok := h.one(seam.Question{Ask: "Below", Dir: dir, Word: word, Links: links, Ends: ends})
	hit := chosen(a.Names, asked)
	if len(hit) == 0 || !ok {
		return nil, ok && a.All
	}
	all, ok := h.one(seam.Question{Ask: "ObjectsOf", Objects: hit})
	return all.Names, ok && a.All
}

// Tracked implements control.Tracker.
func (h *Hands) Tracked(dir string, asked func(object string) bool) (objects []string, complete bool) {
	a, ok := h.one(seam.Question{Ask: "Tracked", Dir: dir})
	return chosen(a.Names, asked), ok && a.All
}

func chosen(objects []string, asked func(string) bool) (out []string) {
	for _, o := range objects {
		if asked(o) {
			out = append(out, o)
		}
	}
	return out
}
