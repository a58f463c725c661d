//go:build !unix

package workspace

import "os"

// stampAt asks about a path and follows no link at its end. What the system does not say
// stays 0.
func stampAt(path string) (pathStamp, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return pathStamp{}, err
	}
	return pathStamp{links: 1, size: info.Size(), mtime: info.ModTime().UnixNano(), dir: info.IsDir(), regular: info.Mode().IsRegular()}, nil
}
