package artifact

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// MaxBytes is how much all artifacts of a workspace may take, those of
// open sessions included.
const MaxBytes = 512 << 20

// RemoveSession removes the artifacts of a session; files that are not ours
// stay, and so does their directory.
func (s *Store) RemoveSession(sessionID string) error {
	list := s.stores()
	defer closeStores(list)
	folder := Folder(sessionID)
	var errs []error
	for _, p := range list {
		for _, fi := range p.files(folder) {
			errs = append(errs, s.discard(p, folder, fi.Name()))
		}
		p.dir.Remove(folder) // only when it is empty
	}
	return errors.Join(errs...)
}

// Sweep removes artifacts older than ttl, and of the rest the oldest until all
// together fit into 512 MiB. keep says whether a session is open, here or in
// another process: its artifacts are never removed, though they count. It is
// asked only where something would be removed, with a session's id, or the name
// of its folder where the id is no plain name. Only files with names of our own
// pattern are touched, and no link is followed.
func (s *Store) Sweep(keep func(session string) bool, ttl time.Duration) error {
	return s.sweep(keep, time.Now().Add(-ttl), MaxBytes)
}

// swept is one artifact, as a sweep sees it.
type swept struct {
	place  place
	folder string
	fi     os.FileInfo
}

func (s *Store) sweep(keep func(string) bool, oldest time.Time, quota int64) error {
	list := s.stores()
	defer closeStores(list)
	var files []swept
	total := int64(0)
	for _, p := range list {
		for _, folder := range p.sessions() {
			for _, fi := range p.files(folder) {
				files = append(files, swept{p, folder, fi})
				total += fi.Size()
			}
		}
	}
	slices.SortStableFunc(files, func(a, b swept) int { return a.fi.ModTime().Compare(b.fi.ModTime()) })
	open := map[string]bool{}
	var errs []error
	for _, f := range files {
		if !f.fi.ModTime().Before(oldest) && total <= quota {
			break // the others are younger
		}
		if _, asked := open[f.folder]; !asked {
			open[f.folder] = keep(f.folder)
		}
		if open[f.folder] {
			continue
		}
		if err := s.discard(f.place, f.folder, f.fi.Name()); err != nil {
			errs = append(errs, err)
			continue
		}
		total -= f.fi.Size()
		f.place.dir.Remove(f.folder) // only when that was the last one: nothing else in it is ours
	}
	return errors.Join(errs...)
}

// discard removes one of our own files.
func (s *Store) discard(p place, folder, file string) error {
	dir, err := openat.Dir(p.dir, folder)
	if err != nil {
		return fmt.Errorf("remove artifact %s: %w", file, err)
	}
	defer dir.Close()
	abs := filepath.Join(p.abs, folder, file)
	if err := s.disk.Do(durable.OpRemove, abs, func() error { return dir.Remove(file) }); err != nil {
		return fmt.Errorf("remove artifact %s: %w", file, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.found, strings.TrimSuffix(file, filepath.Ext(file)))
	return nil
}
