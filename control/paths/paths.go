// Package paths says what a path is by its text alone: what it is below, what it enters,
// what it stands for. It follows no link; who can follow one hands a Walk.
package paths

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Below is a path seen from a directory, in which no link was followed and nothing
// cleaned.
func Below(dir, word string) string {
	if path.IsAbs(word) {
		return word
	}
	return strings.TrimSuffix(dir, "/") + "/" + word
}

// GoesUp says that a path has a ".." in it.
func GoesUp(p string) bool {
	for seg := range strings.SplitSeq(p, "/") {
		if seg == ".." {
			return true
		}
	}
	return false
}

// AsText is what a path says by itself, without a disk.
func AsText(p string) Walk {
	w := Walk{Paths: []string{path.Clean(p)}, Dir: true, Magic: Magic(p)}
	if through := ThroughRoot(w.Paths[0]); through != w.Paths[0] {
		w.Paths = append(w.Paths, through)
	}
	return w
}

// Magic says that an absolute path by its text alone enters what the kernel shows to
// each process differently.
func Magic(p string) bool {
	segs := slices.DeleteFunc(strings.Split(p, "/"), func(s string) bool { return s == "" || s == "." })
	if len(segs) < 2 || HarmlessDevice(p) {
		return false
	}
	switch name := segs[1]; {
	case segs[0] == "dev":
		return name == "fd" || len(segs) > 2 && (name == "stdin" || name == "stdout" || name == "stderr")
	case segs[0] != "proc":
		return false
	case name == "self", name == "thread-self", strings.ContainsAny(name, "*?["), slices.Contains(segs, ".."):
		return true
	default:
		return strings.Trim(name, "0123456789") == ""
	}
}

// Inside says that p is dir or below it. Both are absolute and clean.
func Inside(p, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return p == dir || strings.HasPrefix(p, dir+"/") || dir == ""
}

// CleanPath is a path as a text, through the links in /proc that lead to "/". It is for
// names of objects, and for paths that nobody can follow.
func CleanPath(p string) string { return ThroughRoot(path.Clean(p)) }

// ThroughRoot is a clean path without the links in /proc that lead to "/".
func ThroughRoot(p string) string {
	for _, root := range []string{"/proc/self/root", "/proc/1/root", "/proc/self/task/1/root", "/proc/thread-self/root"} {
		if p == root {
			return "/"
		}
		if rest, ok := strings.CutPrefix(p, root+"/"); ok {
			return "/" + rest
		}
	}
	return p
}

// HarmlessDevice says that opening the path reaches no file: /dev/null and the
// descriptors that the shell has open.
func HarmlessDevice(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		return false
	}
	switch name {
	case "null", "stdin", "stdout", "stderr", "zero", "urandom":
		return true
	}
	fd, ok := strings.CutPrefix(name, "fd/")
	return ok && fd != "" && IsDescriptor(fd)
}

// Dirname is what the program of that name prints: ".." stays.
func Dirname(p string) string {
	p = strings.TrimRight(p, "/")
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return "."
	}
	return cmp.Or(strings.TrimRight(p[:i], "/"), "/")
}

// IsDescriptor says that a word is the number of a descriptor, with "-" behind it or not.
func IsDescriptor(s string) bool {
	s = strings.TrimSuffix(s, "-")
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// Walk is where a path leads, followed as the kernel does.
type Walk struct {
	// Paths are the places that it names, absolute and clean: what it seems to be as a
	// text, what was met on the way, and last the end.
	Paths []string
	Dir   bool // a directory is at the end
	// Magic says that the end is another one for each process, so that nobody can tell it.
	Magic bool
}

// End is the place that the path leads to.
func (w Walk) End() string {
	if len(w.Paths) == 0 {
		return ""
	}
	return w.Paths[len(w.Paths)-1]
}

// OnlyWild says that a segment or the rest of a path names everything: "*",
// ".*", "**", "?*", "[a-z]*", "/", "/*".
func OnlyWild(s string) bool {
	depth, wild := 0, s == "" || s == "/"
	for _, c := range s {
		switch {
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
		case depth > 0:
		case c == '*':
			wild = true
		case c != '?' && c != '.' && c != '/':
			return false
		}
	}
	return wild
}
