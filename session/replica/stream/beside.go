package stream

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// pieceOf is how much of a blob is in one message, in bytes, where the server takes so much.
const pieceOf = 128 << 10

// PutBlob implements replica.Remote.
func (s *Server) PutBlob(ctx context.Context, name string, data []byte) error {
	ctx, cancel := s.whileUp(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return err
	}
	most, err := s.Most(ctx)
	if err != nil {
		return err
	}
	piece := uint32(min(pieceOf, most/2))
	_, err = at.blobs.Put(ctx, jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: piece}}, bytes.NewReader(data))
	return s.said(err)
}

// Blob implements replica.Remote.
func (s *Server) Blob(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel := s.whileUp(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return nil, err
	}
	data, err := at.blobs.GetBytes(ctx, name)
	return data, s.said(err)
}

// HasBlob implements replica.Remote.
func (s *Server) HasBlob(ctx context.Context, name string) (bool, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return false, err
	}
	_, err = at.blobs.GetInfo(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return false, nil
	}
	return err == nil, s.said(err)
}

// RemoveBlobs implements replica.Remote.
func (s *Server) RemoveBlobs(ctx context.Context, prefix string) error {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return err
	}
	all, err := at.blobs.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil
	}
	errs := []error{err}
	for _, info := range all {
		if strings.HasPrefix(info.Name, prefix) {
			errs = append(errs, at.blobs.Delete(ctx, info.Name))
		}
	}
	return s.said(errors.Join(errs...))
}

// Claim implements replica.Remote.
func (s *Server) Claim(ctx context.Context, name string, owner []byte) (uint64, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return 0, err
	}
	held, err := at.leases.Create(ctx, name, owner)
	return held, s.said(err)
}

// Keep implements replica.Remote.
func (s *Server) Keep(ctx context.Context, name string, owner []byte, held uint64) (uint64, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return 0, err
	}
	held, err = at.leases.Update(ctx, name, owner, held)
	return held, s.said(err)
}

// Release implements replica.Remote.
func (s *Server) Release(ctx context.Context, name string, held uint64) error {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return err
	}
	return s.said(at.leases.Delete(ctx, name, jetstream.LastRevision(held)))
}

// Owner implements replica.Remote.
func (s *Server) Owner(ctx context.Context, name string) ([]byte, uint64, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return nil, 0, err
	}
	held, err := at.leases.Get(ctx, name)
	if err != nil {
		return nil, 0, s.said(err)
	}
	return held.Value(), held.Revision(), nil
}

// Owners implements replica.Remote.
func (s *Server) Owners(ctx context.Context) (map[string][]byte, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	at, err := s.ready(ctx)
	if err != nil {
		return nil, err
	}
	all, err := at.leases.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, s.said(err)
	}
	defer func() { _ = all.Stop() }()
	out := map[string][]byte{}
	for {
		select {
		case e := <-all.Updates():
			if e == nil { // these are all
				return out, nil
			}
			out[e.Key()] = e.Value()
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
}
