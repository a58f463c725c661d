package workspace

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/proc"
)

const (
	// heldOutput is how long a command that ended is waited for by its output,
	// which something it left behind may hold open (workspace §3).
	heldOutput = 2 * time.Second
	// lostOutput is the same where the command was stopped and everything that
	// could be ended is: the cancel has its second (session §3).
	lostOutput = 200 * time.Millisecond

	pipeRead = 256 << 10 // of one read from a command
)

// execute runs c to its end with stdout and stderr in one pipe, in order, into
// out. When ctx ends first the command is stopped. Nothing of it runs any more
// when execute returns; outlived is how many processes that took after the
// command itself had ended. An error means that it did not start, or that it
// killed its guard.
func execute(ctx context.Context, c proc.Command, out io.Writer) (exit proc.Exit, outlived int, err error) {
	r, w, err := proc.OutputPipe()
	if err != nil {
		return exit, 0, err
	}
	defer r.Close()
	c.Stdout, c.Stderr = w, w
	p, err := proc.Start(ctx, c)
	w.Close()
	if err != nil {
		return exit, 0, err
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		copyOutput(out, r)
	}()

	exit, err = p.Wait()
	last := lostOutput
	if ctx.Err() == nil {
		last = heldOutput
		held := time.NewTimer(heldOutput)
		select {
		case <-copied:
		case <-held.C:
		}
		held.Stop()
	}
	outlived, closeErr := p.Close()
	// Every writer is dead now, so the end of the pipe is near, unless a process
	// of another user still holds it.
	r.SetReadDeadline(time.Now().Add(last))
	<-copied
	return exit, outlived, errors.Join(err, closeErr)
}

// copyOutput is io.Copy without its shortcuts: out must see pieces of a bounded
// size.
func copyOutput(out io.Writer, r io.Reader) {
	buf := make([]byte, pipeRead)
	for {
		n, err := r.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			return
		}
	}
}

// shellArgs is the argument vector that runs command: bash without start-up
// files, else sh. The well-known places come before PATH, which a project may
// have led into itself. "--" because a command may begin with a dash.
func shellArgs(command string) ([]string, error) {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash"} {
		if isProgram(path) {
			return []string{path, "--noprofile", "--norc", "-c", "--", command}, nil
		}
	}
	if path, err := exec.LookPath("bash"); err == nil && filepath.IsAbs(path) {
		return []string{path, "--noprofile", "--norc", "-c", "--", command}, nil
	}
	if isProgram("/bin/sh") {
		return []string{"/bin/sh", "-c", "--", command}, nil
	}
	return nil, errors.New("neither bash nor sh is installed")
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
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

// scrub is environ without what dropped names, except the names in keep, and
// with forced and PWD. The names of environ are compared without regard to
// case, those of keep exactly.
func scrub(environ, keep []string, dir string) []string {
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

// HookEnv is the environment of the user's hooks that start in dir: that of a
// command, and where the workspace is.
func (v *Vault) HookEnv(dir string) []string {
	return append(scrub(os.Environ(), v.keepEnv(), dir), "AGENT_SIDECAR_WORKSPACE="+v.Root())
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
