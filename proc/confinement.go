package proc

// The levels of a sandbox, best first (ruling 78).
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

// Confinement is what a command may touch (workspace §4, ruling 78). All paths
// are absolute and resolved. Where one lies below another the deeper one counts.
// The zero value is level none.
type Confinement struct {
	Level string `json:"level"`
	// Bubblewrap is the program that makes the namespaces; "" makes our own.
	Bubblewrap string `json:"bubblewrap,omitempty"`
	// Write are directories and files that may be changed.
	Write []string `json:"write,omitempty"`
	// ReadOnly lie below Write and stay as they are. At level landlock they
	// cannot be kept: who starts the command looks afterwards.
	ReadOnly []string `json:"readOnly,omitempty"`
	// Hidden cannot be read: an empty directory, or an empty file.
	Hidden []string `json:"hidden,omitempty"`
	// Shown lie below Hidden and can be read all the same.
	Shown []string `json:"shown,omitempty"`
	// Temp is the directory that the command sees as /tmp at level namespaces; at
	// the others it may write there and finds it as TMPDIR.
	Temp string `json:"temp,omitempty"`
	// Network is granted.
	Network bool `json:"network,omitempty"`
}

// Restrict puts this process under Landlock. It lies in the package that may
// import the library for it (ruling 56), so main hands it over; nil: there is no
// level landlock.
type Restrict func(Confinement) error
