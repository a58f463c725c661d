package changes

import (
	"io/fs"
	"time"
)

// mtimeGranularity is how far apart two changes may be that can bear the same time.
const mtimeGranularity = 20 * time.Millisecond

// fileStat is what the system says of a file without reading it: as long as it is the
// same the content is, too.
type fileStat struct {
	size          int64
	mtime, ctime  int64 // in nanoseconds; ctime 0 where the system has none
	device, inode uint64
	mode          fs.FileMode
}

// snapshot is one file or link as a look found it. Looks share it while it is the same.
type snapshot struct {
	stat fileStat
	held kept // what it holds, where that was read; guarded by Tracker.mu
}

// snapshotAt is what is at a path, nil where that is no file and no link. It follows
// links in the directories above.
func snapshotAt(path string) *snapshot {
	s, err := statAt(path)
	if err != nil || s.mode&fs.ModeType&^fs.ModeSymlink != 0 {
		return nil
	}
	return &snapshot{stat: s}
}
