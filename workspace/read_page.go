package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/search"
)

// page is a range of the lines of a text, as bytes: how they are to be read is
// decided when all of them are known.
type page struct {
	lines [][]byte // without their ends, each cut to what can be shown
	sizes []int    // bytes of each whole line
	at    []int64  // where each begins in the text
	asked int      // number of the first line, from 1
	total int      // lines of the text, or of the part that was looked through
}

// trailerRoom is kept free for the last line of an answer.
const trailerRoom = 200

// readPage reads r to its end and keeps limit lines from line offset on, as far
// as they can fit into readBytes. Memory is bounded whatever r holds.
func readPage(ctx context.Context, r io.Reader, offset, limit int) (*page, error) {
	pg := &page{asked: offset}
	br, end, begin := opening(watched{ctx, r}, checkEvery)
	at := int64(begin)
	room := readBytes
	for {
		no := pg.total + 1
		keep := room > 0 && no >= offset && no-offset < limit
		line, size, err := readLine(br, end, keep)
		if size == 0 && errors.Is(err, io.EOF) {
			return pg, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		pg.total = no
		if keep {
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{end}), []byte{'\r'})
			pg.lines, pg.sizes, pg.at = append(pg.lines, line), append(pg.sizes, size), append(pg.at, at)
			room -= len(line) + 4 // "1: ", and the line end
		}
		at += int64(size)
		if err != nil {
			return pg, nil
		}
	}
}

// opening is a text without its byte order mark, read through a buffer of size bytes,
// what its lines end with, and how many bytes the mark has.
func opening(r io.Reader, size int) (text *bufio.Reader, end byte, begin int) {
	text = bufio.NewReaderSize(r, size)
	if head, _ := text.Peek(3); string(head) == "\xEF\xBB\xBF" {
		begin, _ = text.Discard(3) // they are in the buffer
	}
	head, _ := text.Peek(sniffBytes)
	return text, lineEndByte(head), begin
}

