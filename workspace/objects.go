package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// Walk answers control where a word of a shell command leads, seen from the absolute
// directory dir ("" is the first folder), which is a way as well: it may contain links and
// "..". A word that no program can open leads nowhere (satisfies control.Resolver).
func (w *places) Walk(dir, path string) tool.Walk {
	abs, err := w.shellWord(dir, path)
	if err != nil {
		return tool.Walk{}
	}
	switch long := sane(path); {
	case !utf8.ValidString(path): // a file may be called so, but no rule can name it
		return tool.Walk{Unknown: "it is no text"}
	case long != nil:
		return tool.Walk{}
	case len(abs) > pathname.MaxBytes: // who is there needs no more than the word
		return tool.Walk{Unknown: "it is too far down"}
	}
	end, err := walk.To(abs, true)
	switch {
	case errors.Is(err, walk.ErrName):
		return tool.Walk{}
	case err != nil:
		return tool.Walk{Unknown: err.Error()}
	}
	out := tool.Walk{
		Objects: w.placed(abs, true, end).Objects(), Paths: append(slices.Concat(end.Forms, end.Left), end.Abs), Exists: end.Exists, Dir: end.Dir,
		Missing: end.Missing, Gap: end.Gap, Unknown: end.Unknown, Magic: end.Magic,
	}
	if end.Written != "" {
		out.Paths = append([]string{end.Written}, out.Paths...)
	}
	return out
}

// shellWord makes a word of a command absolute.
func (w *places) shellWord(dir, path string) (string, error) {
	switch {
	case path == "" || strings.ContainsRune(path, 0):
		return "", folders.ErrNone
	case filepath.IsAbs(path):
		return path, nil
	case path == "~" || strings.HasPrefix(path, "~/"):
		return w.absolute(path)
	}
	if dir == "" {
		dir = w.Root()
	}
	if !filepath.IsAbs(dir) {
		return "", folders.ErrNone
	}
	return walk.Text(dir, path), nil
}

// Directory answers control whether an object is a directory itself, not a link to one
// (satisfies control.Directories).
func (w *places) Directory(object string) bool {
	abs, err := w.absolute(object)
	if err != nil {
		return false
	}
	info, err := os.Lstat(abs)
	return err == nil && info.IsDir()
}

// ObjectsOf are all objects of what some objects name: other names of the same files, and
// where links lead. One that names nothing of the workspace stays as it is.
func (w *places) ObjectsOf(objects []string) (all []string) {
	for _, object := range objects {
		abs, err := w.absolute(object)
		if err != nil {
			all = append(all, object)
			continue
		}
		all = append(all, w.Walk("", abs).Objects...)
	}
	return all
}

// resolved is where a path really leads, "" where nobody can tell.
func resolved(path string) string {
	real, err := walk.Real(path)
	if err != nil {
		return ""
	}
	return real
}

// Glob answers control which paths a pattern in a shell command hits, seen from
// the absolute directory dir ("" is the first folder), as absolute paths. It
// reads names only. complete is false where it gave up: too much to look at, or
// a pattern whose meaning depends on the shell's settings (satisfies
// control.Globber).
func (w *places) Glob(dir, pattern string) (paths []string, complete bool) {
	if sane(pattern) != nil {
		return nil, false
	}
	at := "/"
	if !filepath.IsAbs(pattern) {
		if at = dir; at == "" {
			at = w.Root()
		}
		if !filepath.IsAbs(at) || pattern[0] == '~' {
			return nil, false
		}
	}
	return search.Expand(at, pattern)
}
