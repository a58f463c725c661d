package workspace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// checkpoints are what changes have replaced, in the sidecar's home.
type checkpoints struct{ *places }

// Keep stores a pre-image content-addressed in `<home>/checkpoints` and returns
// its id, the hex sha256 of content. It is atomic and durable: after it
// returned, the content is there. A change whose pre-image cannot be kept is
// not made.
func (k *checkpoints) Keep(content []byte) (id string, err error) {
	if k.home == "" {
		return "", errors.New("keep the previous content: the sidecar has no home directory")
	}
	id = hashOf(content)
	dir, base := k.checkpointFile(id)
	file := filepath.Join(dir, base)
	now := time.Now()
	if os.Chtimes(file, now, now) == nil { // there already; it is young again
		return id, nil
	}
	packed, err := pack(content, gzip.DefaultCompression)
	if err == nil {
		err = k.disk.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = k.disk.WriteFile(file, packed, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("keep the previous content: %w", err)
	}
	return id, nil
}

// keep stores a file that goes, and names it with its mode: what is to be there
// again shall not be readable for others.
func (k *checkpoints) keep(was snapshot) (checkpoint string, err error) {
	if _, err := k.Keep(was.data); err != nil {
		return "", err
	}
	return undo.Image{Kind: undo.File, Hash: was.hash, Mode: undo.Rights(was.info.Mode())}.Name(), nil
}

// keepLoose stores a content that a power cut may take away again: what a command
// has changed is changed already, and there may be much of it. It never takes the
// place of what Keep has made to last.
func (k *checkpoints) keepLoose(content []byte) error {
	id := hashOf(content)
	dir, base := k.checkpointFile(id)
	now := time.Now()
	if os.Chtimes(filepath.Join(dir, base), now, now) == nil {
		return nil
	}
	packed, err := pack(content, gzip.BestSpeed)
	if err == nil {
		err = k.disk.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = k.disk.WriteCache(filepath.Join(dir, id+looseEnd), packed, 0o600)
	}
	return err
}

// looseEnd ends the names of what keepLoose has stored.
const looseEnd = ".loose.gz"

// pack is content as a checkpoint has it.
func pack(content []byte, level int) ([]byte, error) {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, level)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(content)
	err = errors.Join(err, z.Close())
	return packed.Bytes(), err
}

// keepLink stores where the link p leads.
func (k *checkpoints) keepLink(p Path) (checkpoint, hash string, err error) {
	to, err := p.readlink()
	if err != nil {
		return "", "", err
	}
	hash, err = k.Keep([]byte(to))
	return undo.Image{Kind: undo.Link, Hash: hash}.Name(), hash, err
}

// keepChange stores what a change replaces and what it leaves: a later undo merges
// with the second what somebody else does to the file. Of a new file the checkpoint
// is "".
func (k *checkpoints) keepChange(c change) (checkpoint string, err error) {
	if c.was.exists {
		if checkpoint, err = k.Keep(c.was.data); err != nil {
			return "", err
		}
	}
	_, err = k.Keep(c.data)
	return checkpoint, err
}

// Load returns a pre-image of at most 32 MiB, named by its hash or as a change names
// it, and checked against its hash: what is damaged is an error, as is what was swept.
func (k *checkpoints) Load(id string) ([]byte, error) {
	image, ok := undo.Parse(id)
	if !ok || !image.Kept {
		return nil, fmt.Errorf("load checkpoint: %q is not an id", id)
	}
	id = image.Hash
	dir, base := k.checkpointFile(id)
	f, err := durable.Open(filepath.Join(dir, base))
	if isMissing(err) {
		f, err = durable.Open(filepath.Join(dir, id+looseEnd))
	}
	if err != nil {
		return nil, fmt.Errorf("load checkpoint: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("load checkpoint %s: %w", id, err)
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(z, maxChangeBytes+1)); err != nil {
		return nil, fmt.Errorf("load checkpoint %s: %w", id, err)
	}
	if hashOf(b.Bytes()) != id {
		return nil, fmt.Errorf("load checkpoint %s: the stored content is damaged", id)
	}
	return b.Bytes(), nil
}

func (k *checkpoints) checkpointFile(id string) (dir, base string) {
	return filepath.Join(k.home, "checkpoints", id[:2]), id + ".gz"
}

// How long pre-images are kept, and how many bytes all of them may take on the
// disk.
const (
	checkpointAge   = 7 * 24 * time.Hour
	checkpointBytes = 512 << 20
)

// SweepCheckpoints removes pre-images that nobody kept again for seven days, what
// killed processes have left for as long, and of the rest the oldest until all together fit into 512 MiB. What is not named
// as ours stays; a torn write of an earlier process is ours too.
func (k *checkpoints) SweepCheckpoints() error { return k.sweepCheckpoints(checkpointBytes) }

func (k *checkpoints) sweepCheckpoints(most int64) error {
	if k.home == "" {
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
	paths, err := filepath.Glob(filepath.Join(durable.QuoteGlob(k.home), "checkpoints", "[0-9a-f][0-9a-f]", "*"))
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
	errs = append(errs, k.sweepWatched(oldest))
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
