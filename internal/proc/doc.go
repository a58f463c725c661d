// Package proc starts programs so that nothing of them is left behind: not
// after they end, not after they are stopped, and not after this process was
// killed with SIGKILL.
//
// Every command runs as
//
//	sidecar ─ pipe ─▶ guard (__guard) ─▶ confine (__confine) = the command
//
// The guard is this binary, started again. It holds the reading end of a pipe
// whose only writing end is in the sidecar, adopts every orphan below it
// (Linux), and ends them all when the pipe ends. The confined process is this
// binary once more, in a session of its own: it restricts itself, closes what
// it inherited and then becomes the command.
//
// At level namespaces it stays beside the command, as the first process of its
// process namespace. What runs in there cannot reach the guard, so the same one
// guards the next command: see Guards. The sidecar cannot start the first
// process by itself: who makes a user namespace is copied with all of its
// memory, and a sidecar has much of it; nor could it write the numbers of the
// user, because it is concealed.
//
// Both begin in init, before the rest of the program: see there.
//
// The package does not decide what may run, does not read output, does not
// clean an environment and starts no goroutine in the sidecar.
package proc

// The hidden first arguments of the binary.
const (
	guardArg   = "__guard"
	confineArg = "__confine"
	// restrictArg is confineArg at a level that needs a Restrict.
	restrictArg = "__restrict"
)

// MarkerName is the environment variable that marks every process of a command,
// so that one which fled from its group and its parents is still found.
const MarkerName = "AGENT_SIDECAR_RUN"
