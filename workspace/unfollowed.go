package workspace

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-sidecar/agent-sidecar/workspace/changes"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

const (
	// mostUnfollowed bounds how many names are looked at in one go.
	mostUnfollowed = 100_000
	// shownUnfollowed is how many of the changed files are named.
	shownUnfollowed = 10
	// mtimeGranularity is how far the times of files may be behind the clock.
	mtimeGranularity = time.Second
)

// Unfollowed counts the files that git or .agentignore ignores, which no watch follows, and
// that are other or new since a time, no matter who changed them. It names ten: before plain files
// those that do more when somebody comes across them, with what they are. What was removed
// cannot be seen. all is false where there was more than it looks at, or can.
func (f *follower) Unfollowed(ctx context.Context, since time.Time) (count int, first []string, all bool) {
	u := unfollowed{in: f.places, ctx: ctx, since: since.Add(-mtimeGranularity), left: mostUnfollowed}
	for _, folder := range f.followed() {
		u.followed(folder)
	}
	first = append(u.special, u.first...)
	return u.count, first[:min(len(first), shownUnfollowed)], u.left > 0 && !u.some
}

type unfollowed struct {
	in      *places
	ctx     context.Context
	since   time.Time
	left    int
	count   int
	special []string // up to ten, with what they are
	first   []string // of the others
	some    bool     // what could not be looked into is left out
}

// next says whether one more name may be looked at.
func (u *unfollowed) next() bool {
	if u.left > 0 && u.ctx.Err() == nil {
		u.left--
	} else {
		u.left = 0
	}
	return u.left > 0
}

// followed looks for what is left out in a directory that is followed itself.
func (u *unfollowed) followed(at changes.Folder) {
	entries, err := os.ReadDir(at.Path)
	if err != nil {
		u.some = true
		return
	}
	rules, _ := at.Rules.In(at.Path, entries)
	for _, e := range entries {
		path := filepath.Join(at.Path, e.Name())
		switch {
		case !u.next():
			return
		case e.Name() == ".git" || e.Name() == u.in.artifactDir || u.in.home != "" && pathname.Inside(path, u.in.home):
		case rules.Skips(path, e.IsDir()):
			u.ignored(path, e)
		case e.IsDir():
			u.followed(changes.Folder{Path: path, Rules: rules})
		}
	}
}

// ignored counts what is ignored, a directory with all that is in it.
func (u *unfollowed) ignored(path string, is fs.DirEntry) {
	if !is.IsDir() {
		if at, err := changes.ChangedAt(path); err == nil && !at.Before(u.since) {
			u.changed(path, is)
		}
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		u.some = true
		return
	}
	for _, e := range entries {
		if !u.next() {
			return
		}
		u.ignored(filepath.Join(path, e.Name()), e)
	}
}

// changed counts one file, and names it while there are few.
func (u *unfollowed) changed(path string, is fs.DirEntry) {
	u.count++
	name := pathname.Printable(u.in.asSeen(path).Display())
	if info, err := is.Info(); err == nil && len(u.special) < shownUnfollowed {
		if more := u.in.moreThanAFile(path, info); more != "" {
			u.special = append(u.special, name+" ("+more+")")
			return
		}
	}
	if len(u.first) < shownUnfollowed {
		u.first = append(u.first, name)
	}
}