// readLine reads up to and with the next end. It returns the first bytes of the
// line, enough for readLineChars, and the size of the whole with its end. io.EOF
// comes with the last line.
func readLine(br *bufio.Reader, end byte, keep bool) (line []byte, size int, err error) {
	const most = readLineChars*utf8.UTFMax + 2
	for {
		chunk, err := br.ReadSlice(end)
		size += len(chunk)
		if keep && len(line) < most {
			line = append(line, chunk[:min(len(chunk), most-len(line))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

// dropTorn takes back the last line: what was looked through ends within it.
func (pg *page) dropTorn() {
	if n := len(pg.lines); n > 0 && pg.asked+n-1 == pg.total {
		pg.lines, pg.sizes, pg.at = pg.lines[:n-1], pg.sizes[:n-1], pg.at[:n-1]
	}
	pg.total--
}

// text is the answer: the lines as `N: text` and where to go on. note is added
// to the last line. partial says that the text goes on behind what was looked
// through. found are the secrets of the whole text.
func (pg *page) text(p Path, note string, partial bool, found []tool.Secret) tool.Result {
	switch {
	case pg.total <= 0 && !partial:
		return tool.Result{Text: fmt.Sprintf("%s is empty%s", p, note)}
	case pg.asked > pg.total && partial:
		return tool.Result{Text: fmt.Sprintf("line %d of %s lies behind its first %d MB (%d lines), which is as far as read goes; use grep, or bash with tail or sed%s", pg.asked, p, readScan>>20, max(pg.total, 0), note)}
	case pg.asked > pg.total:
		return tool.Result{Text: fmt.Sprintf("%s has only %d lines; offset %d is past its end%s", p, pg.total, pg.asked, note)}
	}
	as := guessEncoding(pg.lines)
	var b strings.Builder
	secrets := notShown(found, pg.spans())
	last := pg.asked - 1
	for i, line := range pg.lines {
		number := fmt.Sprintf("%d: ", pg.asked+i)
		shown, kept := showLine(as.decode(line), pg.sizes[i])
		if b.Len()+len(number)+len(shown)+1 > readBytes-trailerRoom {
			break
		}
		b.WriteString(number)
		secrets = append(secrets, secretsOfLine(found, line, pg.at[i], as.decode, kept, b.Len())...)
		b.WriteString(shown + "\n")
		last = pg.asked + i
	}
	trailer := fmt.Sprintf("(lines %d-%d of %d", pg.asked, last, pg.total)
	if partial {
		trailer = fmt.Sprintf("(lines %d-%d of more than %d", pg.asked, last, pg.total)
	}
	if last < pg.total || partial {
		trailer += fmt.Sprintf("; next offset=%d", last+1)
	}
	return tool.Result{Text: b.String() + trailer + note + as.note + ")", Secrets: from(p, secrets)}
}

// showLine is a line as a model sees it: at most readLineChars characters, and
// nothing that providers refuse. kept is how many of its bytes that are.
func showLine(s string, size int) (shown string, kept int) {
	n := 0
	for at := range s {
		if n == readLineChars {
			return s[:at] + fmt.Sprintf("… (line cut; it has %d bytes)", size), at
		}
		n++
	}
	return s, len(s)
}

// encoding is how bytes are shown that are not UTF-8. The zero encoding puts
// U+FFFD for each run of them.
type encoding struct {
	western bool   // Windows-1252
	note    string // for the last line of an answer
}

// guessEncoding looks at the lines of a page. Broken UTF-8 stays broken. Text
// without any UTF-8 whose odd bytes are alone between ASCII is what western
// systems wrote; in runs they are some other language, and a wrong guess would
// read like a right one.
func guessEncoding(lines [][]byte) (e encoding) {
	odd, alone, multi, nul := 0, 0, 0, false
	for _, line := range lines {
		nul = nul || bytes.IndexByte(line, 0) >= 0
		before := false // the byte before was odd
		for i := 0; i < len(line); {
			if line[i] < utf8.RuneSelf {
				i, before = i+1, false
				continue
			}
			r, size := utf8.DecodeRune(line[i:])
			switch {
			case r != utf8.RuneError || size > 1:
				multi++
				before = false
			case len(line)-i < utf8.UTFMax && !utf8.FullRune(line[i:]) && len(line) >= readLineChars*utf8.UTFMax:
				size = len(line) - i // a character that the end of what is kept cuts through
			default:
				if odd++; !before && (i+1 == len(line) || line[i+1] < utf8.RuneSelf) {
					alone++
				}
				before = true
			}
			i += size
		}
	}
	switch {
	case odd == 0:
	case multi == 0 && alone*4 >= odd*3:
		e.western, e.note = true, "; not UTF-8, shown as Windows-1252"
	default:
		e.note = "; not valid UTF-8, the bytes that are not are shown as \uFFFD"
	}
	if nul {
		e.note += "; NUL is shown as ␀"
	}
	return e
}

// decode is a line as valid UTF-8.
func (e encoding) decode(line []byte) string {
	if !e.western {
		return search.Readable(line)
	}
	var b strings.Builder
	for _, c := range line {
		b.WriteRune(windows1252(c))
	}
	return strings.ReplaceAll(b.String(), "\x00", "␀")
}

// windows1252 is a byte of that code page, which is Latin-1 but for these.
func windows1252(c byte) rune {
	if c >= 0x80 && c <= 0x9F {
		return []rune("€\uFFFD‚ƒ„…†‡ˆ‰Š‹Œ\uFFFDŽ\uFFFD\uFFFD‘’“”•–—˜™š›œ\uFFFDžŸ")[c-0x80]
	}
	return rune(c)
}

// scan is a reader that ends after readScan bytes. cut says that there was more.
type scan struct {
	r    io.Reader
	left int64
	cut  bool
}

func (s *scan) Read(b []byte) (int, error) {
	if s.left == 0 {
		var one [1]byte
		if n, _ := io.ReadFull(s.r, one[:]); n > 0 {
			s.cut = true
		}
		return 0, io.EOF
	}
	n, err := s.r.Read(b[:min(int64(len(b)), s.left)])
	s.left -= int64(n)
	return n, err
}

const (
	readLines     = 2000      // lines of one call
	readLineChars = 2000      // characters of one line
	readBytes     = 51_200    // of a whole answer, numbers and trailer included
	maxImageBytes = 5 << 20   // an image a model may look at
	maxUTF16Bytes = 32 << 20  // decoded in memory
	readScan      = 256 << 20 // of one file that a call goes through
	checkEvery    = 256 << 10 // bytes between two looks at the context
)

// watched is a reader that ends with its context.
type watched struct {
	ctx context.Context
	r   io.Reader
}

func (w watched) Read(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(b)
}
