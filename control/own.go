package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// inHome says that an object is in the sidecar's home.
func (f Facts) inHome(o object) bool {
	if f.Home == "" || !o.isFile() {
		return false
	}
	home := path.Clean(f.Home)
	return slices.ContainsFunc(f.absolute(o), func(p string) bool { return paths.Inside(strings.ToLower(p), strings.ToLower(home)) })
}

// Owns says that a target is in one of Own.
func (f Facts) Owns(t tool.Target) bool { return f.isOwn(newObject(t.Object)) }

func (f Facts) isOwn(o object) bool { return f.isIn(o, f.Own) }

func (f Facts) isIn(o object, dirs []string) bool {
	return len(dirs) > 0 && o.isFile() && slices.ContainsFunc(f.absolute(o)[:1], func(p string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return dir != "" && paths.Inside(p, path.Clean(dir)) })
	})
}

// isSkill says that an object belongs to a skill of the person's, and holds no secret by its
// name.
func (f Facts) isSkill(o object) bool {
	return f.isIn(o, f.Skills) && !isListed(f.Resolver, sensitiveSet, o)
}

// absolute lists where an object may lie. A further folder is known by name
// only, so it is held against every root.
func (f Facts) absolute(o object) []string {
	switch {
	case o.scheme == "fs":
		return []string{paths.CleanPath("/" + o.rest)}
	case o.scheme == "vault" && len(f.Roots) > 0:
		return []string{path.Join(f.Roots[0], o.rest)}
	case o.isVault() && len(f.Roots) > 1:
		var out []string
		for _, root := range f.Roots[1:] {
			out = append(out, path.Join(root, o.rest))
		}
		return out
	}
	return []string{path.Join("/", o.rest)}
}
