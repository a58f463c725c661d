package changes

import (
	"io/fs"
	"os"
)

// readStill is the content of the file or link at path, at most most bytes, where
// it is what stamp says, before and behind the reading: a command that runs may be
// changing it, or may have put something else there.
func readStill(path string, s fileStat, most int64) (data []byte, still bool) {
	if s.mode&fs.ModeSymlink != 0 {
		to, err := os.Readlink(path)
		if err != nil {
			return nil, false
		}
		now, err := statAt(path)
		return []byte(to), err == nil && now == s
	}
	if s.size > most {
		return nil, false
	}
	f, err := openPlain(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	if now, err := statOfFile(f); err != nil || now != s {
		return nil, false
	}
	data = make([]byte, s.size)
	if _, err := f.ReadAt(data, 0); err != nil && s.size > 0 {
		return nil, false
	}
	now, err := statOfFile(f)
	return data, err == nil && now == s
}
