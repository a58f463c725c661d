package changes

import "io/fs"

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
