package proc

// The levels of a sandbox, best first.
const (
	// Namespaces: mounts, processes, IPC and network of its own (Linux).
	Namespaces = "namespaces"
	// Landlock: the kernel refuses what was not granted; nothing is hidden behind
	// a mount, and processes and /proc are shared (Linux).
	Landlock = "landlock"
	// Seatbelt is sandbox-exec with a profile (macOS).
	Seatbelt = "seatbelt"
	// None: the command has the rights of the person.
	None = "none"
)

// Confinement is what a command may touch. All paths are absolute and resolved.
// Where one is below another the deeper one counts. The zero value is level
// none.
//
// At level namespaces the file system of a command is built from nothing: what is below
// none of the paths named here is not there. At the other levels it is refused.
type Confinement struct {
	Level string
	// Bubblewrap is the program that makes the namespaces; "" makes our own.
	Bubblewrap string
	// Read are directories and files that can be read.
	Read []string
	// Write are directories and files that may be changed.
	Write []string
	// ReadOnly are below Write and stay as they are. At level landlock they
	// cannot be kept: the caller that starts the command looks afterwards.
	ReadOnly []string
	// Hidden cannot be read though they are below Read or Write: to open one is
	// refused, and a directory has no names.
	Hidden []string
	// Known are paths of Hidden at which a certain file must be: where another one is
	// there, or none, nothing starts, because that file is then somewhere else and can be
	// read. Only at level namespaces without Bubblewrap.
	Known []Known
	// Closed is a file without any permission. It covers the files of Hidden, so that a
	// program is refused instead of reading an empty one.
	Closed string
	// Shown can be read though they are below Hidden.
	Shown []string
	// Temp is the directory that the command sees as /tmp at level namespaces; at
	// the others it may write there and finds it as TMPDIR.
	Temp string
	// Own are the command's own directories and files, seen at other paths. Only at
	// level namespaces.
	Own []Own
	// Network is granted.
	Network bool
	// Most is what the command may use. Only at level namespaces.
	Most Most
}

// Most is what a command and everything that it starts may use together; 0 is no bound.
// One that reaches a bound is ended.
type Most struct {
	Processes int
	Memory    int64 // bytes that are resident
	Disk      int64 // bytes by which the free space of what it may write to may shrink
}

// The bounds, as Exit.Limit names them.
const (
	LimitProcesses = "processes"
	LimitMemory    = "memory"
	LimitDisk      = "disk"
)

// Known says which file is at an absolute path.
type Known struct {
	Path          string
	Device, Inode int64
}

// Own is a directory or file that a command sees elsewhere.
type Own struct {
	From  string
	At    string
	Write bool
}

// Restrict puts this process under Landlock. It is in the package that may
// import the library for it, so main hands it over; nil: there is no level
// landlock.
type Restrict func(Confinement) error
