package session

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/key"
	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/session/questions"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// NewSession is how a session begins.
type NewSession struct {
	Key       string // canonical; short forms are the store's to complete
	Title     string
	Agent     string
	Model     string
	Mode      tool.Mode
	Ephemeral bool
	Reset     bool            // by the person's hand: a session that has the key is closed, and this one follows it
	Parent    *history.Parent // the session that this one follows; the store knows it
	First     FirstRun        // what opens it, if that is a run
}

// FirstRun is what the run that opens a session wants for itself. The session keeps
// none of it, but where it cannot be had no session is made either.
type FirstRun struct{ Agent, Model string }

// check refuses what the run would be refused for, in a session of agent.
func (f FirstRun) check(deps *Deps, agent config.Agent, kind string) error {
	if f.Agent != "" && f.Agent != agent.Name {
		other, ok := deps.agent(f.Agent, "primary")
		if !ok {
			other, ok = deps.agent(f.Agent, "")
			ok = ok && deps.Sends(f.Agent)
		}
		if !ok {
			return &InvalidError{"agent", fmt.Sprintf("there is no agent %q", f.Agent)}
		}
		if agent = other; !serves(agent, kind) {
			return &InvalidError{"agent", notServed(agent, kind)}
		}
	}
	if f.Model != "" && !agent.MayUse(f.Model) {
		return &InvalidError{"model", notAllowed(agent, f.Model)}
	}
	return nil
}

// Check fills in what is not said and refuses what cannot begin.
func (n *NewSession) Check(deps *Deps) error {
	n.Agent = cmp.Or(n.Agent, "build")
	n.Mode = cmp.Or(n.Mode, deps.modeOfNew())
	agent, ok := deps.agent(n.Agent, "primary")
	switch {
	case n.Mode == tool.ModeFullAccess:
		return &ConfirmError{"confirm", "full access is given with agent/session/update and confirm: true"}
	case n.Mode != tool.ModeAsk && n.Mode != tool.ModeAgent:
		return &InvalidError{"mode", fmt.Sprintf("%q is none of ask, agent, full_access", n.Mode)}
	case !ok:
		return &InvalidError{"agent", fmt.Sprintf("there is no agent %q", n.Agent)}
	case !serves(agent, deps.kindOfNew(n)):
		return &InvalidError{"agent", notServed(agent, deps.kindOfNew(n))}
	case len(n.Model) > mostName:
		return &InvalidError{"model", "is over 1 KiB"}
	case n.Model != "" && !agent.MayUse(n.Model):
		return &InvalidError{"model", notAllowed(agent, n.Model)}
	}
	return n.First.check(deps, agent, deps.kindOfNew(n))
}

// Create begins a session in a folder that nobody else has; n has been checked.
// It is not kept where its first line cannot be written.
func Create(deps *Deps, id, dir string, n NewSession) (*Session, error) {
	s := blank(deps, id, dir, history.Origin{Session: id}, nil)
	s.worker.env = s.root.place().environment()
	var err error
	if s.folder.lock, err = Lock(deps, id, dir); err != nil {
		return nil, err
	}
	if err := s.journal.Create(deps.Disk, dir); err != nil {
		return nil, errors.Join(err, s.folder.lock.Close())
	}
	x := s.journal.Begin()
	defer x.End()
	opened := history.Opened{Version: history.Version, Key: n.Key, WorkspaceURI: deps.WorkspaceURI, Agent: n.Agent, Mode: n.Mode, RuntimeMode: "local",
		Model: n.Model, Title: *CleanTitle(&n.Title), Ephemeral: n.Ephemeral, Parent: n.Parent}
	if err := x.TryAppend("", opened); err != nil {
		return nil, errors.Join(err, x.Close(), s.folder.lock.Close())
	}
	if err := s.worker.env.Keep(deps.Disk, dir); err != nil {
		deps.Log.Warn().Err(err).Str("session", id).Msg(system.EnvironmentFile)
	}
	s.writeInfo(x)
	return s, nil
}

