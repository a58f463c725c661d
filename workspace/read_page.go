package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// page is a range of the lines of a text.
type page struct {
	body        strings.Builder // the `N: text` lines
	first, last int             // of the lines in body, from 1; last 0: none
	asked       int
	total       int
}

// trailerRoom is kept free for the last line of an answer.
const trailerRoom = 160

// readPage reads r to its end and keeps limit lines from line offset on, as far
// as they fit into readBytes. Memory is bounded whatever r holds.
func readPage(ctx context.Context, r io.Reader, offset, limit int) (*page, error) {
	pg := &page{first: offset, asked: offset}
	br := bufio.NewReaderSize(watched{ctx, r}, checkEvery)
	if head, _ := br.Peek(3); string(head) == "\xEF\xBB\xBF" {
		br.Discard(3)
	}
	full := false
	for {
		no := pg.total + 1
		keep := !full && no >= offset && no < offset+limit
		line, size, err := readLine(br, keep)
		if size == 0 && errors.Is(err, io.EOF) {
			return pg, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		pg.total = no
		if keep {
			text := fmt.Sprintf("%d: %s\n", no, showLine(line, size))
			if pg.body.Len()+len(text) > readBytes-trailerRoom {
				full = true
			} else {
				pg.body.WriteString(text)
				pg.last = no
			}
		}
		if err != nil {
			return pg, nil
		}
	}
}

// readLine reads up to and with the next line end. It returns the first bytes
// of the line, enough for readLineChars, and the size of the whole with its
// end. io.EOF comes with the last line.
func readLine(br *bufio.Reader, keep bool) (line []byte, size int, err error) {
	const most = readLineChars*utf8.UTFMax + 2
	for {
		chunk, err := br.ReadSlice('\n')
		size += len(chunk)
		if keep && len(line) < most {
			line = append(line, chunk[:min(len(chunk), most-len(line))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

// showLine is a line as a model sees it: no line end, valid UTF-8, at most
// readLineChars characters.
func showLine(line []byte, size int) string {
	s := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
	s = strings.ToValidUTF8(s, "\uFFFD")
	n := 0
	for at := range s {
		if n == readLineChars {
			return s[:at] + fmt.Sprintf("… (line cut; it has %d bytes)", size)
		}
		n++
	}
	return s
}

// text is the answer: the lines and where to go on. note is added to the last
// line.
func (pg *page) text(p Path, note string) string {
	switch {
	case pg.total == 0:
		return fmt.Sprintf("%s is empty%s", p, note)
	case pg.asked > pg.total:
		return fmt.Sprintf("%s has only %d lines; offset %d is past its end%s", p, pg.total, pg.asked, note)
	}
	trailer := fmt.Sprintf("(lines %d-%d of %d", pg.first, pg.last, pg.total)
	if pg.last < pg.total {
		trailer += fmt.Sprintf("; next offset=%d", pg.last+1)
	}
	return pg.body.String() + trailer + note + ")"
}
