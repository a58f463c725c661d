package workspace

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/bmatcuk/doublestar/v4"
)

//go:embed glob.md
var globDoc string

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"for example **/*.go"`
	Path    string `json:"path,omitempty" jsonschema:"the directory to look in, the first workspace folder if not given"`
}

const (
	globFiles   = 100
	globTime    = 10 * time.Second
	globBraces  = 6 // groups; more take doublestar exponential time
	globPattern = 1000
)

// newGlob is the tool that finds files by name (workspace §2).
func newGlob(d *desk) tool.Tool {
	return tool.Define(tool.Spec{Name: "glob", Description: globDoc, Effect: tool.Read}, func(in globArgs) (*tool.Plan, error) {
		base, pattern, err := splitGlob(in.Pattern)
		if err != nil {
			return nil, fmt.Errorf(`argument "pattern": %w`, err)
		}
		p, err := d.path(joinBase(orHere(in.Path), base))
		if err != nil {
			return nil, err
		}
		return d.looking(p, "find "+printable(pattern)+" in "+p.title(), func(ctx context.Context) (tool.Result, error) {
			return d.glob(ctx, p, pattern)
		}), nil
	})
}

// splitGlob checks a pattern and splits the plain directories off its front. It
// does what doublestar would silently not do: `./` and `//` are cleaned, `..`
// and a leading `/` become part of base, runs of `**/` collapse.
func splitGlob(s string) (base, pattern string, err error) {
	switch {
	case strings.TrimSpace(s) == "":
		return "", "", errors.New("is empty")
	case strings.ContainsRune(s, 0):
		return "", "", errors.New("contains a NUL character")
	case len(s) > globPattern:
		return "", "", fmt.Errorf("is longer than %d bytes", globPattern)
	case strings.Count(s, "{") > globBraces:
		return "", "", fmt.Errorf("has more than %d brace groups; ask in several calls", globBraces)
	case !doublestar.ValidatePattern(s):
		return "", "", errors.New("is not a valid pattern (an open bracket or brace?)")
	}
	scheme := ""
	if sc, rest, ok := cutObject(s); ok {
		scheme, s = sc+":", rest
	}
	rooted := strings.HasPrefix(s, "/")
	var segs []string
	for seg := range strings.SplitSeq(s, "/") {
		if seg == "" || seg == "." || seg == "**" && len(segs) > 0 && segs[len(segs)-1] == "**" {
			continue
		}
		segs = append(segs, seg)
	}
	if len(segs) == 0 {
		return "", "", errors.New("names no file")
	}
	plain := 0
	for plain < len(segs)-1 && !strings.ContainsAny(segs[plain], `*?[{\`) {
		plain++
	}
	if slices.Contains(segs[plain:], "..") {
		return "", "", errors.New("has .. behind a wildcard; give the directory as path")
	}
	base = strings.Join(segs[:plain], "/")
	if rooted {
		base = "/" + base
	}
	return scheme + base, strings.Join(segs[plain:], "/"), nil
}

// joinBase puts what stood in front of a pattern behind the path argument.
func joinBase(dir, base string) string {
	_, _, object := cutObject(base)
	switch {
	case base == "":
		return dir
	case object || path.IsAbs(base) || base[0] == '~':
		return base
	}
	return strings.TrimSuffix(dir, "/") + "/" + base
}

type globHit struct {
	rel string
	at  time.Time
}

// newest keeps the globFiles newest of the files it is given and counts all.
type newest struct {
	mu   sync.Mutex // guards everything below
	hits []globHit
	all  int
}

func (n *newest) add(h globHit) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all++
	if n.hits = append(n.hits, h); len(n.hits) > 10*globFiles {
		n.prune()
	}
}

// prune sorts the newest to the front and drops the others. mu is held.
func (n *newest) prune() {
	slices.SortFunc(n.hits, func(a, b globHit) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(a.rel, b.rel))
	})
	n.hits = n.hits[:min(globFiles, len(n.hits))]
}

func (d *desk) glob(ctx context.Context, p Path, pattern string) (tool.Result, error) {
	if fi, err := p.lstat(); err != nil || !fi.IsDir() {
		return tool.Failed(d.notDir(p, err)), nil
	}
	limited, stop := context.WithTimeout(ctx, globTime)
	defer stop()
	var hits newest
	w := d.newWalker(p)
	w.wants = newNameGlob(pattern).match
	err := w.run(limited, func(f found) error {
		fi, err := f.entry.Info()
		if err != nil {
			return nil // gone meanwhile
		}
		hits.add(globHit{f.rel, fi.ModTime()})
		return nil
	})
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	hits.mu.Lock()
	defer hits.mu.Unlock()
	hits.prune()
	var out strings.Builder
	for _, h := range hits.hits {
		out.WriteString(printable(p.child(h.rel)) + "\n")
	}
	notes := globNotes(hits.all, pattern)
	if limited.Err() != nil {
		notes = append(notes, fmt.Sprintf("stopped after %d s; this is a part", int(globTime.Seconds())))
	} else if err != nil {
		notes = append(notes, "not everything could be read: "+plain(err).Error())
	}
	return tool.Result{Text: out.String() + "(" + strings.Join(append(notes, w.skips.notes()...), "; ") + ")"}, nil
}

func globNotes(n int, pattern string) []string {
	switch {
	case n == 0 && !strings.Contains(pattern, "/"):
		return []string{"no file matches in this directory itself; for any depth use **/" + printable(pattern)}
	case n == 0:
		return []string{"no file matches"}
	case n == 1:
		return []string{"1 file"}
	case n > globFiles:
		return []string{fmt.Sprintf("the newest %d of %d files; narrow the pattern", globFiles, n)}
	}
	return []string{fmt.Sprintf("%d files", n)}
}

// notDir says why p cannot be searched.
func (d *desk) notDir(p Path, err error) error {
	switch {
	case isMissing(err):
		return d.missing(p)
	case err != nil:
		return fmt.Errorf("%s: %w", p, err)
	}
	return fmt.Errorf("%s is not a directory", p)
}
