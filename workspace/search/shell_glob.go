package search

import (
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// maxGlobEntries bounds how many directory entries are looked at for one
// pattern.
const maxGlobEntries = 20_000

// Expand is what a shell makes of a pattern, seen from the absolute directory at: the
// paths that it hits, absolute. It reads names only. complete is false where it gave
// up: too much to look at, or a pattern whose meaning depends on the shell's settings.
// A hit is a way as the pattern is one, with its ".." and through the same links. Where
// names are others for each process, the rest of the pattern is part of the hit.
func Expand(at, pattern string) (paths []string, complete bool) {
	if to, err := walk.To(at, true); err != nil || to.Magic {
		return nil, false
	}
	g := expansion{left: maxGlobEntries}
	if !g.walk(at, strings.FieldsFunc(pattern, func(r rune) bool { return r == '/' })) {
		return nil, false
	}
	return g.hits, true
}

// plainName is a part of a pattern without the backslashes of what stands for itself,
// where nothing in it stands for something else.
func plainName(segment string) (name string, is bool) {
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		switch c := segment[i]; {
		case strings.IndexByte("*?[", c) >= 0:
			return "", false
		case c == '\\' && i+1 < len(segment):
			i++
		}
		b.WriteByte(segment[i])
	}
	return b.String(), true
}

type expansion struct {
	left int // entries that may still be looked at
	hits []string
}

// walk collects what the segments hit below at; false means that it gave up.
func (g *expansion) walk(at string, segments []string) bool {
	if len(segments) == 0 {
		g.hits = append(g.hits, at)
		return true
	}
	segment, rest := segments[0], segments[1:]
	if others(at) {
		g.hits = append(g.hits, strings.TrimSuffix(at, "/")+"/"+strings.Join(segments, "/"))
		return true
	}
	if name, is := plainName(segment); is {
		segment = name
		next := strings.TrimSuffix(at, "/") + "/" + segment
		if _, err := os.Lstat(next); err != nil {
			return true
		}
		return g.walk(next, rest)
	}
	read, ok := readShellPattern(segment)
	if !ok {
		return false
	}
	bytewise, ok := readShellPattern(asBytes(segment))
	if !ok {
		return false
	}
	names, ok := g.names(at)
	if !ok {
		return false
	}
	for _, name := range names {
		if (read.match(name) || bytewise.match(asBytes(name))) && !g.walk(strings.TrimSuffix(at, "/")+"/"+name, rest) {
			return false
		}
	}
	return true
}

// others says that below a path names may be others for each process: there, or behind the
// link that it is.
func others(at string) bool {
	if info, err := os.Lstat(at); err != nil || info.Mode()&os.ModeSymlink == 0 {
		return walk.IsProc(at)
	}
	to, err := walk.To(at, true)
	return err != nil || to.Magic
}

// names lists a directory; what is none has no entries.
func (g *expansion) names(dir string) ([]string, bool) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, true
	}
	f, err := durable.OpenDir(dir)
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
