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

// mounts makes the file system of this process's mount namespace what c says
// (ruling 78). Nothing is moved or pivoted: the tree is made read-only as it is,
// and what may be changed or not be seen is mounted over it. Handles of what
// will be shown are taken before anything is covered.
func (c Confinement) mounts() error {
	places := c.places()
	trees := make([]int, len(places))
	for i, p := range places {
		trees[i] = -1
		source := p.path
		switch p.is {
		case hidden:
			continue
		case readOnly:
			continue // below something writable: taken when that is in place
		case private:
			source = c.Temp
		}
		tree, err := tree(source)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		trees[i] = tree
	}
	dev := make([]int, len(devices))
	for i, name := range devices {
		var err error
		if dev[i], err = tree("/dev/" + name); err != nil {
			return err
		}
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts private: %w", err)
	}
	frozen := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &frozen); err != nil {
		return fmt.Errorf("make / read-only: %w", err)
	}
	// Read-only: for user 0 the kernel's own settings are files that it owns, and
	// no capability is asked for.
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if err := mountDev(dev); err != nil {
		return err
	}
	var covers []string
	for i, p := range places {
		covered, err := show(p, trees[i])
		if err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		if covered {
			covers = append(covers, p.path)
		}
	}
	// Only now: mount points of what is shown below had to be made in them.
	for _, path := range covers {
		if err := unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
			return fmt.Errorf("close %s: %w", path, err)
		}
	}
	return nil
}

// tree is a detached copy of what is mounted at and below path.
func tree(path string) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	return fd, nil
}

// show puts one place into the tree; covered says that an empty directory now
// lies there. What does not exist stays so.
func show(p place, handle int) (covered bool, err error) {
	switch p.is {
	case hidden:
		return hide(p.path)
	case readOnly:
		handle, err = tree(p.path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	if handle < 0 {
		return false, nil
	}
	if p.is == readOnly || p.is == shown {
		frozen := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
		if err := unix.MountSetattr(handle, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &frozen); err != nil {
			return false, err
		}
	}
	if err := mountPoint(handle, p.path); err != nil {
		if p.is == private && errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EROFS) && p.is == private {
			return false, nil // there is no /var/tmp here
		}
		return false, err
	}
	return false, attach(handle, p.path)
}

// hide covers a directory with an empty one and a file with the null device.
func hide(path string) (covered bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return false, nil // the command cannot see it either
	case err != nil:
		return false, err
	case !info.IsDir():
		err := unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // a socket whose daemon ended meanwhile
		}
		return false, err
	}
	return true, unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m")
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

// mountDev makes a /dev of harmless devices, own terminals and shared memory.
func mountDev(handles []int) error {
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
	if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
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
