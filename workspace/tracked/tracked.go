// Package tracked says which names git keeps in a repository: those of the index, and
// those of the last commit that the index no longer has. It reads the files of the
// repository and starts no git, which would obey what the repository says.
package tracked

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Repository is where git keeps what belongs to one work tree.
type Repository struct {
	Dir    string // the index and HEAD are there
	Common string // objects and refs are there; Dir, but for linked work trees
}

const (
	maxIndex = 256 << 20
	maxSmall = 1 << 20
	maxTrees = 20_000 // of one commit
)

// errForm is for repositories that are kept in a form that is not read here.
var errForm = errors.New("the repository is kept in a form that is not known")

// Cache remembers the names of repositories until they change.
type Cache struct {
	mu    sync.Mutex // guards what follows
	known map[Repository]entry
}

type entry struct {
	index fs.FileInfo // nil: there was none
	head  string
	names []string
}

// Names are the names in the index of a repository and in the tree of HEAD, with
// slashes, from the top of the work tree. It fails where it cannot tell all of them.
func (c *Cache) Names(r Repository) ([]string, error) {
	head, err := r.Head()
	if err != nil {
		return nil, err
	}
	at := filepath.Join(r.Dir, "index")
	info, err := os.Stat(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.known[r]; ok && old.head == head && same(old.index, info) {
		return old.names, nil
	}
	var idx index
	if info != nil {
		data, err := readFile(at, maxIndex)
		if err != nil {
			return nil, err
		}
		if idx, err = readIndex(data); err != nil {
			return nil, err
		}
	}
	names := idx.names
	if head != "" {
		gone, err := r.gone(head, idx)
		if err != nil {
			return nil, err
		}
		names = append(names, gone...)
	}
	if c.known == nil || len(c.known) >= 16 {
		c.known = map[Repository]entry{}
	}
	c.known[r] = entry{info, head, names}
	return names, nil
}

// same says that a file is the one that was looked at, and was not written since.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Head is the name of the last commit, "" where there is none yet.
func (r Repository) Head() (string, error) {
	config, err := readFile(filepath.Join(r.Common, "config"), maxSmall)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if low := strings.ToLower(string(config)); strings.Contains(low, "objectformat") && strings.Contains(low, "sha256") || strings.Contains(low, "refstorage") {
		return "", errForm
	}
	name := "HEAD"
	for range 5 {
		text, err := r.ref(name)
		if err != nil || text == "" {
			return "", err
		}
		next, symbolic := strings.CutPrefix(text, "ref:")
		if !symbolic {
			if _, err := hex.DecodeString(text); err != nil || len(text) != 40 {
				return "", errForm
			}
			return text, nil
		}
		if name = strings.TrimSpace(next); !filepath.IsLocal(filepath.FromSlash(name)) {
			return "", errForm
		}
	}
	return "", errForm
}

// ref is what a reference says, "" for one that is not there.
func (r Repository) ref(name string) (string, error) {
	for _, dir := range []string{r.Dir, r.Common} {
		text, err := readFile(filepath.Join(dir, filepath.FromSlash(name)), maxSmall)
		if err == nil {
			return strings.TrimSpace(string(text)), nil
		}
		if info, gone := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) && (gone != nil || !info.IsDir()) {
			return "", err
		}
	}
	packed, err := readFile(filepath.Join(r.Common, "packed-refs"), maxIndex)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for line := range strings.Lines(string(packed)) {
		if id, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok && ref == name {
			return id, nil
		}
	}
	return "", nil
}

// gone are the names in a commit that the index does not have.
func (r Repository) gone(commit string, idx index) ([]string, error) {
	s, err := openStore(filepath.Join(r.Common, "objects"))
	if err != nil {
		return nil, err
	}
	defer s.close()
	kind, data, err := s.object(commit)
	if err != nil {
		return nil, err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	tree, ok := strings.CutPrefix(line, "tree ")
	if kind != kindCommit || !ok {
		return nil, errForm
	}
	w := treeWalk{store: s, index: idx, left: maxTrees}
	if err := w.tree(tree, ""); err != nil {
		return nil, err
	}
	return w.names, nil
}

// treeWalk collects the names below a tree that the index does not have.
type treeWalk struct {
	store *store
	index index
	has   map[string]bool // the names of the index, once they are asked for
	left  int
	names []string
}

func (w *treeWalk) tree(id, at string) error {
	if w.index.trees[at] == id {
		return nil // the index says itself that it has the same below
	}
	if w.left--; w.left < 0 {
		return errors.New("the tree has too many directories")
	}
	if w.has == nil {
		w.has = make(map[string]bool, len(w.index.names))
		for _, n := range w.index.names {
			w.has[n] = true
		}
	}
	kind, data, err := w.store.object(id)
	if err != nil {
		return err
	}
	if kind != kindTree {
		return errForm
	}
	for len(data) > 0 {
		head, rest, ended := bytes.Cut(data, []byte{0})
		mode, name, ok := strings.Cut(string(head), " ")
		if !ok || !ended || len(rest) < hashBytes || name == "" {
			return errForm
		}
		child := hex.EncodeToString(rest[:hashBytes])
		data = rest[hashBytes:]
		path := strings.TrimPrefix(at+"/"+name, "/")
		switch {
		case mode == "40000":
			if err := w.tree(child, path); err != nil {
				return err
			}
		case mode != "160000" && !w.has[path]: // another repository has its own names
			w.names = append(w.names, path)
		}
	}
	return nil
}

// readFile reads a regular file that is not too long.
func readFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s is no file of at most %d bytes", path, most)
	}
	f, err := durable.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
