//go:build linux && (amd64 || arm64)

package opens

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Tracer runs scripts, one at a time.
type Tracer struct {
	socket  int
	process *exec.Cmd
	scratch string
}

// Start starts what will run the scripts. They can change nothing but what is in
// the writable directories. It fails with ErrNotHad where that cannot be had.
func Start(writable ...string) (*Tracer, error) {
	if err := available(); err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "opens")
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "launcher")
	defer theirs.Close()
	t := &Tracer{socket: pair[0], scratch: scratch}
	t.process = exec.Command("/proc/self/exe", append([]string{launcherWord, scratch}, writable...)...)
	t.process.ExtraFiles = []*os.File{theirs}
	t.process.Stderr = os.Stderr
	t.process.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	if err := t.process.Start(); err != nil {
		_ = unix.Close(t.socket)
		_ = os.Remove(scratch) // it is empty
		return nil, fmt.Errorf("%w: %w", ErrNotHad, err)
	}
	var first answer
	if _, err := hear(t.socket, &first); err != nil || !first.Ready {
		_ = t.Close()
		return nil, fmt.Errorf("%w: %s", ErrNotHad, first.Failed)
	}
	return t, nil
}

// available says whether the kernel hands system calls to others.
func available() error {
	action := uint32(unix.SECCOMP_RET_USER_NOTIF)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))); errno != 0 {
		return fmt.Errorf("%w: %w", ErrNotHad, errno)
	}
	return nil
}

// Close ends the launcher.
func (t *Tracer) Close() error {
	_ = unix.Close(t.socket) // it ends for that
	err := t.process.Wait()
	return errors.Join(err, os.Remove(t.scratch))
}

// Run runs a script to its end, or until ctx ends; then it is killed with all that it
// started.
func (t *Tracer) Run(ctx context.Context, s Script) (Result, error) {
	output, err := unix.MemfdCreate("output", unix.MFD_CLOEXEC)
	if err != nil {
		return Result{}, err
	}
	out := os.NewFile(uintptr(output), "output")
	defer out.Close()
	if err := tell(t.socket, order{s}, output); err != nil {
		return Result{}, fmt.Errorf("launcher: %w", err)
	}
	var first answer
	listener, err := hear(t.socket, &first)
	if err != nil {
		return Result{}, fmt.Errorf("launcher: %w", err)
	}
	if listener < 0 {
		return Result{}, fmt.Errorf("launcher: %s", first.Failed)
	}
	w, err := newWatcher(listener, s.Most)
	if err != nil {
		return Result{}, err
	}
	result, err := t.await(ctx)
	result.Events = w.stop()
	if err != nil {
		return result, err
	}
	text := make([]byte, 1<<20)
	n, err := out.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return result, err
	}
	result.Output = string(text[:n])
	return result, nil
}

// await waits for the end of the script that runs.
func (t *Tracer) await(ctx context.Context) (r Result, err error) {
	process, let := -1, func() bool { return true }
	defer func() {
		if process >= 0 {
			_ = unix.Close(process)
		}
	}()
	for {
		var a answer
		fd, err := hear(t.socket, &a)
		if err != nil {
			let()
			return r, fmt.Errorf("launcher: %w", err)
		}
		switch {
		case a.Ended:
			r.Killed = !let()
			if r.Exit = a.Exit; a.Failed != "" {
				return r, errors.New(a.Failed)
			}
			return r, nil
		case a.Started && process < 0:
			process = fd
			killed := make(chan struct{})
			stop := context.AfterFunc(ctx, func() {
				defer close(killed)
				_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
			})
			let = func() bool {
				stopped := stop()
				if !stopped {
					<-killed // it uses the descriptor
				}
				return stopped
			}
		}
	}
}

// watcher looks at each system call that the filter stopped, and lets it go on.
type watcher struct {
	listener int
	wake     [2]int
	ended    chan struct{}
	events   []Event
	most     int
}

// What the kernel and the watcher say to each other (struct seccomp_notif and
// seccomp_notif_resp).
type (
	notice struct {
		id    uint64
		pid   uint32
		flags uint32
		nr    int32
		arch  uint32
		ip    uint64
		args  [6]uint64
	}
	response struct {
		id    uint64
		val   int64
		error int32
		flags uint32
	}
)

// stillValid is SECCOMP_IOCTL_NOTIF_ID_VALID.
const stillValid = 0x40082102

func newWatcher(listener, most int) (*watcher, error) {
	w := &watcher{listener: listener, most: most, ended: make(chan struct{})}
	if err := unix.Pipe2(w.wake[:], unix.O_CLOEXEC); err != nil {
		_ = unix.Close(listener)
		return nil, err
	}
	go w.work()
	return w, nil
}

// stop ends the watch and returns what was seen. Everything that was watched has ended.
func (w *watcher) stop() []Event {
	_ = unix.Close(w.wake[1])
	<-w.ended
	_ = unix.Close(w.wake[0])
	_ = unix.Close(w.listener)
	return w.events
}

func (w *watcher) work() {
	defer close(w.ended)
	for {
		ready := []unix.PollFd{{Fd: int32(w.listener), Events: unix.POLLIN}, {Fd: int32(w.wake[0])}}
		if _, err := unix.Poll(ready, -1); err != nil && err != unix.EINTR {
			return
		}
		switch {
		case ready[0].Revents&unix.POLLIN != 0:
			w.one()
		case ready[0].Revents != 0 || ready[1].Revents != 0:
			return
		}
	}
}

// one looks at one system call.
func (w *watcher) one() {
	var n notice
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n))); errno != 0 {
		return // it was killed meanwhile
	}
	s := stopped{int(n.pid), n.args}
	var seen []Event
	for _, u := range calls[uint32(n.nr)] {
		if e, ok := s.event(u); ok {
			seen = append(seen, e)
		}
	}
	// What was read while it was killed may be another process's.
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), stillValid, uintptr(unsafe.Pointer(&n.id))); errno == 0 {
		w.events = append(w.events, seen...)
	}
	r := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if w.most > 0 && len(w.events) > w.most {
		r = response{id: n.id, error: -int32(unix.EMFILE)}
	}
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&r)))
}
