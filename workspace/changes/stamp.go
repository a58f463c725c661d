package changes

import (
	"io/fs"
	"time"
)

// coarse is how far apart two changes may be that the system gives one time.
const coarse = 20 * time.Millisecond

// stamp is what the system says of a file without reading it: as long as it is the
// same the content is, too.
type stamp struct {
	size          int64
	mtime, ctime  int64 // in nanoseconds; ctime 0 where the system has none
	device, inode uint64
	mode          fs.FileMode
}

// sighting is one file or link as a look found it. Looks share it while it is the same.
type sighting struct {
	stamp stamp
	held  kept // what it holds, where that was read; guarded by Tracker.mu
}

// sightingAt is what is at a path, nil where that is no file and no link. It follows
// links in the directories above.
func sightingAt(path string) *sighting {
	s, err := stampAt(path)
	if err != nil || s.mode&fs.ModeType&^fs.ModeSymlink != 0 {
		return nil
	}
	return &sighting{stamp: s}
}
