package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// watch reads the configuration again when one of its files changes. It watches
// directories, because editors replace files: the home, the one that a linked
// config.jsonc leads to, and that of the agents, as far as they are there. What it
// does not see is read between turns. Everything below belongs to its goroutine.
type watch struct {
	store *Store
	fs    *fsnotify.Watcher
	names []string // what it waits for in the directories
}

// Watch reads the files again whenever they change, until stop is called. Without it
// they are read between turns.
func (s *Store) Watch() (stop func(), err error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch the configuration: %w", err)
	}
	w := &watch{store: s, fs: fs}
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
	named := slices.Contains(w.names, e.Name)
	if !named && filepath.Dir(e.Name) != w.store.agents.dir {
		return
	}
	if named && e.Op&^(fsnotify.Write|fsnotify.Chmod) != 0 {
		w.aim()
	}
	// Who writes a file in its place empties it first: what it will say comes with
	// the next event. Until then it does not take anybody's rules away.
	if info, err := os.Stat(e.Name); e.Op.Has(fsnotify.Write) && err == nil && info.Size() == 0 {
		return
	}
	w.store.readAgain()
}

// aim watches the directories that there are now. One that was replaced by another of
// its name is watched anew.
func (w *watch) aim() {
	agents := w.store.agents.dir
	w.names = []string{w.store.path, linked(w.store.path), agents}
	_ = w.fs.Remove(agents)
	for _, dir := range []string{filepath.Dir(w.names[0]), filepath.Dir(w.names[1]), agents} {
		_ = w.fs.Add(dir) // one that is not there is read between turns
	}
}
