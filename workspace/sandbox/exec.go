package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

const (
	// heldOutput is how long a command that ended is waited for by its output,
	// which something it left behind may hold open.
	heldOutput = 2 * time.Second
	// lostOutput is the same where the command was stopped and everything that
	// could be ended is: a cancel may take a second.
	lostOutput = 200 * time.Millisecond
)

// Execute runs c to its end with stdout and stderr in one pipe, in order, into
// out. When ctx ends first the command is stopped. Nothing of it runs any more
// when Execute returns; outlived is how many processes that took after the
// command itself had ended. An error means that it did not start, or that it
// killed its guard.
func Execute(ctx context.Context, c proc.Command, out io.Writer) (exit proc.Exit, outlived int, err error) {
	return execute(ctx, c, out, heldOutput)
}

// execute is Execute with another wait for the output that something holds open.
func execute(ctx context.Context, c proc.Command, out io.Writer, wait time.Duration) (exit proc.Exit, outlived int, err error) {
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
		output.Copy(out, r)
	}()

	exit, err = p.Wait()
	last := lostOutput
	if ctx.Err() == nil {
		last = wait
		held := time.NewTimer(wait)
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

// ShellArgs is the argument vector that runs command: bash without start-up
// files, else sh. The well-known places come before PATH, which a project may
// have led into itself. "--" because a command may begin with a dash.
func ShellArgs(command string) ([]string, error) {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash"} {
		if IsProgram(path) {
			return []string{path, "--noprofile", "--norc", "-c", "--", command}, nil
		}
	}
	if path, err := exec.LookPath("bash"); err == nil && filepath.IsAbs(path) {
		return []string{path, "--noprofile", "--norc", "-c", "--", command}, nil
	}
	if IsProgram("/bin/sh") {
		return []string{"/bin/sh", "-c", "--", command}, nil
	}
	return nil, errors.New("neither bash nor sh is installed")
}

// IsProgram says that there is a file that may be run.
func IsProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// NeverBegan says that the sandbox could not be set up around a command.
func NeverBegan(err error) bool {
	return strings.HasPrefix(err.Error(), "bwrap: ") || strings.HasPrefix(err.Error(), "namespaces: ")
}
