package sandbox

import (
	"path/filepath"
	"reflect"
	"runtime"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
)

// Report is how commands are confined on this machine, as reported in
// initialize, by agent/status and by doctor.
type Report struct {
	Level   string   `json:"level"`   // "namespaces", "landlock", "seatbelt" (macOS) or "none"
	Network string   `json:"network"` // "off", "tcp-only" (only TCP is refused) or "open": what a command has that was granted none
	Files   string   `json:"files"`   // "full" or "partial"; at level "none" nothing is protected
	Missing []string `json:"missing"` // what is not confined, for people to read
}

// Whole says that all walls are there that commands are kept by without a question. A
// socket of a daemon that was moved, or that appears in a folder while a command runs, is
// the one gap that is none of them.
func (r Report) Whole() bool {
	return r.Level == proc.Namespaces && r.Network == "off" && r.Files == "full" && !slices.ContainsFunc(r.Missing, func(gap string) bool { return gap != lateSockets })
}

// Keeps says that commands need no question under these settings: every wall is there, and
// neither Readable nor Writable opens more than a workspace.
func (r Report) Keeps(s Settings, userHome string) bool { return r.Whole() && !s.Wide(userHome) }

// KeepsRepositories says that a command cannot change a repository unless it needs to.
func (r Report) KeepsRepositories() bool { return r.Level == proc.Namespaces }

const lateSockets = "unix sockets that appear while a command runs, or are not where they were bound"

// Level is a way to confine that was seen to work.
type Level struct {
	Name       string `json:"level"`
	Bubblewrap string `json:"bubblewrap,omitempty"`
}

// Closes says that single files can be closed to a command at this level.
func (l Level) Closes() bool { return l.Name == proc.Namespaces || l.Name == proc.Seatbelt }

// report says what a level means here.
func (l Level) report(s Settings) Report {
	if s.Mode == "off" {
		l = Level{Name: proc.None}
	}
	return describe(l, s.Network, LandlockABI(), proc.HasFilter(), runtime.GOOS)
}

// describe is the table of what each level does and does not do.
func describe(l Level, network bool, abi int, filter bool, system string) Report {
	s := Report{Level: l.Name, Network: "off", Files: "full", Missing: []string{}}
	miss := func(absent bool, what string) {
		if absent {
			s.Missing = append(s.Missing, what)
		}
	}
	switch l.Name {
	case proc.Namespaces:
		miss(network && abi < 6, "abstract unix sockets, with the network")
		miss(true, lateSockets)
		miss(!filter, "system calls")
	case proc.Landlock:
		s.Files = "partial"
		if !filter {
			s.Network = "tcp-only"
		}
		if !filter && abi < 4 {
			s.Network = "open"
		}
		miss(true, "protected files (restored afterwards)")
		miss(true, "repositories: their history can be changed")
		miss(true, "sensitive files of the workspace")
		miss(true, "mode, owner and times of files outside the workspace, and of those that a job only reads")
		miss(true, "the list of processes")
		miss(true, "System V shared memory")
		miss(true, "bounds of processes, memory and disk")
		miss(abi < 3, "truncation of files outside the workspace")
		miss(abi < 6, "signals to other processes of the user")
		miss(!filter, "unix sockets")
		miss(!filter, "system calls")
	case proc.Seatbelt:
		s.Files = "partial"
		miss(true, "not tested on this system")
		miss(true, "files made by name in protected places (undone afterwards)")
		miss(true, "repositories: their history can be changed")
		miss(true, "bounds of processes, memory and disk")
	default:
		s.Level, s.Network, s.Files = proc.None, "open", "partial"
		s.Missing = []string{"files", "network", "processes"}
		if system == "windows" {
			s.Missing = []string{"commands do not run"}
		}
	}
	if network {
		s.Network = "open"
	}
	return s
}

// Settings are the configuration keys `agents.runtime.sandbox.*`.
type Settings struct {
	// Mode is "auto" (the best level there is, and none where there is none),
	// "required" (then commands do not run) or "off". "" is "auto".
	Mode string
	// Network grants it to every command.
	Network bool
	// Readable and Writable are further directories; `~` is expanded.
	Readable, Writable []string
	// MaxProcesses, MaxMemory and MaxDisk bound a command; 0 is what Most says.
	MaxProcesses       int
	MaxMemory, MaxDisk int64 // bytes
}

// Equal says that two settings are the same.
func (s Settings) Equal(other Settings) bool { return reflect.DeepEqual(s, other) }

// Wide says that a directory of Readable or Writable is "/", the home of the person, or
// around it. Then commands have more in reach than a workspace.
func (s Settings) Wide(userHome string) bool {
	home := Existing(userHome)
	a := Surroundings{UserHome: userHome}
	return slices.ContainsFunc(slices.Concat(s.Readable, s.Writable), func(dir string) bool {
		dir = a.Expand(dir)
		if filepath.Clean(dir) == "/" {
			return true
		}
		for _, real := range Existing(dir) {
			if len(home) > 0 && pathname.Inside(real, home[0]) {
				return true
			}
		}
		return false
	})
}
