package session

import (
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// activity is what goes on in a session.
type activity struct {
	journal *journal.Journal
	above   *activity // of the session that sent this one, nil where a person did

	// A transaction of the journal guards what follows.
	live     *run          // the run that is worked on, nil when idle
	undoing  string        // the undo that is under way, "" when none is
	stopUndo func()        // ends it; nil when none is
	idle     chan struct{} // closed when nothing runs any more; nil when idle
	closing  bool          // nothing is taken in any more
}

// current is the run that is worked on, or that Prompt has started and nobody works on
// yet.
func (a *activity) current() *run {
	x := a.journal.Begin()
	defer x.End()
	return a.live
}

// agent is that of the run that is worked on.
func (a *activity) agent() config.Agent {
	x := a.journal.Begin()
	defer x.End()
	if a.live == nil {
		return config.Agent{}
	}
	return a.live.agent
}

// rest says that nothing runs any more.
func (a *activity) rest() {
	if a.idle != nil {
		close(a.idle)
		a.idle = nil
	}
}

// LiveRun is the id of the run that is worked on, "" when idle.
func (a *activity) LiveRun() string {
	if r := a.current(); r != nil {
		return r.id
	}
	return ""
}
