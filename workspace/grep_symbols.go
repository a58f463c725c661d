package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

const (
	// symbolGrace is how much longer a search may take for the sake of symbols.
	symbolGrace = 200 * time.Millisecond
	// symbolHits is how many are added to an answer.
	symbolHits = 10
)

var errNotWaited = errors.New("the search has ended")

// namedSymbols is the question for symbols that are called what a search is for. It is
// asked while the files are searched.
type namedSymbols struct {
	l      linguist
	p      Path
	q      query
	name   string
	cancel context.CancelCauseFunc
	answer func() (tool.LanguageAnswer, error)
}

// namedLike asks, where the pattern is a name and somebody can answer. text, which must be
// called once, waits for what is added to the answer.
func (l linguist) namedLike(ctx context.Context, p Path, q query, pattern string) (text func() string) {
	if q.Mode != search.Content || len(pattern) < 3 || len(pattern) > 100 || !textedit.IsName(pattern) || !l.answers(tool.LanguageSymbols) || !p.isDir() {
		return func() string { return "" }
	}
	ctx, cancel := context.WithCancelCause(ctx)
	named := &namedSymbols{l, p, q, pattern, cancel, l.v.languages.AskLanguage(ctx, tool.LanguageQuestion{Kind: tool.LanguageSymbols, Query: pattern})}
	return named.text
}

// text waits for the answer, no longer than is hardly noticed, and is "" without one.
func (n *namedSymbols) text() string {
	late := time.AfterFunc(symbolGrace, func() { n.cancel(errNotWaited) })
	defer late.Stop()
	defer n.cancel(nil)
	found, err := n.answer()
	if err != nil {
		return ""
	}
	where := n.l.whereabouts(n.p.Object())
	var lines []string
	for _, s := range found.Symbols {
		if name, _, _ := strings.Cut(s.Name, "("); name != n.name && !strings.HasSuffix(name, "."+n.name) { // some name what it is in, too
			continue
		}
		at, ok := where.find(s.LanguagePlace)
		rel, below := pathname.Below(n.p.abs, at.abs)
		if !ok || !below || !n.q.wants(rel) {
			continue
		}
		if len(lines) == symbolHits {
			lines = append(lines, "  and more: use symbols")
			break
		}
		lines = append(lines, fmt.Sprintf("  %s:%d: %s", pathname.Printable(at.Display()), s.Line, symbolName(s)))
	}
	if lines == nil {
		return ""
	}
	return fmt.Sprintf("\nsymbols named %s:\n%s", n.name, strings.Join(lines, "\n"))
}
