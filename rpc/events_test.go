package rpc

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// Who reads a log of which types leave everything out ends with its request.
func TestEventsEndWithTheirRequest(t *testing.T) {
	home := t.TempDir()
	log, err := history.Create(nil, filepath.Join(home, "sessions", "w", "0001"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Append(history.Event{Seq: 1, Time: time.UnixMilli(1), Body: history.Opened{Version: 1}}); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	s := &sessions{link: &link{leaving: t.Context()}, store: store.Open(&session.Deps{Disk: &durable.Disk{}, Home: home, WorkspaceID: "w"})}
	for _, row := range []struct {
		ctx  context.Context
		want error
	}{{t.Context(), nil}, {ended, context.Canceled}} {
		page, err := s.events(row.ctx, nil, eventsParams{SessionID: "0001", Types: []string{"plan.updated"}})
		if !errors.Is(err, row.want) || row.want == nil && page.NextAfter != 1 {
			t.Errorf("%+v, %v; want %v", page, err, row.want)
		}
	}
}
