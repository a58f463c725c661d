package workspace

import (
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

// Glob answers control which paths a pattern in a shell command hits, seen from
// the absolute directory dir ("" is the first folder), as absolute paths. It
// reads names only. complete is false where it gave up: too much to look at, or
// a pattern whose meaning depends on the shell's settings (satisfies
// control.Globber).
func (v *Vault) Glob(dir, pattern string) (paths []string, complete bool) {
	if sane(pattern) != nil {
		return nil, false
	}
	at := "/"
	if !filepath.IsAbs(pattern) {
		if at = dir; at == "" {
			at = v.Root()
		}
		if !filepath.IsAbs(at) || pattern[0] == '~' {
			return nil, false
		}
	}
	return search.Expand(at, pattern)
}
