package control

import (
	"errors"
	"strings"
)

// CheckDir refuses a folder of artifacts that is not one folder of the workspace,
// or is one that other programs run or obey: its .gitignore is made to hide
// everything, and old files are removed from it.
func CheckDir(name string) error {
	switch {
	case name == "" || name == "." || name == "..":
		return errors.New("must be the name of a folder")
	case strings.ContainsAny(name, "/\\:") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("must be the name of one folder in the workspace, not a path")
	case len(name) > 100:
		return errors.New("is longer than 100 bytes")
	}
	inside := newObject("vault:/" + name + "/x")
	if protectedSet.has(inside) || sensitiveSet.has(inside) {
		return errors.New("is a folder that other programs run or obey, or that contains secrets")
	}
	return nil
}
