//go:build linux && (amd64 || arm64)

package opens

import (
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// pathBytes is the longest path that the kernel takes, and mostLinks how many links
// it follows.
const (
	pathBytes = 4096
	mostLinks = 40
)

// stopped is a thread that waits in a system call.
type stopped struct {
	pid  int
	args [6]uint64
}

func (s stopped) proc(name string) string { return "/proc/" + strconv.Itoa(s.pid) + "/" + name }

// text reads a string that ends with a zero byte in the memory of the thread.
func (s stopped) text(address uint64) (string, bool) {
	f, err := os.Open(s.proc("mem"))
	if err != nil {
		return "", false
	}
	defer f.Close()
	var out []byte
	for len(out) < pathBytes {
		// Page by page: behind the end of the string there may be no memory.
		chunk := make([]byte, 256-int((address+uint64(len(out)))%256))
		n, err := f.ReadAt(chunk, int64(address)+int64(len(out)))
		if end := bytes.IndexByte(chunk[:n], 0); end >= 0 {
			return string(append(out, chunk[:end]...)), true
		}
		out = append(out, chunk[:n]...)
		if err != nil {
			return "", false
		}
	}
	return "", false
}

// word reads eight bytes.
func (s stopped) word(address uint64) uint64 {
	f, err := os.Open(s.proc("mem"))
	if err != nil {
		return 0
	}
	defer f.Close()
	var b [8]byte
	if _, err := f.ReadAt(b[:], int64(address)); err != nil {
		return 0
	}
	var out uint64
	for i := range b {
		out |= uint64(b[i]) << (8 * i)
	}
	return out
}

// event is what the system call is about to do to one of its paths.
func (s stopped) event(u use) (Event, bool) {
	raw, ok := s.text(s.args[u.path])
	if !ok {
		return Event{}, false
	}
	e := Event{PID: s.pid, Raw: raw, Program: s.program()}
	follow := u.follow
	var flags uint64
	switch {
	case u.kind == opensHow:
		flags = s.word(s.args[u.flags])
	case u.flags >= 0:
		flags = s.args[u.flags]
	}
	switch u.kind {
	case opens, opensHow:
		if flags&unix.O_PATH != 0 {
			return Event{}, false
		}
		e.Op = Read
		if flags&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC) != 0 {
			e.Op = Write
		}
		e.Creates = flags&unix.O_CREAT != 0
		follow = flags&unix.O_NOFOLLOW == 0 && flags&(unix.O_CREAT|unix.O_EXCL) != unix.O_CREAT|unix.O_EXCL
	case executes:
		e.Op = Execute
		if raw == "" && flags&unix.AT_EMPTY_PATH == 0 {
			return Event{}, false
		}
	case links:
		// A new name for a file changes nothing of it; what is done by that name is seen.
		return Event{}, false
	default:
		e.Op, e.Creates = Write, u.kind == creates || u.kind == makes
	}
	if raw == "" && u.kind != executes {
		return Event{}, false
	}
	start := s.proc("cwd")
	if u.dir >= 0 && int32(s.args[u.dir]) != unix.AT_FDCWD {
		start = s.proc("fd/" + strconv.Itoa(int(int32(s.args[u.dir]))))
	}
	at, err := os.Readlink(start)
	if err != nil && !strings.HasPrefix(raw, "/") {
		return Event{}, false
	}
	e.Path, ok = s.walk(at, raw, follow)
	if !ok {
		return Event{}, false
	}
	s.identify(&e)
	return e, u.kind != makes || !e.Exists
}

// identify adds which file the path is now.
func (s stopped) identify(e *Event) {
	if !strings.HasPrefix(e.Path, "/") {
		return
	}
	if st, err := os.Lstat(s.proc("root") + e.Path); err == nil {
		e.Exists, e.Dir = true, st.IsDir()
		if sys, ok := st.Sys().(*syscall.Stat_t); ok {
			e.Device, e.Inode = sys.Dev, sys.Ino
		}
	}
}

// program is the file that the thread runs, with the name that it runs by where that
// is another: one file is many programs.
func (s stopped) program() string {
	exe, _ := os.Readlink(s.proc("exe"))
	return exe
}

// walk is where the kernel gets to with a path, seen by the thread: a component,
// then the link that it is, then the next one; and ".." is where it then stands. It
// fails where the kernel would find a circle.
func (s stopped) walk(at, raw string, follow bool) (string, bool) {
	root := s.proc("root")
	cur := at
	if strings.HasPrefix(raw, "/") {
		cur = "/"
	}
	pending := components(raw)
	// A slash at the end makes the kernel follow the last link, too.
	follow = follow || strings.HasSuffix(raw, "/")
	for followed := 0; len(pending) > 0; {
		seg := pending[0]
		pending = pending[1:]
		if seg == ".." {
			cur = path.Dir(cur)
			continue
		}
		next := path.Join(cur, seg)
		if len(pending) == 0 && !follow {
			return next, true
		}
		target, err := s.readlink(root, cur, next, seg)
		if err != nil { // not a link, or nothing at all
			cur = next
			continue
		}
		if followed++; followed > mostLinks {
			return "", false
		}
		if magic(next) {
			if !strings.HasPrefix(target, "/") {
				return target, true // a pipe, a socket, a file without a name
			}
			cur = target
			continue
		}
		if strings.HasPrefix(target, "/") {
			cur = "/"
		}
		pending = append(components(target), pending...)
	}
	return cur, true
}

// readlink is os.Readlink in the view of the thread, to whom /proc/self is itself.
func (s stopped) readlink(root, dir, full, name string) (string, error) {
	if dir == "/proc" && (name == "self" || name == "thread-self") {
		return s.number(), nil
	}
	return os.Readlink(root + full)
}

// number is the thread as the /proc in its view calls it: where that is the /proc of
// a namespace of processes, by the number that it has there.
func (s stopped) number() string {
	status, err := os.ReadFile(s.proc("status"))
	if err != nil {
		return strconv.Itoa(s.pid)
	}
	mine, _ := os.Readlink(s.proc("exe"))
	for line := range strings.Lines(string(status)) {
		if numbers, ok := strings.CutPrefix(line, "NSpid:"); ok {
			for _, n := range strings.Fields(numbers) {
				if exe, err := os.Readlink(s.proc("root/proc/" + n + "/exe")); err == nil && exe == mine {
					return n
				}
			}
		}
	}
	return strconv.Itoa(s.pid)
}

// magic says that a link leads to an object, and its text only describes it.
func magic(link string) bool {
	rest, ok := strings.CutPrefix(link, "/proc/")
	if !ok {
		return false
	}
	parts := strings.Split(rest, "/")
	if len(parts) >= 4 && parts[1] == "task" {
		parts = parts[2:]
	}
	switch {
	case len(parts) == 2:
		return parts[1] == "cwd" || parts[1] == "root" || parts[1] == "exe"
	case len(parts) == 3:
		return parts[1] == "fd" || parts[1] == "map_files"
	}
	return false
}

func components(p string) []string {
	var out []string
	for c := range strings.SplitSeq(p, "/") {
		if c != "" && c != "." {
			out = append(out, c)
		}
	}
	return out
}
