package session

import (
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// describer says what a session is and how it is doing.
type describer struct {
	deps    *Deps
	id      string // of the session
	dir     string
	journal *journal.Journal
	root    *root
	session *activity
}

// writeInfo is a cache: an error costs only time.
func (d *describer) writeInfo(x *journal.Txn) {
	if x.Broken() != nil || x.Closed() {
		return
	}
	about := d.about(x)
	switch {
	case x.State.Closed:
		about.State = "closed"
	case about.State != "interrupted":
		about.State = "idle"
	}
	if err := about.Save(d.deps.Disk, d.dir); err != nil {
		d.deps.Log.Warn().Err(err).Str("session", d.id).Msg("info.json")
	}
}

// About describes the session for lists and searches.
func (d *describer) About() history.About {
	x := d.journal.Begin()
	defer x.End()
	return d.about(x)
}

func (d *describer) about(x *journal.Txn) history.About {
	return history.About{Info: d.info(x), Seq: x.State.Seq, Bytes: x.Log().Bytes(), FirstPrompt: x.State.FirstPrompt, LastPrompt: x.State.LastPrompt, Reset: x.State.Closed}
}

// Info describes the session for lists.
func (d *describer) Info() history.Info {
	x := d.journal.Begin()
	defer x.End()
	return d.info(x)
}

func (d *describer) info(x *journal.Txn) history.Info {
	state := "idle"
	switch {
	case x.Closed():
		state = "closed"
	case x.State.Waits():
		state = "waiting_approval"
	case d.session.live != nil:
		state = "running"
	case x.State.Closed:
		state = "closed"
	case x.State.Interrupted != nil:
		state = "interrupted"
	}
	info := x.State.Describe(d.id, state)
	if d.root.key != "" {
		info.SessionKey = d.root.key
	}
	info.SyncState = d.deps.syncState(d.root.id)
	if info.Mode == tool.ModeFullAccess && !d.root.said.fullOn(info.Runner) {
		info.Mode = x.State.Otherwise() // lost on restart and on another machine unless confirmed again
	}
	return info
}

// Resumed is what a client needs to go on with a session.
type Resumed struct {
	Info        history.Info
	TailSeq     int64
	Interrupted *history.Interrupted
	Pending     []history.Approval
	Asked       []history.QuestionAsked
	Queue       []history.QueueItem
}

// Resume describes a session to a client that opens it.
func (d *describer) Resume() Resumed {
	x := d.journal.Begin()
	defer x.End()
	return Resumed{Info: d.info(x), TailSeq: x.State.Seq, Interrupted: x.State.Interrupted, Pending: append([]history.Approval{}, x.State.Pending...), Asked: append([]history.QuestionAsked{}, x.State.Asked...), Queue: queued(x.State)}
}

// LostFullAccess says once that full access ended with the process before this one.
func (d *describer) LostFullAccess() bool { return d.root.said.lostFull.Swap(false) }

// Ephemeral says that nothing of the session outlives the process.
func (d *describer) Ephemeral() bool {
	return journal.Read(d.journal, func(t *history.Transcript) bool { return t.Opened.Ephemeral })
}

// Pending are the open questions, oldest first.
func (d *describer) Pending() []history.Approval {
	return journal.Read(d.journal, func(t *history.Transcript) []history.Approval { return append([]history.Approval{}, t.Pending...) })
}
