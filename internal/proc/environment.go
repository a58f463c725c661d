package proc

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Find is the absolute path of a program: as it is, or where PATH has it. What
// PATH has only in the current directory is not found.
func Find(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	path, err := exec.LookPath(name)
	if err != nil || !filepath.IsAbs(path) {
		return "", fmt.Errorf("there is no program %q in PATH", name)
	}
	return path, nil
}

// forced are the variables every command gets.
var forced = []string{"PAGER=cat", "GIT_TERMINAL_PROMPT=0", "EDITOR=true", "CI=1", "TERM=dumb"}

// Scrub is what a program that starts in dir gets of environ: the variables whose names
// are good or match keep, with forced and PWD. keep has names and patterns in which "*"
// stands for any letters. A name that is in keep as it is has the last word; of all
// others a value with the user or the query of a URL is left out, and what secret says
// is one. secret may be nil.
func Scrub(environ, keep []string, secret func(name, value string) bool, dir string) []string {
	env := make([]string, 0, len(environ)+len(forced)+1)
	fixed := append(slices.Clone(forced), "PWD="+dir)
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || slices.ContainsFunc(fixed, func(f string) bool { return strings.HasPrefix(f, name+"=") }) {
			continue
		}
		switch {
		case slices.Contains(keep, name):
		case !isGood(name) && !slices.ContainsFunc(keep, func(pattern string) bool { return matches(pattern, name) }),
			hasCredentials(name, value), secret != nil && secret(name, value):
			continue
		}
		env = append(env, entry)
	}
	return append(env, fixed...)
}

// goodNames are the whole names of good, goodPatterns the others.
var goodNames, goodPatterns = func() (map[string]bool, []string) {
	names, patterns := map[string]bool{}, []string(nil)
	for _, group := range good {
		for name := range strings.FieldsSeq(group.names) {
			if names[name] = true; strings.Contains(name, "*") {
				patterns = append(patterns, name)
			}
		}
	}
	return names, patterns
}()

// isGood compares as the system does: elsewhere than on Windows "pwd" is not PWD, and
// may be a password.
func isGood(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	return goodNames[name] || slices.ContainsFunc(goodPatterns, func(pattern string) bool { return matches(pattern, name) })
}

// matches holds a whole name against a pattern with stars.
func matches(pattern, name string) bool {
	pieces := strings.Split(pattern, "*")
	if len(pieces) == 1 {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, pieces[0])
	for _, piece := range pieces[1 : len(pieces)-1] {
		if ok {
			_, name, ok = strings.Cut(name, piece)
		}
	}
	return ok && strings.HasSuffix(name, pieces[len(pieces)-1])
}

// hasCredentials says that a value has a URL with a user or a query in it, where
// passwords and tokens are; a proxy needs no scheme for that. Addresses that merely
// look so are rare enough to be named in keep.
func hasCredentials(name, value string) bool {
	if strings.HasSuffix(strings.ToLower(name), "_proxy") {
		return strings.ContainsAny(value, "@?")
	}
	_, behind, is := strings.Cut(value, "://")
	return is && strings.ContainsAny(behind, "@?")
}
