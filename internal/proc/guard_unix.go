//go:build unix

package proc

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killTimeout is how long the guard waits for processes that KILL does not end at
// once (in the kernel on a dead disk, or of another user).
const killTimeout = 2 * time.Second

// reapDelay is how long a process that nobody waits for any more may take to end by
// itself before it counts as left behind.
const reapDelay = 50 * time.Millisecond

// guardProcess is the process of a guard: it watches one command.
type guardProcess struct {
	order   order
	confine Confinement // of the order
	files   [handed]int
	status  *os.File
	group   int // pid, process group and session of the command

	failed  chan string             // what kept the command from starting, "" when it started
	ended   chan syscall.WaitStatus // the command itself ended; sent once
	changed chan struct{}           // some other child of ours ended
	gone    chan struct{}           // closed: no child is left
	stop    chan time.Duration      // the order to end everything, with its grace

	inner  bool                    // our child is the first process of namespaces, the command is below it
	ending *os.File                // inner: a byte ends the command
	kept   chan syscall.WaitStatus // inner: how our child ended

	adopts   bool   // orphans become our children, so gone means that nothing is left
	free     bool   // gone, and nothing that ran could reach this process
	reported bool   // the command's end
	limit    string // the bound that the command reached; set before ended is sent
	outlived int
}

func newGuardProcess(o order, files [handed]int) *guardProcess {
	return &guardProcess{
		order: o, files: files, status: os.NewFile(uintptr(files[statusAt]), "status"),
		failed:  make(chan string, 1),
		ended:   make(chan syscall.WaitStatus, 1),
		kept:    make(chan syscall.WaitStatus, 1),
		changed: make(chan struct{}, 1),
		gone:    make(chan struct{}),
		stop:    make(chan time.Duration, 1),
	}
}

// guard watches one command from its start until nothing of it is left.
func (k *guardProcess) guard() {
	defer k.status.Close()
	go k.listen()
	if err := k.start(); err != nil {
		k.report(report{Error: err.Error()})
		k.report(report{Done: true})
		return
	}
	k.report(report{PID: k.group, Runs: k.inner})
	go k.reap()
	k.watch()
	k.ending.Close()
	select {
	case <-k.gone:
		k.free = k.adopts && k.inner && k.confine.Bubblewrap == ""
	default:
	}
	k.report(report{Done: true, Outlived: k.outlived, Free: k.free})
}

// listen turns the end of the sidecar's pipe into an order to stop.
func (k *guardProcess) listen() {
	life := os.NewFile(uintptr(k.files[lifeAt]), "life")
	defer life.Close()
	said, _ := io.ReadAll(io.LimitReader(life, 16))
	ms, err := strconv.Atoi(string(said))
	if err != nil {
		k.stopIn(Grace) // the sidecar died without a word
		return
	}
	k.stopIn(time.Duration(ms) * time.Millisecond)
}

// stopIn orders the end of everything; the first order counts.
func (k *guardProcess) stopIn(grace time.Duration) {
	select {
	case k.stop <- grace:
	default:
	}
}

// start starts the confined process in a session of its own, without a terminal.
func (k *guardProcess) start() error {
	defer func() {
		for _, fd := range k.files[inAt:] {
			unix.Close(fd) // nobody but the command may hold its output open
		}
	}()
	var err error
	if k.confine, err = confinementOf(k.order.confine); err != nil {
		return err
	}
	k.inner = k.confine.Level == Namespaces
	self, err := Executable()
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	orders, ending, err := os.Pipe()
	if err != nil {
		return err
	}
	argv := slices.Concat([]string{"agent-sidecar", k.confine.word()}, k.order.confine, []string{"--"}, k.order.args)
	k.group, err = syscall.ForkExec(self, argv, &syscall.ProcAttr{
		Dir: k.order.dir,
		Env: append(k.order.env, MarkerName+"="+k.order.marker),
		Files: []uintptr{
			uintptr(k.files[inAt]), uintptr(k.files[outAt]), uintptr(k.files[errAt]), w.Fd(), orders.Fd(),
		},
		Sys: attrOf(k.confine),
	})
	w.Close()
	orders.Close()
	k.ending = ending
	if err != nil {
		r.Close()
		return fmt.Errorf("start in %s: %w", k.order.dir, err)
	}
	go k.hear(r)
	return nil
}

// hear reads what the confined process says: nothing when it became the
// command, else why not. In namespaces it stays beside the command and also says
// how that ended.
func (k *guardProcess) hear(r *os.File) {
	defer r.Close()
	if !k.inner {
		text, _ := io.ReadAll(io.LimitReader(r, 4<<10))
		if len(text) == 0 {
			k.report(report{Runs: true})
		}
		k.failed <- string(text)
		return
	}
	text, _ := bufio.NewReader(io.LimitReader(r, 4<<10)).ReadString('\n')
	if said, ok := strings.CutPrefix(text, endedWord); ok {
		if n, err := strconv.ParseUint(strings.TrimSpace(said), 10, 32); err == nil {
			k.failed <- ""
			k.ended <- syscall.WaitStatus(n)
			return
		}
	}
	status := <-k.kept
	if limit, ok := strings.CutPrefix(text, limitWord); ok {
		k.limit, text, status = strings.TrimSpace(limit), "", syscall.WaitStatus(syscall.SIGKILL)
	}
	if text == "" && k.limit == "" && !status.Signaled() {
		text = "the sandbox could not be set up"
	}
	k.failed <- text
	k.ended <- status
}

