// Package ledger writes down what models have cost: a line an answer, in a file a month, in
// the sidecar's home. Several processes add to one file. It decides nothing and knows no
// session: a budget asks it for a sum.
package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Folder is in the home; a file in it is named <year>-<month>.jsonl.
const Folder = "usage"

// mostMonths are kept, the newest by their names: this one and the thirteen before it.
// The clock is not asked: a wrong one would take all of them away.
const mostMonths = 14

// Entry is one line: what one answer has cost.
type Entry struct {
	Day       string `json:"day"` // where the person was when it came: 2026-11-27
	Workspace string `json:"workspace,omitempty"`
	Session   string `json:"session"`         // of the person: that of a sub-agent is the one that sent it
	Agent     string `json:"agent,omitempty"` // a sub-agent, "explore#1"
	Provider  string `json:"provider,omitempty"`
	Model     string `json:"model"`
	Sum
}

// Sum is what some answers have cost together.
type Sum struct {
	Input     int64   `json:"input"` // tokens; the whole prompts
	Output    int64   `json:"output"`
	Cached    int64   `json:"cached,omitempty"`    // of Input
	Written   int64   `json:"written,omitempty"`   // of Input, to the provider's cache
	Cost      float64 `json:"cost,omitempty"`      // US dollars; 0: nothing, or nobody knows
	Estimated bool    `json:"estimated,omitempty"` // some of Cost was computed from a price
	// Unpriced are the tokens of answers whose cost nobody knows.
	Unpriced int64 `json:"unpriced,omitempty"`
}

// Tokens are those of prompts and answers.
func (s Sum) Tokens() int64 { return add(s.Input, s.Output) }

// Dollars are the cost for people; "" where nobody knows any of it.
func (s Sum) Dollars() string {
	if s.Cost == 0 && s.Unpriced > 0 {
		return ""
	}
	return Dollars(s.Cost, s.Estimated)
}

// Dollars is an amount for people, with a ~ where some of it was computed from a price.
func Dollars(amount float64, estimated bool) string {
	if estimated {
		return fmt.Sprintf("~%.4g USD", amount)
	}
	return fmt.Sprintf("%.4g USD", amount)
}

// Plus is both together.
func (s Sum) Plus(o Sum) Sum {
	return Sum{
		add(s.Input, o.Input), add(s.Output, o.Output), add(s.Cached, o.Cached), add(s.Written, o.Written), addCost(s.Cost, o.Cost),
		s.Estimated || o.Estimated, add(s.Unpriced, o.Unpriced),
	}
}

// most is what no sum is above: beyond it, nothing is exact in other programs.
const most = 1 << 53

// add leaves out what is below nothing: nobody gets anything back.
func add(a, b int64) int64 { return min(max(a, 0), most) + min(max(b, 0), most-min(max(a, 0), most)) }

// addCost is exact to a ten-thousandth of a millionth.
func addCost(a, b float64) float64 {
	const steps = 1e10
	return math.Round(min(max(a, 0)+max(b, 0), most)*steps) / steps
}

// Ledger is the way of one process to the files.
type Ledger struct {
	disk *durable.Disk
	dir  string
	now  func() time.Time

	mu    sync.Mutex // guards everything below
	today day
	lost  map[string]Sum // by day: what could not be written, and is counted here alone
}

// day is the sum of one day, as far as its file was read.
type day struct {
	name string
	sum  Sum
	tail tail
}

// Open is the ledger of a home, which need not be there yet. now says what time it is
// where the person is.
func Open(disk *durable.Disk, home string, now func() time.Time) *Ledger {
	return &Ledger{disk: disk, dir: filepath.Join(home, Folder), now: now, lost: map[string]Sum{}}
}

// Today is the day where the person is.
func (l *Ledger) Today() string { return l.now().Format(time.DateOnly) }

// Add writes down what an answer has cost, today. What cannot be written counts as long as
// this process lives; the error says why.
func (l *Ledger) Add(e Entry) error {
	e.Day = l.Today()
	line, err := json.Marshal(e)
	if err == nil {
		err = l.append(e.Day, line)
	}
	if err != nil {
		l.mu.Lock()
		l.lost[e.Day] = l.lost[e.Day].Plus(e.Sum)
		l.mu.Unlock()
		return fmt.Errorf("write down the usage: %w", err)
	}
	return nil
}

// append adds one line by one write, behind whatever a process that died has left.
func (l *Ledger) append(day string, line []byte) error {
	if len(line) >= maxLine {
		return fmt.Errorf("a line of %d bytes is over the limit of %d", len(line), maxLine-1)
	}
	path := l.path(day)
	made := false
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := l.disk.MkdirAll(l.dir, 0o700); err != nil {
			return err
		}
		made = true
	}
	var f *os.File
	err := l.disk.Do(durable.OpOpen, path, func() (err error) {
		f, err = durable.OpenAppend(path)
		return err
	})
	if err != nil || f == nil { // nil: the disk is frozen
		return err
	}
	defer f.Close()
	line = append(line, '\n')
	if torn(f) {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := l.disk.Write(durable.OpAppend, path, f, line); err != nil {
		return err
	}
	if made {
		l.sweep(filepath.Base(path))
	}
	return nil
}

func (l *Ledger) path(day string) string { return filepath.Join(l.dir, day[:len("2026-11")]+".jsonl") }

// torn says that the file ends in the middle of a line.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// sweep removes the oldest months, but not the new one: the clock may have been set back.
func (l *Ledger) sweep(made string) {
	names, err := months(l.dir)
	if err != nil {
		return // the next new month tries again
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == made })
	for _, name := range names[:max(0, len(names)-mostMonths+1)] {
		path := filepath.Join(l.dir, name)
		_ = l.disk.Do(durable.OpRemove, path, func() error { return os.Remove(path) })
	}
}

// months are the names of the files, oldest first.
func months(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		month, is := strings.CutSuffix(e.Name(), ".jsonl")
		if _, err := time.Parse("2006-01", month); is && err == nil && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Spent is what all processes together have spent on a day. Only what was added since the
// last time is read. Lines that are none are left out; the error says that the file cannot
// be read, and so the sum is not known.
func (l *Ledger) Spent(on string) (Sum, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.today.name != on {
		l.today = day{name: on}
	}
	d := &l.today
	_, err := d.tail.read(l.path(on), func() { d.sum = Sum{} }, func(e Entry) {
		if e.Day == on {
			d.sum = d.sum.Plus(e.Sum)
		}
	})
	if err != nil {
		return Sum{}, fmt.Errorf("read the usage: %w", err)
	}
	return d.sum.Plus(l.lost[on]), nil
}
