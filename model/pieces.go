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

// upTo is the beginning of p with so many bytes. What comes behind them then does not
// touch what was there.
func (p pieces) upTo(n int) pieces {
	if n == 0 {
		return nil
	}
	if n == p.size() {
		return p
	}
	for i, piece := range p {
		if len(piece) >= n { // a full slice: the next bytes go into another piece
			return append(p[:i:i], piece[:n:n])
		}
		n -= len(piece)
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
