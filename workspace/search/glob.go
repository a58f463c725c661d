package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	globBraces  = 6 // groups; more take doublestar exponential time
	globPattern = 1000
)

// CheckGlob says why a pattern is none that names are looked for with.
func CheckGlob(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("is empty")
	case strings.ContainsRune(s, 0):
		return errors.New("contains a NUL character")
	case len(s) > globPattern:
		return fmt.Errorf("is longer than %d bytes", globPattern)
	case strings.Count(s, "{") > globBraces:
		return fmt.Errorf("has more than %d brace groups; ask in several calls", globBraces)
	case !doublestar.ValidatePattern(s):
		return errors.New("is not a valid pattern (an open bracket or brace?)")
	}
	return nil
}

// SplitGlob splits the plain directories off the front of a checked pattern. It
// does what doublestar would silently not do: `./` and `//` are cleaned, `..`
// and a leading `/` become part of base, runs of `**/` collapse.
func SplitGlob(s string) (base, pattern string, err error) {
	rooted := strings.HasPrefix(s, "/")
	var segs []string
	for seg := range strings.SplitSeq(s, "/") {
		if seg == "" || seg == "." || seg == "**" && len(segs) > 0 && segs[len(segs)-1] == "**" {
			continue
		}
		segs = append(segs, seg)
	}
	if len(segs) == 0 {
		return "", "", errors.New("names no file")
	}
	plain := 0
	for plain < len(segs)-1 && !strings.ContainsAny(segs[plain], `*?[{\`) {
		plain++
	}
	if slices.Contains(segs[plain:], "..") {
		return "", "", errors.New("has .. behind a wildcard; give the directory as path")
	}
	base = strings.Join(segs[:plain], "/")
	if rooted {
		base = "/" + base
	}
	return base, strings.Join(segs[plain:], "/"), nil
}
