//go:build linux && (amd64 || arm64)

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/testclient/opens"
)

// helpers are programs that those start by themselves, by the base name of their file: tar
// compresses with others.
var helpers = []string{"git", "mawk", "gawk", "bash", "dash", "sh", "gzip", "bzip2", "xz", "zstd"}

// openBySystem are files that every program may open: loaders, locales, what the
// kernel says of the machine.
var openBySystem = []string{
	"/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/", "/etc/", "/nix/store/", "/sys/devices/system/cpu/", "/sys/fs/cgroup/",
	"/proc/filesystems", "/proc/meminfo", "/proc/stat", "/proc/cpuinfo", "/proc/sys/", "/proc/mounts", "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
}

// trespasses says what is wrong with an event of a script that nobody was asked
// about, "" if nothing is.
func (w *traced) trespasses(e opens.Event) string {
	path := e.Path
	byGit := filepath.Base(e.Program) == "git"
	switch {
	case !strings.HasPrefix(path, "/"), strings.HasSuffix(path, " (deleted)"): // a pipe, the output
		return ""
	case e.Op == opens.Execute:
		return w.executes(e)
	case strings.HasPrefix(path, w.temp+"/") || path == w.temp:
		return "" // what bash and sort lay aside
	case slices.ContainsFunc(openBySystem, func(p string) bool { return path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path+"/", p) }):
		if e.Op == opens.Write && !strings.HasPrefix(path, "/dev/") {
			return "writes " + path
		}
		return ""
	case ofItself(e):
		return ""
	}
	rest, inside := strings.CutPrefix(path, w.work)
	inside = inside && (rest == "" || rest[0] == '/')
	name := strings.TrimPrefix(path, w.root+"/")
	if e.Op == opens.Write {
		if _, err := os.Lstat(filepath.Dir(path)); err != nil {
			return "" // there is no such directory
		}
		switch {
		case !e.Exists && !e.Creates:
			return ""
		case !inside:
			return "writes " + name
		case byGit && strings.HasPrefix(rest, "/.git/"):
			return ""
		case control.IsProtected("vault:" + rest):
			return "writes " + name
		}
		return ""
	}
	switch known, is := w.baits[[2]uint64{e.Device, e.Inode}]; {
	case e.Dir && (filepath.Base(e.Program) == "bash" || e.Raw == "/"):
		return "" // bash looks for what a pattern hits, and find where it has begun
	case !e.Exists, byGit && (strings.HasPrefix(path, filepath.Join(w.root, "home")+"/") || path == w.root):
		return ""
	case is && !e.Dir:
		return "reads " + known
	case !inside:
		return "reads " + name
	case !e.Dir && control.MerelySecret("vault:"+rest):
		return "reads " + name
	}
	return ""
}

// executes says what is wrong with a program that was started.
func (w *traced) executes(e opens.Event) string {
	base := filepath.Base(e.Path)
	switch {
	case !e.Exists:
		return ""
	case strings.HasPrefix(e.Path, w.root+"/"):
		return "runs " + strings.TrimPrefix(e.Path, w.root+"/")
	case slices.Contains(helpers, base), slices.Contains(tracedPrograms, filepath.Base(e.Raw)), filepath.Base(e.Program) == "git":
		return ""
	}
	return "runs " + base
}

// ofItself says that a process asks the kernel about itself, as libraries do.
func ofItself(e opens.Event) bool {
	rest, ok := strings.CutPrefix(e.Path, "/proc/")
	if !ok {
		return false
	}
	_, what, _ := strings.Cut(rest, "/")
	return slices.Contains([]string{"maps", "mountinfo", "mounts", "status", "stat", "statm", "cgroup", "fd", "attr/current"}, what) && strings.HasPrefix(e.Raw, "/proc/self/") && !e.Dir
}
