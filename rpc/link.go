package rpc

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// link is the client of one connection and the way to it.
type link struct {
	*wire.Conn
	client  client // set by initialize; the lifecycle lets in nothing before that asks for it
	log     zerolog.Logger
	leaving context.Context // ends when the client is about to leave
	leave   context.CancelFunc
	work    sync.WaitGroup // runs and questions of this connection
}

// Background runs f in a goroutine that Serve waits for.
func (l *link) Background(f func()) { l.work.Go(f) }

// Report writes an error into the program's log.
func (l *link) Report(what string, err error) { l.log.Warn().Err(err).Msg(what) }

// lastGrace is how long the end waits for what still runs, of each kind.
const lastGrace = time.Second

// awaitWork waits for the runs and questions of this connection.
func (l *link) awaitWork() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.work.Wait()
	}()
	timer := time.NewTimer(lastGrace)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		l.Report("leave", errors.New("a run did not end"))
	}
}
