package workspace

import (
	"path"
	"regexp"
	"time"
)

// memoryOf is the file of a day.
func memoryOf(day time.Time) string { return memoryDays + "/" + day.Format("2006-01-02") + ".md" }

// isMemory says that p is a memory file, where it should lie.
func (p Path) isMemory() bool {
	if p.root == nil || !p.root.First || p.LinkObject() != "" {
		return false
	}
	return p.rel == memoryLong || path.Dir(p.rel) == memoryDays && memoryDay.MatchString(path.Base(p.rel))
}

// The two kinds of memory files, in the first folder.
const (
	memoryLong = ".agent/MEMORY.md"
	memoryDays = ".agent/memory"
)

var memoryDay = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}\.md$`)
