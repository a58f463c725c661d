package rpc

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Server is one connection to one client: its start and its end. What is asked in
// between its parts answer, each by what it needs for that; none of them has the
// server. The table names their methods as the server's. What initialize sets does not
// change afterwards: the lifecycle lets nothing else in before it.
type Server struct {
	*link
	opt      Options
	back     *Backend // nil before initialize
	surfaces *surface.Surfaces
	started  time.Time
	unwatch  func()

	*notifier // it and the next are handed to the backend, so they are there before it
	*approver

	// made by initialize
	*about
	*artifacts
	*chooser
	*commands
	*documents
	*runs
	*sessions
	*settings
	*spendings
	*trust
	*undos
	*views
}

// Serve speaks to one client until it leaves, and returns the process's exit
// code. out is written by nobody else.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) int {
	l := &link{log: opt.Log}
	l.leaving, l.leave = context.WithCancel(context.Background())
	s := &Server{link: l, opt: opt, started: time.Now(), surfaces: surface.New(l.leaving, l)}
	s.notifier = &notifier{link: l, surfaces: s.surfaces}
	s.approver = &approver{link: l, surfaces: s.surfaces}
	l.Conn = wire.Connect(s, rows(), wire.Config{
		In: in, Out: out,
		Log: s.notifier, Gap: gapEvent, Report: l.Report,
		Ended:    s.stopRuns,
		Forget:   s.forget,
		Domain:   domainError,
		Panicked: s.panicked,
	})
	code := l.Serve(ctx)
	if s.unwatch != nil {
		s.unwatch()
	}
	s.closeBackend()
	l.awaitWork()
	s.surfaces.Close()
	return code
}

// stopRuns ends every run when the client has left or says shutdown; when it
// returns everything is durable.
func (s *Server) stopRuns() {
	if s.back == nil {
		s.leave()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	s.trust.cancelAll(ctx)
	if err := s.back.Sessions.Close(ctx); err != nil {
		s.Report("close the sessions", err)
	}
}

func (s *Server) closeBackend() {
	if s.back == nil {
		return
	}
	s.surfaces.Transcripts.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.back.Close(ctx); err != nil {
		s.Report("close", err)
	}
}

// forget drops a document whose text was lost: the disk counts.
func (s *Server) forget(uri string) {
	if s.back != nil {
		s.back.Documents.Forget(uri)
	}
}

// shutdown stops what runs and answers when all of it is on disk. Requests that
// wait for a run are answered first.
func (s *Server) shutdown(_ context.Context, c *wire.Call, _ wire.None) (wire.None, error) {
	s.stopRuns()
	s.AwaitEarlier(c, lastGrace)
	return wire.None{}, nil
}

// initialized lets our own traffic go out.
func (s *Server) initialized(context.Context, wire.None) error {
	s.surfaces.Ready()
	return nil
}

func (s *Server) panicked(method string, value any, stack []byte) {
	s.log.Error().Str("method", method).Interface("panic", value).Bytes("stack", stack).Msg("panic")
	if s.opt.Panicked != nil {
		s.opt.Panicked(method, value, stack)
	}
}

// gapEvent is the ephemeral event that says what was left out (O8).
func gapEvent(of string, fromAfterSeq, droppedBytes int64) json.RawMessage {
	return ephemeralJSON(history.Origin{Session: of}, history.Ephemeral{Type: "gap", After: fromAfterSeq, Data: gap{fromAfterSeq, droppedBytes}})
}

// gap is the data of a gap.
type gap struct {
	FromAfterSeq int64 `json:"fromAfterSeq"`
	DroppedBytes int64 `json:"droppedBytes"`
}
