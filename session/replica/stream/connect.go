package stream

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options say where the server is.
type Options struct {
	URL         string // tls://…, or nats://… on this machine
	Person      string // what the stream and the buckets are named after
	Credentials string // a file that NATS tools write, "" for none
	User        string // with Password; "" for none
	Password    string
	CA          string // a file with the certificates that the server's follows from; "": those of the system
	Leases      time.Duration
	Again       time.Duration // between the first two tries to connect; 0: a second
}

// Server is one connection, which is made again whenever it breaks.
type Server struct {
	options Options
	with    []nats.Option
	ctx     context.Context // ends with Close
	stop    context.CancelFunc
	work    sync.WaitGroup

	mu      sync.Mutex // guards what follows
	conn    *nats.Conn // nil before the first try has ended
	js      jetstream.JetStream
	stores  *stores // nil: not looked for since the server was reached
	reached chan struct{}
	up      context.Context // ends when the server is not reached any more; nil: it is not
	down    context.CancelFunc
	failed  error // why it is not reached, as far as is known
	tried   chan struct{}
}

const (
	dialWait    = 5 * time.Second  // for one try to connect
	againFirst  = time.Second      // between two tries, twice as long each time
	againMost   = time.Minute      // at most
	requestWait = 10 * time.Second // for one answer
)

// New is a server that nobody has begun to reach. Only options that cannot be used are an
// error.
func New(o Options) (*Server, error) {
	s := &Server{options: o, reached: make(chan struct{}), tried: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.with = []nats.Option{
		nats.Name("agent-sidecar"), nats.Timeout(dialWait), nats.SetCustomDialer(s), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.CustomReconnectDelay(func(tries int) time.Duration { return min(againMost, cmp.Or(o.Again, againFirst)<<min(tries, 6)) }),
		nats.ReconnectBufSize(-1), // what cannot be sent now is sent from the log again
		nats.IgnoreDiscoveredServers(), nats.NoCallbacksAfterClientClose(),
		nats.ConnectHandler(s.connected), nats.ReconnectHandler(s.connected), nats.DisconnectErrHandler(s.disconnected), nats.ReconnectErrHandler(s.disconnected),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // nothing is printed
	}
	at, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("sync.url: %w", err)
	}
	if at.Scheme == "tls" {
		s.with = append(s.with, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12, ServerName: at.Hostname()}))
		if o.CA != "" {
			s.with = append(s.with, nats.RootCAs(o.CA))
		}
	}
	switch {
	case o.Credentials != "":
		s.with = append(s.with, nats.UserCredentials(o.Credentials))
	case o.User != "":
		s.with = append(s.with, nats.UserInfo(o.User, o.Password))
	}
	return s, nil
}

// Begin implements replica.Remote.
func (s *Server) Begin() {
	s.work.Go(func() {
		conn, err := nats.Connect(s.options.URL, s.with...)
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil {
			s.failedLocked(err) // options that it cannot use, as a file that is not there
			return
		}
		s.conn = conn
		s.js, _ = jetstream.New(conn, jetstream.WithDefaultTimeout(requestWait)) // only its options could be wrong
		if s.ctx.Err() != nil {
			conn.Close()
		} else if conn.IsConnected() {
			s.setLocked(true)
		} else if err := conn.LastError(); err != nil {
			s.failedLocked(err)
		}
	})
}

// Dial implements nats.CustomDialer: a try to connect ends with Close.
func (s *Server) Dial(network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(s.ctx, dialWait)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		context.AfterFunc(s.ctx, func() { _ = conn.Close() })
	}
	return conn, err
}

// Close lets go of the server.
func (s *Server) Close() {
	s.stop()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		s.conn.Close()
	}
	s.setLocked(false)
}

// Why is why the server is not reached, nil where it is, or nobody knows yet.
func (s *Server) Why() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

func (s *Server) connected(*nats.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setLocked(s.conn != nil) // else Begin has it in a moment
}

func (s *Server) disconnected(_ *nats.Conn, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setLocked(false)
	if err != nil {
		s.failedLocked(err)
	}
}

func (s *Server) failedLocked(err error) {
	s.failed = err
	s.triedLocked()
}

// triedLocked is called when a try to connect has ended.
func (s *Server) triedLocked() {
	select {
	case <-s.tried:
	default:
		close(s.tried)
	}
}

// Tried is closed once the first try to reach the server has ended: then it is reached, or Why says why not.
func (s *Server) Tried() <-chan struct{} { return s.tried }

func (s *Server) setLocked(up bool) {
	switch {
	case up && s.up == nil:
		s.stores, s.failed = nil, nil // it may be another server now
		s.triedLocked()
		s.up, s.down = context.WithCancel(s.ctx)
		close(s.reached)
	case !up && s.up != nil:
		s.down()
		s.up, s.reached = nil, make(chan struct{})
	}
}

// Reconnected implements replica.Remote.
func (s *Server) Reconnected() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached
}

// Lost implements replica.Remote.
func (s *Server) Lost() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.up != nil {
		return s.up.Done()
	}
	lost := make(chan struct{})
	close(lost)
	return lost
}

// within is for one request: it ends with ctx, after a while, and when the server is not
// reached any more, of which the request itself would hear nothing.
func (s *Server) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, requestWait)
	ctx, done := s.whileUp(ctx)
	return ctx, func() {
		done()
		cancel()
	}
}

// whileUp is within for as long as it takes.
func (s *Server) whileUp(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.up == nil {
		cancel()
		return ctx, cancel
	}
	stop := context.AfterFunc(s.up, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}
