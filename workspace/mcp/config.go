package mcp

import (
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/outbound"
	"github.com/agent-sidecar/agent-sidecar/workspace/mcp/signin"
)

// Server is a server as the configuration names it: a program or an address.
type Server struct {
	Name    string // letters, digits, "-" and "_"
	Command []string
	URL     string
	Env     map[string]string // added to the scrubbed environment
	Headers map[string]string
	Timeout time.Duration // of a call; 0: 120 s
	// OAuth is for a server that people sign in to. Where Headers say who is calling, it is not asked.
	OAuth OAuth
	// Network is how connections to an address leave this machine; a program has its own ways.
	Network outbound.Settings

	as string // its name in those of its tools; configure sets it
}

// OAuth is how this program signs in to a server; the zero value is as the server says.
type OAuth struct {
	ClientID        string
	ClientSecretEnv string // names the variable
	Scopes          []string
}

// Root is a folder that is open in the editor.
type Root struct {
	URI, Name string // URI is of a file
}

// Options says what servers are given.
type Options struct {
	Version string // of this program, told to the servers
	Home    string // the sidecar's: what is known of tools; "" remembers nothing
	// Dir is where programs start, absolute. It is not the workspace: what a
	// project brought along must not run under the name of a server.
	Dir     string
	KeepEnv func() []string // names added to the scrubbed environment; nil: none
	// SecretEnv tells which variables are left out of it although their names are good; nil: none.
	SecretEnv func() func(name, value string) bool
	// Roots are the folders that are open now; nil: none. Programs are told of them.
	Roots func() []Root
	// SignIns keeps the tokens of servers; nil: nobody can sign in.
	SignIns *signin.Keeper
	// Browses says whether an address can be opened for the person; nil: never.
	Browses func() bool
	// Changed is called, from any goroutine, when Problems may answer differently.
	Changed func()
}

// Problem is what is wrong with a server now.
type Problem struct {
	Server  string
	Down    bool // it does not run, and its tools are not there
	Message string
	// SignIn says that a person has to sign in to it.
	SignIn bool
}
