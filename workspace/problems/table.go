package problems

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

// What is kept of what a client sends: documents, problems of each, and characters
// of a message and of a name.
const (
	mostDocuments = 256
	mostKept      = 100
	messageChars  = 300
	nameChars     = 40
)

// Table is the diagnostics that the editor has sent, the last ones of each
// document. The zero Table has none, and nobody waits for any. It is safe for
// concurrent use.
type Table struct {
	mu     sync.Mutex // guards everything below
	last   int64      // counts what has arrived
	byKey  map[string]*document
	kinds  map[string]bool // of files that the editor checks
	change chan struct{}   // closed when something arrives; nil: nobody waits
}

type document struct {
	arrived int64
	version int32 // 0 where the client did not say
	list    []tool.Problem
	cut     bool // there were more
}

// Set takes over what the editor has to say about a document from now on. key names
// it, kind is what the editor goes by when it checks a file, version is the
// document's, 0 where the client names none. A list is cut, errors first, and of
// more than 256 documents the one is dropped that was heard of longest ago.
func (t *Table) Set(key, kind string, version int32, list []tool.Problem) {
	kept := bounded(list)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byKey == nil {
		t.byKey, t.kinds = map[string]*document{}, map[string]bool{}
	}
	t.last++
	t.byKey[key] = &document{t.last, version, kept, len(kept) < len(list)}
	if len(t.kinds) < mostDocuments {
		t.kinds[kind] = true
	}
	if len(t.byKey) > mostDocuments {
		oldest := key
		for other, d := range t.byKey {
			if d.arrived < t.byKey[oldest].arrived {
				oldest = other
			}
		}
		delete(t.byKey, oldest)
	}
	if t.change != nil {
		close(t.change)
		t.change = nil
	}
}

// Of are the problems that were sent last for a document, the gravest first. They
// must not be changed.
func (t *Table) Of(key string) []tool.Problem {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.byKey[key]; d != nil {
		return d.list
	}
	return nil
}

// bounded keeps the gravest of a list, each with texts of one line.
func bounded(list []tool.Problem) []tool.Problem {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b tool.Problem) int { return cmp.Compare(gravity(a), gravity(b)) })
	out = out[:min(len(out), mostKept)]
	for i := range out {
		out[i].Message = cutLine(out[i].Message, messageChars)
		out[i].Source, out[i].Code = cutLine(out[i].Source, nameChars), cutLine(out[i].Code, nameChars)
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
