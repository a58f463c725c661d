package durable

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Abandoned are the directories of a pattern whose lock, a file in them, nobody holds
// and which have not changed for so long that nobody is still about to take it: what
// killed processes have left. No link is followed.
func Abandoned(pattern, lock string, young time.Duration) ([]string, error) {
	dirs, err := filepath.Glob(pattern)
	var left []string
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err == nil && info.IsDir() && time.Since(info.ModTime()) >= young && !Locked(filepath.Join(dir, lock)) {
			left = append(left, dir)
		}
	}
	return left, err
}

// QuoteGlob makes a path stand for itself in a pattern.
func QuoteGlob(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}
