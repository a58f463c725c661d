package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Server is one connection to one client. What initialize sets does not change
// afterwards: the lifecycle lets nothing else in before it.
type Server struct {
	opt       Options
	conn      *wire.Conn
	client    client
	back      *Backend
	surfaces  *surface.Surfaces
	sessions  *sessions
	artifacts *artifacts
	documents *documents
	unwatch   func()

	started time.Time

	work sync.WaitGroup // runs and questions of this connection

	questions context.Context // ends when the client is about to leave
	unasked   context.CancelFunc

	mu         sync.Mutex        // guards everything below
	current    string            // the session of a plain client: the last one run or resumed
	trustAsked map[string]bool   // digests of the questions of domain config that were asked
	trustOpen  []<-chan struct{} // closed when what became of one of them has been said
	warned     map[string]bool   // what was said about the configuration and is still so
	marked     map[string]bool   // files with diagnostics of ours
}

// Serve speaks to one client until it leaves, and returns the process's exit
// code. out is written by nobody else.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) int {
	s := &Server{opt: opt, started: time.Now(), trustAsked: map[string]bool{}, warned: map[string]bool{}, marked: map[string]bool{}}
	s.questions, s.unasked = context.WithCancel(context.Background())
	cfg := wire.Config{
		In: in, Out: out,
		Log: replayer{s}, Gap: gapEvent, Report: s.report,
		Ended:    s.stopRuns,
		Forget:   s.forget,
		Domain:   domainError,
		Panicked: s.panicked,
	}
	s.conn = wire.Connect(s, rows(), cfg)
	s.surfaces = surface.New(s.questions, link{s.conn, s}, s)
	code := s.conn.Serve(ctx)
	if s.unwatch != nil {
		s.unwatch()
	}
	s.closeBackend()
	s.awaitWork()
	s.surfaces.Close()
	return code
}

// stopRuns ends every run when the client has left or says shutdown; when it
// returns everything is durable.
func (s *Server) stopRuns() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	s.cancelConfig(ctx)
	if s.back == nil {
		return
	}
	if err := s.back.Sessions.Close(ctx); err != nil {
		s.report("close the sessions", err)
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
		s.report("close", err)
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
	s.conn.AwaitEarlier(c, lastGrace)
	return wire.None{}, nil
}

// initialized lets our own traffic go out.
func (s *Server) initialized(context.Context, wire.None) error {
	s.surfaces.Ready()
	return nil
}

// link is the connection, for the surfaces.
type link struct {
	*wire.Conn
	s *Server
}

// Background implements Client.
func (l link) Background(f func()) { l.s.goWork(f) }

// Report implements Client.
func (l link) Report(what string, err error) { l.s.report(what, err) }

func (s *Server) report(what string, err error) {
	s.opt.Log.Warn().Err(err).Msg(what)
}

func (s *Server) panicked(method string, value any, stack []byte) {
	s.opt.Log.Error().Str("method", method).Interface("panic", value).Bytes("stack", stack).Msg("panic")
	if s.opt.Panicked != nil {
		s.opt.Panicked(method, value, stack)
	}
}

// lastGrace is how long the end waits for what still runs, of each kind.
const lastGrace = time.Second

// awaitWork waits for the runs and questions of this connection.
func (s *Server) awaitWork() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.work.Wait()
	}()
	timer := time.NewTimer(lastGrace)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		s.report("leave", errors.New("a run did not end"))
	}
}

// goWork runs f in a goroutine that Serve waits for.
func (s *Server) goWork(f func()) { s.work.Go(f) }

// drive works on a session's runs until it is idle.
func (s *Server) drive(of *session.Session) { s.goWork(of.Work) }

// setCurrent makes a session the one that a plain client means.
func (s *Server) setCurrent(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = id
}

func (s *Server) currentID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// gapEvent is the ephemeral event that says what was left out (O8).
func gapEvent(of string, fromAfterSeq, droppedBytes int64) json.RawMessage {
	return ephemeralJSON(history.Origin{Session: of}, history.Ephemeral{Type: "gap", After: fromAfterSeq, Data: gapData{fromAfterSeq, droppedBytes}})
}

// gapData is the data of a gap.
type gapData struct {
	FromAfterSeq int64 `json:"fromAfterSeq"`
	DroppedBytes int64 `json:"droppedBytes"`
}
