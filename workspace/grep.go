package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

//go:embed grep.md
var grepDoc string

type grepArgs struct {
	Pattern    string `json:"pattern" jsonschema:"the regular expression"`
	Path       string `json:"path,omitempty" jsonschema:"file or directory, the first workspace folder if not given"`
	Include    string `json:"include,omitempty" jsonschema:"only files whose name matches this glob"`
	Mode       string `json:"mode,omitempty" words:"content,files,count" jsonschema:"what is shown, content if not given"`
	Context    int    `json:"context,omitempty" jsonschema:"lines shown around each match, 0 to 5"`
	IgnoreCase bool   `json:"ignoreCase,omitempty" jsonschema:"ignore case"`
	Literal    bool   `json:"literal,omitempty" jsonschema:"the pattern is plain text"`
	Limit      int    `json:"limit,omitempty" jsonschema:"how many lines or files are shown, 100 if not given, 500 at most"`
}

const (
	grepTime      = 20 * time.Second
	grepFileBytes = 10 << 20  // larger files are skipped unless named
	grepNamed     = 128 << 20 // even then; more than any artifact
	grepLimit     = 100
	grepMaxLimit  = 500
)

// besideHits looks for what else there is to say about a pattern while files are searched;
// text waits for it, and is called once.
type besideHits func(ctx context.Context, p Path, q query, pattern string) (text func() string)

// newGrep is the tool that searches contents.
func newGrep(d *toolset, beside besideHits) tool.Tool {
	return tool.Define(tool.Spec{Name: "grep", Description: grepDoc, Effect: tool.Read, Tolerant: true}, func(in grepArgs) (*tool.Plan, error) {
		q, err := newQuery(in)
		if err != nil {
			return nil, err
		}
		p, err := d.path(orHere(in.Path))
		if err != nil {
			return nil, err
		}
		title := fmt.Sprintf("search %s for %s", p.title(), pathname.Printable(tool.CutLine(in.Pattern, 80)))
		return d.looking(p, title, func(ctx context.Context) (tool.Result, error) {
			named := beside(ctx, p, q, in.Pattern)
			result, err := d.grep(ctx, p, q)
			result.Text += named()
			return result, err
		}), nil
	})
}

// query is a checked call of grep.
type query struct {
	search.Query
	include *search.NameGlob // nil: every file
}

func newQuery(in grepArgs) (query, error) {
	q := query{Query: search.Query{Mode: search.Mode(in.Mode), Context: in.Context, Limit: in.Limit}}
	if q.Mode == "" {
		q.Mode = search.Content
	}
	if q.Context < 0 || q.Context > 5 {
		return q, errors.New(`argument "context" must be 0 to 5`)
	}
	if q.Limit < 0 || q.Limit > grepMaxLimit {
		return q, fmt.Errorf(`argument "limit" must be 1 to %d`, grepMaxLimit)
	}
	if q.Limit == 0 {
		q.Limit = grepLimit
	}
	if in.Include != "" {
		_, include, err := splitGlob("**/" + strings.TrimPrefix(in.Include, "/"))
		if err != nil {
			return q, fmt.Errorf(`argument "include" %w`, err)
		}
		q.include = search.NewNameGlob(include)
	}
	var err error
	if q.Matcher, err = search.NewMatcher(in.Pattern, in.Literal, in.IgnoreCase); err != nil {
		return q, fmt.Errorf(`argument "pattern" %w`, err)
	}
	if q.Matcher.WantsLineEnd {
		return q, errors.New(`argument "pattern" contains a line end, and matches are within one line; search for one of the lines, with context to see the others`)
	}
	return q, nil
}

