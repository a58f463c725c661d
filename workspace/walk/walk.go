// Package walk follows a path as the kernel does: a component, then the link that it
// is, then ".." from the directory that was really reached. It says what was met on the
// way, so that rules, questions and hard limits see what will be touched and not what
// the text looks like.
package walk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	maxLinks = 40   // how many links one path may go through, as in the kernel
	maxPath  = 4096 // PATH_MAX of Linux
)

// Errors of paths that lead nowhere, on any day.
var (
	ErrCircle = errors.New("too many links, or links that lead in a circle")
	ErrLong   = errors.New("the path is too long behind its links")
	ErrName   = errors.New("the name is too long")
)

// End is where a path leads, and what was met on the way. All paths in it are absolute
// and clean.
type End struct {
	Abs string // the end, which contains no link
	// Forms are the spellings in which each link was met. Without links there are none.
	Forms []string
	// Left are the directories that links led to, where ".." leaves them again.
	Left []string
	// Written is the path cleaned as text, where ".." makes that another place than Abs.
	Written string
	// Exists says that the path names something, be it a link that leads nowhere.
	Exists bool
	// Dir says that a directory is at the end.
	Dir bool
	// Missing is what is not there, or is no directory, and has ".." behind it: the
	// kernel goes no further today. Behind it the path was taken as text.
	Missing string
	// Gap is what is not there and has a name behind it: a link that somebody puts there
	// decides where the path leads.
	Gap string
	// Unknown is why nobody can tell where the path leads, "" where that is known.
	Unknown string
	// Magic says that Unknown is because of links that are other ones for each process.
	Magic bool
}

// walker is one walk that goes on.
type walker struct {
	End
	cur     string // where it is, without links
	top     string // what is above everything: "/" or a drive
	pending []string
	isDir   bool   // cur is a directory
	gone    string // the first thing on the way to cur that is not there
	below   bool   // it went down since a link led somewhere
	links   int
	procfs  map[string]bool
}

// To follows an absolute path that need not be clean; without last not a link at its
// very end. What does not exist is kept as written, so that a path to be created and the
// target of a link that leads nowhere have a place, too.
func To(path string, last bool) (End, error) {
	volume := filepath.VolumeName(path)
	w := &walker{top: volume + string(filepath.Separator), isDir: true, pending: segments(path[len(volume):])}
	w.cur = w.top
	w.Written = textual(w.top, w.pending)
	w.Exists = len(w.pending) == 0
	for len(w.pending) > 0 {
		seg := w.pending[0]
		w.pending = w.pending[1:]
		if seg == ".." {
			w.up()
			continue
		}
		if err := w.down(seg, last || len(w.pending) > 0); err != nil {
			return End{}, err
		}
	}
	w.Abs, w.Dir = w.cur, w.isDir && w.gone == ""
	if w.Written == w.Abs || len(w.Forms) > 0 && w.Written == w.Forms[0] {
		w.Written = ""
	}
	return w.End, nil
}

// up takes "..", from where links have really led.
func (w *walker) up() {
	if w.below {
		w.Left, w.below = append(w.Left, w.cur), false
	}
	switch {
	case w.gone == "" && !w.isDir:
		w.Missing = first(w.Missing, w.cur)
	case w.gone != "":
		w.Missing = first(w.Missing, w.gone)
	}
	w.cur = w.parent(w.cur)
	if w.gone != "" && len(w.cur) < len(w.gone) {
		w.gone = ""
	}
	w.isDir = true
	if len(w.pending) == 0 {
		w.Exists = w.gone == "" && w.Missing == ""
	}
}

// down takes a name, and the link that it is.
func (w *walker) down(seg string, follow bool) error {
	next := w.at(seg)
	if w.ofProcess(seg) {
		w.magic(next)
	}
	if w.gone != "" {
		w.Gap, w.cur = first(w.Gap, w.gone), next
		return nil
	}
	info, err := os.Lstat(next)
	if err != nil {
		return w.failed(next, err)
	}
	if len(w.pending) == 0 {
		w.Exists = true
	}
	if info.Mode()&fs.ModeSymlink == 0 || !follow {
		w.cur, w.isDir, w.below = next, info.IsDir(), w.below || len(w.Forms) > 0
		return nil
	}
	return w.follow(next)
}

