package mcp

import (
	"errors"
	"net/textproto"

	"github.com/agent-sidecar/agent-sidecar/workspace/mcp/signin"
)

// mayOAuth says that people may sign in to a server: it is an address, and the configuration
// does not say itself who is calling.
func (c Server) mayOAuth() bool {
	for name := range c.Headers {
		if textproto.CanonicalMIMEHeaderKey(name) == "Authorization" {
			return false
		}
	}
	return c.URL != ""
}

// SignIn is the server as those know it who sign people in.
func (c Server) SignIn() signin.Server {
	return signin.Server{Name: c.Name, URL: c.URL, ClientID: c.OAuth.ClientID, ClientSecretEnv: c.OAuth.ClientSecretEnv, Scopes: c.OAuth.Scopes, Network: c.Network}
}

func needsSignIn(err error) bool {
	_, is := errors.AsType[*signin.NeededError](err)
	return is
}

// worded is an error in the words that help: what a person has to do stands alone.
func worded(err error) string {
	if needed, is := errors.AsType[*signin.NeededError](err); is {
		return needed.Error()
	}
	return err.Error()
}
