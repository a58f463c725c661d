package search

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"
)

// Whatever the order in which files come, the answer has the first by directory and
// name, up to the limit, and counts all.
func TestHits(t *testing.T) {
	files := map[string]string{"b": "hit\nx\nhit\n", "a/z": "x\nhit\x00\n", "a/b": "hit\n", "none": "x\n"}
	for _, row := range []struct {
		mode           Mode
		context, limit int
		want           string
	}{
		{Content, 0, 9, "<w/b>\n  1: hit\n  3: hit\n<w/a/b>\n  1: hit\n<w/a/z>\n  2: hit␀\n(4 matching lines in 3 files; note)"},
		{Content, 1, 9, "<w/b>\n  1: hit\n  2- x\n  3: hit\n<w/a/b>\n  1: hit\n<w/a/z>\n  1- x\n  2: hit␀\n(4 matching lines in 3 files; note)"},
		{Content, 0, 3, "<w/b>\n  1: hit\n  3: hit\n<w/a/b>\n  1: hit\n(the first 3 of 4 matching lines in 3 files; note)"},
		{Files, 0, 2, "<w/b>\n<w/a/b>\n(the first 2 of 3 files; note)"},
		{Count, 0, 9, "<w/b>: 2\n<w/a/b>: 1\n<w/a/z>: 1\n(4 matching lines in 3 files; note)"},
	} {
		m, err := NewMatcher("hit", false, false)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"a/b", "a/z", "b", "none"}
		for range len(names) {
			names = append(names[1:], names[0])
			h := NewHits(Query{Matcher: m, Mode: row.mode, Context: row.context, Limit: row.limit}, func(rel string) string { return "w/" + rel }, nil)
			for _, name := range names {
				h.Search(context.Background(), name, []byte(files[name]))
			}
			if got, _ := h.Text(func(name string) string { return "<" + name + ">" }, []string{"note"}); got != row.want {
				t.Errorf("%s, %d, %d, from %v:\n%s", row.mode, row.context, row.limit, names, got)
			}
		}
	}
}

// What is behind the last line that is shown is counted up to a bound, and then neither
// read nor entered; what is in front of it always is.
func TestHitsStop(t *testing.T) {
	m, err := NewMatcher("hit", false, false)
	if err != nil {
		t.Fatal(err)
	}
	search := func(mode Mode, limit, files, hits, bytes int) (*Hits, string) {
		h := NewHits(Query{Matcher: m, Mode: mode, Limit: limit}, func(rel string) string { return "w/" + rel }, nil)
		text := []byte(strings.Repeat("hit\n", hits) + strings.Repeat("x", bytes))
		for i := range files {
			h.Search(context.Background(), fmt.Sprintf("d%d/f%05d", i%10, files-i), text)
		}
		said, _ := h.Text(func(name string) string { return name }, nil)
		return h, said[strings.LastIndexByte(said, '\n')+1:]
	}
	for _, row := range []struct {
		mode                       Mode
		limit, files, hits, padded int
		want                       string
		past                       bool
	}{
		{Content, 10, 100, 10, 0, "(the first 10 of 1000 matching lines in 100 files)", false},
		{Content, 10, 101, 10, 0, "(the first 10 of more than 1000 matching lines)", true},
		{Content, 10, 1, 5000, 0, "(the first 10 of more than 1000 matching lines)", true},
		{Files, 10, 1000, 10, 0, "(the first 10 of 1000 files)", false},
		{Files, 10, 1001, 10, 0, "(the first 10 of more than 1000 files)", true},
		{Count, 10, 3000, 10, 0, "(30000 matching lines in 3000 files; the first 10 files shown)", false},
		{Content, 10, 50, 10, 1 << 20, "(the first 10 matching lines; there are more)", true},
		{Content, 10, 10, 1, 4 << 20, "(10 matching lines in 10 files)", false},
	} {
		h, said := search(row.mode, row.limit, row.files, row.hits, row.padded)
		if said != row.want {
			t.Errorf("%+v: %s", row, said)
		}
		for _, at := range []struct {
			rel  string
			dir  bool
			past bool
		}{{"d5", true, row.past}, {"d5/f", false, row.past}, {"a/b", true, false}, {"a/b/f", false, false}, {"f", false, false}, {"d0/f00000", false, false}, {"d", true, false}} {
			if got := h.Past(at.rel, at.dir); got != at.past {
				t.Errorf("%+v: past %s is %v", row, at.rel, got)
			}
		}
	}
	h, _ := search(Content, 10, 2000, 1, 0)
	h.Search(context.Background(), "a", []byte("hit late\n"))
	if text, _ := h.Text(func(name string) string { return name }, nil); !strings.HasPrefix(text, "w/a\n  1: hit late\n") {
		t.Errorf("what is in front of the last line shown was not taken any more: %s", text)
	}
}

// The newest are kept, of equals the first by name, and all are counted. Of very many the
// first by path are kept, and none is asked for its time.
func TestNewest(t *testing.T) {
	n := KeepNewest(3)
	for i := range 100 {
		n.Add(fmt.Sprintf("f%02d", (i*37)%100), dated{at: time.Unix(int64((i*37)%100/2), 0)})
	}
	n.Add("gone", dated{gone: true})
	if files, all, newest := n.Files(); all != 100 || !newest || !slices.Equal(files, strings.Fields("f98 f99 f96")) {
		t.Error(files, all, newest)
	}
	n, asked := KeepNewest(3), 0
	for i := range 5000 {
		n.Add(fmt.Sprintf("d/f%04d", (i*37)%5000), dated{asked: &asked})
	}
	n.Add("z", dated{asked: &asked})
	if files, all, newest := n.Files(); all != 5001 || newest || asked != 0 || !slices.Equal(files, strings.Fields("z d/f0000 d/f0001")) {
		t.Error(files, all, newest, asked)
	}
}

// dated is a file that says when it was changed.
type dated struct {
	fs.DirEntry
	fs.FileInfo
	at    time.Time
	gone  bool
	asked *int
}

func (d dated) Info() (fs.FileInfo, error) {
	if d.asked != nil {
		*d.asked++
	}
	if d.gone {
		return nil, fs.ErrNotExist
	}
	return d, nil
}

func (d dated) ModTime() time.Time { return d.at }
func (d dated) Name() string       { return "" }
func (d dated) IsDir() bool        { return false }
func (d dated) Type() fs.FileMode  { return 0 }
