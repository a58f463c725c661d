package pathname

import (
	"path/filepath"
	"runtime"
	"strings"
)

// MaxBytes is the length of a path at most.
const MaxBytes = 4096 // PATH_MAX of Linux

// Below returns abs seen from dir, compared segment by segment and folded where
// the system folds case.
func Below(dir, abs string) (rel string, ok bool) {
	fd, fa := Fold(dir), Fold(abs)
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

// Fold is the form in which two paths are compared.
func Fold(s string) string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return strings.ToLower(s)
	}
	return s
}

// Inside says that dir is root or in it.
func Inside(root, dir string) bool {
	_, in := Below(root, dir)
	return in
}

// IsSlash says that a character parts the names of a path.
func IsSlash(r rune) bool {
	return r == '/' || runtime.GOOS == "windows" && r == '\\'
}

// GoesUp says that a path has a ".." in it.
func GoesUp(s string) bool {
	for seg := range strings.FieldsFuncSeq(s, IsSlash) {
		if seg == ".." {
			return true
		}
	}
	return false
}
