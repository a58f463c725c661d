package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/workspace/folders"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/shields"
	"github.com/agent-sidecar/agent-sidecar/workspace/walk"
)

// Path is a place that the Vault resolved: absolute, without links, known to be
// inside a folder or outside of all. Only the Vault makes one, so it is never
// checked again, except that it is resolved anew right before something is done
// with it. The zero Path names nothing.
type Path struct {
	disk    *durable.Disk
	turns   *dirLocks
	raw     string // as it was asked for, with all its "..", made absolute, to resolve it again
	follow  bool   // whether a link at the very end was followed
	abs     string
	rel     string        // inside root, with slashes, "." for root itself
	root    *folders.Root // nil outside every folder
	objects []string      // the links on the way as they were met, the end last
	left    []string      // objects of directories that links led to, where ".." left them
	others  []string      // objects of other names of the same file, and what the path seems to be as a text
}

const (
	maxSegmentBytes = 255 // NAME_MAX of every file system in use
)

// places are the folders, and the directories of the person and the sidecar. They make the
// Paths of a Vault.
type places struct {
	disk                        *durable.Disk
	home, userHome, artifactDir string // artifactDir is a name in the first folder
	folders                     folders.Set
	shields                     *shields.Set // of the folders
	turns                       dirLocks
}

// Path resolves what a model or a person wrote: absolute, `~/…`, relative to the
// first folder, or an object (`vault:/…`, `vault@name:/…`, `fs:/…`). Links are
// followed to their end; a dangling one is judged by its target. The error says
// what is wrong with s and is meant for the model.
func (w *places) Path(s string) (Path, error) { return w.path(s, true) }

// entry is Path for calls that act on the directory entry itself, like rename
// and delete: a link at the very end is not followed.
func (w *places) entry(s string) (Path, error) { return w.path(s, false) }

func (w *places) path(s string, follow bool) (Path, error) {
	abs, err := w.absolute(s)
	if err != nil {
		return Path{}, err
	}
	return w.locate(abs, follow)
}

