package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// How long pre-images are kept, and how many bytes all of them may take on the
// disk.
const (
	checkpointAge   = 7 * 24 * time.Hour
	checkpointBytes = 512 << 20
)

// SweepCheckpoints removes pre-images that nobody kept again for seven days, what
// killed processes have left for as long, and of the rest the oldest until all together fit into 512 MiB. What is not named
// as ours stays; a torn write of an earlier process is ours too.
func (v *Vault) SweepCheckpoints() error { return v.sweepCheckpoints(checkpointBytes) }

func (v *Vault) sweepCheckpoints(most int64) error {
	if v.home == "" {
		return nil
	}
	type image struct {
		path string
		info fs.FileInfo
	}
	var images []image
	var errs []error
	total := int64(0)
	oldest := time.Now().Add(-checkpointAge)
	paths, err := filepath.Glob(filepath.Join(durable.QuoteGlob(v.home), "checkpoints", "[0-9a-f][0-9a-f]", "*"))
	if err != nil {
		return fmt.Errorf("sweep checkpoints: %w", err)
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || !isCheckpoint(filepath.Base(path)) {
			continue
		}
		if info.ModTime().Before(oldest) {
			errs = append(errs, os.Remove(path))
			continue
		}
		images = append(images, image{path, info})
		total += info.Size()
	}
	slices.SortFunc(images, func(a, b image) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, i := range images {
		if total <= most {
			break
		}
		total -= i.info.Size()
		errs = append(errs, os.Remove(i.path))
	}
	errs = append(errs, v.sweepWatched(oldest))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("sweep checkpoints: %w", err)
	}
	return nil
}

// isCheckpoint knows the names that Keep makes.
func isCheckpoint(name string) bool {
	if torn, _ := filepath.Match(durable.TempPattern, name); torn || strings.HasPrefix(name, ".new-") {
		return true
	}
	id, ok := strings.CutSuffix(strings.TrimSuffix(name, ".gz"), ".loose")
	ok = ok || strings.HasSuffix(name, ".gz")
	return ok && len(id) == 64 && strings.Trim(id, "0123456789abcdef") == ""
}
