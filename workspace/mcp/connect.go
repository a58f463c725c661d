package mcp

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

// olderProtocol is what a program is spoken to in first: every one understands its
// greeting, while some say nothing at all to the one of the newest. One that
// refuses it is started again and greeted in the newest.
const olderProtocol = "2025-11-25"

// transport is the way to a server: a process or an address.
type transport interface {
	transport() mcp.Transport
	// stop ends a program, whatever the connection is doing, and returns when
	// nothing of it is left.
	stop()
	// close lets go of the rest once the connection has ended.
	close()
	// why is the reason for people, where the connection ended with err; it is
	// asked after stop.
	why(err error) error
}

// dial starts the program, or prepares to talk to the address. Where a person has to sign in
// before it can go on, end is told.
func (s *server) dial(end func(error)) (transport, error) {
	if s.config.URL != "" {
		return newMCPHTTP(s.config, s.m.handler(s.config, end)), nil
	}
	environ := proc.Scrub(os.Environ(), s.m.opts.KeepEnv(), s.m.opts.SecretEnv(), s.m.opts.Dir)
	p, err := startServer(s.config.Command, serverEnv(environ, s.config.Env), s.m.opts.Dir)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// introduce connects, and says who we are. The server may ask for the folders that are
// open, and ask the person while a call is at work; no sampling.
func (s *server) introduce(ctx context.Context, link *link, wire transport, relist chan<- struct{}) error {
	ctx, cancel := context.WithTimeoutCause(ctx, connectWait, errMCPSilent)
	defer cancel()
	changed := func() {
		select {
		case relist <- struct{}{}:
		default: // it is known already
		}
	}
	capabilities := &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}}
	if s.m.opts.Browses() {
		capabilities.Elicitation.URL = &mcp.URLElicitationCapabilities{}
	}
	if s.config.URL == "" {
		offerRoots(capabilities)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "agent-sidecar", Version: cmp.Or(s.m.opts.Version, "0")}, &mcp.ClientOptions{
		Capabilities:   capabilities,
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return link.atWork.forms(ctx, s.config.Name, r.Params)
		},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed() },
		PromptListChangedHandler:    func(context.Context, *mcp.PromptListChangedRequest) { changed() },
		ResourceListChangedHandler:  func(context.Context, *mcp.ResourceListChangedRequest) { changed() },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { link.atWork.progress(r.Params) },
	})
	client.AddReceivingMiddleware(refuseRequests)
	link.roots.client = client
	link.roots.follow(s.roots())
	var options *mcp.ClientSessionOptions
	if s.config.URL == "" && !s.modern {
		options = &mcp.ClientSessionOptions{ProtocolVersion: olderProtocol}
	}
	session, err := client.Connect(ctx, wire.transport(), options)
	switch refused := (*jsonrpc.Error)(nil); {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &refused):
		s.modern = !s.modern
	}
	link.session = session
	return err
}

// refuseRequests answers what a server may not ask of a client.
func refuseRequests(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if mayAsk[method] {
			return next(ctx, method, req)
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method + " is not offered"}
	}
}

// list makes the server's tools those that the next run has.
func (s *server) list(ctx context.Context, link *link) error {
	ctx, cancel := context.WithTimeoutCause(ctx, connectWait, errMCPSilent)
	defer cancel()
	var found []*mcp.Tool
	cut := false
	if c := link.session.InitializeResult().Capabilities; c != nil && c.Tools == nil {
		s.linked(link, nil, "it has no tools")
		return nil
	}
	for cursor, pages := "", 0; ; pages++ {
		page, err := link.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
		found = append(found, page.Tools...)
		if page.NextCursor == "" {
			break
		}
		if cursor = page.NextCursor; len(found) > maxTools || pages == maxTools {
			cut = true
			break
		}
	}
	defined, problem, err := s.define(found, cut)
	if err != nil {
		return err
	}
	s.linked(link, defined, problem)
	return nil
}