// Open reads what an earlier process left in a folder and closes what it left
// open. A log that another process works on is a LockedError.
func Open(deps *Deps, id, dir string) (*Session, error) {
	s := blank(deps, id, dir, history.Origin{Session: id}, nil)
	s.worker.env = s.root.place().keptEnvironment(dir)
	var err error
	if s.folder.lock, err = Lock(deps, id, dir); err != nil {
		return nil, err
	}
	if err := s.calls.unheard(s.load); err != nil { // what is closed now is read from the log by anyone who resumes
		return nil, errors.Join(fmt.Errorf("open session %s: %w", id, err), s.folder.lock.Close())
	}
	x := s.journal.Begin()
	defer x.End()
	if x.State.Seq == 0 { // anyone who made it died before its first line was whole: nobody has heard of it
		return nil, errors.Join(&NotFoundError{SessionID: id}, x.Close(), s.folder.lock.Close())
	}
	s.root.spent.add(before(x.State.Info.Usage))
	s.root.key = key.Stored(x.State.Info.SessionKey, deps.WorkspaceID, x.State.Opened.Agent, id) // the log keeps what it says
	s.writeInfo(x)
	return s, nil
}

// Introduce shows what a session that was not begun here wrote itself, which is a
// fork's: its first line, and those behind the copied ones. The copied ones are read by
// anyone who wants them.
func (s *Session) Introduce() {
	x := s.journal.Begin()
	defer x.End()
	first := func(e history.Event) error { x.Publish(e); return history.ErrStop }
	behind := func(e history.Event) error { x.Publish(e); return nil }
	err := x.Log().Each(1, first)
	if from := x.State.Opened.Parent; err == nil && from != nil {
		err = x.Log().Each(from.AtSeq+1, behind)
	}
	if err != nil {
		s.deps.Log.Warn().Err(err).Str("session", s.id).Msg("introduce")
	}
}

// Glance is a session to look at and for nothing else: what its log says now,
// read without opening or mending it. Without an id it is one that has not begun.
func Glance(deps *Deps, id, dir string) *Session {
	s, _, _ := onlyRead(deps, id, dir) // a torn tail is not this reader's to mend
	return s
}

// onlyRead is a session with what its log says, as far as that can be read.
func onlyRead(deps *Deps, id, dir string) (*Session, *history.Transcript, error) {
	s := blank(deps, id, dir, history.Origin{Session: id}, nil)
	if id == "" {
		t := history.NewTranscript()
		t.Info.Agent = "build"
		s.journal.Show(t)
		return s, t, nil
	}
	t, err := history.Replay(dir)
	s.journal.Show(t)
	_ = s.root.settle(deps, t.Info.Runner)
	return s, t, err
}

// Lock takes a session's folder for this process, or says who has it.
func Lock(deps *Deps, id, dir string) (*durable.Lock, error) {
	lock, err := deps.Disk.TryLock(filepath.Join(dir, history.LockFile))
	var held durable.ErrLocked
	if errors.As(err, &held) {
		return nil, &LockedError{SessionID: id, PID: held.PID}
	}
	return lock, err
}

// folder is where a session is kept, as this process has locked it.
type folder struct {
	deps *Deps
	id   string // of the session
	dir  string
	lock *durable.Lock // nil: not locked
}

// keep sees to it that no other process can take the folder: somebody may have
// removed the file that is locked.
func (f *folder) keep(_ *journal.Txn) error {
	if f.lock == nil || !f.lock.Lost() {
		return nil
	}
	_ = f.lock.Close() // it keeps nobody out
	lock, err := Lock(f.deps, f.id, f.dir)
	if err != nil {
		return fmt.Errorf("the session's lock was removed: %w", err)
	}
	f.lock = lock
	return nil
}

