package workspace

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/fileuri"
)

// Path is a place that the Vault resolved: absolute, without links, known to be
// inside a folder or outside of all. Only the Vault makes one, so it is never
// checked again, except that it is resolved anew right before something is done
// with it (workspace §1). The zero Path names nothing.
type Path struct {
	disk    *durable.Disk
	turns   *turns
	raw     string // as it was asked for, made absolute, to resolve it again
	follow  bool   // whether a link at the very end was followed
	abs     string
	rel     string // inside root, with slashes, "." for root itself
	root    *root  // nil outside every folder
	objects []string
}

const (
	maxPathBytes    = 4096 // PATH_MAX of Linux
	maxSegmentBytes = 255  // NAME_MAX of every file system in use
)

var (
	errNoFolder = errors.New("no folder is open in the editor; give an absolute path")
	errMoved    = errors.New("path changed since it was approved; nothing was done")
)

// Path resolves what a model or a person wrote: absolute, `~/…`, relative to the
// first folder, or an object (`vault:/…`, `vault@name:/…`, `fs:/…`). Links are
// followed to their end; a dangling one is judged by its target. The error says
// what is wrong with s and is meant for the model.
func (v *Vault) Path(s string) (Path, error) { return v.path(s, true) }

// entry is Path for calls that act on the directory entry itself, like rename
// and delete: a link at the very end is not followed.
func (v *Vault) entry(s string) (Path, error) { return v.path(s, false) }

func (v *Vault) path(s string, follow bool) (Path, error) {
	abs, err := v.absolute(s)
	if err != nil {
		return Path{}, err
	}
	return v.locate(abs, follow)
}

