package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

const (
	// firstWait is how long a run waits for servers that nobody has waited for
	// before; what is slower has its tools in the next run.
	firstWait = 5 * time.Second
	// connectWait bounds a start until the tools are known. Package runners may
	// have to download first.
	connectWait = 60 * time.Second
	// callWait is how long a call may take where the configuration says nothing.
	callWait = 120 * time.Second
	// backWait is how long a call waits for a server that is just starting again.
	backWait = 5 * time.Second
	// pingWait is how long a server that did not answer a call may take for a sign
	// of life.
	pingWait = 5 * time.Second
	// relistWait is the time between two looks at the tools of a server that says
	// they have changed.
	relistWait = time.Second

	// A server that dies is started again after 1 s, 2 s, 4 s … 60 s. After
	// maxTries deaths in a row it rests until the next run.
	backoff    = time.Second
	backoffMax = time.Minute
	maxTries   = 8
	// steadyAfter is how long a server must have lived for its deaths not to count
	// as being in a row.
	steadyAfter = time.Minute
)

// MCP is the client of every configured MCP server. No server is started before
// its tools are first asked for. Each has one goroutine that starts it, follows
// its list of tools, and starts it again when it dies; Close waits for all of
// them. The methods are safe for concurrent use.
type Servers struct {
	opts  Options
	known knownTools
	work  sync.WaitGroup // one for each server
	// Tests cannot wait so long: firstWait and pingWait.
	firstWait, ping time.Duration

	mu      sync.Mutex // guards everything below
	servers []*server
	closed  bool
}

// New starts nothing.
func New(opts Options) *Servers {
	m := &Servers{opts: opts, firstWait: firstWait, ping: pingWait}
	if opts.Home != "" {
		m.known.path = filepath.Join(opts.Home, "mcp-tools.jsonl")
	}
	if opts.KeepEnv == nil {
		m.opts.KeepEnv = func() []string { return nil }
	}
	if opts.SecretEnv == nil {
		m.opts.SecretEnv = func() func(name, value string) bool { return nil }
	}
	if opts.Browses == nil {
		m.opts.Browses = func() bool { return false }
	}
	if opts.Changed == nil {
		m.opts.Changed = func() {}
	}
	return m
}

// Tools makes config the servers that run, starts those that do not, and gives
// the tools of all that are ready: by server name, then in the server's order.
// It waits, 5 s at most and not beyond ctx, for servers that are started for the
// first time; it never waits for one that has failed.
func (m *Servers) Tools(ctx context.Context, config []Server) []tool.Tool {
	m.configure(config, true)
	ctx, cancel := context.WithTimeout(ctx, m.firstWait)
	defer cancel()
	var tools []tool.Tool
	for _, s := range m.all() {
		s.rouse()
		s.settled(ctx)
		tools = append(tools, s.tools()...)
	}
	return tools
}

// Ready gives the tools of the servers that run already; it starts nothing and
// waits for nobody.
func (m *Servers) Ready() []tool.Tool {
	var tools []tool.Tool
	for _, s := range m.all() {
		tools = append(tools, s.tools()...)
	}
	return tools
}

// Problems is what is wrong now, by server name.
func (m *Servers) Problems() []Problem {
	var all []Problem
	for _, s := range m.all() {
		s.mu.Lock()
		if s.problem != "" {
			all = append(all, Problem{s.config.Name, s.link == nil, s.problem, s.signIn})
		}
		s.mu.Unlock()
	}
	return all
}

// Close stops every server and returns when nothing of them is left.
func (m *Servers) Close() {
	m.mu.Lock()
	m.closed = true
	for _, s := range m.servers {
		s.stop()
	}
	m.servers = nil
	m.mu.Unlock()
	m.work.Wait()
}

func (m *Servers) all() []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.servers)
}

// configure stops what is gone or different, and with start set starts what is
// new.
func (m *Servers) configure(config []Server, start bool) {
	config = slices.Clone(config)
	for i := range config {
		config[i].as = written(config[i].Name, config)
	}
	m.mu.Lock()
	stopped := false
	var next []*server
	for _, s := range m.servers {
		if slices.ContainsFunc(config, func(c Server) bool { return reflect.DeepEqual(c, s.config) }) {
			next = append(next, s)
			continue
		}
		s.stop()
		stopped = true
	}
	for _, c := range config {
		if !start || m.closed || slices.ContainsFunc(next, func(s *server) bool { return s.config.Name == c.Name }) {
			continue
		}
		s := newMCPServer(m, c)
		m.work.Go(s.serve)
		next = append(next, s)
	}
	slices.SortFunc(next, func(a, b *server) int { return cmp.Compare(a.config.Name, b.config.Name) })
	m.servers = next
	m.mu.Unlock()
	if stopped {
		m.opts.Changed()
	}
}

// server is one server and the goroutine that keeps it running.
type server struct {
	m      *Servers
	config Server
	ctx    context.Context
	stop   context.CancelFunc
	wake   chan struct{} // do not wait any longer
	doubt  chan struct{} // a call was not answered
	// folders says that other folders are open.
	folders chan struct{}
	modern  bool // used by serve alone: it refused the older protocol

	mu      sync.Mutex    // guards everything below
	changed chan struct{} // closed at the next change
	tried   bool          // the first start has ended, one way or the other
	link    *link         // nil: it does not run
	listed  []definition
	has     offers
	problem string
	signIn  bool // that is the problem
}

