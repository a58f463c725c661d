package copies

import (
	"context"
	"errors"
)

// State is how the log of a session and its copy are.
type State string

// The states. A session is synced only where the server has confirmed the same lines.
const (
	LocalOnly State = "local_only"
	Syncing   State = "syncing"
	Synced    State = "synced"
	Conflict  State = "conflict"
)

// Sessions are those of the workspace on this machine.
type Sessions interface {
	// IDs are those that outlive the process.
	IDs() ([]string, error)
	// Dir is the folder of a session.
	Dir(id string) string
	// Alone does something while no session of that id is open in this process, and none is
	// opened. ErrOpen: one is.
	Alone(id string, do func() error) error
	// Lock keeps other processes from a session that is claimed by Alone; ErrOpen where one
	// has it.
	Lock(id string) (unlock func(), err error)
	// Part makes a session of its own of the log of one that is claimed by Alone, with all
	// its lines; common is the last one that the copy has, too.
	Part(id string, common int64) (fork string, err error)
	// Bring makes a session whose folder fill fills. ErrOpen where there is one of that id.
	Bring(id string, fill func(dir string) error) error
	// Remove takes a session away that is claimed by Alone.
	Remove(id string) error
	// LetGo closes a session that is open in this process, as soon as nothing runs in it.
	LetGo(ctx context.Context, id string) error
}

// ErrOpen says that a session is open where it must not be.
var ErrOpen = errors.New("the session is open")

// Log is the log of a session that is open here and grows.
type Log interface {
	Seq() int64
	// Await returns when there is a line behind seq; it says no when ctx ends or none comes.
	Await(ctx context.Context, seq int64) bool
}
