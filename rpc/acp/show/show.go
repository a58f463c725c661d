// Package show makes of the events of a session what a client of the Agent Client Protocol is shown. It
// remembers what the client has seen; it asks nobody and decides nothing.
package show

import (
	"sync"

	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Client is what a client takes.
type Client struct {
	Locale     string
	Notices    bool // it shows notices
	Compaction bool // and summaries as such
	Terminals  bool // and what commands print as terminals, without starting them
}

// Source has the texts that events only name.
type Source interface {
	// Document is the text of a document of the server's own schemes.
	Document(uri string) (text string, is bool)
	// Image is an image of the session's log, in base64.
	Image(uri string) (data string, is bool)
}

// Show is what a client has been shown of one session.
type Show struct {
	id     string // of the session, as the server knows it
	root   string // the first folder
	client Client
	source Source
	line   *line
	work   func(func()) // runs what must ask the source beside the reader of events

	mu    sync.Mutex // guards everything below
	title string
	calls map[string]*toolCall // by agent and callId: the newest of that name
	seen  map[string]int       // how many calls had a name
	said  map[string]bool      // messages of which a piece was shown
	cost  float64              // of the runs that have ended, in USD
	loads bool                 // what comes is what was, so it is shown whole
}

// New is a session of which nothing was shown yet. send sends an update, and may wait for the client; work runs a
// function beside the reader of events.
func New(id, root, title string, client Client, source Source, send func(v1.SessionUpdate), work func(func())) *Show {
	s := &Show{id: id, root: root, title: title, client: client, source: source, line: &line{send: send}, work: work}
	s.forget()
	return s
}

func (s *Show) forget() {
	s.calls, s.seen, s.said, s.cost = map[string]*toolCall{}, map[string]int{}, map[string]bool{}, 0
}

// Load says that the events which come now are those of the log, from its first one, until Loaded.
func (s *Show) Load() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads = true
	s.forget()
}

// Loaded says that what comes from here on happens now.
func (s *Show) Loaded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads = false
}

// shows is how each event is shown. What is not in it is not.
var shows = map[string]func(*Show, history.WireEvent){
	"message.delta":     (*Show).delta,
	"reasoning.delta":   (*Show).thought,
	"message.assistant": (*Show).message,
	"message.user":      (*Show).steered,
	"run.started":       (*Show).prompted,
	"run.ended":         (*Show).runEnded,
	"tool.requested":    (*Show).callRequested,
	"tool.decided":      (*Show).callDecided,
	"tool.output":       (*Show).callOutput,
	"tool.returned":     (*Show).callReturned,
	"file.changed":      (*Show).fileChanged,
	"plan.updated":      (*Show).plan,
	"usage":             (*Show).usage,
	"notice":            (*Show).noticed,
	"session.changed":   (*Show).titled,
	"context.compacted": (*Show).compacted,
	"subagent.started":  (*Show).childStarted,
	"model.switched":    (*Show).switched,
}

// Event shows an event of the session, in its turn. Of a sub-agent only what it does is shown, as lines of
// the call that has sent it.
func (s *Show) Event(e history.WireEvent) {
	if len(e.AgentPath) > 0 {
		s.childEvent(e)
		return
	}
	if show := shows[e.Type]; show != nil {
		show(s, e)
	}
}

// say is a sentence in the person's language.
func (s *Show) say(m locale.Message, args ...any) string { return m.In(s.client.Locale, args...) }