// link is one life of a server.
type link struct {
	ctx     context.Context // ends with it
	end     context.CancelCauseFunc
	session *mcp.ClientSession
	roots   roots
	calls   sync.WaitGroup // added to only while it is the server's link
	atWork  callsAtWork
}

func newMCPServer(m *Servers, c Server) *server {
	s := &server{m: m, config: c, wake: make(chan struct{}, 1), doubt: make(chan struct{}, 1), folders: make(chan struct{}, 1), changed: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// serve keeps the server running until stop.
func (s *server) serve() {
	for deaths := 0; ; {
		began := time.Now()
		err := s.live()
		if s.ctx.Err() != nil {
			return
		}
		if deaths++; time.Since(began) > steadyAfter {
			deaths = 1
		}
		select {
		case <-s.wake: // of before it died
		default:
		}
		if errors.Is(err, errSignIn) {
			deaths = 0
			continue
		}
		s.died(err, deaths)
		if lasting(err) {
			deaths = maxTries
		}
		// One that waits for its turn keeps waiting: every prompt would otherwise
		// start a broken server once more. One that rests is woken by the next run.
		again, woken := time.After(min(backoff<<(deaths-1), backoffMax)), (<-chan struct{})(nil)
		if deaths >= maxTries {
			again, woken = nil, s.wake
		}
		select {
		case <-again:
		case <-woken:
			deaths = 0
		case <-s.ctx.Done():
			return
		}
	}
}

// rouse wakes the server if it rests.
func (s *server) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// live is one life: connect, list the tools, follow them until the end.
func (s *server) live() (err error) {
	relist := make(chan struct{}, 1)
	ctx, end := context.WithCancelCause(s.ctx)
	wire, err := s.dial(end)
	if err != nil {
		end(nil)
		return err
	}
	link := &link{ctx: ctx, end: end}
	var ended sync.WaitGroup
	over := make(chan error, 1)
	defer func() {
		s.unlink(link)
		end(nil) // nobody waits for an answer any more
		wire.stop()
		if link.session != nil {
			_ = link.session.Close() // the connection is gone already, or said why
		}
		wire.close()
		link.calls.Wait()
		ended.Wait()
		err = wire.why(err)
	}()
	if err = s.introduce(ctx, link, wire, relist); err != nil {
		return fmt.Errorf("it cannot be connected to: %w", err)
	}
	ended.Go(func() { over <- link.session.Wait() })
	if err := s.list(ctx, link); err != nil {
		return fmt.Errorf("its tools cannot be listed: %w", err)
	}
	s.offer(offersOf(ctx, link.session))
	return s.follow(ctx, link, over, relist)
}

// follow returns when the server has died.
func (s *server) follow(ctx context.Context, link *link, over <-chan error, relist <-chan struct{}) error {
	var pause <-chan time.Time // a list was just made
	var changed bool
	for {
		if changed && pause == nil {
			changed = false
			if err := s.list(ctx, link); err != nil {
				return fmt.Errorf("its tools cannot be listed: %w", err)
			}
			s.offer(offersOf(ctx, link.session))
			pause = time.After(relistWait)
		}
		select {
		case err := <-over:
			return cmp.Or(context.Cause(ctx), err, errors.New("it ended the connection"))
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-relist:
			changed = true
		case <-pause:
			pause = nil
		case <-s.folders:
			link.roots.follow(s.roots())
		case <-s.doubt:
			if !s.answers(ctx, link) {
				return errors.New("it does not answer any more")
			}
		}
	}
}

// answers asks for a sign of life. An error that the server sends is one.
func (s *server) answers(ctx context.Context, link *link) bool {
	ctx, cancel := context.WithTimeout(ctx, s.m.ping)
	defer cancel()
	err := link.session.Ping(ctx, nil)
	return ctx.Err() == nil && !errors.Is(err, mcp.ErrConnectionClosed)
}

// asked asks the server something. It returns at the latest when ctx ends, also where the
// server does not even read the question.
func asked[T any](ctx context.Context, s *server, link *link, ask func(context.Context, *patience) (T, error)) (none T, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	wait := waits(cmp.Or(s.config.Timeout, callWait), func() { cancel(errMCPSilent) })
	defer wait.pause()
	defer context.AfterFunc(link.ctx, func() { cancel(errMCPGone) })()
	type answer struct {
		result T
		err    error
	}
	answered := make(chan answer, 1)
	if !s.join(link, func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("internal error: %v", p)
			}
			answered <- a
		}()
		a.result, a.err = ask(ctx, wait)
	}) {
		return none, errMCPGone
	}
	select {
	case a := <-answered:
		if a.err == nil || ctx.Err() == nil {
			return a.result, a.err
		}
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), errMCPSilent) {
		select {
		case s.doubt <- struct{}{}:
		default:
		}
	}
	if link.ctx.Err() != nil {
		return none, link.gone()
	}
	return none, context.Cause(ctx)
}

// join runs f as a call of this link, unless that is over.
func (s *server) join(link *link, f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != link {
		return false
	}
	link.calls.Go(f)
	return true
}

var (
	errMCPSilent = errors.New("the server did not answer in time")
	errMCPGone   = errors.New("the server died before it answered")
)
