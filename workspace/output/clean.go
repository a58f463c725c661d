package output

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Cleaner turns what a command writes for a terminal into text, in pieces of
// any size: escape sequences go, a line that is drawn again after \r is one
// line, what is not UTF-8 becomes U+FFFD, and no control character but tab and
// newline stays. The zero cleaner is ready.
type Cleaner struct {
	Text []byte // clean, not yet taken
	line int    // where in text the current line begins
	low  int    // the least length of text since the last write began
	wide bool   // text may contain more than ASCII

	state escapeState
	csi   byte   // in a CSI: what its parameter has been, as column wants to know
	cr    bool   // a \r waits for what follows it
	carry []byte // the beginning of a character
}

type escapeState byte

const (
	plainText    escapeState = iota
	afterESC                 // ESC
	inCharset                // ESC and an intermediate, as in ESC ( B
	inCSI                    // ESC [
	inOSC                    // ESC ]: ends with BEL or ESC \
	inString                 // ESC P X ^ _: ends with ESC \
	stringAfterE             // ESC inside one of the last two
)

// heldLine is how much of an unfinished line is held back for a \r that may
// still throw it away, in bytes.
const heldLine = 64 << 10

// Write cleans p into text.
func (c *Cleaner) Write(p []byte) {
	c.low = len(c.Text)
	if len(c.carry) > 0 {
		p = append(c.carry, p...)
		c.carry = nil
	}
	for len(p) > 0 {
		if c.state != plainText {
			p = c.escape(p)
			continue
		}
		if p[0] < utf8.RuneSelf {
			if n := plainRun(p); n > 0 {
				c.put(p[:n])
				p = p[n:]
				continue
			}
		}
		p = c.special(p)
	}
}

// special deals with the first byte of p, which is not plain ASCII, and returns
// the rest.
func (c *Cleaner) special(p []byte) []byte {
	switch b := p[0]; {
	case b == '\r':
		c.cr = true
	case b == 0x1B:
		c.state = afterESC
	case b == '\b':
		c.backspace()
	case b == 0:
		// Not dropped: it separates (find -print0) and may not be in text.
		n := len(p) - len(bytes.TrimLeft(p, "\x00"))
		c.replacement(n)
		return p[n:]
	case b >= utf8.RuneSelf:
		return c.multibyte(p)
	}
	return p[1:]
}

// multibyte takes as many characters beyond ASCII as there are, or one bad byte.
func (c *Cleaner) multibyte(p []byte) []byte {
	n := 0
	for n < len(p) && p[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(p[n:])
		if size == 1 || r < 0xA0 { // not UTF-8, or a control character
			break
		}
		n += size
	}
	switch {
	case n > 0:
		c.wide = true
		c.redraw()
		c.Text = append(c.Text, p[:n]...) // none of them is a newline
		c.fix()
		return p[n:]
	case !utf8.FullRune(p):
		c.carry = bytes.Clone(p)
		return nil
	}
	r, size := utf8.DecodeRune(p)
	if size == 1 {
		c.replacement(1)
		return p[1:]
	}
	switch r { // the same introducers in one character
	case 0x9B:
		c.state, c.csi = inCSI, 0
	case 0x9D:
		c.state = inOSC
	case 0x90, 0x98, 0x9E, 0x9F:
		c.state = inString
	}
	return p[size:]
}

// fix moves the place behind which a line can still be drawn again. It moves in
// whole steps, so that it does not depend on how reads cut the line.
func (c *Cleaner) fix() {
	for len(c.Text)-c.line > heldLine {
		c.line += runeStart(c.Text[c.line:], heldLine)
	}
}

// put appends clean text, after what a waiting \r does to its line.
func (c *Cleaner) put(p []byte) {
	if p[0] != '\n' {
		c.redraw()
	}
	c.cr = false
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		c.line = len(c.Text) + i + 1
	}
	c.Text = append(c.Text, p...)
	c.fix()
}

// redraw throws the line away that a \r waits to.
func (c *Cleaner) redraw() {
	if c.cr {
		c.cut(c.line)
	}
	c.cr = false
}

func (c *Cleaner) replacement(n int) {
	c.wide = true
	c.redraw()
	for n > 0 {
		now := min(n, len(replacements)/3)
		c.Text = append(c.Text, replacements[:3*now]...)
		n -= now
	}
	c.fix()
}

var replacements = strings.Repeat("\uFFFD", 256)

