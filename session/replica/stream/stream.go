// Package stream reaches a NATS server with JetStream for session/replica: one stream for the
// logs of a person, an object store for what is too long, a bucket of keys for who has what.
// It knows no key and nothing of what it carries.
package stream

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agent-sidecar/agent-sidecar/session/replica"
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
	conn    *nats.Conn
	js      jetstream.JetStream

	mu      sync.Mutex // guards what follows
	stores  *stores    // nil: not looked for since the server was reached
	reached chan struct{}
	up      context.Context // ends when the server is not reached any more; nil: it is not
	down    context.CancelFunc
}

// stores are what the server keeps for a person.
type stores struct {
	logs   jetstream.Stream
	blobs  jetstream.ObjectStore
	leases jetstream.KeyValue
}

const (
	dialWait    = 5 * time.Second  // for one try to connect
	againFirst  = time.Second      // between two tries, twice as long each time
	againMost   = time.Minute      // at most
	requestWait = 10 * time.Second // for one answer
)

// Dial begins to reach the server and returns at once. Only options that cannot be used are
// an error.
func Dial(o Options) (*Server, error) {
	s := &Server{options: o, reached: make(chan struct{})}
	options := []nats.Option{
		nats.Name("agent-sidecar"), nats.Timeout(dialWait), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(func(tries int) time.Duration { return min(againMost, cmp.Or(o.Again, againFirst)<<min(tries, 6)) }),
		nats.ReconnectBufSize(-1), // what cannot be sent now is sent from the log again
		nats.IgnoreDiscoveredServers(), nats.NoCallbacksAfterClientClose(),
		nats.ConnectHandler(func(*nats.Conn) { s.set(true) }), nats.ReconnectHandler(func(*nats.Conn) { s.set(true) }),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { s.set(false) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // nothing is printed
	}
	at, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("sync.url: %w", err)
	}
	if at.Scheme == "tls" {
		options = append(options, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12, ServerName: at.Hostname()}))
		if o.CA != "" {
			options = append(options, nats.RootCAs(o.CA))
		}
	}
	switch {
	case o.Credentials != "":
		options = append(options, nats.UserCredentials(o.Credentials))
	case o.User != "":
		options = append(options, nats.UserInfo(o.User, o.Password))
	}
	if s.conn, err = nats.Connect(o.URL, options...); err != nil {
		return nil, fmt.Errorf("sync: %w", err)
	}
	if s.conn.IsConnected() {
		s.set(true)
	}
	if s.js, err = jetstream.New(s.conn, jetstream.WithDefaultTimeout(requestWait)); err != nil {
		s.conn.Close()
		return nil, fmt.Errorf("sync: %w", err)
	}
	return s, nil
}

// Close lets go of the server.
func (s *Server) Close() {
	s.conn.Close()
	s.set(false)
}

func (s *Server) set(up bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case up && s.up == nil:
		s.stores = nil // it may be another server now
		s.up, s.down = context.WithCancel(context.Background())
		close(s.reached)
	case !up && s.up != nil:
		s.down()
		s.up, s.reached = nil, make(chan struct{})
	}
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

// Reconnected implements replica.Remote.
func (s *Server) Reconnected() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached
}

// ready are the stores, made where there are none.
func (s *Server) ready(ctx context.Context) (*stores, error) {
	s.mu.Lock()
	known, up := s.stores, s.up != nil
	s.mu.Unlock()
	if !up {
		return nil, nats.ErrDisconnected
	}
	if known != nil {
		return known, nil
	}
	name := "agent-sidecar-" + s.options.Person
	made := &stores{}
	var err error
	made.logs, err = s.js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		made.logs, err = s.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: name, Subjects: []string{s.subject(">")}, Discard: jetstream.DiscardNew, AllowDirect: true, Storage: jetstream.FileStorage,
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another machine was first
			made.logs, err = s.js.Stream(ctx, name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the stream of your sessions: %w", err)
	}
	made.blobs, err = s.js.ObjectStore(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		made.blobs, err = s.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name})
	}
	if err != nil {
		return nil, fmt.Errorf("the store of your files: %w", err)
	}
	made.leases, err = s.js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		made.leases, err = s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, TTL: s.options.Leases})
	}
	if err != nil {
		return nil, fmt.Errorf("who works where: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stores = made
	return made, nil
}

// said makes of an error of the server one of replica's. A store that is gone is made again
// by whoever asks next.
func (s *Server) said(err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant),
		errors.Is(err, jetstream.ErrKeyExists):
		return fmt.Errorf("%w: %w", replica.ErrRefused, err)
	case errors.Is(err, jetstream.ErrMsgNotFound), errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrObjectNotFound):
		return fmt.Errorf("%w: %w", replica.ErrNone, err)
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrBucketNotFound):
		s.mu.Lock()
		s.stores = nil
		s.mu.Unlock()
	}
	return err
}

