// Package folders is which folders of the editor are open, and which of them a path is in.
// It follows no link of a path, and knows no Vault and no permission.
package folders

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// Folder is one workspace folder of the editor. Path is absolute.
type Folder struct {
	Name string // as the editor shows it; "" means the last segment of Path
	Path string
}

// Root is one open folder. Given is how the editor spelled it, Real is where it is
// after every link, which is what Dir has open. First says that it is the first folder.
type Root struct {
	Name, Given, Real string
	First             bool
	Dir               *os.Root
}

// openRoot opens one folder, or takes over the handle that old has for it.
// taken are the folders already open: names are unique ("-2" is appended).
func openRoot(f Folder, taken, old []*Root) (*Root, error) {
	if !filepath.IsAbs(f.Path) {
		return nil, fmt.Errorf("open folder %q: not an absolute path", f.Path)
	}
	to, err := walk.To(f.Path, true)
	if err != nil {
		return nil, fmt.Errorf("open folder %q: %w", f.Path, err)
	}
	r := &Root{Given: to.Abs, Real: to.Abs, Name: folderName(f, taken)}
	if !pathname.GoesUp(f.Path) { // with "..", what is written says nothing
		r.Given = filepath.Clean(f.Path)
	}
	for _, t := range taken {
		if pathname.Fold(t.Real) == pathname.Fold(r.Real) {
			return nil, fmt.Errorf("open folder %q: is open already as %q", f.Path, t.Name)
		}
	}
	for _, o := range old {
		if o.Real == r.Real && o.SameFolder() {
			r.Dir = o.Dir
			return r, nil
		}
	}
	if r.Dir, err = durable.OpenRoot(r.Real); err != nil {
		return nil, fmt.Errorf("open folder %q: %w", f.Path, openat.Plain(err))
	}
	return r, nil
}

// SameFolder tells whether the folder that is open is still at its path.
func (r *Root) SameFolder() bool {
	open, err := r.Dir.Stat(".")
	if err != nil {
		return false
	}
	now, err := os.Lstat(r.Real)
	return err == nil && os.SameFile(open, now)
}

// folderName makes a name fit for `vault@name:/…`: letters, digits, `.`, `_`
// and `-`, unique among taken.
func folderName(f Folder, taken []*Root) string {
	name := f.Name
	if name == "" {
		name = filepath.Base(f.Path)
	}
	name = strings.Trim(tool.PlainName(name, 60), "-.")
	if name == "" {
		name = "folder"
	}
	unique := name
	for n := 2; slices.ContainsFunc(taken, func(t *Root) bool { return strings.EqualFold(t.Name, unique) }); n++ {
		unique = fmt.Sprintf("%s-%d", name, n)
	}
	return unique
}

// Set is the folders that are open. Its methods are safe for concurrent use.
type Set struct {
	mu   sync.RWMutex // guards list
	list List
}

// List is the folders as they were at one moment, the first one first.
type List []*Root

// Now is the folders as they are now. A folder in it may be closed meanwhile: then its
// handle only fails.
func (s *Set) Now() List {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.list
}

// Replace replaces the folders. One that stays keeps its handle. Folders that cannot be
// opened are left out and named in the error.
func (s *Set) Replace(folders []Folder) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.list
	var next List
	var errs []error
	for _, f := range folders {
		r, err := openRoot(f, next, old)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r.First = len(next) == 0
		next = append(next, r)
	}
	s.list = next
	for _, r := range old {
		if !slices.ContainsFunc(next, func(n *Root) bool { return n.Dir == r.Dir }) {
			r.Dir.Close()
		}
	}
	return errors.Join(errs...)
}

// First calls do with the first folder, which stays open until do returns; that there is
// none is ErrNone.
func (s *Set) First(do func(dir *os.Root, abs string) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.list) == 0 {
		return ErrNone
	}
	return do(s.list[0].Dir, s.list[0].Real)
}

// Paths are the absolute paths of the folders without links.
func (l List) Paths() []string {
	out := make([]string, len(l))
	for i, r := range l {
		out[i] = r.Real
	}
	return out
}

// Named is the path of the folder of that name, "" without one.
func (l List) Named(name string) string {
	for _, r := range l {
		if strings.EqualFold(r.Name, name) {
			return r.Real
		}
	}
	return ""
}

// ErrNone says for a model that no folder is open.
var ErrNone = errors.New("no folder is open in the editor; give an absolute path")

// Inside finds the deepest folder that abs is in, and its slash-separated path there ("."
// for the folder itself); nil outside of every folder. With asGiven the editor's own
// spelling of a folder counts too.
func (l List) Inside(abs string, asGiven bool) (*Root, string) {
	var best *Root
	var bestRel string
	for _, r := range l {
		rel, ok := pathname.Below(r.Real, abs)
		if !ok && asGiven {
			rel, ok = pathname.Below(r.Given, abs)
		}
		if ok && (best == nil || len(r.Real) > len(best.Real)) {
			best, bestRel = r, rel
		}
	}
	return best, bestRel
}

// Object names a clean absolute path in the words that rules use.
func (l List) Object(abs string) string {
	r, rel := l.Inside(abs, true)
	switch {
	case r == nil:
		return "fs:/" + strings.TrimPrefix(filepath.ToSlash(abs), "/")
	case rel == ".":
		rel = ""
	}
	if r.First {
		return "vault:/" + rel
	}
	return "vault@" + r.Name + ":/" + rel
}
