package history

import (
	"crypto/sha256"
	"hash"
	"slices"
)

// pieceBytes is how long a piece of a log is at least whose hash is kept, but for those that
// end where a fold was written. Pieces can be checked side by side.
const pieceBytes = 1 << 20

// piece is a stretch of whole lines, from the end of the piece before it.
type piece struct {
	End int64  `json:"end"`
	Sum []byte `json:"sum"` // SHA-256
}

// seal hashes the lines of a log as they are folded, and not as they are on disk later: what
// was changed there since does not fit.
type seal struct {
	pieces []piece
	begun  hash.Hash // of the lines behind the last piece; nil before the first
	end    int64     // of the lines
	broken bool      // a line was taken back, and hashes cannot forget
}

var newline = []byte{'\n'}

// add takes in the next line, which has no newline.
func (s *seal) add(line []byte) {
	if s.begun == nil {
		s.begun = sha256.New()
	}
	s.begun.Write(line)
	s.begun.Write(newline)
	s.end += int64(len(line)) + 1
	if s.end-endOf(s.pieces) >= pieceBytes {
		s.cut()
	}
}

// cut ends a piece here and gives all that there are.
func (s *seal) cut() []piece {
	if s.end > endOf(s.pieces) {
		s.pieces = append(s.pieces, piece{s.end, s.begun.Sum(nil)})
		s.begun.Reset()
	}
	return slices.Clip(s.pieces)
}

// endOf is where the last piece ends.
func endOf(pieces []piece) int64 {
	if len(pieces) == 0 {
		return 0
	}
	return pieces[len(pieces)-1].End
}
