package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// harmlessDotNames are the names with a dot in front that may be edited like any other:
// they only say what tools pass over, or how text is laid out.
var harmlessDotNames = []string{".gitignore", ".gitkeep", ".dockerignore", ".editorconfig", ".prettierignore", ".eslintignore", ".npmignore"}

// hasDotName says that the name of a file, or of a folder that it is in, begins with a
// dot. Programs look for such names by themselves, and no list knows all of them.
func hasDotName(p string) bool {
	p = strings.Trim(path.Clean("/"+p), "/")
	dir, base := path.Split(p)
	if strings.HasPrefix(base, ".") && !slices.Contains(harmlessDotNames, base) {
		return true
	}
	return strings.HasPrefix(dir, ".") || strings.Contains(dir, "/.")
}

// guardedEdit says whether an edit of the object asks unless a rule names it. Of a
// command, but for what its text itself writes to, only listed names do: `rm -rf .cache` and what builds make are everyday, and a
// command is asked about or confined as a whole.
func guardedEdit(r Resolver, plan *tool.Plan, o object) bool {
	return isListed(r, protectedSet, o) || (plan.Command == "" || o.direct) && o.isFile() && hasDotName(o.rest) && !isBuilt(r, o)
}

// isBuilt says that the object is among what builds and package managers make: there dot
// names are everyday, and what is in them was never read by anybody. Listed names count
// there like everywhere.
func isBuilt(r Resolver, o object) bool {
	i, ok := r.(Ignores)
	return ok && o.isVault() && i.Ignored(o.full)
}

// isListed says whether a set has the object. A directory that only has the name of a file
// of the lists is none of them.
func isListed(r Resolver, n nameSet, o object) bool {
	if !n.has(o) || n.hasPath(o.rest+"/") {
		return n.has(o)
	}
	d, ok := r.(Directories)
	return !ok || !d.Directory(o.full)
}

// namesEdit says whether an allow was written with such an edit in mind.
func namesEdit(c *compiled, o object) bool {
	if protectedSet.has(o) {
		return protectedSet.names(c, o, false)
	}
	switch {
	case c.pattern.exact != "":
		return protectedSet.names(c, o, false)
	case c.pattern.base != "":
		return hasDotName(shell.Fill(c.pattern.base, "x"))
	}
	return c.pattern.glob != "" && hasDotName(shell.Fill(c.pattern.glob, "x"))
}
