package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/mirror"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// Mirror is the repository in an absolute directory that the first folder is kept in, as
// the folder is now. Files that commands cannot read are left out. source says that the folder's own
// history belongs to it.
func (x *sandboxes) Mirror(dir string, source bool) (*mirror.Mirror, error) {
	root := x.Root()
	if root == "" {
		return nil, errors.New("no folder is open")
	}
	closed, err := x.closeFor(nil)
	if err != nil {
		return nil, err
	}
	m := &mirror.Mirror{Dir: dir, Folder: root, Disk: x.disk}
	for _, path := range closed.paths {
		if rel, in := pathname.Below(root, path); in && rel != "" {
			m.Skip = append(m.Skip, filepath.ToSlash(rel))
		}
	}
	if source {
		if m.Own, err = ownRepository(root); err != nil {
			return nil, fmt.Errorf("read the repository of %s: %w", root, err)
		}
	}
	m.Git = func(ctx context.Context, c mirror.Call) error { return x.git(ctx, m, closed, c) }
	return m, os.MkdirAll(dir, 0o700)
}

// ownRepository is the one that a folder is the top of.
func ownRepository(root string) (own mirror.Own, err error) {
	top, r, ok := around(root)
	switch {
	case !ok:
		return own, errors.New("it cannot be read")
	case top != root:
		return own, nil
	}
	if own.Head, err = r.Head(); err != nil || own.Head == "" {
		return mirror.Own{}, err
	}
	own.Objects = filepath.Join(r.Common, "objects")
	if m := headBranch().FindStringSubmatch(firstLine(filepath.Join(r.Dir, "HEAD"))); m != nil {
		own.Branch = m[1]
	}
	if exclude := filepath.Join(r.Common, "info", "exclude"); firstLine(exclude) != "" {
		own.Exclude = exclude
	}
	return own, nil
}

// maxGitSaid is how much of what git says beside its output is kept, in bytes.
const maxGitSaid = 2000

// git runs git for a mirror, in a sandbox that lets it write the mirror, and the folder where
// it has to, and read the folder and its repository. It has no network.
func (x *sandboxes) git(ctx context.Context, m *mirror.Mirror, closed closing, c mirror.Call) error {
	program, err := proc.Find("git")
	if err != nil {
		return fmt.Errorf("git is needed on this machine: %w", err)
	}
	in := sandbox.Surroundings{Roots: []string{m.Dir}, Home: x.home, UserHome: x.userHome, Temp: x.temps.Of(""), Closed: closed.paths, Known: closed.known}
	if c.Changes {
		in.Roots = append(in.Roots, m.Folder)
	} else {
		in.Around = append(in.Around, m.Folder)
	}
	if m.Own.Objects != "" {
		in.Around = append(in.Around, filepath.Dir(m.Own.Objects))
	}
	settings := x.sandbox()
	settings = sandbox.Settings{Mode: settings.Mode, MaxProcesses: settings.MaxProcesses, MaxMemory: settings.MaxMemory, MaxDisk: settings.MaxDisk}
	level, err := x.prober.For(settings, sandbox.Policy{})
	if err != nil {
		return err
	}
	is, err := in.Confine(level, settings, sandbox.Policy{})
	if err != nil {
		return err
	}
	said, err := os.CreateTemp("", "agent-sidecar-git-*")
	if err != nil {
		return err
	}
	defer dropFile(said)
	env := append(proc.Scrub(os.Environ(), nil, x.secretEnv(), m.Folder), c.Env...)
	p, err := proc.Start(ctx, proc.Command{Args: append([]string{program}, c.Args...), Dir: m.Folder, Env: in.Env(env, nil, is), Stdin: c.In, Stdout: c.Out, Stderr: said, Confine: is, Guards: &x.guards})
	if err != nil {
		return err
	}
	exit, err := p.Wait()
	_, closeErr := p.Close()
	if err = errors.Join(err, closeErr, context.Cause(ctx)); err != nil {
		return fmt.Errorf("run git: %w", err)
	}
	if exit.Code != 0 {
		text, _ := io.ReadAll(io.NewSectionReader(said, 0, maxGitSaid))
		return fmt.Errorf("git %v ended with exit code %d: %s", c.Args, exit.Code, strings.TrimSpace(string(text)))
	}
	return nil
}