func (c *Cleaner) backspace() {
	if len(c.Text) > c.line {
		_, size := utf8.DecodeLastRune(c.Text[c.line:])
		c.cut(len(c.Text) - size)
	}
}

func (c *Cleaner) cut(length int) {
	c.Text = c.Text[:length]
	c.low = min(c.low, length)
}

// escape takes the part of p that belongs to an escape sequence. A newline ends
// every sequence, so that a broken one costs a line at most.
func (c *Cleaner) escape(p []byte) []byte {
	for i, b := range p {
		if b == '\n' || b == 0x18 || b == 0x1A {
			c.state = plainText
			return p[i:]
		}
		switch c.state {
		case afterESC:
			switch {
			case b == '[':
				c.state, c.csi = inCSI, 0
			case b == ']':
				c.state = inOSC
			case b == 'P' || b == 'X' || b == '^' || b == '_':
				c.state = inString
			case b == 0x1B:
			case b >= 0x20 && b <= 0x2F:
				c.state = inCharset
			case b >= 0x30 && b <= 0x7E:
				c.state = plainText
				return p[i+1:]
			default:
				c.state = plainText
				return p[i:]
			}
		case inCharset, inCSI:
			switch {
			case b == 0x1B:
				c.state = afterESC
			case b >= 0x20 && b <= 0x2F || c.state == inCSI && b <= 0x3F && b >= 0x30:
				c.parameter(b)
			case b >= 0x30 && b <= 0x7E:
				if c.state == inCSI && b == 'G' && c.csi <= '1' {
					c.cr = true // to the first column, as \r goes
				}
				c.state = plainText
				return p[i+1:]
			default:
				c.state = plainText
				return p[i:]
			}
		case inOSC, inString:
			switch {
			case b == 0x1B:
				c.state = stringAfterE
			case b == 0x07 && c.state == inOSC:
				c.state = plainText
				return p[i+1:]
			}
		case stringAfterE:
			if b == '\\' {
				c.state = plainText
				return p[i+1:]
			}
			c.state = afterESC
			return p[i:]
		}
	}
	return nil
}

// parameter remembers of a CSI's parameters what moves to the first column: none
// at all, 0 or 1.
func (c *Cleaner) parameter(b byte) {
	if c.csi == 0 && (b == '0' || b == '1') {
		c.csi = b
	} else {
		c.csi = 0xFF
	}
}

// Close ends the text: a character that never became whole is a bad one.
func (c *Cleaner) Close() {
	c.low = len(c.Text)
	if len(c.carry) > 0 && c.state == plainText {
		c.replacement(1)
	}
	c.carry = nil
}

// ready is the text that no \r can throw away any more: whole lines, and of an
// unfinished one what is too long to hold back.
func (c *Cleaner) ready() []byte { return c.Text[:c.line] }

// drop forgets what ready gave.
func (c *Cleaner) drop() {
	n := copy(c.Text, c.Text[c.line:])
	c.Text, c.line = c.Text[:n], 0
}

const (
	each     = 0x0101010101010101
	highBits = 0x8080808080808080
)

// plainRun is the length of the longest beginning of p that is printable ASCII,
// tab and newline. It looks at eight bytes at a time: this is where the time of
// a large output goes.
func plainRun(p []byte) int {
	i := 0
	for ; i+8 <= len(p); i += 8 {
		w := binary.LittleEndian.Uint64(p[i:])
		// With the high bit set first, a subtraction does not borrow from the
		// next byte; the bit is then left where the byte was not smaller.
		printable := (w | highBits) - 0x20*each
		notTab := ((w ^ '\t'*each) | highBits) - each
		notNewline := ((w ^ '\n'*each) | highBits) - each
		notDelete := ((w ^ 0x7F*each) | highBits) - each
		bad := w | ^printable&notTab&notNewline | ^notDelete
		if bad&highBits != 0 {
			break
		}
	}
	for i < len(p) && (p[i] >= 0x20 && p[i] < 0x7F || p[i] == '\n' || p[i] == '\t') {
		i++
	}
	return i
}

// characters counts the characters of valid UTF-8: the bytes that do not
// continue one. Eight at a time it is ten times utf8.RuneCount.
func characters(p []byte) int {
	n := len(p)
	for ; len(p) >= 8; p = p[8:] {
		w := binary.LittleEndian.Uint64(p)
		n -= bits.OnesCount64(w &^ (w << 1) & highBits) // bit 7 set and bit 6 not
	}
	for _, b := range p {
		if !utf8.RuneStart(b) {
			n--
		}
	}
	return n
}
