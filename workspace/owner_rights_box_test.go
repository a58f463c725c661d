//go:build linux

package workspace

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// ownerCalls are the system calls by which a file can get the setuid bit; those that are
// only on amd64 by their numbers there.
var ownerCalls = map[string]func(path *byte) (fd uintptr, err error){
	"chmod":     onAMD64(func(p *byte) (uintptr, error) { return rawCall(90, addr(p), ownerMode) }),
	"open":      onAMD64(func(p *byte) (uintptr, error) { return rawCall(2, addr(p), unix.O_CREAT|unix.O_WRONLY, ownerMode) }),
	"creat":     onAMD64(func(p *byte) (uintptr, error) { return rawCall(85, addr(p), ownerMode) }),
	"mknod":     onAMD64(func(p *byte) (uintptr, error) { return rawCall(133, addr(p), unix.S_IFREG|ownerMode) }),
	"x32 chmod": onAMD64(func(p *byte) (uintptr, error) { return rawCall(1<<30|90, addr(p), ownerMode) }),
	"fchmod": func(p *byte) (uintptr, error) {
		fd, err := rawCall(unix.SYS_OPENAT, here, addr(p), unix.O_RDONLY)
		if err != nil {
			return 0, err
		}
		return rawCall(unix.SYS_FCHMOD, fd, ownerMode)
	},
	"fchmodat":  func(p *byte) (uintptr, error) { return rawCall(unix.SYS_FCHMODAT, here, addr(p), ownerMode) },
	"fchmodat2": func(p *byte) (uintptr, error) { return rawCall(unix.SYS_FCHMODAT2, here, addr(p), ownerMode) },
	"openat": func(p *byte) (uintptr, error) {
		return rawCall(unix.SYS_OPENAT, here, addr(p), unix.O_CREAT|unix.O_WRONLY, ownerMode)
	},
	"openat2": func(p *byte) (uintptr, error) {
		how := unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: ownerMode}
		return rawCall(unix.SYS_OPENAT2, here, addr(p), uintptr(unsafe.Pointer(&how)), unix.SizeofOpenHow)
	},
	"mknodat": func(p *byte) (uintptr, error) {
		return rawCall(unix.SYS_MKNODAT, here, addr(p), unix.S_IFREG|ownerMode)
	},
	"openat without a name": func(p *byte) (uintptr, error) {
		dir := []byte(".\x00")
		fd, err := rawCall(unix.SYS_OPENAT, here, addr(&dir[0]), unix.O_TMPFILE|unix.O_RDWR, ownerMode)
		if err != nil {
			return 0, err
		}
		from := []byte(fmt.Sprintf("/proc/self/fd/%d\x00", fd))
		return rawCall(unix.SYS_LINKAT, here, addr(&from[0]), here, addr(p), unix.AT_SYMLINK_FOLLOW)
	},
}

const (
	ownerMode = unix.S_ISUID | 0o755
	here      = ^uintptr(99) // AT_FDCWD
)

func addr(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }

func onAMD64(call func(*byte) (uintptr, error)) func(*byte) (uintptr, error) {
	if runtime.GOARCH == "amd64" {
		return call
	}
	return func(*byte) (uintptr, error) { return 0, unix.ENOSYS }
}

func rawCall(number uintptr, args ...uintptr) (uintptr, error) {
	args = append(args, 0, 0, 0, 0, 0, 0)
	r, _, errno := unix.Syscall6(number, args[0], args[1], args[2], args[3], args[4], args[5])
	if errno != 0 {
		return 0, errno
	}
	return r, nil
}

// attemptOwner gives the file at a path the setuid bit by one call. Those that set the
// mode of a file find one.
func attemptOwner(call, path string) error {
	if strings.Contains(call, "chmod") {
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			return err
		}
	}
	unix.Umask(0)
	name := append([]byte(path), 0)
	_, err := ownerCalls[call](&name[0])
	runtime.KeepAlive(name)
	return err
}

// Bypass: a command leaves a program that runs with the rights of its owner, for another
// user of the machine, where nothing is looked at afterwards: in a directory that git
// ignores. No call may make one.
func TestBypassProgramWithOwnersRights(t *testing.T) {
	levels := levelsHere(t)
	levels["none"] = sandbox.Level{Name: proc.None} // there the calls work, or this would show nothing
	for name, l := range levels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, l, sandbox.Settings{})
			copyProbe(t, w.vault+"/probe")
			put(t, w.vault+"/.gitignore", "ignored/\n")
			put(t, w.vault+"/ignored/.keep", "")
			if err := os.WriteFile(w.vault+"/probe32", chmodByOldCall("probe32"), 0o755); err != nil {
				t.Fatal(err)
			}
			script := "cd ignored && touch probe32 && ../probe32\n"
			for call := range ownerCalls {
				script += "../probe escape owner '" + call + "' '" + call + "'\n"
			}
			text, _ := w.run(t, script)
			for call := range ownerCalls {
				info, err := os.Stat(filepath.Join(w.vault, "ignored", call))
				is := err == nil && info.Mode()&fs.ModeSetuid != 0
				possible := call != "x32 chmod" && (runtime.GOARCH == "amd64" || !strings.Contains("chmod open creat mknod", call))
				if !strings.Contains(text, "tried [owner "+call+" ") || is && l.Name != proc.None || !is && l.Name == proc.None && possible {
					t.Errorf("%s: %v: %s", call, err, text)
				}
			}
			info, err := os.Stat(w.vault + "/ignored/probe32")
			if is := err == nil && info.Mode()&fs.ModeSetuid != 0; err != nil || is && l.Name != proc.None {
				t.Errorf("a call of 32-bit programs: %v %s", err, text)
			} else if !is && l.Name == proc.None {
				t.Log("not run: this system has no calls of 32-bit programs")
			}
		})
	}
}

// chmodByOldCall is a program that gives the file of a name the setuid bit by the system
// call of 32-bit programs.
func chmodByOldCall(name string) []byte {
	const at, head = 0x400000, 64 + 56
	code := []byte{
		0xb8, 15, 0, 0, 0, // eax = chmod
		0xbb, 0, 0, 0, 0, // ebx = name
		0xb9, 0, 0, 0, 0, // ecx = mode
		0xcd, 0x80,
		0xb8, 1, 0, 0, 0, // eax = exit
		0x31, 0xdb, // ebx = 0
		0xcd, 0x80,
	}
	le := binary.LittleEndian
	le.PutUint32(code[6:], uint32(at+head+len(code)))
	le.PutUint32(code[11:], ownerMode)
	b := []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	b = le.AppendUint16(b, 2)  // a program
	b = le.AppendUint16(b, 62) // for amd64
	b = le.AppendUint32(b, 1)
	b = le.AppendUint64(b, at+head) // where it begins
	b = le.AppendUint64(b, 64)      // where its one segment is told
	b = le.AppendUint64(b, 0)
	b = le.AppendUint32(b, 0)
	for _, n := range []uint16{64, 56, 1, 64, 0, 0} {
		b = le.AppendUint16(b, n)
	}
	b = le.AppendUint32(b, 1) // load all of it
	b = le.AppendUint32(b, 5) // to read and run
	size := uint64(head + len(code) + len(name) + 1)
	for _, n := range []uint64{0, at, at, size, size, 0x1000} {
		b = le.AppendUint64(b, n)
	}
	return append(append(append(b, code...), name...), 0)
}
