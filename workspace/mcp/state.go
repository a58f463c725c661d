package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// settled waits until the server has been tried once, or ctx ends.
func (s *server) settled(ctx context.Context) {
	s.await(ctx, func() bool { return s.tried })
}

// ready is the server's link; where it is just starting again, that is waited
// for, 5 s at most.
func (s *server) ready(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, backWait)
	defer cancel()
	var link *link
	s.await(ctx, func() bool { link = s.link; return link != nil })
	if link != nil {
		return link, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, errors.New("the server was stopped: the configuration has changed")
	}
	return nil, fmt.Errorf("the server does not run: %s", cmp.Or(s.problem, "it is starting"))
}

// await returns when done says so under the server's lock, when ctx ends, or
// when the server is stopped.
func (s *server) await(ctx context.Context, done func() bool) {
	for {
		s.mu.Lock()
		is, changed := done(), s.changed
		s.mu.Unlock()
		if is {
			return
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// update changes what others see of the server, wakes who waits, and tells of a
// problem that is new or gone.
func (s *server) update(change func()) {
	s.mu.Lock()
	before, ran := s.problem, s.link != nil
	change()
	different := s.problem != before || (s.link != nil) != ran
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	if different {
		s.m.opts.Changed()
	}
}

// linked says that the server runs and has these tools. problem is what is wrong
// all the same.
func (s *server) linked(link *link, listed []definition, problem string) {
	s.update(func() { s.tried, s.link, s.listed, s.problem, s.signIn = true, link, listed, problem, false })
}

// offer says what the server has beside tools.
func (s *server) offer(has offers) { s.update(func() { s.has = has }) }

// offered is what it has beside tools now; where it does not run, what it had last.
func (s *server) offered() offers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.has
}

// unlink lets no further call begin.
func (s *server) unlink(link *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == link {
		s.link = nil
	}
}

// died says why the server does not run. While it dies again and again the first
// reason stands: people are told once, not once a start.
func (s *server) died(err error, deaths int) {
	s.update(func() {
		s.tried, s.link = true, nil
		if deaths == 1 || s.problem == "" || needsSignIn(err) {
			s.problem, s.signIn = worded(err), needsSignIn(err)
		}
	})
}

// tools are those of a server that runs.
func (s *server) tools() []tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		return nil
	}
	tools := make([]tool.Tool, len(s.listed))
	for i, d := range s.listed {
		tools[i] = s.tool(d)
	}
	return tools
}

// described are its tools now; where it does not run, those that it had last.
func (s *server) described() []definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.listed)
}

// trouble is what is wrong with the server, "" for nothing.
func (s *server) trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// definition is how the server describes a tool now; where it does not run, how
// it did last.
func (s *server) definition(name string) (definition, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.listed, func(d definition) bool { return d.own == name })
	if i < 0 {
		return definition{}, false
	}
	return s.listed[i], true
}

// FoldersChanged tells the servers that run which folders are open now. It does not wait
// for them.
func (m *Servers) FoldersChanged() {
	for _, s := range m.all() {
		select {
		case s.folders <- struct{}{}:
		default: // it is known already
		}
	}
}

// roots are the folders that the server is told of. A program runs on this machine as the
// person and finds them anyway; an address has no use for paths of this machine, and they
// say who the person is.
func (s *server) roots() []Root {
	if s.config.URL != "" || s.m.opts.Roots == nil {
		return nil
	}
	return s.m.opts.Roots()
}
