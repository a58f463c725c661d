package workspace

import (
	"os"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
	"github.com/agent-sidecar/agent-sidecar/workspace/tracked"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// Tracked answers control which files of the repository around the directory dir
// somebody wants to be asked about, whether they are in the index or in the last commit,
// and on the disk or not. complete is false where it cannot be told, and where git compares
// other things than what it keeps: without a repository (satisfies control.Tracker).
func (v *Vault) Tracked(dir string, asked func(object string) bool) (objects []string, complete bool) {
	if dir == "" {
		dir = v.Root()
	}
	if !filepath.IsAbs(dir) {
		return nil, false
	}
	to, err := walk.To(dir, true)
	switch {
	case err != nil, to.Unknown != "":
		return nil, false
	case !to.Exists:
		return nil, true // then nothing runs there
	}
	real := to.Abs
	top, repository, complete := around(real)
	if top == "" || !complete {
		return nil, false
	}
	names, err := v.kept.Names(repository)
	if err != nil {
		return nil, false
	}
	twins := v.shields.ProtectedTwins()
	for _, name := range names {
		abs := filepath.Join(top, filepath.FromSlash(name))
		object := v.folders.Now().Object(abs)
		switch info, err := os.Lstat(abs); {
		case asked(object):
			objects = append(objects, object)
		case len(twins) > 0 && err == nil && openat.LinkCount(info) > 1:
			for _, o := range v.shields.TwinsOf(twins, abs, info) {
				if asked(o) {
					objects = append(objects, o)
				}
			}
		}
	}
	return objects, true
}

// around finds the repository that git uses in a directory, as git does: the nearest one
// upwards. top is "" where there is none, ok false where one cannot be read.
func around(dir string) (top string, r tracked.Repository, ok bool) {
	for {
		git := filepath.Join(dir, ".git")
		info, err := os.Stat(git)
		switch {
		case err == nil && !info.IsDir():
			if git = shields.PointedTo(git, "gitdir: "); git == "" {
				return dir, r, false
			}
		case err != nil || !shields.PartsAt(git).Obeyed():
			if git = dir; !shields.PartsAt(git).Obeyed() {
				git = ""
			}
		}
		if git != "" {
			r = tracked.Repository{Dir: git, Common: git}
			if common := shields.PointedTo(filepath.Join(git, "commondir"), ""); common != "" {
				r.Common = common
			}
			return dir, r, true
		}
		if dir == filepath.Dir(dir) {
			return "", r, true
		}
		dir = filepath.Dir(dir)
	}
}
