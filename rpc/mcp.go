package rpc

import (
	"cmp"
	"context"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// MCP are the person's MCP servers.
type MCP interface {
	// Servers are those that are configured, by name, as they are now. None is started.
	Servers() []MCPServer
	// Changed is closed when one of them may be other than it was.
	Changed() <-chan struct{}
	// SignIn signs in to one because a person asked for it, until ctx ends: show is handed the address that
	// their browser has to open, and language is that of the page at the end.
	SignIn(ctx context.Context, server, language string, show func(address string)) error
	// SignOut forgets a sign-in in any case; untold is why the server may not know that.
	SignOut(ctx context.Context, server string) (untold, err error)
}

// MCPServer is an MCP server, and how it is now.
type MCPServer struct {
	Name  string         `json:"name"`
	State MCPServerState `json:"state"`
	Tools int            `json:"tools"`
	// Problem is what is wrong with it, for people to read.
	Problem string `json:"problem,omitempty"`
	// SignedIn says that there are tokens for it.
	SignedIn bool `json:"signedIn,omitempty"`
	// MaySignIn says that it is one that people can sign in to.
	MaySignIn bool `json:"maySignIn,omitempty"`
}

// MCPServerState says whether a server works.
type MCPServerState string

// The states of a server.
const (
	MCPIdle        MCPServerState = "idle" // no run has needed it yet
	MCPReady       MCPServerState = "ready"
	MCPFailed      MCPServerState = "failed"
	MCPNeedsSignIn MCPServerState = "needs_sign_in"
)

type mcpParams struct {
	Op     mcpOp  `json:"op"`
	Server string `json:"server"`
}

func (p *mcpParams) Check() error {
	if err := cmp.Or(needs("op", string(p.Op)), oneOf("op", p.Op, mcpOps)); err != nil || p.Op == mcpList {
		return err
	}
	return needs("server", p.Server)
}

type mcpResult struct {
	Servers []MCPServer `json:"servers"`
	// URL is what the person has to open to sign in, where the client opens no addresses.
	URL string `json:"url,omitempty"`
}

// signIns lists MCP servers, and signs in to them for a person who asks for it.
type signIns struct {
	peer     *link
	all      MCP
	surfaces *surface.Surfaces

	mu      sync.Mutex // guards everything below
	pending map[string]context.CancelFunc
	offered map[string]bool // to sign in to them, in this process
}

// mcp answers at once: a person takes their time in the browser, and what became of it is said in a message.
func (s *signIns) mcp(ctx context.Context, _ *wire.Call, p mcpParams) (mcpResult, error) {
	var out mcpResult
	var err error
	switch p.Op {
	case mcpSignIn:
		out.URL, err = s.signIn(ctx, p.Server)
		if err == nil && s.peer.client.ShowDocument {
			s.browse(p.Server, out.URL)
			out.URL = ""
		}
	case mcpSignOut:
		err = s.signOut(ctx, p.Server)
	}
	if err != nil {
		return mcpResult{}, failed(kindMCPFailed, "mcp server %s: %s", control.Title(p.Server, 40), control.Title(err.Error(), surface.MaxWords))
	}
	out.Servers = nonNil(s.all.Servers())
	return out, nil
}

// signIn begins to sign in, in the place of a try before that, and gives the address for the browser.
func (s *signIns) signIn(ctx context.Context, server string) (address string, err error) {
	lasts, cancel := context.WithCancel(s.peer.leaving)
	s.replace(server, cancel)
	shown, ended := make(chan string, 1), make(chan error, 1)
	s.peer.Background(func() {
		defer cancel()
		begun := false
		err := s.all.SignIn(lasts, server, s.peer.client.Locale, func(address string) {
			begun = true
			shown <- address
		})
		if begun && lasts.Err() == nil {
			s.tell(server, err)
		}
		ended <- err
	})
	select {
	case address = <-shown:
		return address, nil
	case err = <-ended:
		return "", err
	case <-ctx.Done():
		cancel()
		return "", context.Cause(ctx)
	}
}

// replace ends the try to sign in that there is, and remembers how to end the next one.
func (s *signIns) replace(server string, cancel context.CancelFunc) {
	s.mu.Lock()
	before := s.pending[server]
	s.pending[server] = cancel
	s.mu.Unlock()
	if before != nil {
		before()
	}
}

func (s *signIns) browse(server, address string) {
	s.surfaces.Browse(address, func(opened bool) {
		if !opened {
			s.surfaces.Say(surface.MessageWarning, surface.Message(locale.SignInByHand.In(s.peer.client.Locale, server)))
		}
	})
}

func (s *signIns) tell(server string, err error) {
	lang := s.peer.client.Locale
	if err != nil {
		s.surfaces.Say(surface.MessageWarning, surface.Message(locale.SignInFailed.In(lang, server, control.Title(err.Error(), surface.MaxWords))))
		return
	}
	s.surfaces.Say(surface.MessageInfo, surface.Message(locale.SignedIn.In(lang, server)))
}

func (s *signIns) signOut(ctx context.Context, server string) error {
	s.replace(server, nil)
	untold, err := s.all.SignOut(ctx, server)
	if err == nil && untold != nil {
		s.peer.Report("tell a server that a sign-in is over", untold)
	}
	return err
}

// follow offers to sign in where a run has found that a server wants it, until the client is about to leave.
func (s *signIns) follow(changed <-chan struct{}) func() {
	return func() {
		for {
			select {
			case <-s.peer.leaving.Done():
				return
			case <-changed:
				changed = s.all.Changed()
				s.offer()
			}
		}
	}
}

func (s *signIns) offer() {
	for _, one := range s.all.Servers() {
		if one.State != MCPNeedsSignIn || !s.firstTime(one.Name) {
			continue
		}
		s.surfaces.Asker.OfferSignIn(one.Name, func() {
			address, err := s.signIn(s.peer.leaving, one.Name)
			if err != nil {
				s.tell(one.Name, err)
				return
			}
			s.browse(one.Name, address)
		})
	}
}

// firstTime says that nobody was offered this yet.
func (s *signIns) firstTime(server string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offered[server] {
		return false
	}
	s.offered[server] = true
	return true
}
