package history

import "sort"

// lines says where the lines of a log begin. It keeps the place of a line every markEvery
// bytes, so that what is kept of a gigabyte is a quarter of a megabyte; the others are found
// by reading on from there. The line of seq n is the nth.
type lines struct {
	count int64  // how many lines there are
	last  int64  // where the last one begins
	marks []mark // oldest first
}

// mark is where the line of a seq begins.
type mark struct{ seq, at int64 }

// markEvery is how many bytes are read at most, beside one line, to find a line.
const markEvery = 64 << 10

// add notes the next line, which begins at.
func (l *lines) add(at int64) {
	l.count++
	l.last = at
	if n := len(l.marks); n == 0 || at-l.marks[n-1].at >= markEvery {
		l.marks = append(l.marks, mark{l.count, at})
	}
}

// drop forgets the last line. It is not known where the one before it begins.
func (l *lines) drop() {
	if n := len(l.marks); n > 0 && l.marks[n-1].seq == l.count {
		l.marks = l.marks[:n-1]
	}
	l.count--
}

// before is the last line at or before seq of which it is known where it begins; end is
// where the next line comes.
func (l *lines) before(seq, end int64) mark {
	if seq > l.count {
		return mark{l.count + 1, end}
	}
	i := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].seq > seq })
	if i == 0 {
		return mark{1, 0}
	}
	return l.marks[i-1]
}

// join adds the lines that follow, counted from 1.
func (l *lines) join(next lines) {
	for _, m := range next.marks {
		l.marks = append(l.marks, mark{l.count + m.seq, m.at})
	}
	l.count += next.count
	l.last = next.last
}