// reap takes every child that ends, so that no zombie stays, until none is left.
func (k *guardProcess) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			close(k.gone)
			return
		case pid == k.group && k.inner:
			k.kept <- status
		case pid == k.group:
			k.ended <- status
		default:
			select {
			case k.changed <- struct{}{}:
			default:
			}
		}
	}
}

// watch returns when the command is over and nothing of it is left. Between the
// end of the command and that of the processes it left behind the sidecar has
// time to read their output: it is the sidecar's Close that ends them.
func (k *guardProcess) watch() {
	select {
	case status := <-k.ended:
		k.reportExit(status)
	case grace := <-k.stop:
		k.end(grace)
		return
	}
	if k.adopts {
		select {
		case <-k.gone:
			return
		case grace := <-k.stop:
			// What has closed its output is about to end: that is not left behind.
			select {
			case <-k.gone:
				return
			case <-time.After(reapDelay):
			}
			k.outlived = len(k.remaining())
			k.end(grace)
			return
		}
	}
	left := survivors(k.group)
	if k.outlived = len(left); k.outlived > 0 {
		k.end(<-k.stop)
	}
}

// end is TERM to the group, the grace, KILL to everything below us, and the
// sweep for what carries our marker elsewhere (what at(1) started, say).
func (k *guardProcess) end(grace time.Duration) {
	k.terminate()
	if !k.over(time.After(grace)) {
		k.kill()
	}
	k.outlived += sweep(0, k.order.marker, 3)
}

func (k *guardProcess) terminate() {
	switch {
	case !k.reported && k.inner:
		k.ending.Write([]byte{1})
	case !k.reported:
		unix.Kill(-k.group, unix.SIGTERM)
	default:
		for _, pid := range k.remaining() {
			unix.Kill(pid, unix.SIGTERM)
		}
	}
}

// remaining are the survivors that are the command's, not what keeps its
// namespaces.
func (k *guardProcess) remaining() []int {
	all := survivors(k.group)
	if !k.inner {
		return all
	}
	return slices.DeleteFunc(all, func(pid int) bool {
		return pid == k.group || k.confine.Bubblewrap != "" && isChild(pid, k.group)
	})
}

// over waits until nothing is left, or until late.
func (k *guardProcess) over(late <-chan time.Time) bool {
	gone := k.gone
	for {
		select {
		case status := <-k.ended:
			k.reportExit(status)
		case <-gone:
			k.lastExit()
			if k.adopts || len(survivors(k.group)) == 0 {
				return true
			}
			gone = nil
		case <-late:
			return false
		}
	}
}

// kill ends everything below us. The kernel ends what is in namespaces with their first
// process, which our child is, or is tied to. Elsewhere what could still fork is stopped
// first, or a tree that grows faster than it is read would never end.
func (k *guardProcess) kill() {
	late := time.After(killTimeout)
	if k.inner {
		unix.Kill(k.group, unix.SIGKILL)
		if k.over(late) {
			return
		}
		late = time.After(killTimeout)
	}
	for {
		frozen := map[int]bool{}
		for fresh := true; fresh; {
			fresh = false
			for _, pid := range survivors(k.group) {
				if !frozen[pid] {
					fresh, frozen[pid] = true, true
					unix.Kill(pid, unix.SIGSTOP)
				}
			}
		}
		for pid := range frozen {
			unix.Kill(pid, unix.SIGKILL)
		}
		select {
		case <-k.changed: // orphans of the dead may have come to us: look again
		case status := <-k.ended:
			k.reportExit(status)
		case <-k.gone:
			k.lastExit()
			return
		case <-late:
			return
		}
	}
}

// lastExit reports the command's end if that is not yet done; when no child is
// left it is known, or about to be heard.
func (k *guardProcess) lastExit() {
	if !k.reported {
		k.reportExit(<-k.ended)
	}
}

func (k *guardProcess) reportExit(status syscall.WaitStatus) {
	k.reported = true
	if text := <-k.failed; text != "" {
		k.report(report{Error: text})
		return
	}
	exit := Exit{Code: status.ExitStatus(), Limit: k.limit}
	if status.Signaled() {
		exit.Code, exit.Signal = 128+int(status.Signal()), unix.SignalName(status.Signal())
	}
	k.report(report{Exit: &exit})
}

// report writes one line. A sidecar that is gone does not read it.
func (k *guardProcess) report(r report) {
	line, err := json.Marshal(r)
	if err == nil {
		k.status.Write(append(line, '\n'))
	}
}
