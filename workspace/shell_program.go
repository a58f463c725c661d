package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// Program answers control which file a bare name finds in the PATH that commands
// get, as an absolute path. It is "" where there is none, and where PATH names a
// directory that depends on where a command runs, or one that commands or everybody may
// write to (satisfies control.Finder).
func (x *sandboxes) Program(name string) string {
	if path, _ := x.inPath(name); path != "" && !x.anybodyWrites(path) {
		return path
	}
	return ""
}

// Planted says that a bare name is found in a directory that commands or everybody may
// write to, or may be found where a command runs (satisfies control.Finder).
// shadows: another program of that name is further on in PATH, so that anyone who wrote the
// name may have meant that one.
func (x *sandboxes) Planted(name string) (planted, shadows bool) {
	path, open := x.inPath(name)
	if !open && (path == "" || !x.anybodyWrites(path)) {
		return false, false
	}
	return true, slices.ContainsFunc(x.allInPath(name), func(other string) bool { return other != path && !x.anybodyWrites(other) })
}

// searched are the directories of the PATH of commands, in their order, where a name is
// looked for in it: "" is where the command runs.
func (e *environment) searched(name string) (dirs []string) {
	if sane(name) != nil || name != filepath.Base(name) {
		return nil
	}
	for _, entry := range e.environ(e.keepEnv(), e.Root()) {
		if list, is := strings.CutPrefix(entry, "PATH="); is && list != "" {
			dirs = filepath.SplitList(list)
		} else if is {
			dirs = []string{""}
		}
	}
	return dirs
}

// allInPath are the files that a bare name stands for in the directories of PATH, in their
// order.
func (e *environment) allInPath(name string) (all []string) {
	for _, dir := range e.searched(name) {
		if path := walk.Text(dir, name); filepath.IsAbs(dir) && sandbox.IsProgram(path) {
			all = append(all, path)
		}
	}
	return all
}

// inPath is the file that a bare name finds in the PATH of commands. open says that a
// directory which depends on where a command runs is looked at before.
func (e *environment) inPath(name string) (path string, open bool) {
	for _, dir := range e.searched(name) {
		if !filepath.IsAbs(dir) {
			return "", true
		}
		if path := walk.Text(dir, name); sandbox.IsProgram(path) {
			return path, false
		}
	}
	return "", false
}

// temporary are directories in which a command sees its own files.
var temporary = []string{"/tmp", "/var/tmp", "/dev/shm"}

// anybodyWrites says that commands, or other people of the machine, may put another
// program there: its name then says nothing of what it does.
func (x *sandboxes) anybodyWrites(path string) bool {
	real := resolved(path)
	if real == "" {
		return true
	}
	places := slices.Concat(x.Roots(), temporary)
	for _, w := range x.sandbox().Writable {
		places = append(places, sandbox.Existing(x.surroundings("").Expand(w))...)
	}
	if cache := x.commandCache(); cache != "" {
		places = append(places, cache)
	}
	for _, p := range []string{path, real} {
		if slices.ContainsFunc(places, func(place string) bool { return pathname.Inside(place, p) }) || openToAll(p) {
			return true
		}
	}
	return false
}

// openToAll says that everybody may write the file, its directory, or replace a directory
// around it.
func openToAll(path string) bool {
	for at, up := path, 0; ; at, up = filepath.Dir(at), up+1 {
		info, err := os.Stat(at)
		if err != nil || info.Mode().Perm()&0o002 != 0 && (up < 2 || info.Mode()&os.ModeSticky == 0) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// environment is what commands and hooks get of the environment.
type environment struct {
	*places
	keepEnv   func() []string                      // see Options.KeepEnv
	secretEnv func() func(name, value string) bool // see Options.SecretEnv
}

// HookEnv is the environment of the user's hooks that start in dir: that of a
// command, and where the workspace is.
func (e *environment) HookEnv(dir string) []string {
	return append(e.environ(e.keepEnv(), dir), "AGENT_SIDECAR_WORKSPACE="+e.Root())
}

// environ is the environment of whatever starts in dir: what is known to be good, and
// what keep names.
func (e *environment) environ(keep []string, dir string) []string {
	return proc.Scrub(os.Environ(), keep, e.secretEnv(), dir)
}
