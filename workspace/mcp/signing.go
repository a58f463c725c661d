package mcp

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/agent-sidecar/agent-sidecar/workspace/mcp/signin"
)

// Standing says how a server is, for people who want to know whether to sign in.
type Standing string

// The standings of a server.
const (
	Idle        Standing = "idle" // nobody has needed it yet
	Ready       Standing = "ready"
	Failed      Standing = "failed"
	NeedsSignIn Standing = "needs_sign_in"
)

// State is a server as a person sees it.
type State struct {
	Server   string
	Standing Standing
	Tools    int
	Problem  string // "" for nothing
	SignedIn bool   // there are tokens for it
	Web      bool   // it is an address, so that one may sign in
}

// States are the servers of a configuration, by name, as they are now. Nothing is started.
func (m *Servers) States(config []Server) []State {
	var all []State
	running := m.all()
	for _, c := range config {
		s := State{Server: c.Name, Standing: Idle, Web: c.mayOAuth()}
		if s.Web && m.opts.SignIns != nil {
			s.SignedIn = m.opts.SignIns.SignedIn(c.SignIn())
		}
		if i := slices.IndexFunc(running, func(r *server) bool { return r.config.Name == c.Name && r.config.URL == c.URL }); i >= 0 {
			running[i].show(&s)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b State) int { return cmp.Compare(a.Server, b.Server) })
	return all
}

func (s *server) show(to *State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to.Problem = s.problem
	to.Tools = len(s.listed)
	switch {
	case s.link != nil:
		to.Standing = Ready
	case s.signIn:
		to.Standing = NeedsSignIn
	case s.problem != "":
		to.Standing = Failed
	}
}

// Why nobody can sign in to a server, or out.
var (
	ErrNoServer = errors.New("the configuration has no server of that name")
	ErrNoSignIn = errors.New("nobody signs in to this server: it is a program, or its headers say who is calling")
)

func (m *Servers) signsIn(config []Server, name string) (signin.Server, error) {
	i := slices.IndexFunc(config, func(c Server) bool { return c.Name == name })
	switch {
	case i < 0:
		return signin.Server{}, ErrNoServer
	case m.opts.SignIns == nil || !config[i].mayOAuth():
		return signin.Server{}, ErrNoSignIn
	}
	return config[i].SignIn(), nil
}

// SignIn signs in to the server of that name because a person asked for it. One that waits for
// it connects at once, and that is waited for as it is at the first start.
func (m *Servers) SignIn(ctx context.Context, config []Server, name string, ask signin.Asking) error {
	s, err := m.signsIn(config, name)
	if err != nil {
		return err
	}
	if err := m.opts.SignIns.SignIn(ctx, s, ask); err != nil {
		return err
	}
	m.signInChanged(name)
	ctx, cancel := context.WithTimeout(ctx, m.firstWait)
	defer cancel()
	for _, s := range m.all() {
		if s.config.Name == name {
			s.settled(ctx)
		}
	}
	return nil
}

// SignOut forgets the sign-in of a server; the server is left, too. told is why those who gave the tokens may not
// know that they are over.
func (m *Servers) SignOut(ctx context.Context, config []Server, name string) (was bool, told, err error) {
	s, err := m.signsIn(config, name)
	if err != nil {
		return false, nil, err
	}
	was, told, err = m.opts.SignIns.SignOut(ctx, s)
	m.signInChanged(name)
	return was, told, err
}

// signInChanged lets a server that runs, or waits for a sign-in, connect anew.
func (m *Servers) signInChanged(name string) {
	for _, s := range m.all() {
		if s.config.Name == name {
			s.reconnect()
		}
	}
}

// reconnect ends the connection that there is, and wakes the server where it rests.
func (s *server) reconnect() {
	s.mu.Lock()
	link := s.link
	s.tried = s.tried && link == nil && !s.signIn // so that others wait for it
	s.mu.Unlock()
	if link != nil {
		link.end(errSignIn)
		return
	}
	s.rouse()
}

// errSignIn ends a connection so that the next one has another token, or none.
var errSignIn = errors.New("the sign-in has changed")

// handler gives the requests to a server their token; nil where nobody signs in to it.
func (m *Servers) handler(c Server, end func(error)) auth.OAuthHandler {
	if m.opts.SignIns == nil || !c.mayOAuth() {
		return nil
	}
	return m.opts.SignIns.Handler(c.SignIn(), end)
}

// gone is why a link is over, as those who wait for an answer are told.
func (l *link) gone() error {
	if cause := context.Cause(l.ctx); needsSignIn(cause) {
		return cause
	}
	return errMCPGone
}
