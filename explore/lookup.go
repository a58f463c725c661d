package explore

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
)

// What one report may cost to check; what is beyond does not hold.
const (
	mostCitations = 2000
	mostOpened    = 6000      // files looked for
	mostRead      = 512 << 20 // bytes of files
	mostScanned   = 20 << 20  // lines of files
	mostKept      = 16 << 20  // bytes of lines that quotes are compared with
	mostLines     = 400       // that one quote is looked for in
	mostLine      = 256 << 10 // bytes of one of them
)

// sources are the files that may be cited.
type sources struct {
	open  func(path string) (io.ReadCloser, error)
	shown func(text string) string // of one, as anyone who cites it saw it; nil: as it is
}

// lookup is the check of one report. It reads each file once.
type lookup struct {
	ctx context.Context
	sources
	there         map[string]bool
	opened, kept  int
	read, scanned int
}

// lookUp finds out which of the citations are some, and which of them hold.
func lookUp(ctx context.Context, in sources, found []*citation) {
	l := &lookup{ctx: ctx, sources: in, there: map[string]bool{}}
	cited := map[string][]*citation{}
	var order []string
	for i, c := range found {
		c.counts = c.fileLike
		if i >= mostCitations {
			continue
		}
		at := slices.IndexFunc(c.paths, l.exists)
		if at < 0 {
			continue
		}
		c.counts = true
		path := c.paths[at]
		if cited[path] == nil {
			order = append(order, path)
		}
		cited[path] = append(cited[path], c)
	}
	for _, path := range order {
		l.check(path, cited[path])
	}
}

func (l *lookup) exists(path string) bool {
	if there, known := l.there[path]; known {
		return there
	}
	if l.opened >= mostOpened || l.ctx.Err() != nil {
		return false
	}
	l.opened++
	f, err := l.open(path)
	if err == nil {
		f.Close()
	}
	l.there[path] = err == nil
	return err == nil
}

// check reads a file as far as it is cited.
func (l *lookup) check(path string, of []*citation) {
	f, err := l.open(path)
	if err != nil {
		return
	}
	defer f.Close()
	last, wanted := 0, map[int]string{}
	for _, c := range of {
		for _, r := range c.lines {
			last = max(last, r.last)
			if c.quoted != nil {
				for n := r.first; n <= r.reach(c.quoted); n++ {
					wanted[n] = ""
				}
				last = max(last, r.reach(c.quoted))
			}
		}
	}
	lines, whole := l.scan(f, last, wanted)
	for _, c := range of {
		c.holds = whole && c.isIn(lines, wanted, l.shown)
	}
}

// reach is the last line in which a quote that begins in the range may end.
func (r lineRange) reach(q *quote) int {
	return min(max(r.last, r.first+q.lines-1), r.first+mostLines)
}

// isIn says whether every line is there, and the quoted words in one of the ranges.
func (c *citation) isIn(lines int, text map[int]string, shown func(string) string) bool {
	quoted := c.quoted == nil
	for _, r := range c.lines {
		if r.first < 1 || r.last < r.first || r.last > lines {
			return false
		}
		if quoted {
			continue
		}
		var have []string
		for n := r.first; n <= min(lines, r.reach(c.quoted)); n++ {
			have = append(have, text[n])
		}
		as := strings.Join(have, "\n")
		if shown != nil {
			as = shown(as)
		}
		quoted = c.quoted.foundIn(folded(as))
	}
	return quoted
}

// scan reads up to line last and keeps those that are wanted. It returns how many
// lines there are, as far as it went, and whether it could go so far.
func (l *lookup) scan(r io.Reader, last int, wanted map[int]string) (lines int, whole bool) {
	br := bufio.NewReaderSize(r, 64<<10)
	for lines < last {
		_, want := wanted[lines+1]
		var line []byte
		size := 0
		for {
			chunk, err := br.ReadSlice('\n')
			size += len(chunk)
			if l.read += len(chunk); l.read > mostRead || l.ctx.Err() != nil {
				return lines, false
			}
			if want && len(line) < mostLine {
				line = append(line, chunk...)
			}
			if err == nil {
				break
			}
			if errors.Is(err, io.EOF) {
				if size == 0 {
					return lines, true
				}
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return lines, false
			}
		}
		if l.scanned++; l.scanned > mostScanned {
			return lines, false
		}
		lines++
		if want {
			if l.kept += len(line); l.kept > mostKept {
				return lines, false
			}
			wanted[lines] = string(line)
		}
	}
	return lines, true
}
