package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
)

const (
	// closedMost is how many paths are closed to one command. Each is a mount, and
	// all of them together are an argument of a program: no command runs with more.
	closedMost = 1000
	// closedBytes is how long these paths may be together.
	closedBytes = 64 << 10
)

// closing is what of the folders is closed to one command.
type closing struct {
	paths []string // absolute: files, and directories with all that is in them
	known []proc.Known
	shown []string // files in such directories that it may read all the same
	homes []closedHome
}

// closedFiles are what commands cannot open.
type closedFiles struct {
	*places
	*sandboxRuns
	closed closedIndex
}

// closeFor finds what is closed to a command that may read what is at the paths opens.
func (f *closedFiles) closeFor(opens []string) (closing, error) {
	if f.shields.Names.Closed == nil || f.shields.Names.MayHoldKey == nil {
		return closing{}, nil
	}
	f.closed.mu.Lock()
	paths, known, inner, err := f.closedPaths()
	f.closed.mu.Unlock()
	if err != nil {
		return closing{}, fmt.Errorf("look for sensitive files: %w", err)
	}
	others, err := f.straysOfOthers()
	if err != nil {
		return closing{}, fmt.Errorf("look for sensitive files: %w", err)
	}
	if len(others) > 0 {
		paths = slices.Compact(slices.Sorted(slices.Values(slices.Concat(paths, others))))
	}
	c := opened(paths, inner, opens)
	c.known = known
	if len(c.paths) > closedMost || len(strings.Join(c.paths, " ")) > closedBytes {
		return closing{}, f.tooManyClosed(c.paths)
	}
	c.findHomes()
	return c, nil
}

// tooManyClosed says how to go on where more is to be closed than can be.
func (w *places) tooManyClosed(paths []string) error {
	in := map[string]int{}
	most := ""
	for _, p := range paths {
		dir := filepath.Dir(p)
		if in[dir]++; in[dir] > in[most] || in[dir] == in[most] && dir < most {
			most = dir
		}
	}
	shown := most
	if p := w.asSeen(most); p.root != nil {
		shown = p.Display()
	}
	return fmt.Errorf("commands cannot run in the sandbox here: this workspace has %d files that may contain secrets, and the sandbox can hide at most %d (with paths of %d KiB in total). Most of them are in %q. Move test data into a folder called vendor or node_modules, or call again with needs: \"unconfined\" and a reason",
		len(paths), closedMost, closedBytes>>10, pathname.Printable(shown))
}

// closedTries is how often the folders are looked at again because a sensitive file was
// moved meanwhile.
const closedTries = 5

// closedPaths are all paths that are closed, which files are there, and the files in closed
// directories. The lock of closed is held. What was moved meanwhile is looked for again: a
// command could read it where it is now.
func (f *closedFiles) closedPaths() (paths []string, known []proc.Known, inner []string, err error) {
	for range closedTries {
		var all, found []string
		if all, found, inner, err = f.lookForClosed(); err != nil {
			return nil, nil, nil, err
		}
		gone := ""
		paths = make([]string, 0, len(all))
		known = make([]proc.Known, 0, len(all))
		for _, p := range all {
			s, err := stampAt(p)
			switch {
			case err == nil:
				known = append(known, proc.Known{Path: p, Device: int64(s.Device), Inode: int64(s.Number)})
				paths = append(paths, p)
			case !errors.Is(err, fs.ErrNotExist):
				paths = append(paths, p)
			case slices.Contains(found, p):
				gone = p
			}
		}
		if gone == "" {
			return paths, known, inner, nil
		}
		err = fmt.Errorf("%s is moved again and again", f.asSeen(gone).Display())
	}
	return nil, nil, nil, err
}

// lookForClosed finds the paths that are closed: by name, by content, by the name of a link
// that leads there, and other names of the same files, sorted. found are those at which
// there was something. inner are the files in closed directories.
func (f *closedFiles) lookForClosed() (paths, found, inner []string, err error) {
	l := f.newClosedLook()
	if err := l.names(); err != nil {
		return nil, nil, nil, err
	}
	paths = slices.Clone(l.paths)
	inner = slices.Clip(l.inner)
	keys := map[string]keyLook{}
	for _, key := range l.keys {
		if f.closed.holdsKey(key, keys) {
			paths = append(paths, key)
		}
	}
	f.closed.keys = keys
	found = slices.Clone(paths)
	for _, link := range l.linked {
		if to := l.leads(link); to != "" {
			paths = append(paths, to)
		}
	}
	several := map[openat.Inode]bool{} // files with several names
	for _, p := range slices.Concat(paths, inner) {
		if s, err := stampAt(p); err == nil && s.regular && s.links > 1 {
			several[s.Inode] = true
		}
	}
	if len(several) > 0 {
		if err := l.everywhere(); err != nil {
			return nil, nil, nil, err
		}
		for abs, d := range l.seen {
			for _, name := range d.named(abs, several) {
				paths = append(paths, filepath.Join(abs, name))
			}
		}
	}
	l.over()
	slices.Sort(paths)
	return slices.Compact(paths), found, inner, nil
}

// leads is what a link leads to, where that is in a folder and does not contain one.
func (l *closedLook) leads(link string) string {
	to, ok := shields.FollowLink(link)
	if !ok {
		return ""
	}
	in := false
	for top := range l.tops {
		if pathname.Inside(to.At, top) {
			return ""
		}
		in = in || top != "/" && pathname.Inside(top, to.At)
	}
	if !in {
		return ""
	}
	return to.At
}

