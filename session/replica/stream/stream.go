// Package stream reaches a NATS server with JetStream for session/replica: one stream for the
// logs of a person, an object store for what is too long, a bucket of keys for who has what.
// It knows no key and nothing of what it carries.
package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

// stores are what the server keeps for a person.
type stores struct {
	conn   jetstream.JetStream
	logs   jetstream.Stream
	blobs  jetstream.ObjectStore
	leases jetstream.KeyValue
}

// ready are the stores, made where there are none.
func (s *Server) ready(ctx context.Context) (*stores, error) {
	s.mu.Lock()
	known, up, js := s.stores, s.up != nil, s.js
	s.mu.Unlock()
	if !up {
		return nil, nats.ErrDisconnected
	}
	if known != nil {
		return known, nil
	}
	name := "agent-sidecar-" + s.options.Person
	made := &stores{conn: js}
	var err error
	made.logs, err = js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		made.logs, err = js.CreateStream(ctx, jetstream.StreamConfig{
			Name: name, Subjects: []string{s.subject(">")}, Discard: jetstream.DiscardNew, AllowDirect: true, Storage: jetstream.FileStorage,
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another machine was first
			made.logs, err = js.Stream(ctx, name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the stream of your sessions: %w", err)
	}
	made.blobs, err = js.ObjectStore(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		made.blobs, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name})
	}
	if err != nil {
		return nil, fmt.Errorf("the store of your files: %w", err)
	}
	made.leases, err = js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		made.leases, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, TTL: s.options.Leases})
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil || s.conn.MaxPayload() <= 0 {
		return 0, nats.ErrDisconnected
	}
	return int(s.conn.MaxPayload()), nil
}

// Append implements replica.Remote.
func (s *Server) Append(ctx context.Context, subject string, after uint64, id string, data []byte) (uint64, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return 0, err
	}
	ack, err := at.conn.Publish(ctx, s.subject(subject), data, jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithMsgID(id), jetstream.WithRetryAttempts(0))
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
