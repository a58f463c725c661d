//go:build unix

package proc

import (
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// guardMain is the guard process. Its exit code means nothing: the sidecar
// reads reports, and waits for the process only to leave no zombie. So it ends
// at once; an ordinary exit sleeps for a second under the race detector.
func guardMain() int {
	guardAll()
	syscall.Exit(0)
	return 0
}

// guardAll guards one command after the other, for as long as nothing is left of the last
// one and the sidecar lives.
func guardAll() {
	// A command is to die with this thread, so the thread must not end early.
	runtime.LockOSThread()
	unix.CloseOnExec(socketFD)
	socket := os.NewFile(socketFD, "socket")
	var at atomic.Pointer[guardProcess]
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		for range signals {
			k := at.Load()
			if k == nil {
				syscall.Exit(0)
			}
			k.stopIn(Grace)
		}
	}()
	adopts := adopt()
	for {
		o, files, err := receive(socket)
		if err != nil {
			return
		}
		k := newGuardProcess(o, files)
		k.adopts = adopts
		at.Store(k)
		k.guard()
		if !k.free {
			return
		}
		at.Store(nil)
	}
}
