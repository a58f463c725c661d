package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// watch reads the configuration again when one of its files changes. It watches
// directories, because editors replace files; where one is not there yet it watches
// the nearest one that is. Everything below belongs to its goroutine.
type watch struct {
	store *Store
	fs    *fsnotify.Watcher
	on    map[string]bool // the directories that are watched
	names []string        // what may happen in them: the files, and where agents are
	agent string          // the directory of the agents, "" where there is none
}

// mostAims bounds how often directories are looked for that come and go meanwhile.
const mostAims = 10

// Watch reads the files again whenever they change, until stop is called. Without it
// they are read between turns.
func (s *Store) Watch() (stop func(), err error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch the configuration: %w", err)
	}
	w := &watch{store: s, fs: fs, on: map[string]bool{}}
	w.aim()
	s.Reload() // what was written before anybody watched
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.follow()
	}()
	return func() {
		_ = fs.Close() // it only ends what follow waits for
		<-done
	}, nil
}

func (w *watch) follow() {
	for {
		select {
		case e, open := <-w.fs.Events:
			if !open {
				return
			}
			w.seen(e)
		case _, open := <-w.fs.Errors: // something was lost: look at everything
			if !open {
				return
			}
			w.aim()
			w.store.Reload()
		}
	}
}

func (w *watch) seen(e fsnotify.Event) {
	inPlace := e.Op&^(fsnotify.Write|fsnotify.Chmod) == 0
	if !inPlace && w.on[e.Name] { // whatever has this name now, it is not what was watched
		_ = w.fs.Remove(e.Name) // it mostly is gone already
		delete(w.on, e.Name)
	} else if !w.concerns(e.Name) {
		return
	}
	if !inPlace {
		w.aim()
	}
	// Who writes a file in its place empties it first: what it will say comes with
	// the next event. Until then it does not take anybody's rules away.
	if info, err := os.Stat(e.Name); e.Op.Has(fsnotify.Write) && err == nil && info.Size() == 0 {
		return
	}
	w.store.readAgain()
}

// concerns says whether a name is one of the files, an agent's, or on the way to them.
func (w *watch) concerns(name string) bool {
	return w.agent != "" && filepath.Dir(name) == w.agent || slices.ContainsFunc(w.names, func(n string) bool {
		return n == name || strings.HasPrefix(n, name+string(filepath.Separator))
	})
}

// aim watches the directories that there are now, and no others.
func (w *watch) aim() {
	for range mostAims {
		dirs := w.look()
		for dir := range w.on {
			if !slices.Contains(dirs, dir) {
				_ = w.fs.Remove(dir) // it may be gone
				delete(w.on, dir)
			}
		}
		settled := true
		for _, dir := range dirs {
			if !w.on[dir] {
				settled = false // it may have got another one meanwhile
				w.on[dir] = w.fs.Add(dir) == nil
			}
		}
		if settled {
			return
		}
	}
}

// look finds the names and the directories. Links are followed one by one: each of
// them may be replaced, and what the last one leads to.
func (w *watch) look() (dirs []string) {
	w.names, w.agent = nil, ""
	add := func(path string) (name string) {
		dir, name := standing(path)
		w.names = append(w.names, name)
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return name
	}
	path := w.store.path
	for range 40 { // as many as the system follows
		path = add(path)
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	add(w.store.agents.dir)
	if real, err := filepath.EvalSymlinks(w.store.agents.dir); err == nil && isDirectory(real) {
		w.agent = real
		dirs = append(dirs, real)
	}
	return dirs
}

// standing is the nearest directory above a path that there is, without links, and
// what the path is called from there: one directory has one name.
func standing(path string) (dir, name string) {
	rest := filepath.Base(path)
	for dir = filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && isDirectory(real) {
			return real, filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return dir, filepath.Join(dir, rest)
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
