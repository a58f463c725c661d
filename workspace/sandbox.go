package workspace

import (
	"encoding/json"
	"os"
)

// Sandbox is how commands are confined on this machine (workspace §4, ruling
// 78), as reported in initialize, in the audit and by doctor.
type Sandbox struct {
	Level   string   `json:"level"`   // "namespaces", "landlock" or "none"
	Network string   `json:"network"` // "off", "tcp-only" or "open": what a command has that was granted none
	Files   string   `json:"files"`   // "full" or "partial"; at level "none" nothing is protected
	Missing []string `json:"missing"` // what is not confined, for people to read
}

// DetectSandbox finds the best level that works here. So far that is always
// "none", and it says so.
func DetectSandbox() Sandbox {
	return Sandbox{
		Level: "none", Network: "open", Files: "partial",
		Missing: []string{"files", "network", "processes"},
	}
}

// confinement is what the confined process is told to do to itself before it
// becomes the command.
type confinement struct {
	Level   string   `json:"level"`
	Write   []string `json:"write"`   // absolute directories that may be changed
	Hidden  []string `json:"hidden"`  // absolute paths that may not even be read
	Network bool     `json:"network"` // granted
}

// confine is the confinement of one command. needs is "network", "unconfined"
// or "", as approved (ruling 79).
func (s Sandbox) confine(v *Vault, needs string) (json.RawMessage, error) {
	c := confinement{
		Level:   s.Level,
		Write:   append(v.Roots(), os.TempDir()),
		Hidden:  []string{},
		Network: needs != "",
	}
	if v.Home() != "" {
		c.Hidden = append(c.Hidden, v.Home())
	}
	if needs == "unconfined" {
		c.Level = "none"
	}
	return json.Marshal(c)
}
