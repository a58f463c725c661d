package shell

import (
	"path"
	"strings"
)

// Inside says that p is dir or below it. Both are absolute and clean.
func Inside(p, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return p == dir || strings.HasPrefix(p, dir+"/") || dir == ""
}

// CleanPath is path.Clean that also steps through the links in /proc that lead to "/".
func CleanPath(p string) string {
	p = path.Clean(p)
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

// procPath writes a path in /proc as the shell's own processes see it: any
// process stands for this one, its root is "/" and its directory the current one.
func procPath(p string, sc *scope) string {
	p = strings.Replace(p, "/proc/"+unknownPart, "/proc/self", 1)
	for _, self := range []string{"/proc/self", "/proc/thread-self"} {
		if rest, ok := strings.CutPrefix(p, self+"/cwd"); ok && sc.dir != "" && (rest == "" || rest[0] == '/') {
			return sc.dir + rest
		}
	}
	return CleanPath(p)
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
	return ok && isDescriptor(fd)
}
