package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// Program answers control which file a bare name finds in the PATH that commands
// get, as an absolute path. It is "" where there is none, and where PATH names a
// directory that depends on where a command runs, or one that commands or everybody may
// write to (satisfies control.Finder).
func (v *Vault) Program(name string) string {
	if path, _ := v.inPath(name); path != "" && !v.anybodyWrites(path) {
		return path
	}
	return ""
}

// Planted says that a bare name is found in a directory that commands or everybody may
// write to, or may be found where a command runs (satisfies control.Finder).
// shadows: another program of that name is further on in PATH, so that whoever wrote the
// name may have meant that one.
func (v *Vault) Planted(name string) (planted, shadows bool) {
	path, open := v.inPath(name)
	if !open && (path == "" || !v.anybodyWrites(path)) {
		return false, false
	}
	return true, slices.ContainsFunc(v.allInPath(name), func(other string) bool { return other != path && !v.anybodyWrites(other) })
}

// allInPath are the files that a bare name stands for in the directories of PATH, in their
// order.
func (v *Vault) allInPath(name string) (all []string) {
	if sane(name) != nil || name != filepath.Base(name) {
		return nil
	}
	for _, entry := range v.environ(v.keepEnv(), v.Root()) {
		list, is := strings.CutPrefix(entry, "PATH=")
		if !is {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if path := walk.Text(dir, name); filepath.IsAbs(dir) && sandbox.IsProgram(path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// inPath is the file that a bare name finds in the PATH of commands. open says that a
// directory which depends on where a command runs is looked at before.
func (v *Vault) inPath(name string) (path string, open bool) {
	if sane(name) != nil || name != filepath.Base(name) {
		return "", false
	}
	for _, entry := range v.environ(v.keepEnv(), v.Root()) {
		list, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		if list == "" { // bash looks where it runs
			return "", true
		}
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				return "", true
			}
			if path := walk.Text(dir, name); sandbox.IsProgram(path) {
				return path, false
			}
		}
	}
	return "", false
}

// temporary are directories in which a command sees its own files.
var temporary = []string{"/tmp", "/var/tmp", "/dev/shm"}

// anybodyWrites says that commands, or other people of the machine, may put another
// program there: its name then says nothing of what it does.
func (v *Vault) anybodyWrites(path string) bool {
	real := resolved(path)
	if real == "" {
		return true
	}
	places := slices.Concat(v.Roots(), temporary)
	for _, w := range v.sandbox().Writable {
		places = append(places, sandbox.Existing(v.surroundings("").Expand(w))...)
	}
	if cache := v.commandCache(); cache != "" {
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
