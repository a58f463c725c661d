package workspace

import "errors"

// Repositories says which of the objects are in a directory that git would take for a
// repository once all of them are there: it, or one above it up to the folder, has the
// shape, or a `.git` or `commondir` on the way leads to it. What `.git` itself holds is
// known by its name and not meant. A change is asked about as a whole, and what it takes
// away counts as there (satisfies control.Repositories).
func (v *Vault) Repositories(objects []string) []string {
	paths := map[string]string{}
	var all []string
	for _, o := range objects {
		if abs, err := v.absolute(o); err == nil {
			paths[o] = abs
			all = append(all, abs)
		}
	}
	r := v.shields.Afterwards(all...)
	var out []string
	for _, o := range objects {
		if abs, ok := paths[o]; ok && r.In(abs) {
			out = append(out, o)
		}
	}
	return out
}

// errRepository is for a change that was judged when git would not have obeyed its
// directory yet.
var errRepository = errors.New("git would now treat this folder as a repository, which nobody was asked about; nothing was done. Call it again")

// makesRepository says whether git would obey a directory that one of the paths is in.
func (v *Vault) makesRepository(paths ...Path) bool {
	var all []string
	for _, p := range paths {
		all = append(all, p.abs)
	}
	return v.shields.Makes(all...)
}