// opened leaves out what may be read: the paths, what they lead to, what is in them, and
// other names of the same files.
func opened(paths, inner, opens []string) (c closing) {
	if len(opens) == 0 {
		return closing{paths: paths}
	}
	files := map[openat.Inode]bool{}
	at := slices.Clone(opens)
	for _, p := range opens {
		if l, ok := shields.FollowLink(p); ok {
			at = append(at, l.At)
		}
	}
	for _, p := range at {
		if s, err := stampAt(p); err == nil && s.regular {
			files[s.Inode] = true
		}
	}
	open := func(p string) bool {
		s, err := stampAt(p)
		return err == nil && s.regular && files[s.Inode] || slices.ContainsFunc(at, func(o string) bool { return pathname.Inside(o, p) })
	}
	for _, p := range paths {
		if !open(p) {
			c.paths = append(c.paths, p)
		}
	}
	for _, p := range inner {
		if open(p) {
			c.shown = append(c.shown, p)
		}
	}
	return c
}

// shownClosed are the closed paths as a model names them.
func (w *places) shownClosed(c closing) (out []string) {
	for _, p := range c.paths {
		out = append(out, w.asSeen(p).Display())
	}
	return out
}

// covers says that a path is closed, or in a directory that is.
func (c *closing) covers(abs string) bool {
	return slices.ContainsFunc(c.paths, func(p string) bool { return pathname.Inside(p, abs) })
}

// findHomes notes the directories of what is closed.
func (c *closing) findHomes() {
	for _, p := range c.paths { // sorted, but not by their directories
		dir := filepath.Dir(p)
		i := slices.IndexFunc(c.homes, func(h closedHome) bool { return h.abs == dir })
		if i < 0 {
			s, err := stampAt(dir)
			if err != nil {
				continue
			}
			c.homes = append(c.homes, closedHome{abs: dir, id: s.Inode})
			i = len(c.homes) - 1
		}
		c.homes[i].names = append(c.homes[i].names, filepath.Base(p))
	}
}

// A closed file stays where it is, but a directory around it can be renamed, and the
// cover goes along as long as the command runs. Behind it only names count: in `vendor`
// nobody looks, and the `config.json` of a `.docker` says nothing in a `docker`. What
// such a name does not close is brought back.

// moved says that the directory is not at its path any more.
func (h closedHome) moved() bool {
	s, err := stampAt(h.abs)
	return err != nil || s.Inode != h.id || resolved(h.abs) != h.abs
}

// strays are those among what is closed in directories that were moved.
func (f *closedFiles) strays(homes []closedHome) ([]shields.Stray, error) {
	moved := map[openat.Inode]closedHome{}
	for _, h := range homes {
		if h.moved() {
			moved[h.id] = h
		}
	}
	if len(moved) == 0 {
		return nil, nil
	}
	f.closed.mu.Lock()
	defer f.closed.mu.Unlock()
	paths, _, _, err := f.closedPaths()
	if err != nil {
		return nil, err
	}
	l := f.newClosedLook()
	if err := l.everywhere(); err != nil {
		return nil, err
	}
	found := closing{paths: paths}
	var out []shields.Stray
	for abs, d := range l.seen {
		h, is := moved[d.stamp.Inode]
		if !is {
			continue
		}
		for _, name := range h.names {
			at := filepath.Join(abs, name)
			if _, err := stampAt(at); err == nil && !found.covers(at) {
				out = append(out, shields.Stray{Was: filepath.Join(h.abs, name), At: at})
			}
		}
	}
	return out, nil
}

// straysOfOthers are those that commands which run now have moved.
func (f *closedFiles) straysOfOthers() (paths []string, err error) {
	found, err := f.strays(f.closedHomes())
	for _, s := range found {
		paths = append(paths, s.At)
	}
	return paths, err
}

// keyBytes is the largest file in which a key is looked for: a larger one counts as one.
const keyBytes = 1 << 20

// keyLook is what was found in a file whose name a key may have.
type keyLook struct {
	stamp pathStamp
	at    int64 // when it was read, in Unix nanoseconds
	holds bool
}

// holdsKey says that a file has to be closed because of what is in it. It is read again
// when it changed. next takes what is known behind this search.
func (c *closedIndex) holdsKey(path string, next map[string]keyLook) bool {
	s, err := stampAt(path)
	if err != nil {
		return true // where it is gone there is nothing to close
	}
	k, known := c.keys[path]
	if !known || k.stamp != s || !s.settled(k.at) {
		k = keyLook{stamp: s, at: time.Now().UnixNano(), holds: true}
		if s.regular && s.size <= keyBytes {
			if data, err := durable.ReadFile(path, keyBytes); err == nil {
				k.holds = !isPublic(data)
			}
		}
	}
	next[path] = k
	return k.holds
}

// isPublic says that a text contains nothing but what everybody may see: certificates and
// public keys between lines that say so, or nothing at all. A key without such lines, a
// binary one, and a text that is written in two bytes for each character are not.
func isPublic(data []byte) bool {
	if len(bytes.TrimSpace(data)) == 0 {
		return true
	}
	if len(data) > keyBytes || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return false
	}
	text := strings.ToUpper(string(data))
	return strings.Contains(text, "-----BEGIN ") && !strings.Contains(text, "PRIVATE") && !strings.Contains(text, "SECRET") && !strings.Contains(text, "STATIC KEY")
}
