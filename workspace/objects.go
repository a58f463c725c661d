package workspace

import (
	"os"
	"path/filepath"
)

// Objects answers control what a word of a shell command names, seen from the
// absolute directory dir ("" is the first folder): the objects of the path as
// written, of each link on the way and of its end. exists says whether
// something lies there, a dangling link included. A word that can name no file
// has no objects (control §2; satisfies control.Resolver).
func (v *Vault) Objects(dir, path string) (objects []string, exists bool) {
	if sane(path) != nil {
		return nil, false
	}
	if _, _, isObject := cutObject(path); isObject {
		path = "." + string(filepath.Separator) + path // a shell knows no objects
	}
	if !filepath.IsAbs(path) && path[0] != '~' {
		if dir == "" {
			dir = v.Root()
		}
		if !filepath.IsAbs(dir) {
			return nil, false
		}
		path = filepath.Join(dir, path)
	}
	p, err := v.Path(path)
	if err != nil {
		return nil, false
	}
	_, err = os.Lstat(p.raw)
	return p.Objects(), err == nil
}