// failed goes on behind what cannot be looked at.
func (w *walker) failed(next string, err error) error {
	switch {
	case errors.Is(err, syscall.ENAMETOOLONG):
		return ErrName
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		if w.isProc(w.cur) {
			w.magic(next)
		}
	default:
		w.Unknown = first(w.Unknown, w.cur+" cannot be looked into")
	}
	w.gone, w.cur, w.isDir, w.below = next, next, false, w.below || len(w.Forms) > 0
	return nil
}

// follow goes where the link at next leads.
func (w *walker) follow(next string) error {
	if w.links++; w.links > maxLinks {
		return ErrCircle
	}
	target, err := os.Readlink(next)
	if err != nil {
		w.Unknown = first(w.Unknown, next+" cannot be read")
		w.gone, w.cur, w.isDir = next, next, false
		return nil
	}
	w.form(textual(next, beforeUp(w.pending)))
	w.below = false
	if w.isProc(w.cur) {
		w.magic(next)
		if !filepath.IsAbs(target) && strings.Contains(target, ":[") { // a pipe, a socket, a namespace
			w.gone, w.cur, w.isDir = next, next, false
			return nil
		}
	}
	if filepath.IsAbs(target) {
		volume := filepath.VolumeName(target)
		w.top = volume + string(filepath.Separator)
		w.cur, w.isDir, target = w.top, true, target[len(volume):]
	}
	w.pending = append(segments(target), w.pending...)
	if len(w.cur)+lengthOf(w.pending) > maxPath {
		return ErrLong
	}
	return nil
}

func (w *walker) form(path string) {
	if n := len(w.Forms); n == 0 || w.Forms[n-1] != path {
		w.Forms = append(w.Forms, path)
	}
}

func (w *walker) magic(at string) {
	w.Magic = true
	w.Unknown = first(w.Unknown, at+" is something else for each process")
}

// ofProcess says that a name is where the kernel shows a process what is its own: the
// numbers of processes are others for a command, and so are its open files.
func (w *walker) ofProcess(seg string) bool {
	switch {
	case w.cur == "/dev":
		return seg == "fd" || seg == "stdin" || seg == "stdout" || seg == "stderr"
	case seg != "self" && seg != "thread-self" && strings.Trim(seg, "0123456789") != "":
		return false
	}
	return w.isProc(w.cur)
}

// isProc says that the directory is one of the kernel's own about processes, wherever
// that is mounted.
func (w *walker) isProc(dir string) bool {
	is, known := w.procfs[dir]
	if !known {
		is = IsProc(dir)
		if w.procfs == nil {
			w.procfs = map[string]bool{}
		}
		w.procfs[dir] = is
	}
	return is
}

// IsProc says that what a directory contains is something else for each process.
func IsProc(dir string) bool {
	return dir == "/proc" || strings.HasPrefix(dir, "/proc/") || onProcfs(dir)
}

func (w *walker) at(seg string) string {
	if w.cur == w.top {
		return w.top + seg
	}
	return w.cur + string(filepath.Separator) + seg
}

func (w *walker) parent(dir string) string {
	if i := strings.LastIndexByte(dir, filepath.Separator); i >= len(w.top) {
		return dir[:i]
	}
	return w.top
}

// textual takes names below dir as a text, ".." as well.
func textual(dir string, names []string) string {
	return filepath.Clean(dir + string(filepath.Separator) + strings.Join(names, string(filepath.Separator)))
}

// beforeUp are the names in front of the first "..".
func beforeUp(names []string) []string {
	for i, n := range names {
		if n == ".." {
			return names[:i]
		}
	}
	return names
}

func segments(s string) []string {
	var out []string
	for seg := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }) {
		if seg != "." {
			out = append(out, seg)
		}
	}
	return out
}

func lengthOf(names []string) (n int) {
	for _, name := range names {
		n += len(name) + 1
	}
	return n
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Text is a path below a directory as it is written, which no link was followed of yet.
func Text(dir, path string) string {
	return strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator) + path
}

// Leads is where a path leads, whether or not something is there; "" for a circle.
func Leads(path string) string {
	end, err := To(path, true)
	if err != nil {
		return ""
	}
	return end.Abs
}

// Real is where a path that has to exist leads.
func Real(path string) (string, error) {
	end, err := To(path, true)
	switch {
	case err != nil:
		return "", err
	case end.Unknown != "":
		return "", errors.New(end.Unknown)
	case end.Missing != "":
		return "", fmt.Errorf("%s: %w", end.Missing, fs.ErrNotExist)
	}
	return end.Abs, nil
}
