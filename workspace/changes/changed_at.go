package changes

import "time"

// ChangedAt is when the file at a path was last changed in any way, following nothing at its
// end: by the time that programs cannot set, where the system has one.
func ChangedAt(path string) (time.Time, error) {
	s, err := statAt(path)
	if err != nil {
		return time.Time{}, err
	}
	if s.ctime == 0 {
		return time.Unix(0, s.mtime), nil
	}
	return time.Unix(0, s.ctime), nil
}