// absolute turns s into an absolute path without looking at the disk. What is in it stays
// as it is, ".." too: that is taken on the way, behind links. An object is a name and no
// way, so it holds none.
func (w *places) absolute(s string) (string, error) {
	if err := sane(s); err != nil {
		return "", err
	}
	base := w.Root()
	if scheme, rest, ok := cutObject(s); ok {
		if pathname.GoesUp(rest) {
			return "", fmt.Errorf("%q: an object cannot hold \"..\"", s)
		}
		switch {
		case scheme == "fs":
			if rest = filepath.FromSlash(rest); !filepath.IsAbs(rest) {
				rest = strings.TrimPrefix(rest, string(filepath.Separator)) // fs:/C:/x
			}
			if !filepath.IsAbs(rest) {
				return "", fmt.Errorf("%q is not an absolute path", s)
			}
			return rest, nil
		case scheme != "vault":
			name := strings.TrimPrefix(scheme, "vault@")
			if base = w.folders.Now().Named(name); base == "" {
				return "", fmt.Errorf("no folder is named %q", name)
			}
		}
		if base == "" {
			return "", folders.ErrNone
		}
		return walk.Text(base, filepath.FromSlash(strings.TrimLeft(rest, "/"))), nil
	}
	if s == "~" || strings.HasPrefix(s, "~/") || runtime.GOOS == "windows" && strings.HasPrefix(s, `~\`) {
		if w.userHome == "" {
			return "", fmt.Errorf("%q: the home directory is not known", s)
		}
		return w.userHome + s[1:], nil
	}
	if filepath.IsAbs(s) {
		return s, nil
	}
	if base == "" {
		return "", folders.ErrNone
	}
	return walk.Text(base, s), nil
}

// cutObject splits `vault:x`, `vault@name:x` and `fs:x`.
func cutObject(s string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(s, ":")
	if !ok || scheme != "fs" && scheme != "vault" && !strings.HasPrefix(scheme, "vault@") {
		return "", "", false
	}
	return scheme, rest, !strings.ContainsAny(scheme, `/\`)
}

// sane refuses what can name no file on any system.
func sane(s string) error {
	switch {
	case s == "":
		return errors.New("the path is empty")
	case strings.ContainsRune(s, 0):
		return errors.New("the path contains a NUL character")
	case len(s) > pathname.MaxBytes:
		return fmt.Errorf("the path is too long (%d bytes, at most %d)", len(s), pathname.MaxBytes)
	case !utf8.ValidString(s):
		return errors.New("the path is not valid UTF-8")
	}
	for seg := range strings.FieldsFuncSeq(s, pathname.IsSlash) {
		if len(seg) > maxSegmentBytes {
			return fmt.Errorf("the name %.20q… is too long (%d bytes, at most %d)", seg, len(seg), maxSegmentBytes)
		}
		if runtime.GOOS == "windows" && strings.Contains(seg[min(2, len(seg)):], ":") {
			return fmt.Errorf("the name %q contains a colon", seg) // an alternate data stream
		}
	}
	return nil
}

// locate follows an absolute path and finds the folder that it leads to.
func (w *places) locate(abs string, follow bool) (Path, error) {
	end, err := walk.To(abs, follow)
	if err != nil {
		return Path{}, fmt.Errorf("%s: %w", pathname.Printable(abs), err)
	}
	return w.placed(abs, follow, end), nil
}

// placed is the Path of a walk that was made.
func (w *places) placed(abs string, follow bool, end walk.End) Path {
	p := Path{disk: w.disk, turns: &w.turns, raw: abs, follow: follow, abs: end.Abs}
	p.others = append(w.shields.Twins(end.Abs), w.shields.LinkNames(end.Abs)...)
	now := w.folders.Now()
	p.root, p.rel = now.Inside(end.Abs, false)
	last := now.Object(end.Abs)
	for _, form := range end.Forms {
		if o := now.Object(form); o != last && !slices.Contains(p.objects, o) {
			p.objects = append(p.objects, o)
		}
	}
	p.objects = append(p.objects, last)
	for _, dir := range end.Left {
		if o := now.Object(dir); !slices.Contains(p.objects, o) && !slices.Contains(p.left, o) {
			p.left = append(p.left, o)
		}
	}
	if end.Written != "" {
		if o := now.Object(end.Written); !slices.Contains(p.objects, o) {
			p.others = append(p.others, o)
		}
	}
	return p
}

// again resolves p anew. Any difference is openat.ErrMoved.
func (w *places) again(p Path) error {
	now, err := w.locate(p.raw, p.follow)
	if err != nil || now.abs != p.abs || !sameRoot(now.root, p.root) || !slices.Equal(now.objects, p.objects) || !slices.Equal(now.others, p.others) || !slices.Equal(now.left, p.left) {
		return openat.ErrMoved
	}
	return nil
}

func sameRoot(a, b *folders.Root) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Dir == b.Dir && a.SameFolder()
}

// Abs is the absolute path without links, in the system's own spelling.
func (p Path) Abs() string { return p.abs }

// InVault tells whether p is in a folder of the editor.
func (p Path) InVault() bool { return p.root != nil }

// Object names p for control: `vault:/a.go`, `vault@name:/a.go`, `fs:/abs`.
func (p Path) Object() string {
	if len(p.objects) == 0 {
		return ""
	}
	return p.objects[len(p.objects)-1]
}

// LinkObject names the first link on the way to Object as it was met; both must be
// judged. "" when no link is involved.
func (p Path) LinkObject() string {
	if len(p.objects) < 2 {
		return ""
	}
	return p.objects[0]
}

// Objects is everything to judge: other names of the same file, what the path seems to
// be as a text, each link on the way, what it leads to, and each directory that a link led
// to before "..".
func (p Path) Objects() []string { return slices.Concat(p.others, p.objects, p.left) }

// Display is what people and models see and can pass back: relative to the
// first folder with slashes, absolute everywhere else.
func (p Path) Display() string {
	if p.root == nil || !p.root.First {
		return p.abs
	}
	if _, _, object := cutObject(p.rel); object || p.rel == "~" || strings.HasPrefix(p.rel, "~/") {
		return "./" + p.rel // a file that is really called so
	}
	return p.rel
}

// URI is the file URI of p.
func (p Path) URI() string { return fileuri.Of(p.abs) }

// String is Display.
func (p Path) String() string { return p.Display() }

// key is p where two spellings of one place must be equal.
func (p Path) key() string { return pathname.Fold(p.abs) }

// childObject names what is at rel below the directory p.
func (p Path) childObject(rel string) string {
	return strings.TrimSuffix(p.Object(), "/") + "/" + rel
}

// child shows what is at rel below the directory p, as Display would.
func (p Path) child(rel string) string {
	switch {
	case p.root == nil || !p.root.First:
		return walk.Text(p.abs, filepath.FromSlash(rel))
	case p.rel == ".":
		return rel
	}
	return p.rel + "/" + rel
}

// title is Display for a person: nothing unprintable, and it says when the path
// was reached through a link.
func (p Path) title() string {
	t := pathname.Printable(p.Display())
	if link := p.LinkObject(); link != "" {
		t += " (through " + pathname.Printable(strings.TrimPrefix(link, "vault:/")) + ")"
	}
	return t
}

// turns remembers where a turn was waited for in vain.
type dirLocks struct {
	mu   sync.Mutex           // guards vain
	vain map[string]time.Time // directory → when
}

// Roots are the absolute, resolved paths of the folders, the first one first.
func (w *places) Roots() []string { return w.folders.Now().Paths() }

// Root is the absolute, resolved path of the first folder; "" without folders.
func (w *places) Root() string {
	if r := w.Roots(); len(r) > 0 {
		return r[0]
	}
	return ""
}

// Home is the sidecar's home as given in Options.
func (w *places) Home() string { return w.home }

// SetFolders replaces the folders, as after didChangeWorkspaceFolders. A folder
// that stays keeps its handle. Plans whose paths now mean something else do
// nothing when they run. The error names the folders that were left out.
func (w *places) SetFolders(folders []Folder) error { return w.folders.Replace(folders) }

// Folder is one workspace folder of the editor.
type Folder = folders.Folder

// pathOfURI is the path of a file URI; ok is false also where no tool could name
// such a path.
func pathOfURI(uri string) (abs string, ok bool) {
	if abs, ok = fileuri.Way(uri); !ok || sane(abs) != nil {
		return "", false
	}
	return abs, true
}

// Folder is the object of a folder of the Vault that a person has named: a path from
// the first one, or an object. Links are followed, and may not lead out.
func (w *places) Folder(name string) (object string, err error) {
	p, err := w.folder(name)
	if err != nil {
		return "", err
	}
	return p.Object(), nil
}

func (w *places) folder(name string) (Path, error) {
	p, err := w.Path(name)
	if err != nil {
		return Path{}, err
	}
	if !p.InVault() {
		return Path{}, fmt.Errorf("%s leads out of the workspace", pathname.Printable(name))
	}
	info, err := os.Stat(p.Abs())
	if err == nil && !info.IsDir() {
		return Path{}, fmt.Errorf("%s is not a directory", pathname.Printable(p.Display()))
	}
	if err != nil {
		return Path{}, fmt.Errorf("%s: %w", pathname.Printable(p.Display()), openat.Plain(err))
	}
	return p, nil
}
