package mcp

import "time"

// Server is a server as the configuration names it: a program or an address
// (ruling 117).
type Server struct {
	Name    string // letters, digits and "-"
	Command []string
	URL     string
	Env     map[string]string // added to the scrubbed environment
	Headers map[string]string
	Timeout time.Duration // of a call; 0: 120 s
}

// Options says what servers are given.
type Options struct {
	Version string // of this program, told to the servers
	Home    string // the sidecar's: what is known of tools; "" remembers nothing
	// Dir is where programs start, absolute. It is not the workspace: what a
	// project brought along must not run under the name of a server.
	Dir     string
	KeepEnv func() []string // names kept in the scrubbed environment; nil: none
	// SecretEnv are names left out of it although they do not sound like secrets; nil: none.
	SecretEnv func() []string
	// Changed is called, from any goroutine, when Problems may answer differently.
	Changed func()
}

// Problem is what is wrong with a server now.
type Problem struct {
	Server  string
	Down    bool // it does not run, and its tools are not there
	Message string
}
