package tracks

import (
	"errors"
	"os"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

const (
	// shadowedBytes is the largest file whose content is kept before a command
	// (workspace §5): a change of a larger one cannot be undone.
	shadowedBytes = 1 << 20
	// shadowBytes bounds what is kept for one process.
	shadowBytes = 256 << 20
)

// shadow keeps what commands may change as it was, for as long as the process
// lives: one file, for its owner alone, which has no name any more once
// it is open, so that nothing of it outlives a crash. Only what a command has really
// changed is then stored as a checkpoint. The zero shadow is empty.
type shadow struct {
	mu   sync.Mutex // guards everything below
	file *os.File
	end  int64
	life int // how often it was emptied; what was kept in an earlier life is gone
}

// kept is a content that was read; the zero kept is none.
type kept struct {
	hash string // hex sha256
	size int64
	at   int64
	life int
}

// put keeps a content. Where it cannot, what it gives has only the hash.
func (s *shadow) put(dir string, data []byte) kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := kept{hash: undo.HashOf(data), size: int64(len(data))}
	if s.file == nil && s.open(dir) != nil {
		return k
	}
	if s.end+k.size > shadowBytes { // begin anew: the rest is read again
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
	f, err := os.CreateTemp(dir, ".new-shadow-*")
	if err != nil {
		return err
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed close does it
	s.file, s.life = f, s.life+1
	return nil
}

// get gives a content back; false where it is not kept any more.
func (s *shadow) get(k kept) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil || k.life == 0 || k.life != s.life {
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
	name := s.file.Name()
	err := s.file.Close()
	_ = os.Remove(name) // gone already where it had no name
	s.file = nil
	return err
}