// subject is one of this person's.
func (s *Server) subject(words string) string {
	return "agent-sidecar." + s.options.Person + "." + words
}

// Most implements replica.Remote.
func (s *Server) Most(context.Context) (int, error) {
	if most := s.conn.MaxPayload(); most > 0 {
		return int(most), nil
	}
	return 0, nats.ErrDisconnected
}

// Append implements replica.Remote.
func (s *Server) Append(ctx context.Context, subject string, after uint64, id string, data []byte) (uint64, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	if _, err := s.ready(ctx); err != nil {
		return 0, err
	}
	ack, err := s.js.Publish(ctx, s.subject(subject), data, jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithMsgID(id), jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, s.said(err)
	}
	if ack.Duplicate {
		return 0, fmt.Errorf("%w: it was sent twice", replica.ErrRefused)
	}
	return ack.Sequence, nil
}

// Last implements replica.Remote.
func (s *Server) Last(ctx context.Context, subject string) (replica.Message, error) {
	return s.one(ctx, func(ctx context.Context, logs jetstream.Stream) (*jetstream.RawStreamMsg, error) {
		return logs.GetLastMsgForSubject(ctx, s.subject(subject))
	})
}

// First implements replica.Remote.
func (s *Server) First(ctx context.Context, subject string) (replica.Message, error) {
	return s.one(ctx, func(ctx context.Context, logs jetstream.Stream) (*jetstream.RawStreamMsg, error) {
		return logs.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(s.subject(subject)))
	})
}

func (s *Server) one(ctx context.Context, get func(context.Context, jetstream.Stream) (*jetstream.RawStreamMsg, error)) (replica.Message, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return replica.Message{}, err
	}
	m, err := get(ctx, at.logs)
	if err != nil {
		return replica.Message{}, s.said(err)
	}
	return replica.Message{At: m.Sequence, Data: m.Data}, nil
}

// pageOf is how many messages are asked for at once.
const pageOf = 64

// Each implements replica.Remote.
func (s *Server) Each(ctx context.Context, subject string, from uint64, each func(replica.Message) error) (err error) {
	ctx, done := s.whileUp(ctx)
	defer done()
	at, err := s.ready(ctx)
	if err != nil {
		return err
	}
	config := jetstream.ConsumerConfig{
		FilterSubject: s.subject(subject), AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	}
	if from > 0 {
		config.DeliverPolicy, config.OptStartSeq = jetstream.DeliverByStartSequencePolicy, from
	}
	reader, err := at.logs.CreateConsumer(ctx, config)
	if err != nil {
		return s.said(err)
	}
	defer func() { // also when ctx has ended
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), dialWait)
		defer cancel()
		_ = at.logs.DeleteConsumer(ending, reader.CachedInfo().Name) // it goes by itself after a while
	}()
	for left := reader.CachedInfo().NumPending; left > 0; {
		var page jetstream.MessageBatch
		page, err = reader.Fetch(int(min(left, pageOf)), jetstream.FetchContext(ctx))
		if err != nil {
			return s.said(err)
		}
		got := false
		for m := range page.Messages() { // to its end, which leaves nothing behind
			about, bad := m.Metadata()
			if err = errors.Join(err, bad); err != nil {
				continue
			}
			got, left = true, about.NumPending
			err = each(replica.Message{At: about.Sequence.Stream, Data: m.Data()})
		}
		if err != nil {
			return err
		}
		if err := errors.Join(page.Error(), ctx.Err()); err != nil {
			return s.said(err)
		}
		if !got {
			return fmt.Errorf("%d messages did not come", left)
		}
	}
	return nil
}

// Subjects implements replica.Remote.
func (s *Server) Subjects(ctx context.Context, pattern string) (map[string]uint64, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return nil, err
	}
	info, err := at.logs.Info(ctx, jetstream.WithSubjectFilter(s.subject(pattern)))
	if err != nil {
		return nil, s.said(err)
	}
	out := make(map[string]uint64, len(info.State.Subjects))
	for name, n := range info.State.Subjects {
		out[strings.TrimPrefix(name, s.subject(""))] = n
	}
	return out, nil
}

// Clear implements replica.Remote.
func (s *Server) Clear(ctx context.Context, pattern string) error {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return err
	}
	return s.said(at.logs.Purge(ctx, jetstream.WithPurgeSubject(s.subject(pattern))))
}
