package changes

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

const (
	// contentsFile is where a Tracker keeps contents in its directory.
	contentsFile = "contents"
	// shadowedBytes is the largest file whose content is kept before a command: a
	// change of a larger one cannot be undone.
	shadowedBytes = 1 << 20
	// shadowBytes bounds what is kept for one process. What commands have not touched
	// yet may fill three quarters of it; the rest is for what they do change.
	shadowBytes = 256 << 20
	// passedOver stands for a place in the file where there was none.
	passedOver = -1
)

// shadow keeps what commands may change as it was: one file, for its owner alone,
// which goes with the process. One that is killed leaves it to the next, which brings
// back with it what a command has left broken. Only what a command has really changed
// is then stored as a checkpoint. The zero shadow is empty.
type shadow struct {
	mu   sync.Mutex // guards everything below
	file *os.File
	end  int64
	most int64 // bytes; 0: shadowBytes
	life int   // how often it was emptied; what was kept in an earlier life is gone
	last bool  // it is another process's: it is not emptied, and what does not fit is not kept
}

// kept is a content that was read; the zero kept is none.
type kept struct {
	hash string // hex sha256
	size int64
	at   int64 // passedOver: there was no room for it in that life
	life int
}

func (s *shadow) mostLocked() int64 {
	if s.most == 0 {
		return shadowBytes
	}
	return s.most
}

// room says whether a content that nobody has changed yet may be read and kept. Where
// it may not, it says so for this life of the shadow: trying again before each command
// would read a large tree anew each time.
func (s *shadow) room(size int64) (kept, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil || s.end+size <= s.mostLocked()/4*3 {
		return kept{}, true
	}
	return kept{at: passedOver, life: s.life}, false
}

// put keeps a content. Where it cannot, what it gives has only the hash.
func (s *shadow) put(dir string, data []byte) kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := kept{hash: undo.HashOf(data), size: int64(len(data))}
	if s.file == nil && s.open(dir) != nil {
		return k
	}
	if s.last && s.end+k.size > s.mostLocked() {
		return k
	}
	if s.end+k.size > s.mostLocked() { // begin anew: the rest is read again
		if s.file.Truncate(0) != nil {
			return k
		}
		s.end, s.life = 0, s.life+1
	}
	if _, err := s.file.WriteAt(data, s.end); err != nil {
		return k
	}
	k.at, k.life = s.end, s.life
	s.end += k.size
	return k
}

func (s *shadow) open(dir string) error {
	if dir == "" {
		return errors.New("nowhere to keep contents")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, contentsFile), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	s.file, s.life = f, s.life+1
	return nil
}

// reopen takes over what a process that died has kept, in the last of its lives.
func (s *shadow) reopen(f *os.File, life int) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file, s.end, s.life, s.most, s.last = f, end, max(life, 1), end+shadowBytes, true
	return nil
}

// get gives a content back; false where it is not kept any more.
func (s *shadow) get(k kept) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil || k.life == 0 || k.life != s.life || k.at == passedOver {
		return nil, false
	}
	data := make([]byte, k.size)
	if _, err := s.file.ReadAt(data, k.at); err != nil && k.size > 0 {
		return nil, false
	}
	return data, undo.HashOf(data) == k.hash
}

// present is the life that a content must be of to be there; 0: none is.
func (s *shadow) present() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return 0
	}
	return s.life
}

func (s *shadow) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}
