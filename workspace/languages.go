package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

const (
	// languageTime is how long a language server has: at its start it reads all of the
	// project first.
	languageTime = 20 * time.Second
	// loadTime is how long the editor has to load a file that we have changed. The
	// language server sees the text of the editor.
	loadTime = time.Second
	// languageTries is on how many lines a name is tried where nobody said which: the first
	// may be in a comment, of which no language server knows anything.
	languageTries = 5
	// languageOutside is how many places outside the workspace are named.
	languageOutside = 20
)

var errLanguageTime = fmt.Errorf("the language server did not answer within %d s; use grep", int(languageTime.Seconds()))

// linguist asks the language servers for the tools of a session.
type linguist struct{ *toolset }

// answers says whether there is anyone to ask.
func (l linguist) answers(kind tool.LanguageKind) bool {
	return l.v.languages != nil && l.v.languages.Answers(kind)
}

// ask asks them, and waits.
func (l linguist) ask(ctx context.Context, q tool.LanguageQuestion) (tool.LanguageAnswer, error) {
	return l.v.languages.AskLanguage(ctx, q)()
}

// askedInTime is ctx with the time that a language server has.
func askedInTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, languageTime, errLanguageTime)
}

// shownDocument is the text of a file as the editor has it: of an open one that was
// changed on the disk only now, once it has loaded that.
func (l linguist) shownDocument(ctx context.Context, p Path) (tool.Document, error) {
	if of, loading := l.v.buffers.shown(p); of.URI != "" {
		if loading {
			short, done := context.WithTimeout(ctx, loadTime)
			defer done()
			l.v.buffers.await(short, of.URI, of.Version, l.v.buffers.savedAs(of.URI))
			of, _ = l.v.buffers.shown(p)
		}
		return of, nil
	}
	was, err := p.snapshot()
	if err != nil {
		return tool.Document{}, err
	}
	if !was.exists {
		return tool.Document{}, fmt.Errorf("%s does not exist", p)
	}
	doc, err := decodeDoc(was.data)
	if err != nil {
		return tool.Document{}, fmt.Errorf("%s %w", p, err)
	}
	return tool.Document{URI: p.URI(), Text: doc.text}, nil
}

// stillShown says that a document is what a question was about.
func (l linguist) stillShown(of tool.Document) bool {
	text, version, open := l.v.Buffer(of.URI)
	return !open && of.Version == 0 || open && version == of.Version && text == of.Text
}

// noName says that a name is not where it was looked for, and where else it is.
func noName(p Path, text string, symbol string, line int) error {
	if line == 0 {
		return fmt.Errorf("%s does not have %s", p, output.OneLine(symbol))
	}
	var others []string
	for _, at := range textedit.Names(text, symbol, 0) {
		if len(others) < languageTries {
			others = append(others, fmt.Sprint(strings.Count(text[:at], "\n")+1))
		}
	}
	if others == nil {
		return fmt.Errorf("%s does not have %s", p, output.OneLine(symbol))
	}
	return fmt.Errorf("line %d of %s does not have %s; it is on %s", line, p, output.OneLine(symbol), strings.Join(others, ", "))
}

// checkName refuses what is no name in any language.
func checkName(argument, name string) error {
	if strings.TrimSpace(name) == "" || len(name) > 200 || output.OneLine(name) != name {
		return fmt.Errorf(`argument %q must be a name in one line, of at most 200 bytes`, argument)
	}
	return nil
}

// whereabouts tells where the places of an answer are, and which of them the session may
// see: an editor's language server reads all files.
type whereabouts struct {
	in    *places
	asks  asks
	known map[string]located

	outside []string
	more    int             // outside, not named
	hidden  map[string]bool // files
}

// located is what became of a URI.
type located struct {
	path   Path
	inside bool // and may be seen
}

func (l linguist) whereabouts(base string) *whereabouts {
	return &whereabouts{in: l.v.places, asks: l.asks(base), known: map[string]located{}, hidden: map[string]bool{}}
}

// find is the file of a place, where the session may see it without asking anybody.
func (w *whereabouts) find(at tool.LanguagePlace) (Path, bool) {
	if is, known := w.known[at.URI]; known {
		if is.path.abs != "" && !is.inside && !w.hidden[at.URI] {
			w.addOutside(is.path.abs, at.Line)
		}
		return is.path, is.inside
	}
	abs, ok := pathOfURI(at.URI)
	if !ok {
		w.known[at.URI] = located{}
		w.addOutside(at.URI, at.Line)
		return Path{}, false
	}
	p, err := w.in.locate(abs, true)
	is := located{path: p}
	switch {
	case err == nil && !p.InVault():
		w.addOutside(p.abs, at.Line)
	case err != nil || p.visible() != nil || slices.ContainsFunc(p.Objects(), w.asks.of):
		w.hidden[at.URI] = true
	default:
		is.inside = true
	}
	w.known[at.URI] = is
	return p, is.inside
}

func (w *whereabouts) addOutside(name string, line int) {
	if len(w.outside) == languageOutside {
		w.more++
		return
	}
	place := fmt.Sprintf("%s:%d", pathname.Printable(tool.CutLine(name, 300)), line)
	if !slices.Contains(w.outside, place) {
		w.outside = append(w.outside, place)
	}
}

// notes say what is not shown.
func (w *whereabouts) notes() []string {
	var out []string
	switch n := len(w.hidden); {
	case n == 1:
		out = append(out, "1 sensitive file skipped")
	case n > 1:
		out = append(out, fmt.Sprintf("%d sensitive files skipped", n))
	}
	if len(w.outside) > 0 {
		text := "outside the workspace, not read: " + strings.Join(w.outside, ", ")
		if w.more > 0 {
			text += fmt.Sprintf(" and %d more", w.more)
		}
		out = append(out, text)
	}
	return out
}

// errNoText is of a file that is no text, or not there.
var errNoText = errors.New("no text to be shown")

// textOf is the text of a file with what is unsaved in the editor.
func (l linguist) textOf(ctx context.Context, p Path) ([]byte, error) {
	if text, dirty := l.v.buffers.dirty(p); dirty {
		return plainEnds([]byte(text)), nil
	}
	f, fi, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi.Size() > grepFileBytes {
		return nil, errNoText
	}
	data, err := io.ReadAll(io.LimitReader(watched{ctx, f}, grepFileBytes))
	if err != nil {
		return nil, err
	}
	text, ok := searchable(data)
	if !ok {
		return nil, errNoText
	}
	return text, nil
}
