package model

import (
	"bytes"
	"io"
	"slices"
)

// pieces are the bytes of a request. What is in them never changes, so that a request
// can be sent while the next one is made of the same pieces.
type pieces [][]byte

// leastPiece is how many bytes a piece has room for, at least.
const leastPiece = 64 << 10

// with is p and more bytes behind it, which are copied. Of all that begin with p only one may
// grow.
func (p pieces) with(more []byte) pieces {
	last := len(p) - 1
	if last < 0 || cap(p[last])-len(p[last]) < len(more) {
		p = append(p, make([]byte, 0, max(len(more), leastPiece)))
		last++
	}
	p[last] = append(p[last], more...)
	return p
}

// upTo is the beginning of p with so many bytes. The piece in which they end is copied:
// what comes behind them then does not touch what was there, and no piece is left with
// much more room than it has bytes.
func (p pieces) upTo(n int) pieces {
	for i, piece := range p {
		if n < len(piece) {
			return slices.Clone(p[:i]).with(piece[:n])
		}
		n -= len(piece)
	}
	return p
}

// inserted is p with more bytes at a place. p stays as it is.
func (p pieces) inserted(at int, more string) pieces {
	for i, piece := range p {
		if at <= len(piece) {
			return slices.Concat(p[:i], pieces{piece[:at:at], []byte(more), piece[at:]}, p[i+1:])
		}
		at -= len(piece)
	}
	return p
}

func (p pieces) size() (n int) {
	for _, piece := range p {
		n += len(piece)
	}
	return n
}

// whole is p in one piece.
func (p pieces) whole() []byte { return slices.Concat(p...) }

// reader reads p from its beginning.
func (p pieces) reader() io.Reader {
	all := make([]io.Reader, len(p))
	for i, piece := range p {
		all[i] = bytes.NewReader(piece)
	}
	return io.MultiReader(all...)
}
