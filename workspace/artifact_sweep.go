package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxArtifactBytes is how much all artifacts of finished sessions in one store
// may take (workspace §5).
const maxArtifactBytes = 512 << 20

// RemoveSession removes the artifacts of a session; files that are not ours
// stay, and so does their directory.
func (v *Vault) RemoveSession(sessionID string) error {
	list := v.stores()
	defer closeStores(list)
	folder := sessionFolder(sessionID)
	var errs []error
	for _, s := range list {
		for _, fi := range s.files(folder) {
			errs = append(errs, v.discard(s, folder, fi.Name()))
		}
		s.dir.Remove(folder) // only when it is empty
	}
	return errors.Join(errs...)
}

// Sweep removes artifacts older than ttl, and of the rest the oldest until all
// together fit into 512 MiB. keep says whether a session still needs its own:
// those are never removed (ruling 101). It is called with a session's id, or
// with the name of its folder where the id is no plain name.
func (v *Vault) Sweep(keep func(session string) bool, ttl time.Duration) error {
	list := v.stores()
	defer closeStores(list)
	var errs []error
	for _, s := range list {
		errs = append(errs, v.sweepStore(s, keep, time.Now().Add(-ttl)))
	}
	return errors.Join(errs...)
}

func (v *Vault) sweepStore(s store, keep func(string) bool, oldest time.Time) error {
	type old struct {
		folder string
		fi     os.FileInfo
	}
	var files []old
	total := int64(0)
	var errs []error
	for _, folder := range s.sessions() {
		if keep(folder) {
			continue
		}
		for _, fi := range s.files(folder) {
			if fi.ModTime().Before(oldest) {
				errs = append(errs, v.discard(s, folder, fi.Name()))
				continue
			}
			files = append(files, old{folder, fi})
			total += fi.Size()
		}
	}
	slices.SortFunc(files, func(a, b old) int { return a.fi.ModTime().Compare(b.fi.ModTime()) })
	for _, f := range files {
		if total <= maxArtifactBytes {
			break
		}
		total -= f.fi.Size()
		errs = append(errs, v.discard(s, f.folder, f.fi.Name()))
	}
	for _, folder := range s.sessions() {
		if !keep(folder) {
			s.dir.Remove(folder) // only when it is empty
		}
	}
	return errors.Join(errs...)
}

// discard removes one of our own files.
func (v *Vault) discard(s store, folder, file string) error {
	dir, err := realDir(s.dir, folder)
	if err != nil {
		return fmt.Errorf("remove artifact %s: %w", file, err)
	}
	defer dir.Close()
	if err := dir.Remove(file); err != nil {
		return fmt.Errorf("remove artifact %s: %w", file, err)
	}
	v.artifacts.mu.Lock()
	defer v.artifacts.mu.Unlock()
	delete(v.artifacts.found, strings.TrimSuffix(file, filepath.Ext(file)))
	return nil
}
