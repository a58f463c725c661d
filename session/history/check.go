package history

import (
	"bytes"
	"crypto/sha256"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// checked is what was found in a piece of a log that is as it was.
type checked struct {
	lines lines   // counted from 1, with their places in the log
	rules []Event // those of which saysRules is true
}

// saysRules tells the events that say what is allowed, of whom and to whom: the first line,
// every change of mode, agent and taint, every question and every grant. They are few.
func saysRules(kind []byte) bool {
	return bytes.HasPrefix(kind, []byte("session.")) || bytes.HasPrefix(kind, []byte("approval."))
}

// check reads the log up to the end of pieces, several of them side by side, and says
// whether each has its hash. Of their lines it gives the places and the rules. It returns
// when nothing is read any more.
func (l *Log) check(pieces []piece) (whole checked, ok bool) {
	f, err := durable.Open(l.path)
	if err != nil {
		return whole, false
	}
	defer f.Close()
	found := make([]checked, len(pieces))
	var next atomic.Int64
	var wrong atomic.Bool
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(pieces)) {
		readers.Go(func() {
			var buf []byte
			for i := next.Add(1) - 1; i < int64(len(pieces)) && !wrong.Load(); i = next.Add(1) - 1 {
				begin := endOf(pieces[:i])
				if buf = readPiece(f, begin, pieces[i], buf); buf == nil || !found[i].take(buf, begin) {
					wrong.Store(true)
				}
			}
		})
	}
	readers.Wait()
	if wrong.Load() {
		return whole, false
	}
	for _, c := range found {
		whole.lines.join(c.lines)
		whole.rules = append(whole.rules, c.rules...)
	}
	return whole, true
}

// readPiece reads a piece into buf, which it makes longer where it must; nil is one that is
// not as it was.
func readPiece(f *os.File, begin int64, p piece, buf []byte) []byte {
	n := p.End - begin
	if n <= 0 || n > pieceBytes+durable.MaxLine+1 {
		return nil
	}
	if int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if _, err := f.ReadAt(buf, begin); err != nil {
		return nil
	}
	if sum := sha256.Sum256(buf); !bytes.Equal(sum[:], p.Sum) {
		return nil
	}
	return buf
}

// take goes through the lines of a piece that begins at a place of the log.
func (c *checked) take(piece []byte, begin int64) bool {
	for at := 0; at < len(piece); {
		n := bytes.IndexByte(piece[at:], '\n')
		if n < 0 {
			return false
		}
		line := piece[at : at+n]
		c.lines.add(begin + int64(at))
		at += n + 1
		if h, ok := cutHead(line); ok && !saysRules(h.kind) {
			continue
		}
		e, err := Decode(line)
		if err != nil {
			return false
		}
		if saysRules([]byte(e.Type())) {
			c.rules = append(c.rules, e)
		}
	}
	return true
}