// blank is a session without a log; above is the one that sends it, nil for a person's.
func blank(deps *Deps, id, dir string, origin history.Origin, above *Session) *Session {
	s := &Session{deps: deps, id: id, dir: dir, parent: above, activity: &activity{}, folder: &folder{deps: deps, id: id, dir: dir}, ends: &promises{},
		children: children{dir: dir, gone: make(chan struct{})}}
	blobs := blobs{deps.Disk, dir}
	authority := &authority{deps: deps, id: id, session: s.activity}
	if above == nil {
		s.root = &root{id: id, dir: dir, said: consent{changed: make(chan struct{})}, session: s.activity,
			redactor: placeholder.New(func() map[string]int { return usedNumbers(dir) })}
		s.root.placement.at.Store(deps.Here)
	} else {
		s.root, blobs = above.root, above.intake.blobs
		s.activity.above = above.activity
		authority.above = above.calls.authority
	}
	authority.root = s.root
	watchers := &watchers{to: deps.Notifier, origin: origin, root: s.root, session: s.activity}
	s.journal = journal.New(id, owner{watchers, id, deps.Log})
	s.activity.journal, s.children.journal = s.journal, s.journal
	if above == nil {
		s.root.journal = s.journal
	}
	view := &view{deps: deps, session: s.id, journal: s.journal, blobs: blobs, windows: map[string]int64{}, cuts: map[cutKey]int{}, weights: map[int64]weight{}}
	auditor := &auditor{watchers, deps}
	asker := &asker{watchers, deps, authority, auditor}
	s.calls = &caller{watchers: watchers, deps: deps, id: id, journal: s.journal, blobs: blobs, authority: authority, auditor: auditor, asker: asker, room: view.share}
	s.calls.previews = &previewer{deps, s.root, blobs, s.calls.originOf}
	s.agents = &roster{deps, s.root, s.activity}
	s.tools = &toolbox{deps: deps, owner: authority, root: s.root, session: s.activity, asks: sync.OnceValue(func() bool { return deps.Approver.CanQuestion() }),
		compactions: func() int { return journal.Read(s.journal, copied).Info.CompactionCount }}
	s.tools.dir = dir
	if above == nil {
		s.tools.own = ownTools{deps, s, s.root, s.journal, s.activity, s.agents, &s.children, []tool.Tool{questions.Tool(s.journal, deps.Approver, asker), questions.PlanTool(handOver{s}.accepted)}}.all
	}
	s.worker = &worker{watchers: watchers, deps: deps, id: id, journal: s.journal, blobs: blobs, view: view, across: acrossRuns{imagesTold: map[string]model.ImagesLeft{}, effortTold: map[string]bool{}},
		authority: authority, asker: asker, calls: s.calls, tools: s.tools, agents: s.agents, titles: newTitler(deps, origin, s.root, s.journal, s.activity)}
	s.worker.room = &compactor{watchers: watchers, deps: deps, id: id, journal: s.journal, blobs: blobs, view: view, authority: authority, calls: s.calls, reminders: s.worker.remindersOf}

	s.describer = &describer{deps, id, dir, s.journal, s.root, s.activity}
	s.intake = &intake{deps, s.root.redactor, blobs, authority, s.describer}
	s.logReader = &logReader{deps, id, dir, s.root, s.journal, origin}
	s.queue = &queue{s.journal, s.activity, s.intake, s.agents, s.root, s.ends}
	s.undoer = &undoer{s.logReader, s.folder, s.activity, s.describer, auditor, s.tools}
	s.waiter = &waiter{s.logReader, s.activity, s.ends}
	return s
}

// kindOfNew is that of a session that is about to be made under a key, or without one.
func (d *Deps) kindOfNew(n *NewSession) string {
	canonical, err := key.Canonical(n.Key, d.WorkspaceID, n.Agent)
	if err != nil {
		return "main" // none, or one that is refused
	}
	return kindOf(canonical)
}
