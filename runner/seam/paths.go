package seam

import (
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Paths answers what a policy wants to know of paths by asking Questions. Where nobody
// answers nothing is known, and what is not known is asked about.
type Paths struct {
	// Ask asks one; ok is false where nobody answers.
	Ask func(Question) (a Answer, ok bool)
}

// Walk implements control.Resolver.
func (p Paths) Walk(dir, path string) tool.Walk {
	a, ok := p.Ask(Question{Ask: "Walk", Dir: dir, Word: path})
	if !ok || a.Walk == nil {
		return tool.Walk{Unknown: fmt.Sprintf("the worker that has %s cannot be asked", path)}
	}
	return *a.Walk
}

// Directory implements control.Directories.
func (p Paths) Directory(object string) bool {
	a, _ := p.Ask(Question{Ask: "Directory", Word: object})
	return a.Yes
}

// Ignored implements control.Ignores.
func (p Paths) Ignored(object string) bool {
	a, _ := p.Ask(Question{Ask: "Ignored", Word: object})
	return a.Yes
}

// Repositories implements control.Repositories. Where nobody answers each of them may be.
func (p Paths) Repositories(objects []string) []string {
	a, ok := p.Ask(Question{Ask: "Repositories", Objects: objects})
	if !ok {
		return objects
	}
	return a.Names
}

// Glob implements control.Globber.
func (p Paths) Glob(dir, pattern string) (paths []string, complete bool) {
	a, ok := p.Ask(Question{Ask: "Glob", Dir: dir, Word: pattern})
	return a.Names, ok && a.All
}

// Program implements control.Finder.
func (p Paths) Program(name string) string {
	a, _ := p.Ask(Question{Ask: "Program", Word: name})
	return a.Text
}

// Planted implements control.Finder. Where nobody answers it may be.
func (p Paths) Planted(name string) (planted, shadows bool) {
	a, ok := p.Ask(Question{Ask: "Planted", Word: name})
	return a.Yes || !ok, a.All
}

// Read implements control.Reader.
func (p Paths) Read(path string) (text string, there, whole bool) {
	a, ok := p.Ask(Question{Ask: "Read", Word: path})
	return a.Text, a.Yes || !ok, a.All
}

// Names implements control.Reader.
func (p Paths) Names(dir string) []string {
	a, _ := p.Ask(Question{Ask: "Names", Word: dir})
	return a.Names
}

// OwnProgram implements control.Reader.
func (p Paths) OwnProgram(name string) string {
	a, _ := p.Ask(Question{Ask: "OwnProgram", Word: name})
	return a.Text
}

// Below implements control.Searcher.
func (p Paths) Below(dir, word string, links bool, ends []string, asked func(object string) bool) (objects []string, complete bool) {
	a, ok := p.Ask(Question{Ask: "Below", Dir: dir, Word: word, Links: links, Ends: ends})
	hit := chosen(a.Names, asked)
	if len(hit) == 0 || !ok {
		return nil, ok && a.All
	}
	all, ok := p.Ask(Question{Ask: "ObjectsOf", Objects: hit})
	return all.Names, ok && a.All
}

// Tracked implements control.Tracker.
func (p Paths) Tracked(dir string, asked func(object string) bool) (objects []string, complete bool) {
	a, ok := p.Ask(Question{Ask: "Tracked", Dir: dir})
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
