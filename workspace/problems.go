package workspace

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

const (
	// problemTime is how long after a change the editor's next word about the file
	// is waited for (workspace §2).
	problemTime = 3 * time.Second
	// problemsTold is how many new errors a result names.
	problemsTold = 20

	// What is kept of what a client sends: documents, problems of each, and
	// characters of a message and of a name.
	problemDocuments = 256
	problemsKept     = 100
	problemMessage   = 300
	problemName      = 40
)

// problems are the diagnostics that the editor has sent, the last ones of each
// document (ruling 20). The zero problems are none, and nobody waits for any.
type problems struct {
	mu     sync.Mutex // guards everything below
	last   int64      // counts what has arrived
	byKey  map[string]*problemList
	kinds  map[string]bool // of file names, by extension, that the editor checks
	change chan struct{}   // closed when something arrives; nil: nobody waits
}

type problemList struct {
	arrived int64
	version int32 // of the document; 0 where the client did not say
	list    []tool.Problem
	cut     bool // there were more
}

// SetProblems takes over what the editor has to say about a document from now on.
// version is the document's, 0 where the client names none. Lists are cut, errors
// first; URIs of other schemes than file are ignored.
func (v *Vault) SetProblems(uri string, version int32, list []tool.Problem) {
	abs, ok := pathOfURI(uri)
	if !ok {
		return
	}
	p, err := v.locate(abs, true)
	if err != nil {
		return
	}
	bounded := boundProblems(list)
	q := &v.problems
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.byKey == nil {
		q.byKey, q.kinds = map[string]*problemList{}, map[string]bool{}
	}
	q.last++
	q.byKey[p.key()] = &problemList{q.last, version, bounded, len(bounded) < len(list)}
	if kind := kindOfName(p); len(q.kinds) < problemDocuments {
		q.kinds[kind] = true
	}
	if len(q.byKey) > problemDocuments {
		oldest := p.key()
		for key, l := range q.byKey {
			if l.arrived < q.byKey[oldest].arrived {
				oldest = key
			}
		}
		delete(q.byKey, oldest)
	}
	if q.change != nil {
		close(q.change)
		q.change = nil
	}
}

// kindOfName is what the editor goes by when it checks a file.
func kindOfName(p Path) string { return strings.ToLower(filepath.Ext(p.abs)) }

// boundProblems keeps the gravest of a list, each with texts of one line.
func boundProblems(list []tool.Problem) []tool.Problem {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b tool.Problem) int { return cmp.Compare(gravity(a), gravity(b)) })
	out = out[:min(len(out), problemsKept)]
	for i := range out {
		out[i].Message = cutLine(out[i].Message, problemMessage)
		out[i].Source, out[i].Code = cutLine(out[i].Source, problemName), cutLine(out[i].Code, problemName)
	}
	return slices.Clip(out)
}

func gravity(p tool.Problem) int {
	return slices.Index([]string{"error", "warning", "information", "hint"}, p.Severity)
}

// cutLine is a text of a stranger in one line of at most so many characters.
func cutLine(s string, most int) string {
	if len(s) > 4*most { // before anything looks at all of it
		s = s[:4*most]
	}
	s = strings.Join(strings.Fields(output.Visible(strings.ToValidUTF8(s, "\uFFFD"))), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// Problems are those that the editor has sent last for a document, the gravest
// first.
func (v *Vault) Problems(uri string) []tool.Problem {
	abs, ok := pathOfURI(uri)
	if !ok {
		return nil
	}
	p, err := v.locate(abs, true)
	if err != nil {
		return nil
	}
	q := &v.problems
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.byKey[p.key()]; l != nil {
		return l.list
	}
	return nil
}

// problemWatch is the look at the problems of files before they are changed. The
// zero watch waits for nothing.
type problemWatch []watchedProblems

type watchedProblems struct {
	v     *Vault
	path  Path
	since int64
	was   []tool.Problem
}

// watchProblems is called before a change of these files, news after it. Files of
// a kind that the editor does not check are not watched.
func (v *Vault) watchProblems(paths ...Path) (watch problemWatch) {
	q := &v.problems
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range paths {
		w := watchedProblems{v: v, path: p, since: q.last}
		if l := q.byKey[p.key()]; l != nil {
			w.was = l.list
		} else if !q.kinds[kindOfName(p)] {
			continue
		}
		watch = append(watch, w)
	}
	return watch
}

// news waits for the next word about the files as they are now, three seconds for
// all of them, and gives the errors that are new as lines for a result: "" where
// there are none or none came in time. It is called with no lock held, and ends
// with ctx.
func (watch problemWatch) news(ctx context.Context) string {
	ctx, done := context.WithTimeout(ctx, problemTime)
	defer done()
	var b strings.Builder
	for _, w := range watch {
		l := w.wait(ctx)
		if l == nil {
			continue
		}
		name := ""
		if len(watch) > 1 {
			name = printable(w.path.Display()) + ":"
		}
		b.WriteString(toldProblems(name, newErrors(w.was, l.list), l.cut))
	}
	return b.String()
}

// wait gives the next list of a file, nil where none comes until ctx ends.
func (w watchedProblems) wait(ctx context.Context) *problemList {
	version := w.v.buffers.versionOf(w.path)
	for q := &w.v.problems; ; {
		q.mu.Lock()
		if l := q.byKey[w.path.key()]; l != nil && l.arrived > w.since && (l.version == 0 || l.version >= version) {
			q.mu.Unlock()
			return l
		}
		if q.change == nil {
			q.change = make(chan struct{})
		}
		change := q.change
		q.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return nil
		}
	}
}

// versionOf is the lowest version of p's document that holds our change: the one
// after the present where the file was written and the editor has not loaded it
// again yet. 0 where it is not open.
func (o *overlay) versionOf(p Path) int32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch b := o.byKey[p.key()]; {
	case b == nil:
		return 0
	case b.clean:
		return b.version + 1
	default:
		return b.version
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

// toldProblems are lines for the model. name stands before each place; cut says
// that there may be more.
func toldProblems(name string, list []tool.Problem, cut bool) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nnew errors in the editor:")
	for _, p := range list[:min(len(list), problemsTold)] {
		fmt.Fprintf(&b, "\n  %s%d:%d %s", name, p.Line, p.Column, p.Message)
		if from := strings.TrimSpace(p.Source + " " + p.Code); from != "" {
			fmt.Fprintf(&b, " (%s)", from)
		}
	}
	if more := len(list) - problemsTold; more > 0 && cut {
		fmt.Fprintf(&b, "\n  and at least %d more", more)
	} else if more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}
