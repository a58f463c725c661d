package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

//go:embed references.md
var referencesDoc string

type referencesArgs struct {
	Path   string `json:"path" jsonschema:"a file that has the name"`
	Symbol string `json:"symbol" jsonschema:"the name, as it is written there"`
	Line   int    `json:"line,omitempty" jsonschema:"the line that it is on, from 1; the first one that has it if not given"`
	Kind   string `json:"kind,omitempty" words:"references,definition" jsonschema:"what is looked for, references if not given"`
}

// newReferences is the tool that asks where a name is used, or defined.
func newReferences(d *toolset) tool.Tool {
	return tool.Define(tool.Spec{Name: "references", Description: referencesDoc, Effect: tool.Read, Tolerant: true}, func(in referencesArgs) (*tool.Plan, error) {
		kind := tool.LanguageReferences
		if in.Kind != "" {
			kind = tool.LanguageKind(in.Kind)
		}
		if err := checkName("symbol", in.Symbol); err != nil {
			return nil, err
		}
		if in.Line < 0 {
			return nil, errors.New(`argument "line": lines are counted from 1`)
		}
		p, err := d.path(in.Path)
		if err != nil {
			return nil, err
		}
		title := fmt.Sprintf("%s of %s in %s", kind, in.Symbol, p.title())
		return d.looking(p, title, func(ctx context.Context) (tool.Result, error) { return linguist{d}.references(ctx, p, kind, in) }), nil
	})
}

func (l linguist) references(ctx context.Context, p Path, kind tool.LanguageKind, in referencesArgs) (tool.Result, error) {
	if !l.answers(kind) {
		return tool.Failed(fmt.Errorf("the editor cannot be asked for the %s of a name; use grep", kind)), nil
	}
	timed, done := askedInTime(ctx)
	defer done()
	of, err := l.shownDocument(timed, p)
	if err != nil {
		return tool.Failed(err), nil
	}
	at := textedit.Names(of.Text, in.Symbol, in.Line)
	if len(at) == 0 {
		return tool.Failed(noName(p, of.Text, in.Symbol, in.Line)), nil
	}
	var found tool.LanguageAnswer
	for _, offset := range at[:min(len(at), languageTries)] {
		hover := l.hover(timed, kind, of, offset)
		found, err = l.ask(timed, tool.LanguageQuestion{Kind: kind, Document: of, Offset: offset})
		found.Hover = hover()
		if err != nil || found.Nobody || len(found.Places) > 0 {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case err != nil:
		return tool.Failed(err), nil
	case found.Nobody:
		return tool.Failed(nobodyAnswers(p)), nil
	case len(found.Places) == 0: // some editors cannot tell that nobody was asked
		return tool.Result{Text: fmt.Sprintf("(no %s: the language server knows none, or none answers for this file; grep searches the text)", strings.TrimSuffix(string(kind), "s"))}, nil
	}
	return l.showPlaces(ctx, kind, found), nil
}

func nobodyAnswers(p Path) error {
	return fmt.Errorf("no language server of the editor answers for %s; use grep", p)
}

// hover asks for what the editor would show at a definition; text waits for it.
func (l linguist) hover(ctx context.Context, kind tool.LanguageKind, of tool.Document, offset int) (text func() string) {
	if kind != tool.LanguageDefinition || !l.answers(tool.LanguageHover) {
		return func() string { return "" }
	}
	answer := l.v.languages.AskLanguage(ctx, tool.LanguageQuestion{Kind: tool.LanguageHover, Document: of, Offset: offset})
	return func() string {
		got, err := answer()
		if err != nil {
			return ""
		}
		return got.Hover
	}
}

// showPlaces is the answer: the lines of the files that the session may see. What the
// editor says about a definition is the text of the file that it is in, so it is shown only
// where that may be read.
func (l linguist) showPlaces(ctx context.Context, kind tool.LanguageKind, found tool.LanguageAnswer) tool.Result {
	where := l.whereabouts("")
	paths, lines := map[string]Path{}, map[string]map[int]bool{}
	seen := len(found.Places) > 0
	for _, at := range found.Places {
		p, ok := where.find(at)
		if !ok {
			seen = false
			continue
		}
		if lines[p.abs] == nil {
			paths[p.abs], lines[p.abs] = p, map[int]bool{}
		}
		lines[p.abs][at.Line] = true
	}
	query := search.Query{Mode: search.Content, Limit: grepLimit, Noun: strings.TrimSuffix(string(kind), "s")}
	hits := search.NewHits(query, func(abs string) string { return paths[abs].Display() }, l.v.secrets.inHits())
	missing := 0
	for _, abs := range slices.Sorted(maps.Keys(paths)) {
		text, err := l.textOf(ctx, paths[abs])
		if err != nil {
			missing += len(lines[abs])
			continue
		}
		missing += hits.Add(abs, text, lines[abs])
	}
	notes := where.notes()
	if missing > 0 {
		notes = append(notes, fmt.Sprintf("%d in files or lines that are not there now", missing))
	}
	if found.More {
		notes = append(notes, "there are more than the editor was asked to send")
	}
	out := hitsResult(hits, func(abs string) string { return paths[abs].Object() }, notes)
	if seen && missing == 0 && found.Hover != "" {
		out.Text += "\n\n" + found.Hover
	}
	return out
}

//go:embed symbols.md
var symbolsDoc string

type symbolsArgs struct {
	Query string `json:"query,omitempty" jsonschema:"a name, or a part of one"`
	Path  string `json:"path,omitempty" jsonschema:"a file whose symbols are listed; the whole workspace is searched if not given"`
}

// symbolLimit is how many are shown.
const symbolLimit = 200

// newSymbols is the tool that asks what has a name.
func newSymbols(d *toolset) tool.Tool {
	return tool.Define(tool.Spec{Name: "symbols", Description: symbolsDoc, Effect: tool.Read, Tolerant: true}, func(in symbolsArgs) (*tool.Plan, error) {
		if in.Query == "" && in.Path == "" {
			return nil, errors.New(`one of "query" and "path" is needed`)
		}
		if in.Query != "" {
			if err := checkName("query", in.Query); err != nil {
				return nil, err
			}
		}
		p, err := d.path(orHere(in.Path))
		if err != nil {
			return nil, err
		}
		title := "symbols of " + p.title()
		if in.Query != "" {
			title += " named " + output.OneLine(in.Query)
		}
		return d.looking(p, title, func(ctx context.Context) (tool.Result, error) { return linguist{d}.symbols(ctx, p, in) }), nil
	})
}

func (l linguist) symbols(ctx context.Context, p Path, in symbolsArgs) (tool.Result, error) {
	timed, done := askedInTime(ctx)
	defer done()
	question := tool.LanguageQuestion{Kind: tool.LanguageSymbols, Query: in.Query}
	directory := p.isDir()
	if !directory {
		of, err := l.shownDocument(timed, p)
		if err != nil {
			return tool.Failed(err), nil
		}
		question.Document, question.Query = of, ""
	} else if in.Query == "" {
		return tool.Failed(fmt.Errorf(`%s is a directory; name a file, or give a "query"`, p)), nil
	}
	found, err := l.ask(timed, question)
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case err != nil:
		return tool.Failed(err), nil
	case found.Nobody:
		return tool.Failed(nobodyAnswers(p)), nil
	}
	if !directory {
		return fileSymbols(p, found, in.Query), nil
	}
	return l.workspaceSymbols(p, found), nil
}

