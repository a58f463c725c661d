package acp

import (
	"context"
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/show"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// signInMethods are the ways to a model: a terminal in which the person sets it up, and the environment.
const (
	methodEnvironment = "environment"
	methodSetup       = "setup"
)

// initialize says who speaks and what it can do. It opens nothing: which folders there are comes
// with the first session.
func (f *front) initialize(_ context.Context, _ *wire.Call, p v1.InitializeRequest) (v1.InitializeResponse, error) {
	if p.ClientCapabilities != nil {
		f.can = *p.ClientCapabilities
	}
	here := &v1.Empty{}
	meta, err := json.Marshal(map[string]any{"agentSidecar": map[string]any{
		"version": 1, "schemaHash": f.opt.SchemaHash, "methods": f.opt.Methods,
	}})
	if err != nil {
		return v1.InitializeResponse{}, err
	}
	return v1.InitializeResponse{
		ProtocolVersion: protocolVersion,
		AgentInfo:       &v1.Implementation{Name: f.opt.Name, Title: "Agent Sidecar", Version: f.opt.Version},
		AuthMethods:     f.authMethods(),
		AgentCapabilities: &v1.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: &v1.PromptCapabilities{Image: true, EmbeddedContext: true},
			MCPCapabilities:    &v1.MCPCapabilities{HTTP: true},
			SessionCapabilities: &v1.SessionCapabilities{
				List: here, Resume: here, Close: here, Delete: here, Fork: here, Title: here, AdditionalDirectories: here,
			},
			Meta: meta,
		},
	}, nil
}

// authMethods are the ways in which a person gets a model here.
func (f *front) authMethods() []v1.AuthMethod {
	methods := []v1.AuthMethod{{Agent: &v1.AuthMethodAgent{
		ID: methodEnvironment, Name: f.say(locale.SetByEnvironment), Description: f.say(locale.SetEnvironment),
	}}}
	if f.can.Auth != nil && f.can.Auth.Terminal {
		methods = append(methods, v1.AuthMethod{Terminal: &v1.AuthMethodTerminal{
			ID: methodSetup, Name: f.say(locale.SetInTerminal), Description: f.say(locale.SetUpSays), Args: []string{"setup"},
		}})
	}
	return methods
}

// authenticate looks again whether there is a model. What the person has set up in a terminal is seen; a variable
// of the environment is only read when the program starts.
func (f *front) authenticate(ctx context.Context, _ *wire.Call, p v1.AuthenticateRequest) (v1.AuthenticateResponse, error) {
	if p.MethodID != methodEnvironment && p.MethodID != methodSetup {
		return v1.AuthenticateResponse{}, wire.InvalidParams("methodId", "is none of the methods that were offered")
	}
	open := f.open()
	for _, w := range open {
		if all, err := w.describe(ctx); err == nil && len(all.Models) > 0 {
			return v1.AuthenticateResponse{}, nil
		}
	}
	if len(open) > 0 {
		return v1.AuthenticateResponse{}, f.authRequired()
	}
	return v1.AuthenticateResponse{}, nil // session/new says it
}

// shows is what the client takes, as it has declared it.
func (f *front) shows() show.Client {
	client := show.Client{Locale: f.opt.Locale}
	if f.can.Session != nil {
		client.Notices, client.Compaction = f.can.Session.Notices != nil, f.can.Session.Compaction != nil
	}
	var meta struct {
		TerminalOutput bool `json:"terminal_output"`
	}
	if len(f.can.Meta) > 0 && json.Unmarshal(f.can.Meta, &meta) == nil {
		client.Terminals = meta.TerminalOutput
	}
	return client
}
