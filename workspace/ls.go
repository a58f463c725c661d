package workspace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

//go:embed ls.md
var lsDoc string

type lsArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"the directory, the first workspace folder if not given"`
	Depth int    `json:"depth,omitempty" jsonschema:"how many levels, 1 to 3"`
	All   bool   `json:"all,omitempty" jsonschema:"also list what .gitignore excludes"`
}

const (
	lsEntries  = 1000   // shown in one answer
	lsMaxNames = 50_000 // looked at in one directory
)

// newLs is the tool that lists a directory.
func newLs(d *toolset) tool.Tool {
	return tool.Define(tool.Spec{Name: "ls", Description: lsDoc, Effect: tool.Read, Tolerant: true}, func(in lsArgs) (*tool.Plan, error) {
		if in.Depth < 0 || in.Depth > 3 {
			return nil, errors.New(`argument "depth" must be 1, 2 or 3`)
		}
		p, err := d.path(orHere(in.Path))
		if err != nil {
			return nil, err
		}
		return d.looking(p, "list "+p.title(), func(ctx context.Context) (tool.Result, error) {
			return d.list(ctx, p, max(in.Depth, 1), in.All)
		}), nil
	})
}

func orHere(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// listing is one answer of ls while it is made.
type listing struct {
	asks asks
	base Path
	dir  *os.Root
	deep int
	all  bool

	out                                           strings.Builder
	shown, more, ignored, sensitive, unknownNames int
}

// list shows the directory p with depth levels.
func (d *toolset) list(ctx context.Context, p Path, depth int, all bool) (tool.Result, error) {
	dir, err := p.openDir()
	if err != nil {
		if fi, lerr := p.lstat(); lerr == nil && !fi.IsDir() {
			err = errors.New("is not a directory; use read")
		} else if isMissing(err) {
			return tool.Failed(d.missing(p)), nil
		}
		return tool.Failed(fmt.Errorf("%s: %w", p, err)), nil
	}
	defer dir.Close()
	rules, free := d.v.rulesFor(p)
	l := &listing{asks: d.asks(p.Object()), base: p, dir: dir, deep: depth, all: all || free}
	if err := l.level(ctx, ".", 1, rules); err != nil {
		if ctx.Err() != nil {
			return tool.Result{}, ctx.Err()
		}
		return tool.Failed(fmt.Errorf("%s: %w", p, err)), nil
	}
	return tool.Result{Text: l.text()}, nil
}

// level adds the entries of rel; depth counts from 1.
func (l *listing) level(ctx context.Context, rel string, depth int, rules *search.Rules) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := durable.DirIn(l.dir, filepath.FromSlash(rel))
	if err != nil {
		return openat.Plain(err)
	}
	entries, err := f.ReadDir(lsMaxNames)
	f.Close()
	if err != nil && !errors.Is(err, io.EOF) && len(entries) == 0 {
		return openat.Plain(err)
	}
	if len(entries) == lsMaxNames {
		l.unknownNames++
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		at := path.Join(rel, e.Name())
		abs := filepath.Join(l.base.abs, filepath.FromSlash(at))
		ignored, hidden := rules.Ignored(abs, e.IsDir())
		switch {
		case hidden:
			continue
		case !l.all && (ignored || e.Name() == ".git"):
			l.ignored++
			continue
		case !e.IsDir() && l.asks.below(l.base, at, abs, e.Type()):
			l.sensitive++
			continue
		case l.shown == lsEntries:
			l.more++
			continue
		}
		l.shown++
		fmt.Fprintf(&l.out, "%s%s%s\n", strings.Repeat("  ", depth-1), pathname.Printable(e.Name()), l.mark(e, at))
		if e.IsDir() && depth < l.deep {
			// A directory that cannot be read is there without entries.
			if err := l.level(ctx, at, depth+1, rules.Enter(abs, l.base.root != nil)); ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

func (l *listing) mark(e fs.DirEntry, rel string) string {
	switch {
	case e.IsDir():
		return "/"
	case e.Type()&fs.ModeSymlink != 0:
		if to, err := l.dir.Readlink(filepath.FromSlash(rel)); err == nil {
			return " -> " + pathname.Printable(filepath.ToSlash(to))
		}
	}
	return ""
}

func (l *listing) text() string {
	var notes []string
	if l.shown == 0 {
		notes = append(notes, "nothing to show")
	}
	if l.more > 0 || l.unknownNames > 0 {
		notes = append(notes, fmt.Sprintf("only the first %d entries; list a subdirectory or use glob", l.shown))
	}
	if l.ignored > 0 {
		notes = append(notes, fmt.Sprintf("%d ignored, shown with all", l.ignored))
	}
	notes = append(notes, search.Skips{Sensitive: l.sensitive}.Notes()...)
	if len(notes) == 0 {
		return strings.TrimSuffix(l.out.String(), "\n")
	}
	return l.out.String() + "(" + strings.Join(notes, "; ") + ")"
}
