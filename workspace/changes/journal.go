package changes

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unicode/utf8"
)

const (
	// journalFile is where a Tracker keeps the journal in its directory.
	journalFile = "journal"
	// journalBytes is how much longer than what it says the journal may become before
	// it is written anew.
	journalBytes = 8 << 20
)

// journal says on the disk what the files were before each command that runs: a
// process that is killed leaves it, and the next one reads in it what the command
// did. It outlives a kill and not a loss of power, so nothing waits for a sync.
// Only what is new since the last command is appended. A journal that cannot be
// written is taken away: half of it would say that files are new which are not. The
// zero journal writes nothing.
type journal struct {
	mu   sync.Mutex // guards everything below
	file *os.File
	size int64
	base int64               // size when it was written whole
	dirs map[string]*dirView // as it says they are
	said *survey             // the last that it says
}

// line is one line of a journal: exactly one member is set.
type line struct {
	Dir   *dirLine   `json:"dir,omitempty"`
	Gone  string     `json:"gone,omitempty"` // a directory that is not followed any more
	Kept  *keptLine  `json:"kept,omitempty"`
	Begin *beginLine `json:"begin,omitempty"`
	Over  *overLine  `json:"over,omitempty"`
	End   int        `json:"end,omitempty"` // the number of a command
}

type dirLine struct {
	Path  string      `json:"path"`
	Mode  fs.FileMode `json:"mode"`
	Whole bool        `json:"whole,omitempty"`
	Odd   bool        `json:"odd,omitempty"` // a name in it is no text, and not here
	Names []nameLine  `json:"names"`
}

type nameLine struct {
	Name    string    `json:"n"`
	Dir     bool      `json:"d,omitempty"`
	Skipped bool      `json:"s,omitempty"`
	Stamp   *statLine `json:"t,omitempty"`
}

// stampLine is a stamp: size, mtime, ctime, device, inode, mode.
type statLine [6]int64

// keptLine says where the content of a file that was once like this is kept.
type keptLine struct {
	Path  string   `json:"path"`
	Stamp statLine `json:"stamp"`
	Hash  string   `json:"hash"`
	Size  int64    `json:"size"`
	At    int64    `json:"at"`
	Life  int      `json:"life"`
}

type beginLine struct {
	Number int   `json:"number"`
	Call   Call  `json:"call"`
	At     int64 `json:"at"` // Unix nanoseconds
}

// overLine says what somebody else than the commands made of a path.
type overLine struct {
	Path  string    `json:"path"`
	Stamp *statLine `json:"stamp,omitempty"` // nil: no file and no link
}

func lineOf(s fileStat) statLine {
	return statLine{s.size, s.mtime, s.ctime, int64(s.device), int64(s.inode), int64(s.mode)}
}

func (l statLine) stat() fileStat {
	return fileStat{l[0], l[1], l[2], uint64(l[3]), uint64(l[4]), fs.FileMode(l[5])}
}

func pointed(s *snapshot) *statLine {
	if s == nil {
		return nil
	}
	l := lineOf(s.stat)
	return &l
}

// begin says that a command begins, and what there is before it.
func (j *journal) begin(dir string, b beginLine, before *survey) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if dir == "" || j.file == nil && !j.openLocked(dir) {
		return
	}
	j.appendLocked(append(j.newsLocked(before), line{Begin: &b})...)
}

// newsLocked is what a survey says that the journal does not say yet.
func (j *journal) newsLocked(now *survey) (news []line) {
	if j.said == now {
		return nil
	}
	j.said = now
	for path := range j.dirs {
		if now.dirs[path] == nil {
			news = append(news, line{Gone: path})
			delete(j.dirs, path)
		}
	}
	for path, d := range now.dirs {
		if was := j.dirs[path]; !utf8.ValidString(path) || was.says(d) {
			continue
		}
		j.dirs[path] = d
		news = append(news, line{Dir: d.line(path)})
	}
	return news
}

// says that two views are one and the same to a journal.
func (d *dirView) says(other *dirView) bool {
	return d == other || d != nil && d.stat.mode == other.stat.mode && d.whole == other.whole && slices.Equal(d.names, other.names)
}

func (d *dirView) line(path string) *dirLine {
	out := &dirLine{Path: path, Mode: d.stat.mode, Whole: d.whole, Names: make([]nameLine, 0, len(d.names))}
	for _, n := range d.names {
		if !utf8.ValidString(n.name) {
			out.Odd = true
			continue
		}
		out.Names = append(out.Names, nameLine{n.name, n.dir, n.skipped, pointed(n.seen)})
	}
	return out
}

// keeps says where the content of a file is kept.
func (j *journal) keeps(path string, s fileStat, k kept) {
	if k.life == 0 || k.at == passedOver || !utf8.ValidString(path) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		j.appendLocked(line{Kept: &keptLine{path, lineOf(s), k.hash, k.size, k.at, k.life}})
	}
}

// over says what paths are that somebody else than the commands has changed.
func (j *journal) over(paths map[string]*snapshot) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if lines := overLines(paths); j.file != nil && len(lines) > 0 {
		j.appendLocked(lines...)
	}
}

func overLines(paths map[string]*snapshot) (lines []line) {
	for path, now := range paths {
		if utf8.ValidString(path) {
			lines = append(lines, line{Over: &overLine{path, pointed(now)}})
		}
	}
	return lines
}

// end says that a command was followed to its end, and to the others what it has done.
// Where nobody is followed any more and the journal has become long it begins anew
// with the next command.
func (j *journal) end(number int, done map[string]*snapshot, alone bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return
	}
	j.appendLocked(append([]line{{End: number}}, overLines(done)...)...)
	if j.file != nil && alone && j.size > 2*j.base+journalBytes {
		j.dropLocked()
	}
}

func (j *journal) openLocked(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	j.file, j.size, j.base, j.dirs, j.said = f, 0, 0, map[string]*dirView{}, nil
	return true
}

// renewed says that the journal is to say everything again, whatever is kept already
// included: it has just been begun.
func (j *journal) renewed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.file != nil && j.base == 0
}

// settled says that the journal is whole.
func (j *journal) settled() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.base = max(j.size, 1)
}

func (j *journal) appendLocked(lines ...line) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	for _, l := range lines {
		if to.Encode(l) != nil {
			j.dropLocked()
			return
		}
	}
	n, err := j.file.Write(b.Bytes())
	if j.size += int64(n); err != nil {
		j.dropLocked()
	}
}

// dropLocked takes the journal away: nothing that it says may be believed any more.
func (j *journal) dropLocked() {
	name := j.file.Name()
	_ = j.file.Truncate(0)
	_ = j.file.Close()
	_ = os.Remove(name)
	j.file, j.dirs, j.said = nil, nil, nil
}

// close lets go of the file, which stays.
func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}

// keptOf are all contents of a survey that are kept, for a journal that begins.
// Tracker.mu is held.
func keptOf(now *survey, each func(path string, s *snapshot)) {
	for _, dir := range slices.Sorted(maps.Keys(now.dirs)) {
		for _, n := range now.dirs[dir].names {
			if n.seen != nil && n.seen.held.life != 0 {
				each(filepath.Join(dir, n.name), n.seen)
			}
		}
	}
}
