package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// devices are all that a command sees in /dev, beside its own terminals and
// shared memory.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// mounts makes the file system of this process's mount namespace what c says: an empty
// root in which only the places of c are. Handles of what will be shown are taken
// before the old root goes.
func (c Confinement) mounts() error {
	places := c.places()
	trees, err := handles(places)
	if err != nil {
		return err
	}
	closed, err := tree(c.Closed)
	if err != nil {
		return err
	}
	dev := make([]int, len(devices))
	for i, name := range devices {
		if dev[i], err = tree("/dev/" + name); err != nil {
			return err
		}
	}
	if err := emptyRoot(c.Temp); err != nil {
		return err
	}
	if err := mountDev(dev, c.Most.Memory); err != nil {
		return err
	}
	if err := show(place{path: closedFile, is: shown}, closed); err != nil {
		return err
	}
	known := map[string]Known{}
	for _, k := range c.Known {
		known[k.Path] = k
	}
	var covers []string
	for i, p := range places {
		switch {
		case p.is == hidden:
			covered, err := hide(p.path, opens(places, p.path), known)
			if err != nil {
				return fmt.Errorf("hide %s: %w", p.path, err)
			}
			if covered {
				covers = append(covers, p.path)
			}
		default:
			if err := show(p, trees[i]); err != nil {
				return fmt.Errorf("%s: %w", p.path, err)
			}
		}
	}
	if err := unix.Unmount(closedFile, unix.MNT_DETACH); err != nil {
		return err
	}
	if err := os.Remove(closedFile); err != nil {
		return err
	}
	// Only now: mount points of what is shown below had to be made in them.
	for _, path := range append(covers, "/") {
		if err := unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
			return fmt.Errorf("close %s: %w", path, err)
		}
	}
	return nil
}

// handles are what is to be seen at the places, -1 where that does not exist.
func handles(places []place) ([]int, error) {
	trees := make([]int, len(places))
	for i, p := range places {
		trees[i] = -1
		if p.is == hidden {
			continue
		}
		handle, err := tree(p.source())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		trees[i] = handle
	}
	return trees, nil
}

// What is in the new root for a moment: the old root, and the file that covers others.
const (
	oldRoot    = "/.old"
	closedFile = "/.closed"
)

// emptyRoot makes / an empty directory with the links of the old one (/bin, /lib) and a
// /proc of this namespace. at is any directory; nothing of it changes.
func emptyRoot(at string) error {
	links, err := rootLinks()
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts private: %w", err)
	}
	if err := unix.Mount("tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=4m"); err != nil {
		return fmt.Errorf("make an empty root: %w", err)
	}
	if err := os.Mkdir(at+oldRoot, 0o700); err != nil {
		return err
	}
	if err := unix.PivotRoot(at, at+oldRoot); err != nil {
		return fmt.Errorf("enter an empty root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := os.Mkdir("/proc", 0o555); err != nil {
		return err
	}
	// Read-only: for user 0 the kernel's own settings are files that it owns, and
	// no capability is asked for. Before the old root goes: the kernel wants to see
	// another /proc that hides nothing.
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if err := unix.Unmount(oldRoot, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the old root: %w", err)
	}
	if err := os.Remove(oldRoot); err != nil {
		return err
	}
	for name, to := range links {
		if err := os.Symlink(to, "/"+name); err != nil {
			return err
		}
	}
	return nil
}

// rootLinks are the links at the top of the file system and where they lead.
func rootLinks() (map[string]string, error) {
	entries, err := os.ReadDir("/")
	if err != nil {
		return nil, err
	}
	links := map[string]string{}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			if to, err := os.Readlink("/" + e.Name()); err == nil {
				links[e.Name()] = to
			}
		}
	}
	return links, nil
}

// tree is a detached copy of what is mounted at and below path.
func tree(path string) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	return fd, nil
}

// show puts one place into the tree. What does not exist stays so.
func show(p place, handle int) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if p.is != writable {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if handle < 0 {
		return nil
	}
	if err := unix.MountSetattr(handle, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return err
	}
	if err := mountPoint(handle, p.path); err != nil {
		return err
	}
	return attach(handle, p.path)
}

// hide covers a file with one that nobody may open, and a directory with an empty one
// that nobody may list; covered says that such a directory is there now, still to be
// made read-only. opened: something in it will be shown, so it can be walked through. What
// is covered is the very file that was looked at, whatever others do to its name meanwhile.
func hide(path string, opened bool, known map[string]Known) (covered bool, err error) {
	is, certain := known[path]
	at, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if !certain && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
		return false, nil // the command cannot see it either
	} else if err != nil {
		return false, err
	}
	defer unix.Close(at)
	var st unix.Stat_t
	if err := unix.Fstat(at, &st); err != nil {
		return false, err
	}
	if certain && (int64(st.Dev) != is.Device || int64(st.Ino) != is.Inode) {
		return false, errors.New("another file came in its place")
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		mode := "mode=0000,size=1m"
		if opened {
			mode = "mode=0755,size=1m"
		}
		return true, unix.Mount("tmpfs", fmt.Sprintf("/proc/self/fd/%d", at), "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, mode)
	}
	handle, err := tree(closedFile)
	if err != nil {
		return false, err
	}
	err = unix.MoveMount(handle, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
	return false, errors.Join(err, unix.Close(handle))
}

// mountPoint makes what handle can be mounted on, where a cover took it away.
func mountPoint(handle int, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(handle, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o444)
	if err != nil {
		return err
	}
	return f.Close()
}

// attach mounts a detached tree and closes its handle.
func attach(handle int, path string) error {
	err := unix.MoveMount(handle, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH)
	return errors.Join(err, unix.Close(handle))
}

// mountDev makes a /dev of harmless devices, own terminals and shared memory, of so many
// bytes at most; 0 is what the kernel gives.
func mountDev(handles []int, memory int64) error {
	if err := os.Mkdir("/dev", 0o755); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=0755"); err != nil {
		return fmt.Errorf("mount /dev: %w", err)
	}
	for i, name := range devices {
		if err := mountPoint(handles[i], "/dev/"+name); err != nil {
			return fmt.Errorf("make /dev/%s: %w", name, err)
		}
		if err := attach(handles[i], "/dev/"+name); err != nil {
			return fmt.Errorf("mount /dev/%s: %w", name, err)
		}
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx",
	} {
		if err := os.Symlink(to, "/dev/"+name); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Mkdir("/dev/pts", 0o755), os.Mkdir("/dev/shm", 0o777)); err != nil {
		return err
	}
	if err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"); err != nil {
		return fmt.Errorf("mount /dev/pts: %w", err)
	}
	size := "mode=1777"
	if memory > 0 {
		size += fmt.Sprintf(",size=%d", memory)
	}
	if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, size); err != nil {
		return fmt.Errorf("mount /dev/shm: %w", err)
	}
	return nil
}

// loopback brings up the one interface of a network namespace, so that tests
// that talk to themselves work.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	return nil
}
