package surface

import (
	"sync"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// fullAccess knows which sessions of this process have full access. Its lock is a leaf:
// it is asked while a session, or the table of progress, is locked. The zero one knows none.
type fullAccess struct {
	mu sync.Mutex // guards everything below
	of map[string]bool
}

// follow takes an event over, and says whether full access begins or ends with it.
func (f *fullAccess) follow(o history.Origin, e history.Event) (begins, ends bool) {
	b, changed := e.Body.(history.Changed)
	if !changed || b.Mode == nil || len(o.AgentPath) > 0 {
		return false, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil {
		f.of = map[string]bool{}
	}
	was, now := f.of[o.Session], *b.Mode == tool.ModeFullAccess
	f.of[o.Session] = now
	return now && !was, !now && was
}

func (f *fullAccess) has(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of[id]
}

// TellMode says that full access begins or ends to a client that shows it nowhere.
func (s *Screen) TellMode(id string, begins, ends bool) {
	switch {
	case s.Plugin:
	case begins:
		s.Say(MessageWarning, Message(locale.FullAccessBegins.In(s.Locale, id)))
	case ends:
		s.Say(MessageInfo, Message(locale.FullAccessEnds.In(s.Locale, id)))
	}
}

// TellShown says the same of a session that is about to be shown, also that it ended
// with the process before, where nobody was told.
func (s *Screen) TellShown(of *session.Session) {
	full := of.Info().Mode == tool.ModeFullAccess
	s.TellMode(of.ID(), full, of.LostFullAccess() && !full)
}