// fileSymbols is the outline of a file, or what of it has a name like that.
func fileSymbols(p Path, found tool.LanguageAnswer, query string) tool.Result {
	var b strings.Builder
	shown, all := 0, 0
	for _, s := range found.Symbols {
		indent := strings.Repeat("  ", s.Depth)
		if query != "" {
			if indent = ""; !strings.Contains(strings.ToLower(s.Name), strings.ToLower(query)) {
				continue
			}
		}
		if all++; shown == symbolLimit {
			continue
		}
		shown++
		fmt.Fprintf(&b, "  %d: %s%s\n", s.Line, indent, symbolName(s))
	}
	return symbolsResult(pathname.Printable(p.Display())+"\n"+b.String(), shown, all, found.More, nil)
}

func symbolName(s tool.LanguageSymbol) string {
	return output.OneLine(strings.TrimSpace(s.Kind + " " + s.Name))
}

// workspaceSymbols are those below p of the files that the session may see.
func (l linguist) workspaceSymbols(p Path, found tool.LanguageAnswer) tool.Result {
	where := l.whereabouts(p.Object())
	byFile := map[string][]string{}
	shown, all := 0, 0
	for _, s := range found.Symbols {
		at, ok := where.find(s.LanguagePlace)
		if _, below := pathname.Below(p.abs, at.abs); !ok || !below {
			continue
		}
		if all++; shown == symbolLimit {
			continue
		}
		shown++
		line := fmt.Sprintf("  %d: %s", s.Line, symbolName(s))
		if s.Container != "" {
			line += " in " + output.OneLine(s.Container)
		}
		byFile[at.Display()] = append(byFile[at.Display()], line)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		fmt.Fprintf(&b, "%s\n%s\n", pathname.Printable(name), strings.Join(byFile[name], "\n"))
	}
	return symbolsResult(b.String(), shown, all, found.More, where.notes())
}

func symbolsResult(text string, shown, all int, more bool, notes []string) tool.Result {
	summary := fmt.Sprintf("%d symbols", all)
	switch {
	case all == 0:
		text, summary = "", "no symbol"
	case all == 1:
		summary = "1 symbol"
	case more || shown < all:
		summary = fmt.Sprintf("the first %d of at least %d symbols", shown, all)
	}
	return tool.Result{Text: text + "(" + strings.Join(append([]string{summary}, notes...), "; ") + ")"}
}
