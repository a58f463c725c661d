package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// auditor is the program while it looks at audits, with what the audit of sessions says.
type auditor struct {
	*program
	sessions []audit.Session
	last     map[string][]string // of audits by path: where they ended when their sessions were deleted
}

func (p *program) auditor() *auditor {
	sessions, err := audit.Sessions(p.home)
	if err != nil {
		p.note("%v", err) // its own check says so, and the others are checked
	}
	a := &auditor{p, sessions, map[string][]string{}}
	for _, s := range sessions {
		if len(s.Hashes) > 0 {
			a.last[audit.Path(p.home, s.Workspace, s.ID)] = s.Hashes
		}
	}
	return a
}

// verifyHome checks what no single audit can say: sessions that are gone and that nobody
// has deleted, and what is no file among the audits.
func (p *auditor) verifyHome() int {
	code := 0
	bad := func(what shown) { code = max(p.show(p.words("BAD  %v\n", what)), 1) }
	for _, s := range p.strangers(filepath.Join(p.home, "logs", "agent-audit")) {
		bad(s)
	}
	for _, s := range p.sessions {
		if !s.Deleted && !p.logged(s) {
			bad(p.words("%s: session %s of %s was made on %s, and it is missing although nobody has deleted it", audit.SessionsPath(p.home), s.ID, s.Workspace, s.Made))
		}
	}
	return code
}

// logged says that a session has a log, or that nobody can tell.
func (p *auditor) logged(s audit.Session) bool {
	_, err := os.Lstat(filepath.Join(p.home, "sessions", s.Workspace, s.ID, history.LogFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// strangers are what lies among the audits of a home and is neither a file nor the
// directory of a workspace. What a chain is made of is named by its own check, too.
func (p *auditor) strangers(root string) (out []shown) {
	for _, e := range p.names(root) {
		at := filepath.Join(root, e.Name())
		if !e.IsDir() {
			out = append(out, p.words("%s: it is %s, not the directory of a workspace", at, kindOf(e.Type())))
			continue
		}
		for _, e := range p.names(at) {
			if !e.Type().IsRegular() {
				out = append(out, p.words("%s: it is %s, not a file", filepath.Join(at, e.Name()), kindOf(e.Type())))
			}
		}
	}
	return out
}

// names are those in a directory. One that cannot be read is told, and has none.
func (p *auditor) names(dir string) []os.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.note("%v", err)
	}
	return entries
}

// kindOf is what something is that should be a file.
func kindOf(mode fs.FileMode) said.Text {
	switch {
	case mode.IsRegular():
		return said.That("a file")
	case mode.IsDir():
		return said.That("a directory")
	case mode&fs.ModeSymlink != 0:
		return said.That("a link")
	case mode&fs.ModeNamedPipe != 0:
		return said.That("a pipe")
	case mode&fs.ModeSocket != 0:
		return said.That("a socket")
	}
	return said.That("a device")
}

// chainsIn are the audits of a workspace's directory that are files, at least in part.
func (p *auditor) chainsIn(dir string) (paths []string) {
	for _, e := range p.names(dir) {
		base, _, ours := strings.Cut(e.Name(), ".jsonl")
		path := filepath.Join(dir, base+".jsonl")
		if ours && e.Type().IsRegular() && !strings.HasSuffix(e.Name(), ".lock") && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}
