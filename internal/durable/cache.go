package durable

import (
	"fmt"
	"io/fs"
)

// WriteCache is WriteFile for what can be made again: a reader sees the old
// content or the new, whole, but a power cut may lose it or leave it empty.
func (d *Disk) WriteCache(path string, data []byte, perm fs.FileMode) error {
	if err := d.replace(path, data, perm, false); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
