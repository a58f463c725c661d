package workspace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// maxGlobEntries bounds how many directory entries are looked at for one
// pattern.
const maxGlobEntries = 10_000

// Glob answers control which paths a pattern in a shell command hits, seen from
// the absolute directory dir ("" is the first folder), as absolute paths. It
// reads names only. complete is false where it gave up: too much to look at, or
// a pattern whose meaning depends on the shell's settings (satisfies
// control.Globber).
func (v *Vault) Glob(dir, pattern string) (paths []string, complete bool) {
	if sane(pattern) != nil || strings.ContainsAny(pattern, `\{}()`) || hasBracketRange(pattern) {
		return nil, false
	}
	at := "/"
	if !filepath.IsAbs(pattern) {
		if at = dir; at == "" {
			at = v.Root()
		}
		if !filepath.IsAbs(at) || pattern[0] == '~' {
			return nil, false
		}
	}
	g := globber{left: maxGlobEntries}
	if !g.walk(filepath.Clean(at), strings.FieldsFunc(pattern, isSlash)) {
		return nil, false
	}
	return g.hits, true
}

// hasBracketRange finds [a-z] and [[:alpha:]], which mean other letters in other
// locales, and brackets that are not plain.
func hasBracketRange(pattern string) bool {
	for {
		_, rest, ok := strings.Cut(pattern, "[")
		if !ok {
			return false
		}
		inside, after, closed := strings.Cut(rest, "]")
		if !closed || strings.ContainsAny(inside, "[-:=./") || inside == "" {
			return true
		}
		pattern = after
	}
}

type globber struct {
	left int // entries that may still be looked at
	hits []string
}

// walk collects what the segments hit below at; false means that it gave up.
func (g *globber) walk(at string, segments []string) bool {
	if len(segments) == 0 {
		g.hits = append(g.hits, at)
		return true
	}
	segment, rest := segments[0], segments[1:]
	if !strings.ContainsAny(segment, "*?[") {
		// As the shell does, ".." is taken behind links: not Join, which cleans.
		next := strings.TrimSuffix(at, "/") + "/" + segment
		if _, err := os.Lstat(next); err != nil {
			return true
		}
		if segment == ".." || segment == "." {
			real, err := filepath.EvalSymlinks(at)
			if err != nil {
				return false
			}
			next = filepath.Join(real, segment)
		}
		return g.walk(next, rest)
	}
	names, ok := g.names(at)
	if !ok {
		return false
	}
	for _, name := range names {
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(segment, ".") {
			continue
		}
		if hit, err := doublestar.Match(segment, name); err != nil {
			return false
		} else if hit && !g.walk(strings.TrimSuffix(at, "/")+"/"+name, rest) {
			return false
		}
	}
	return true
}

// names lists a directory; what is none has no entries.
func (g *globber) names(dir string) ([]string, bool) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() { // opening a named pipe would wait
		return nil, true
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	names, err := f.Readdirnames(g.left)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false
	}
	g.left -= len(names)
	if g.left <= 0 {
		return nil, false
	}
	for _, name := range names {
		if !utf8.ValidString(name) {
			return nil, false // the shell may match it, control could not name it
		}
	}
	return append(names, hidden...), true
}

// hidden are the entries that no listing returns and a pattern like .* may hit.
var hidden = []string{".", ".."}
