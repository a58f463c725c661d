package surface

import (
	"sync"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Elsewhere says where a client's current session works, and where else it could.
type Elsewhere interface {
	// Places are the names of the runners that there are, and on which of them the current
	// session works from its next run on; "" is this machine, also where there is none.
	Places() (runners []string, now string)
}

// whereabouts knows on which machine the runs of this process work. Its lock is a leaf: it is
// asked while a session, or the table of progress, is locked. The zero one knows of none.
type whereabouts struct {
	mu   sync.Mutex // guards everything below
	next map[string]string
	now  map[string]string // of the last run that has begun, by session
}

// learn takes over where a session works that an earlier process has left.
func (w *whereabouts) learn(id, runner string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.make()
	if _, known := w.next[id]; !known {
		w.next[id] = runner
	}
}

// follow takes an event over: a run stays where it has begun.
func (w *whereabouts) follow(o history.Origin, e history.Event) {
	if len(o.AgentPath) > 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.make()
	switch b := e.Body.(type) {
	case history.Changed:
		if b.Runner != nil {
			w.next[o.Session] = *b.Runner
		}
	case history.RunStarted:
		w.now[o.Session] = w.next[o.Session]
	}
}

func (w *whereabouts) make() {
	if w.next == nil {
		w.next, w.now = map[string]string{}, map[string]string{}
	}
}

// of is where the run of a session works, "" for this machine.
func (w *whereabouts) of(id string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now[id]
}

// TellPlace says where a session works now, or from its next run on, to a client that shows
// it nowhere.
func (s *Screen) TellPlace(id, runner string, next bool) {
	if s.Plugin {
		return
	}
	words := map[bool]locale.Message{false: locale.WorksOn, true: locale.WorksOnNext}[next].In(s.Locale, id, runner)
	if runner == "" {
		words = map[bool]locale.Message{false: locale.WorksHere, true: locale.WorksHereNext}[next].In(s.Locale, id)
	}
	s.Say(MessageInfo, Message(words))
}
