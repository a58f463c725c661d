package search

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// needle is a text that every match of a pattern contains, sought by its rarest
// byte: looking for one byte is what a processor does fastest, and a rare one
// stops it seldom.
type needle struct {
	text []byte // lower case where fold is set
	fold bool   // in any case; text is then ASCII
	rare int    // where in text the rarest byte stands
	low  byte   // that byte
	high byte   // and its upper case, equal to low where it has none or fold is not set
}

// common are the bytes of source code and prose, the most frequent first; what
// is not in it is rare.
const common = " etransiolc\"du\nA.ph,m\tf=g/():0_vxywbE1k\\2}{-><CS;BT6IM4DROP3Q[]8F'L&N5XzHUq`V+|7G!9*jWJKYZ#?%$^@~"

// rarity is higher for rarer bytes.
func rarity(c byte) int {
	if i := strings.IndexByte(common, c); i >= 0 {
		return i
	}
	return len(common)
}

// newNeedle makes a needle of text. With fold only a part of it is used that is
// ASCII; ok is false where nothing can be sought: k and s also equal the Kelvin
// sign and the long s, so they are compared but not looked for.
func newNeedle(text string, fold bool) (n needle, ok bool) {
	if fold {
		text = strings.ToLower(longestASCII(text))
	}
	n = needle{text: []byte(text), fold: fold}
	best := -1
	for i, c := range n.text {
		r := rarity(c)
		if fold && c >= 'a' && c <= 'z' {
			if c == 'k' || c == 's' {
				continue
			}
			r = min(r, rarity(c-'a'+'A'))
		}
		if r > best {
			best, n.rare, n.low = r, i, c
		}
	}
	if n.high = n.low; fold && n.low >= 'a' && n.low <= 'z' {
		n.high = n.low - 'a' + 'A'
	}
	return n, best >= 0
}

// longestASCII is the longest part of text without letters outside ASCII.
func longestASCII(text string) string {
	best := ""
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		if len(part) > len(best) {
			best = part
		}
	}
	return best
}

// place is where a needle was found last in one text, and what is known of what
// is behind it.
type place struct {
	start, end int // start is len(text) when there is no further one
	low, high  int // the next rarest byte in either case
}

// seek moves p to the first place of n that begins at or after from.
func (n *needle) seek(hay []byte, from int, p *place) {
	if n.fold {
		n.seekFolded(hay, from, p)
		return
	}
	*p = place{start: len(hay), end: len(hay)}
	for at, misses := from+n.rare, 0; at < len(hay); at++ {
		k := bytes.IndexByte(hay[at:], n.low)
		if k < 0 {
			return
		}
		at += k
		start := at - n.rare
		if end := start + len(n.text); end > len(hay) {
			return
		} else if bytes.Equal(hay[start:end], n.text) {
			p.start, p.end = start, end
			return
		}
		// Here the byte is not rare, or the text repeats itself: from now on the
		// way whose worst case is bounded.
		if misses++; misses > 64+(at-from)>>4 {
			if k := bytes.Index(hay[start+1:], n.text); k >= 0 {
				p.start = start + 1 + k
				p.end = p.start + len(n.text)
			}
			return
		}
	}
}

func (n *needle) seekFolded(hay []byte, from int, p *place) {
	find := func(c byte, at int) int {
		if at < len(hay) {
			if k := bytes.IndexByte(hay[at:], c); k >= 0 {
				return at + k
			}
		}
		return len(hay)
	}
	for at := from; ; {
		if p.low < at {
			p.low = find(n.low, at)
		}
		if p.high < at {
			p.high = find(n.high, at)
		}
		at = min(p.low, p.high)
		if at == len(hay) {
			p.start, p.end = at, at
			return
		}
		if start, end, ok := n.around(hay, at); ok && start >= from {
			p.start, p.end = start, end
			return
		}
		at++
	}
}

// around compares the text in any case around its rarest byte, which is at.
func (n *needle) around(hay []byte, at int) (start, end int, ok bool) {
	start, end = at, at+1
	for i := n.rare - 1; i >= 0; i-- {
		c := n.text[i]
		switch {
		case start > 0 && lower(hay[start-1]) == c:
			start--
		case c == 'k' && bytes.HasSuffix(hay[:start], kelvin):
			start -= len(kelvin)
		case c == 's' && bytes.HasSuffix(hay[:start], longS):
			start -= len(longS)
		default:
			return 0, 0, false
		}
	}
	for _, c := range n.text[n.rare+1:] {
		switch {
		case end < len(hay) && lower(hay[end]) == c:
			end++
		case c == 'k' && bytes.HasPrefix(hay[end:], kelvin):
			end += len(kelvin)
		case c == 's' && bytes.HasPrefix(hay[end:], longS):
			end += len(longS)
		default:
			return 0, 0, false
		}
	}
	return start, end, true
}

// What is k and s in any case, outside ASCII.
var (
	kelvin = []byte("\u212A")
	longS  = []byte("\u017F")
)

func lower(c byte) byte {
	if c-'A' < 26 {
		c += 'a' - 'A'
	}
	return c
}