// grep searches p. The goroutines are those of the walk, which has ended when
// grep returns.
func (d *toolset) grep(ctx context.Context, p Path, q query) (tool.Result, error) {
	fi, err := p.lstat()
	switch _, dirty := d.v.buffers.dirty(p); {
	case err != nil && !dirty:
		return tool.Failed(d.notDir(p, err)), nil
	case dirty || !fi.IsDir():
		return d.grepFile(ctx, p, q)
	}
	dir, err := p.openDir()
	if err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", p, err)), nil
	}
	t, err := newTree(dir)
	if err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", p, openat.Plain(err))), nil
	}
	defer t.close()
	limited, stop := context.WithTimeout(ctx, grepTime)
	defer stop()
	hits := search.NewHits(q.Query, p.child, d.v.secrets.inHits())
	dirty := d.v.buffers.dirtyBelow(p)
	buffers := sync.Pool{New: func() any { return new([]byte) }} // what files are read into
	w := d.newWalk(p)
	w.Wants = q.wants
	w.Past = hits.Past
	var visited sync.Map // keys of dirty buffers that the walk came to
	err = w.Run(limited, func(f search.Found) error {
		if f.Entry.Type()&fs.ModeType != 0 {
			return nil
		}
		buf := buffers.Get().(*[]byte)
		defer buffers.Put(buf)
		if text, ok := dirty[pathname.Fold(f.Abs)]; ok {
			visited.Store(pathname.Fold(f.Abs), true)
			hits.Search(limited, f.Rel, plainEnds([]byte(text)))
			return nil
		}
		data, size, err := t.read(f.Rel, grepFileBytes, buf)
		switch {
		case err != nil:
			w.Count(func(s *search.Skips) { s.Unreadable++ })
		case size > grepFileBytes:
			w.Count(func(s *search.Skips) { s.Large++ })
		default:
			if data, ok := searchable(data); ok {
				hits.Search(limited, f.Rel, data)
			} else {
				w.Count(func(s *search.Skips) { s.Binary++ })
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	for key, text := range dirty { // new documents that no file has yet
		if _, done := visited.Load(key); !done && d.unsavedVisible(p, key, q) {
			rel, _ := pathname.Below(p.abs, key)
			hits.Search(limited, rel, plainEnds([]byte(text)))
		}
	}
	return hitsResult(hits, p.childObject, notesOf(w.Skips(), limited.Err() != nil, err)), nil
}

func (q query) wants(rel string) bool {
	return q.include == nil || q.include.Match(rel)
}

// unsavedVisible tells whether a dirty buffer that the walk did not come to may
// be searched: it has no file, and nothing hides its name.
func (d *toolset) unsavedVisible(base Path, abs string, q query) bool {
	p, err := d.v.locate(abs, true)
	if err != nil || p.visible() != nil {
		return false
	}
	rel, in := pathname.Below(base.abs, p.abs)
	if _, err := p.lstat(); !in || err == nil || !q.wants(rel) {
		return false
	}
	return !d.sensitive(base.Object())(p.Object())
}

func notesOf(s search.Skips, late bool, err error) []string {
	notes := s.Notes()
	if late {
		notes = append(notes, fmt.Sprintf("stopped after %d s; this is a part, narrow path or include", int(grepTime.Seconds())))
	} else if err != nil {
		notes = append(notes, "not everything could be read: "+openat.Plain(err).Error())
	}
	return notes
}

// searchable gives the text of a file: as it is, or decoded from UTF-16. ok is
// false for binary files.
func searchable(data []byte) (text []byte, ok bool) {
	if order, bom := utf16Order(data); order != nil {
		if bom {
			data = data[2:]
		}
		return plainEnds([]byte(decodeUTF16(data, order))), true
	}
	return plainEnds(data), !isBinary(data)
}

// grepFile searches one file that was named: whatever its size, and whether or
// not it is ignored.
func (d *toolset) grepFile(ctx context.Context, p Path, q query) (tool.Result, error) {
	hits := search.NewHits(q.Query, func(string) string { return p.Display() }, d.v.secrets.inHits())
	object := func(string) string { return p.Object() }
	limited, stop := context.WithTimeout(ctx, grepTime)
	defer stop()
	if text, dirty := d.v.buffers.dirty(p); dirty {
		hits.Search(limited, "", plainEnds([]byte(text)))
		if ctx.Err() != nil {
			return tool.Result{}, ctx.Err()
		}
		return hitsResult(hits, object, append(notesOf(search.Skips{}, limited.Err() != nil, nil), "unsaved in the editor")), nil
	}
	f, fi, err := p.open()
	if err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", p, err)), nil
	}
	defer f.Close()
	var buf []byte
	data, size, err := readAll(watched{ctx, f}.Read, fi.Size(), grepNamed, &buf)
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case err != nil:
		return tool.Failed(fmt.Errorf("%s: read: %w", p, openat.Plain(err))), nil
	case size > grepNamed:
		return tool.Failed(fmt.Errorf("%s: has %d bytes, too large to search here; use bash", p, fi.Size())), nil
	}
	text, ok := searchable(data)
	if !ok {
		return tool.Result{Text: fmt.Sprintf("%s: binary file, %d bytes; not searched", p, size)}, nil
	}
	hits.Search(limited, "", text)
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	return hitsResult(hits, object, notesOf(search.Skips{}, limited.Err() != nil, nil)), nil
}
