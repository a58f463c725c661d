package surface

import (
	"maps"
	"slices"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
)

// Diagnostics are what we say about documents. A client keeps one list of ours a
// document, so anyone who says something about one says it through here.
type Diagnostics struct {
	*Screen

	mu sync.Mutex // guards everything below
	of map[string]documentDiagnostics
}

// documentDiagnostics are those of one document, by who says them.
type documentDiagnostics struct {
	uri string // as it was named first
	by  map[string][]Mark
}

func newDiagnostics(s *Screen) *Diagnostics {
	return &Diagnostics{Screen: s, of: map[string]documentDiagnostics{}}
}

// Set says what one speaker has to say about a document from now on, and publishes
// that with what the others have.
func (d *Diagnostics) Set(speaker, uri string, list []Mark) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := documentKey(uri)
	doc, known := d.of[key]
	if !known {
		if len(list) == 0 {
			return
		}
		doc = documentDiagnostics{uri, map[string][]Mark{}}
		d.of[key] = doc
	}
	doc.by[speaker] = list
	all := []Mark{}
	for _, name := range slices.Sorted(maps.Keys(doc.by)) {
		all = append(all, doc.by[name]...)
	}
	if len(all) == 0 {
		delete(d.of, key)
	}
	if err := d.Notify("textDocument/publishDiagnostics", map[string]any{"uri": doc.uri, "diagnostics": all}); err != nil {
		d.Report("publish diagnostics", err)
	}
}

// documentKey names a document however its URI is spelt.
func documentKey(uri string) string {
	if path, ok := fileuri.Path(uri); ok {
		return path
	}
	return uri
}

// lines is a range of LSP over whole lines, zero-based, the last one exclusive.
func lines(start, end int) map[string]any {
	at := func(line int) map[string]int { return map[string]int{"line": max(line, 0), "character": 0} }
	return map[string]any{"start": at(start), "end": at(max(end, start+1))}
}
