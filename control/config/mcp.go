package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	jsonexp "github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
)

// maxServerName is the longest name of an MCP server, in characters.
const maxServerName = 32

// maxCallMs is the longest time-out a person may give a call of an MCP server
// or an external tool, in milliseconds: as for bash.
const maxCallMs = 600_000

// MCPServer is one entry of `mcp`: a program to start, or an address to talk
// to.
type MCPServer struct {
	Name    string            `json:"-"`
	Command []string          `json:"command"`
	URL     string            `json:"url"`
	Env     map[string]string `json:"env"`
	Headers map[string]string `json:"headers"`
	// OAuth is how this program signs in to a url; nil is as the server says.
	OAuth *MCPOAuth `json:"oauth"`
	// TimeoutMs is how long one call may take; 0 means 120000.
	TimeoutMs int `json:"timeoutMs"`

	// Line and Column are where its name is in the file of Source.
	Source       string `json:"-"` // "config" or "inline"
	Line, Column int    `json:"-"`
}

// MCPOAuth is how this program signs in to a server: as the client that it is registered as
// there, if it is, and with which scopes.
type MCPOAuth struct {
	ClientID        string   `json:"clientId"`
	ClientSecretEnv string   `json:"clientSecretEnv"` // names the variable that holds the secret
	Scopes          []string `json:"scopes"`
}

// takeServers decodes the servers one by one: what is wrong with one of them is
// a diagnostic, and the others hold.
func (d *document) takeServers(v *hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return
	}
	for i := range object.Members {
		m := &object.Members[i]
		server := MCPServer{Name: m.Name.Value.(hujson.Literal).String(), Source: d.source}
		server.Line, server.Column, _ = d.place(m.Name.StartOffset)
		inner, isObject := m.Value.Value.(*hujson.Object)
		if !isObject {
			d.say("error", m.Value.StartOffset, "mcp server %s must be an object; it is not started", control.Title(server.Name, 60))
			continue
		}
		d.unknownMembers(inner, serverMembers, "mcp server "+control.Title(server.Name, 60))
		for j := range inner.Members {
			if oauth, is := inner.Members[j].Value.Value.(*hujson.Object); is && inner.Members[j].Name.Value.(hujson.Literal).String() == oauthMember {
				d.unknownMembers(oauth, oauthMembers, "oauth of the mcp server "+control.Title(server.Name, 60))
			}
		}
		plain := m.Value.Clone()
		plain.Standardize()
		if err := jsonexp.Unmarshal(plain.Pack(), &server); err != nil {
			d.say("error", m.Value.StartOffset, "mcp server %s cannot be read; it is not started: %v", control.Title(server.Name, 60), err)
			continue
		}
		if err := server.check(d.servers); err != nil {
			d.say("error", m.Name.StartOffset, "mcp server %s is not started: %v", control.Title(server.Name, 60), err)
			continue
		}
		d.servers = append(d.servers, server)
	}
}

// serverMembers are what an entry may say.
var serverMembers = []string{"command", "url", "env", "headers", oauthMember, "timeoutMs"}

const oauthMember = "oauth"

// oauthMembers are what its oauth may say.
var oauthMembers = []string{"clientId", "clientSecretEnv", "scopes"}

func (m MCPServer) check(others []MCPServer) error {
	switch {
	case !validServerName(m.Name):
		return fmt.Errorf("its name may only have letters, digits, \"-\" and \"_\", at most %d", maxServerName)
	case slices.ContainsFunc(others, func(o MCPServer) bool { return o.Name == m.Name }):
		return fmt.Errorf("another one has that name")
	case m.TimeoutMs < 0 || m.TimeoutMs > maxCallMs:
		return fmt.Errorf("timeoutMs must be from 1 to %d", maxCallMs)
	case len(m.Command) > 0 && m.URL != "", len(m.Command) == 0 && m.URL == "":
		return fmt.Errorf("it needs either command or url")
	case m.URL == "" && m.OAuth != nil:
		return fmt.Errorf("oauth is for a url")
	case m.URL == "":
		return checkCommand(m.Command, m.Env)
	}
	u, err := url.Parse(m.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("url must begin with http:// or https:// and name a host")
	case u.User != nil:
		return fmt.Errorf("url must not contain a user or a password; use headers")
	}
	for name, value := range m.Headers {
		if name == "" || strings.ContainsAny(name+value, "\r\n\x00") {
			return fmt.Errorf("the header %q is not valid", control.Title(name, 60))
		}
		if m.OAuth != nil && strings.EqualFold(name, "Authorization") {
			return fmt.Errorf("oauth and the header Authorization both say who is calling; keep one of them")
		}
	}
	return m.OAuth.check()
}

func (o *MCPOAuth) check() error {
	switch {
	case o == nil:
		return nil
	case strings.ContainsFunc(o.ClientID, unprintable):
		return fmt.Errorf("oauth.clientId is not valid")
	case o.ClientSecretEnv != "" && o.ClientID == "":
		return fmt.Errorf("oauth.clientSecretEnv needs oauth.clientId")
	case strings.ContainsAny(o.ClientSecretEnv, "=\x00"):
		return fmt.Errorf("oauth.clientSecretEnv must be the name of an environment variable")
	}
	for _, scope := range o.Scopes {
		if scope == "" || strings.ContainsFunc(scope, unprintable) || strings.ContainsAny(scope, ` "\`) {
			return fmt.Errorf("the scope %q is not valid", control.Title(scope, 60))
		}
	}
	return nil
}

// unprintable says that a character is none that OAuth sends as it is.
func unprintable(r rune) bool { return r < ' ' || r > '~' }

// validServerName leaves out what means something in patterns and paths.
func validServerName(name string) bool {
	if name == "" || len(name) > maxServerName {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// checkCommand says what is wrong with a program that a configuration names. A
// path that is not absolute would mean something else in every folder.
func checkCommand(command []string, env map[string]string) error {
	switch {
	case len(command) == 0 || command[0] == "":
		return fmt.Errorf("command must be a list that begins with a program")
	case strings.ContainsAny(command[0], `/\`) && !isAbsolute(command[0]):
		return fmt.Errorf("the program %s must be a name that PATH finds, or an absolute path", control.Title(command[0], 100))
	case slices.ContainsFunc(command, func(s string) bool { return strings.ContainsRune(s, 0) }):
		return fmt.Errorf("command contains a NUL character")
	}
	for name, value := range env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return fmt.Errorf("the environment variable %q is not valid", control.Title(name, 60))
		}
	}
	return nil
}

// isAbsolute knows the paths of every platform: the check is the same everywhere.
func isAbsolute(path string) bool {
	return path[0] == '/' || len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}
