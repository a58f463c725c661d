package notify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// queue is where the kernel puts what it notices. Who is written to says so when the
// writing ends, too: what a program writes through a mapping is not told, but the end of
// its last mapping is.
//
// What is mounted on a directory is told to nobody who watches it. The table of mounts
// says when it changed.
type queue struct {
	fd, mounts int
	notices    uint32
	buf        []byte
}

const (
	nameNotices = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO
	awayNotices = unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_UNMOUNT | unix.IN_IGNORED
	selfNotices = unix.IN_ATTRIB | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_EXCL_UNLINK
	textNotices = unix.IN_MODIFY | unix.IN_CLOSE_WRITE
)

// newQueue is an empty one. names: contents do not count.
func newQueue(names bool) (*queue, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	mounts, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	q := &queue{fd, mounts, nameNotices | selfNotices | textNotices, make([]byte, 64<<10)}
	if names {
		q.notices = nameNotices | selfNotices
	}
	return q, nil
}

// mounted says that something was mounted or unmounted since it was asked last.
func (q *queue) mounted() bool {
	fds := []unix.PollFd{{Fd: int32(q.mounts), Events: unix.POLLPRI}}
	n, err := unix.Poll(fds, 0)
	return n > 0 || err != nil
}

// add watches the directory that is open, whatever its path leads to meanwhile.
func (q *queue) add(dir *os.File) (int, error) {
	return unix.InotifyAddWatch(q.fd, "/proc/self/fd/"+strconv.Itoa(int(dir.Fd())), q.notices)
}

// remove ends a watch; one of a directory that is gone has ended already.
func (q *queue) remove(id int) { _, _ = unix.InotifyRmWatch(q.fd, uint32(id)) }

// read hands over what there is, and waits for nothing.
func (q *queue) read(take func(notice)) error {
	for {
		size, err := unix.Read(q.fd, q.buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return nil
		case err != nil:
			return err
		}
		for b := q.buf[:size]; len(b) >= unix.SizeofInotifyEvent; {
			id, mask := int(int32(binary.NativeEndian.Uint32(b))), binary.NativeEndian.Uint32(b[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
			if end > len(b) {
				return errors.New("a notice is torn")
			}
			name, _, _ := bytes.Cut(b[unix.SizeofInotifyEvent:end], []byte{0})
			take(notice{id, string(name), meaning(mask)})
			b = b[end:]
		}
	}
}

func meaning(mask uint32) noticed {
	switch {
	case mask&unix.IN_Q_OVERFLOW != 0:
		return overflow
	case mask&awayNotices != 0:
		return away
	case mask&unix.IN_ISDIR != 0 && mask&nameNotices != 0:
		return replaced
	}
	return changed
}

func (q *queue) close() error { return errors.Join(unix.Close(q.fd), unix.Close(q.mounts)) }

// watchShare is how many directories may be watched: of what one person's programs
// may have a quarter, because the editor wants them, too.
func watchShare() int {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if most, bad := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && bad == nil {
		return max(most/4, 1)
	}
	return 2048
}

// tellsAll says that a file system tells every change that anybody makes. One that
// others write to, over a network or from outside of a virtual machine, does not, and
// one that is stacked on others does not tell when the last mapping of a file ends.
func tellsAll(dir *os.File) bool {
	var st unix.Statfs_t
	if unix.Fstatfs(int(dir.Fd()), &st) != nil {
		return false
	}
	switch int64(uint32(st.Type)) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return true
	}
	return false
}
