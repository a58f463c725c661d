package proc

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes orphans below this process its own children.
func adopt() bool { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// confinedAttr gives the command a session of its own. It also dies with its
// guard: a second net below the sweep for a guard that is itself killed.
func confinedAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// closeInherited marks every descriptor above the standard three to be closed
// when this process becomes the command.
func closeInherited() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	closeListed("/proc/self/fd")
}

// stat is what /proc says of a process.
type stat struct {
	parent, session int
	dead            bool // a zombie
}

func readStat(pid int) (stat, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false // it ended meanwhile
	}
	// pid (name) state parent group session …; the name may contain anything.
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(f) < 4 {
		return stat{}, false
	}
	parent, _ := strconv.Atoi(f[1])
	session, _ := strconv.Atoi(f[3])
	return stat{parent, session, f[0] == "Z" || f[0] == "X"}, true
}

// survivors lists what is alive below this process and what is in the session
// of the command. Zombies are left out. Without /proc it is the group alone.
func survivors(group int) []int {
	pids, err := processes()
	if err != nil {
		return groupAlone(group)
	}
	all := map[int]stat{}
	children := map[int][]int{}
	next := []int{os.Getpid()}
	for _, pid := range pids {
		st, ok := readStat(pid)
		if !ok {
			continue
		}
		all[pid] = st
		children[st.parent] = append(children[st.parent], pid)
		if group != 0 && st.session == group {
			next = append(next, pid)
		}
	}
	var found []int
	seen := map[int]bool{os.Getpid(): true}
	for ; len(next) > 0; next = next[1:] {
		pid := next[0]
		if !seen[pid] {
			seen[pid] = true
			if !all[pid].dead {
				found = append(found, pid)
			}
		} else if pid != os.Getpid() {
			continue
		}
		next = append(next, children[pid]...)
	}
	return found
}

func isChild(pid, parent int) bool {
	st, ok := readStat(pid)
	return ok && st.parent == parent
}

func groupAlone(group int) []int {
	if group == 0 || unix.Kill(-group, 0) == unix.ESRCH {
		return nil
	}
	return []int{-group}
}

func processes() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// sweep kills every process that carries marker in its environment, wherever
// its parents and its session are now, and every process of session (0: none).
// It returns how many. It looks again until it finds no other, for those that
// were started meanwhile. reads is how often an unreadable one is read.
func sweep(session int, marker string, reads int) int {
	entry := []byte(MarkerName + "=" + marker)
	killed := map[int]bool{}
	for before := -1; before < len(killed); {
		before = len(killed)
		pids, err := processes()
		if err != nil {
			break
		}
		for _, pid := range pids {
			if pid == os.Getpid() || killed[pid] || !isMarked(pid, entry, reads) && !inSession(pid, session) {
				continue
			}
			if unix.Kill(pid, unix.SIGKILL) == nil {
				killed[pid] = true
			}
		}
	}
	return len(killed)
}

// isMarked reads the environment of a process. In the middle of an execve that
// is empty for a moment, so an empty one is read again, a bounded number of
// times because it may stay so. Zombies and the kernel's own threads have no
// program and are left alone.
func isMarked(pid int, entry []byte, reads int) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	for range reads {
		env, err := os.ReadFile(proc + "/environ")
		if err != nil {
			return false
		}
		if len(env) > 0 {
			return hasEntry(env, entry)
		}
		if _, err := os.Readlink(proc + "/exe"); err != nil {
			return false
		}
	}
	return false
}

func inSession(pid, session int) bool {
	st, ok := readStat(pid)
	return ok && session != 0 && st.session == session && !st.dead
}

func hasEntry(environ, entry []byte) bool {
	for e := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.Equal(e, entry) {
			return true
		}
	}
	return false
}

// attrOf is confinedAttr and, where they are to be our own, the namespaces of
// the command. The person keeps their number in them, and no other exists.
func attrOf(c Confinement) *syscall.SysProcAttr {
	attr := confinedAttr()
	if c.Level != Namespaces || c.Bubblewrap != "" {
		return attr
	}
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if !c.Network {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	// Who is not user 0 would lose these with the start of this binary.
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	return attr
}
