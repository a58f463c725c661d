// Package opens runs programs and tells which files they opened, changed and
// executed: the kernel is asked, and no text is read. It is for tests, and knows
// nothing of what it is used to test.
//
// A filter (seccomp) stops every system call that names a file until the tracer has
// looked at it. The path is read in the memory of the stopped program and walked as
// the kernel is about to walk it: in the program's own view of the file system, from
// its own working directory, through links, and through those of /proc as well.
//
// The programs run where the whole file system is read-only, but for the directories
// that the tracer is given, without network, and in a process namespace that ends
// with the first of them. Nothing that they try can harm the machine.
package opens

import "errors"

// ErrNotHad says that this machine gives us no tracer: the kernel is too old, or
// forbids filters or namespaces.
var ErrNotHad = errors.New("this machine has no tracer of system calls")

// Op is what a program does to a file.
type Op string

// What is told apart.
const (
	Read    Op = "read"
	Write   Op = "write" // its text, its name or what is known of it changes
	Execute Op = "execute"
)

// Event is one file that a program was about to use when it was stopped. The system
// call may have failed afterwards.
type Event struct {
	Op      Op
	Path    string // absolute and without links; of what is no file as /proc says it, such as "pipe:[7]"
	Raw     string // as the program wrote it
	Program string // the file that the program is
	PID     int
	Exists  bool
	Creates bool // it comes to be where it does not exist
	Dir     bool
	Device  uint64
	Inode   uint64
}

// Script is a program to run.
type Script struct {
	Args []string // the first one is its path
	Dir  string
	Env  []string
	// Most is how many files it may use; every further one is refused, so that
	// nobody walks through the whole machine. 0: any number.
	Most int
}

// Result is what came of it.
type Result struct {
	Events []Event
	Output string // both streams, cut at a mebibyte
	Exit   int    // of a signal: 128 and its number
	Killed bool   // it did not end by itself
}