// absolute turns s into a clean absolute path without looking at the disk.
func (v *Vault) absolute(s string) (string, error) {
	if err := sane(s); err != nil {
		return "", err
	}
	base := v.Root()
	if scheme, rest, ok := cutObject(s); ok {
		switch {
		case scheme == "fs":
			if rest = filepath.FromSlash(rest); !filepath.IsAbs(rest) {
				rest = strings.TrimPrefix(rest, string(filepath.Separator)) // fs:/C:/x
			}
			if !filepath.IsAbs(rest) {
				return "", fmt.Errorf("%q is not an absolute path", s)
			}
			return filepath.Clean(rest), nil
		case scheme != "vault":
			name := strings.TrimPrefix(scheme, "vault@")
			if base = v.folderNamed(name); base == "" {
				return "", fmt.Errorf("no folder is named %q", name)
			}
		}
		if base == "" {
			return "", errNoFolder
		}
		// Clean on the rooted form, so that `..` stays below the folder.
		return filepath.Join(base, filepath.FromSlash(filepath.Clean("/"+rest))), nil
	}
	if s == "~" || strings.HasPrefix(s, "~/") || runtime.GOOS == "windows" && strings.HasPrefix(s, `~\`) {
		if v.userHome == "" {
			return "", fmt.Errorf("%q: the home directory is not known", s)
		}
		return filepath.Join(v.userHome, s[1:]), nil
	}
	if filepath.IsAbs(s) {
		return filepath.Clean(s), nil
	}
	if base == "" {
		return "", errNoFolder
	}
	return filepath.Join(base, s), nil
}

// cutObject splits `vault:x`, `vault@name:x` and `fs:x`.
func cutObject(s string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(s, ":")
	if !ok || scheme != "fs" && scheme != "vault" && !strings.HasPrefix(scheme, "vault@") {
		return "", "", false
	}
	return scheme, rest, !strings.ContainsAny(scheme, `/\`)
}

func (v *Vault) folderNamed(name string) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, r := range v.roots {
		if strings.EqualFold(r.name, name) {
			return r.real
		}
	}
	return ""
}

// sane refuses what can name no file on any system.
func sane(s string) error {
	switch {
	case s == "":
		return errors.New("the path is empty")
	case strings.ContainsRune(s, 0):
		return errors.New("the path contains a NUL character")
	case len(s) > maxPathBytes:
		return fmt.Errorf("the path is too long (%d bytes, at most %d)", len(s), maxPathBytes)
	case !utf8.ValidString(s):
		return errors.New("the path is not valid UTF-8")
	}
	for seg := range strings.FieldsFuncSeq(s, isSlash) {
		if len(seg) > maxSegmentBytes {
			return fmt.Errorf("the name %.20q… is too long (%d bytes, at most %d)", seg, len(seg), maxSegmentBytes)
		}
		if runtime.GOOS == "windows" && strings.Contains(seg[min(2, len(seg)):], ":") {
			return fmt.Errorf("the name %q contains a colon", seg) // an alternate data stream
		}
	}
	return nil
}

func isSlash(r rune) bool {
	return r == '/' || runtime.GOOS == "windows" && r == '\\'
}

// locate resolves a clean absolute path and finds the folder it lies in.
func (v *Vault) locate(abs string, follow bool) (Path, error) {
	res, err := resolve(abs, follow)
	if err != nil {
		return Path{}, fmt.Errorf("%s: %w", printable(abs), err)
	}
	p := Path{disk: v.disk, turns: &v.turns, raw: abs, follow: follow, abs: res.abs}
	v.mu.RLock()
	defer v.mu.RUnlock()
	p.root, p.rel = v.inside(res.abs, false)
	end := v.object(res.abs)
	for _, form := range res.forms {
		if o := v.object(form); o != end && !slices.Contains(p.objects, o) {
			p.objects = append(p.objects, o)
		}
	}
	p.objects = append(p.objects, end)
	return p, nil
}

// inside finds the deepest folder that holds abs. With asGiven the editor's own
// spelling of a folder counts too. mu is held.
func (v *Vault) inside(abs string, asGiven bool) (*root, string) {
	var best *root
	var bestRel string
	for _, r := range v.roots {
		rel, ok := below(r.real, abs)
		if !ok && asGiven {
			rel, ok = below(r.given, abs)
		}
		if ok && (best == nil || len(r.real) > len(best.real)) {
			best, bestRel = r, rel
		}
	}
	return best, bestRel
}

// object names a clean absolute path in the words of control §1. mu is held.
func (v *Vault) object(abs string) string {
	r, rel := v.inside(abs, true)
	switch {
	case r == nil:
		return "fs:/" + strings.TrimPrefix(filepath.ToSlash(abs), "/")
	case rel == ".":
		rel = ""
	}
	if r.first {
		return "vault:/" + rel
	}
	return "vault@" + r.name + ":/" + rel
}

// below returns abs seen from dir, compared segment by segment and folded where
// the system folds case.
func below(dir, abs string) (rel string, ok bool) {
	fd, fa := fold(dir), fold(abs)
	if fd == fa {
		return ".", true
	}
	sep := string(filepath.Separator)
	fd = strings.TrimSuffix(fd, sep) + sep
	if !strings.HasPrefix(fa, fd) || len(fa) != len(abs) || len(abs) <= len(fd) {
		return "", false
	}
	return filepath.ToSlash(abs[len(fd):]), true
}

// fold is the form in which two paths are compared.
func fold(s string) string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return strings.ToLower(s)
	}
	return s
}

// again resolves p anew. Any difference is errMoved (workspace §1).
func (v *Vault) again(p Path) error {
	now, err := v.locate(p.raw, p.follow)
	if err != nil || now.abs != p.abs || !sameRoot(now.root, p.root) || !slices.Equal(now.objects, p.objects) {
		return errMoved
	}
	return nil
}

func sameRoot(a, b *root) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.dir == b.dir && a.sameFolder()
}

// Abs is the absolute path without links, in the system's own spelling.
func (p Path) Abs() string { return p.abs }

// InVault tells whether p lies in a folder of the editor.
func (p Path) InVault() bool { return p.root != nil }

// Object names p for control: `vault:/a.go`, `vault@name:/a.go`, `fs:/abs`.
func (p Path) Object() string {
	if len(p.objects) == 0 {
		return ""
	}
	return p.objects[len(p.objects)-1]
}

// LinkObject names what was written where a link leads from it to Object; both
// must be judged. "" when no link is involved.
func (p Path) LinkObject() string {
	if len(p.objects) < 2 {
		return ""
	}
	return p.objects[0]
}

// Objects is everything to judge: what was written, each link on the way, and
// last what it leads to.
func (p Path) Objects() []string { return slices.Clone(p.objects) }

// Display is what people and models see and can pass back: relative to the
// first folder with slashes, absolute everywhere else.
func (p Path) Display() string {
	if p.root == nil || !p.root.first {
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
func (p Path) key() string { return fold(p.abs) }

// title is Display for a person: nothing unprintable, and it says when the path
// was reached through a link.
func (p Path) title() string {
	t := printable(p.Display())
	if link := p.LinkObject(); link != "" {
		t += " (through " + printable(strings.TrimPrefix(link, "vault:/")) + ")"
	}
	return t
}

// printable shows s with everything that is not visible escaped: a file name
// must not be able to forge a title or a terminal line.
func printable(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.QuoteToGraphic(s)
		}
	}
	return s
}
