// Package lazy makes things when they are first asked for. An editor waits for
// the start of the program, and compiling every pattern there took longer than
// all the rest of it.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp is pattern, compiled at its first use. It panics there where pattern
// cannot be compiled: patterns are constants.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
