package problems

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

const (
	// waitTime is how long after a change the editor's next word about the file is
	// waited for.
	waitTime = 3 * time.Second
	// mostTold is how many new errors a result names.
	mostTold = 20
)

// File is a file that is about to be changed.
type File struct {
	Key, Kind string // as for Set
	Name      string // as a person and the model read it
	// Version is the lowest version of its document that holds the change, 0 where
	// it is not open. It is asked behind the change, with no lock held.
	Version func() int32
}

// Watch is the look at the problems of files before they are changed. The zero
// Watch waits for nothing.
type Watch []watched

type watched struct {
	t     *Table
	file  File
	since int64
	was   []tool.Problem
}

// Watch is called before a change of these files, News after it. Files of a kind
// that the editor does not check are not watched.
func (t *Table) Watch(files ...File) (watch Watch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range files {
		w := watched{t: t, file: f, since: t.last}
		if d := t.byKey[f.Key]; d != nil {
			w.was = d.list
		} else if !t.kinds[f.Kind] {
			continue
		}
		watch = append(watch, w)
	}
	return watch
}

// News waits for the next word about the files as they are now, three seconds for
// all of them, and gives the errors that are new as lines for a result: "" where
// there are none or none came in time. It is called with no lock held, and ends
// with ctx.
func (watch Watch) News(ctx context.Context) string {
	ctx, done := context.WithTimeout(ctx, waitTime)
	defer done()
	var b strings.Builder
	for _, w := range watch {
		d := w.wait(ctx)
		if d == nil {
			continue
		}
		name := ""
		if len(watch) > 1 {
			name = w.file.Name + ":"
		}
		b.WriteString(told(name, newErrors(w.was, d.list), d.cut))
	}
	return b.String()
}

// wait gives what is sent next for a file, nil where nothing comes until ctx ends.
func (w watched) wait(ctx context.Context) *document {
	version := w.file.Version()
	for t := w.t; ; {
		t.mu.Lock()
		if d := t.byKey[w.file.Key]; d != nil && d.arrived > w.since && (d.version == 0 || d.version >= version) {
			t.mu.Unlock()
			return d
		}
		if t.change == nil {
			t.change = make(chan struct{})
		}
		change := t.change
		t.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return nil
		}
	}
}

// newErrors are the errors of now that were not there before. Lines move when a
// file is changed, so one with the same words elsewhere is the same one, as often
// as it was there.
func newErrors(was, now []tool.Problem) []tool.Problem {
	known := map[tool.Problem]int{}
	for _, p := range was {
		p.Line, p.Column = 0, 0
		known[p]++
	}
	var out []tool.Problem
	for _, inPlace := range []bool{true, false} { // first those that have not moved
		var rest []tool.Problem
		for _, p := range now {
			words := p
			words.Line, words.Column = 0, 0
			switch {
			case p.Severity != "error":
			case known[words] > 0 && (!inPlace || slices.Contains(was, p)):
				known[words]--
			default:
				rest = append(rest, p)
			}
		}
		now, out = rest, rest
	}
	return out
}

// told are lines for the model. name is before each place; cut says
// that there may be more.
func told(name string, list []tool.Problem, cut bool) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nnew errors in the editor:")
	for _, p := range list[:min(len(list), mostTold)] {
		fmt.Fprintf(&b, "\n  %s%d:%d %s", name, p.Line, p.Column, p.Message)
		if from := strings.TrimSpace(p.Source + " " + p.Code); from != "" {
			fmt.Fprintf(&b, " (%s)", from)
		}
	}
	if more := len(list) - mostTold; more > 0 && cut {
		fmt.Fprintf(&b, "\n  and at least %d more", more)
	} else if more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}
