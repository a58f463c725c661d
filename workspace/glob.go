package workspace

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

//go:embed glob.md
var globDoc string

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"for example **/*.go"`
	Path    string `json:"path,omitempty" jsonschema:"the directory to look in, the first workspace folder if not given"`
}

const (
	globFiles = 100
	globTime  = 10 * time.Second
)

// newGlob is the tool that finds files by name.
func newGlob(d *toolset) tool.Tool {
	return tool.Define(tool.Spec{Name: "glob", Description: globDoc, Effect: tool.Read, Tolerant: true}, func(in globArgs) (*tool.Plan, error) {
		base, pattern, err := splitGlob(in.Pattern)
		if err != nil {
			return nil, fmt.Errorf(`argument "pattern": %w`, err)
		}
		p, err := d.path(joinBase(orHere(in.Path), base))
		if err != nil {
			return nil, err
		}
		return d.looking(p, "find "+pathname.Printable(pattern)+" in "+p.title(), func(ctx context.Context) (tool.Result, error) {
			return d.glob(ctx, p, pattern)
		}), nil
	})
}

// splitGlob checks a pattern and splits the plain directories off its front, with
// the name of the folder that it may begin with.
func splitGlob(s string) (base, pattern string, err error) {
	if err := search.CheckGlob(s); err != nil {
		return "", "", err
	}
	scheme := ""
	if sc, rest, ok := cutObject(s); ok {
		scheme, s = sc+":", rest
	}
	if base, pattern, err = search.SplitGlob(s); err != nil {
		return "", "", err
	}
	return scheme + base, pattern, nil
}

// joinBase puts what was in front of a pattern behind the path argument.
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

func (d *toolset) glob(ctx context.Context, p Path, pattern string) (tool.Result, error) {
	if fi, err := p.lstat(); err != nil || !fi.IsDir() {
		return tool.Failed(d.notDir(p, err)), nil
	}
	limited, stop := context.WithTimeout(ctx, globTime)
	defer stop()
	hits := search.KeepNewest(globFiles)
	w := d.newWalk(p)
	w.Wants = search.NewNameGlob(pattern).Match
	err := w.Run(limited, func(f search.Found) error {
		hits.Add(f.Rel, f.Entry)
		return nil
	})
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	files, all, dated := hits.Files()
	var out strings.Builder
	for _, rel := range files {
		out.WriteString(pathname.Printable(p.child(rel)) + "\n")
	}
	notes := globNotes(all, dated, pattern)
	if limited.Err() != nil {
		notes = append(notes, fmt.Sprintf("stopped after %d s; this is a part", int(globTime.Seconds())))
	} else if err != nil {
		notes = append(notes, "not everything could be read: "+openat.Plain(err).Error())
	}
	return tool.Result{Text: out.String() + "(" + strings.Join(append(notes, w.Skips().Notes()...), "; ") + ")"}, nil
}

func globNotes(n int, dated bool, pattern string) []string {
	switch {
	case n == 0 && !strings.Contains(pattern, "/"):
		return []string{"no file matches in this directory itself; for any depth use **/" + pathname.Printable(pattern)}
	case n == 0:
		return []string{"no file matches"}
	case n == 1:
		return []string{"1 file"}
	case n > globFiles && !dated:
		return []string{fmt.Sprintf("the first %d of %d files by path; narrow the pattern", globFiles, n)}
	case n > globFiles:
		return []string{fmt.Sprintf("the newest %d of %d files; narrow the pattern", globFiles, n)}
	}
	return []string{fmt.Sprintf("%d files", n)}
}

// notDir says why p cannot be searched.
func (d *toolset) notDir(p Path, err error) error {
	switch {
	case isMissing(err):
		return d.missing(p)
	case err != nil:
		return fmt.Errorf("%s: %w", p, err)
	}
	return fmt.Errorf("%s is not a directory", p)
}
