package proc

import (
	"fmt"
	"os/exec"
	"path/filepath"
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

// dropped are the variables a command does not get: what may be a secret, what
// leads to an agent, a daemon, a terminal or an editor of the user (workspace
// §3, ruling 78), and what would ask questions or change what bash does with
// the text that was judged.
var dropped = strings.Fields(`
	*KEY* *TOKEN* *SECRET* *PASSWORD* *CREDENTIAL* *PAT *_DSN DATABASE_URL
	SSH_AUTH_SOCK GPG_AGENT_INFO DBUS_* DOCKER_HOST XDG_RUNTIME_DIR
	TMUX* NVIM* VSCODE_* EMACS_* KITTY_* WEZTERM_* AGENT_SIDECAR_*
	GIT_ASKPASS SSH_ASKPASS* VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER MANPAGER
	BASH_ENV ENV BASHOPTS SHELLOPTS BASH_FUNC_* BASH_XTRACEFD CDPATH GLOBIGNORE PS4 OLDPWD
`)

// forced are the variables every command gets.
var forced = []string{"PAGER=cat", "GIT_TERMINAL_PROMPT=0", "EDITOR=true", "CI=1", "TERM=dumb"}

// Scrub is environ without what dropped names, except the names in keep, and
// with forced and PWD. The names of environ are compared without regard to
// case, those of keep exactly.
func Scrub(environ, keep []string, dir string) []string {
	env := make([]string, 0, len(environ)+len(forced)+1)
	fixed := append(slices.Clone(forced), "PWD="+dir)
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			continue
		}
		taken := slices.ContainsFunc(fixed, func(f string) bool { return strings.HasPrefix(f, name+"=") })
		if !taken && (slices.Contains(keep, name) || !isDropped(name)) {
			env = append(env, entry)
		}
	}
	return append(env, fixed...)
}

// Without is environ without the variables of these names, whose case counts as little
// as in Scrub: what a configuration says is a secret, whatever it is called. Those in
// keep stay.
func Without(environ, names, keep []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(keep, name) && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	})
}

func isDropped(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(dropped, func(pattern string) bool {
		front, open := strings.CutPrefix(pattern, "*")
		front, end := strings.CutSuffix(front, "*")
		switch {
		case open && end:
			return strings.Contains(name, front)
		case open:
			return strings.HasSuffix(name, front)
		case end:
			return strings.HasPrefix(name, front)
		}
		return name == front
	})
}
