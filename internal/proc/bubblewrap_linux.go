package proc

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// bubblewrap becomes the program of that name, which makes the same namespaces
// and starts this binary in them. It returns only with an error.
func bubblewrap(c Confinement, command []string) error {
	if err := handOver(); err != nil {
		return fmt.Errorf("bubblewrap: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("bubblewrap: %w", err)
	}
	// The file may be where the command cannot see it; its descriptor does not.
	args, err := bubblewrapArgs(c, dir)
	if err != nil {
		return err
	}
	inner := innerOrder(c)
	args = append(args, "--", "/proc/self/fd/"+strconv.Itoa(selfFD), inner.word())
	return become(slices.Concat([]string{c.Bubblewrap}, args, inner.words(), []string{"--"}, command))
}

// The descriptors behind bubblewrap: those of the command, so that bubblewrap
// itself, which lives as long as anything in the namespaces, does not hold the
// command's output open, and this binary.
const (
	innerInFD = 10 + iota
	innerOutFD
	innerErrFD
	selfFD
)

// handOver puts the command's descriptors out of bubblewrap's reach and lets its
// complaints go where failures are read.
func handOver() error {
	self, err := unix.Open("/proc/self/exe", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	for _, move := range [][2]int{
		{0, innerInFD}, {1, innerOutFD}, {2, innerErrFD}, {self, selfFD},
		{null, 0}, {null, 1}, {failFD, 2}, {failFD, failFD},
	} {
		if move[0] == move[1] {
			_, err = unix.FcntlInt(uintptr(move[0]), unix.F_SETFD, 0)
		} else {
			err = unix.Dup3(move[0], move[1], 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeOver is the other end of handOver.
func takeOver() error {
	for fd := range 3 {
		if err := unix.Dup3(innerInFD+fd, fd, 0); err != nil {
			return err
		}
	}
	return unix.CloseRange(innerInFD, selfFD, 0)
}

// innerOrder is what the first process still has to do when bubblewrap has made
// the mounts.
func innerOrder(c Confinement) Confinement {
	return Confinement{Level: c.Level, Bubblewrap: c.Bubblewrap, Network: c.Network, Write: c.Write, Most: c.Most}
}

// bubblewrapArgs says c in bubblewrap's words. It starts with an empty root.
func bubblewrapArgs(c Confinement, dir string) ([]string, error) {
	args := strings.Fields(`--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try
		--die-with-parent --as-pid-1 --cap-drop ALL --dev /dev --proc /proc --remount-ro /proc`)
	if !c.Network {
		args = append(args, "--unshare-net")
	}
	links, err := rootLinks()
	if err != nil {
		return nil, fmt.Errorf("bubblewrap: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		args = append(args, "--symlink", links[name], "/"+name)
	}
	var covers []string
	places := c.places()
	for _, p := range places {
		info, err := os.Lstat(p.source())
		if err != nil {
			continue // what does not exist stays so
		}
		switch p.is {
		case hidden:
			if !info.IsDir() {
				args = append(args, "--ro-bind", c.Closed, p.path)
				continue
			}
			mode := "0000"
			if opens(places, p.path) {
				mode = "0755"
			}
			args = append(args, "--perms", mode, "--tmpfs", p.path)
			covers = append(covers, "--remount-ro", p.path)
		case writable:
			args = append(args, "--bind", p.source(), p.path)
		case readOnly, shown:
			args = append(args, "--ro-bind", p.source(), p.path)
		}
	}
	return append(append(args, covers...), "--remount-ro", "/", "--chdir", dir), nil
}
