package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// OwnFiles are what a directory of a folder has for agents: skills, or prompts.
type OwnFiles struct {
	Path  string // as tools name the directory
	Files fs.FS  // what is in it, by the same walls as AGENTS.md
}

// OwnFiles are the directories of these names in every folder, whether they are there or not.
//
// A repository brings them, so nothing is read behind a link, which may lead to anything,
// and nothing that .agentignore hides.
func (g *guides) OwnFiles(dirs ...string) (out []OwnFiles) {
	for _, root := range g.Roots() {
		for _, dir := range dirs {
			abs := filepath.Join(root, filepath.FromSlash(dir))
			p, err := g.entry(abs)
			if err != nil {
				continue
			}
			out = append(out, OwnFiles{pathname.Printable(p.Display()), walled{g, abs}})
		}
	}
	return out
}

// walled is a directory of a folder as a file system.
type walled struct {
	in  *guides
	dir string // absolute
}

var (
	errIsLink = errors.New("it is a link, or behind one")
	errHidden = errors.New("it is hidden from tools by .agentignore")
)

// Open implements fs.FS.
func (w walled) Open(name string) (fs.File, error) {
	f, err := w.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f, nil
}

func (w walled) open(name string) (*os.File, error) {
	p, info, err := w.at(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		dir, err := p.openDir()
		if err != nil {
			return nil, openat.Plain(err)
		}
		defer dir.Close()
		return dir.Open(".")
	}
	f, _, err := p.open()
	if err != nil {
		return nil, openat.Plain(err)
	}
	return f, nil
}

// Stat implements fs.StatFS. It opens nothing: a pipe would wait.
func (w walled) Stat(name string) (fs.FileInfo, error) {
	_, info, err := w.at(name)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return info, nil
}

// at is what a name in the directory is, where no link is on the way.
func (w walled) at(name string) (Path, fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return Path{}, nil, fs.ErrInvalid
	}
	abs := filepath.Join(w.dir, filepath.FromSlash(name))
	info, err := os.Lstat(abs)
	if err != nil {
		return Path{}, nil, plainMissing(err)
	}
	p, err := w.in.Path(abs)
	switch {
	case err != nil:
		return Path{}, nil, err
	case p.abs != abs || info.Mode()&fs.ModeSymlink != 0:
		return Path{}, nil, errIsLink
	case p.visible() != nil:
		return Path{}, nil, errHidden
	}
	return p, info, nil
}

// plainMissing keeps what tells that nothing is there, and else the error without its path.
func plainMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fs.ErrNotExist
	}
	return openat.Plain(err)
}
