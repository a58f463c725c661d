package session

import (
	"sync/atomic"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
)

// root is the session that a person sees, as far as its sub-agents share it.
type root struct {
	id       string
	dir      string
	key      string // what an old form of the key in the log means now; "" = as the log says
	journal  *journal.Journal
	redactor *placeholder.Redactor
	said     consent
	spent    spent
	session  *activity

	placement placement
	// narrowed is what the skills of the run at work leave of it.
	narrowed atomic.Pointer[narrowed]
}

// consent is what a person has said in this process, and was told.
type consent struct {
	full         *string       // on which runner full access was confirmed, "" for this machine; nil: nowhere. A transaction of the journal guards it
	changed      chan struct{} // closed and replaced when grants or the mode change; guarded like full
	lostFull     atomic.Bool   // full access ended with the process before, and nobody has asked yet
	loopsAllowed atomic.Bool   // somebody said always to a doom loop: nothing more is asked as long as this process lives
	toldUnasked  atomic.Bool   // that commands run in the sandbox without a question
}

// fullOn says that full access was confirmed for the machine of a runner.
func (c *consent) fullOn(runner string) bool { return c.full != nil && *c.full == runner }

// leaveFullAccess ends full access that was confirmed for another machine than a runner's.
func (o *root) leaveFullAccess(runner string) {
	x := o.journal.Begin()
	defer x.End()
	if !o.said.fullOn(runner) {
		o.said.full = nil
	}
}

func (c *consent) touch() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// touched is closed when something changes that an open question depends on.
func (o *root) touched() <-chan struct{} {
	x := o.journal.Begin()
	defer x.End()
	return o.said.changed
}

// opened is how the session began, and what its key means now.
func (o *root) opened() (history.Opened, string) {
	return journal.Read(o.journal, func(t *history.Transcript) history.Opened { return t.Opened }), o.key
}

// kind is what `keys` of an agent's file goes by: main, dm or group. A session that
// nobody gave a key is a person's in the editor, as main is; what is made out of a
// group's session is a group's.
func (o *root) kind() string { return kindIn(o.opened()) }

// private says that what is said in the session is between one person and the
// agent, as in main and dm sessions, and in those without a key of their own, which
// are a person's in the editor. Others, above all those of groups, have no memory in
// their prompt, write none, and read the notes of days on demand.
func (o *root) private() bool { return private(o.opened()) }

// documents are those that people have pointed at: a sub-agent works on what its
// parent was asked about.
func (o *root) documents() []string { return journal.Read(o.journal, documentsOf) }

// apart is the id of the session where it is tainted: what its commands leave is not for
// those of other sessions.
func (o *root) apart() string {
	if journal.Read(o.journal, func(t *history.Transcript) bool { return t.Tainted }) {
		return o.id
	}
	return ""
}

// runOf is the root's own run behind the run r of a session. The root is locked.
func (o *root) runOf(of *activity, r *run) string {
	if of == o.session || o.session.live == nil {
		return r.id
	}
	return o.session.live.id
}

// documentsOf are the documents that people have pointed at in what the model
// still sees, as URIs, the oldest first: once a directory's instructions are in the
// prompt they stay, and the prefix with them.
func documentsOf(t *history.Transcript) []string {
	var uris []string
	add := func(blocks []history.Block) {
		for _, b := range history.ForModel(blocks) {
			if b.Type == "resource_link" {
				uris = append(uris, b.URI)
			}
		}
	}
	add(t.Carried)
	for _, i := range t.Items {
		add(i.Blocks)
	}
	return uris
}

// spend counts an answer in the sums of the session and the day; origin is who asked for it.
// It comes before the answer is recorded: a process that dies in between has spent it all
// the same.
func (o *root) spend(deps *Deps, origin history.Origin, done model.Done) {
	if done.Usage == nil {
		return
	}
	sum := sumOf(done.Usage)
	o.spent.add(sum)
	if deps.Spending == nil {
		return
	}
	e := ledger.Entry{Workspace: deps.WorkspaceID, Session: o.id, Provider: done.Provider, Model: done.Model, Sum: sum}
	if len(origin.AgentPath) > 0 {
		e.Agent = origin.AgentPath[0]
	}
	if err := deps.Spending.Ledger.Add(e); err != nil {
		deps.Log.Warn().Err(err).Str("session", o.id).Msg("usage")
	}
}
