package session

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Place is a machine with a workspace, and the hands to work in it. There is one for each
// runner, or of a pool one for each session, which lasts as long as the process.
type Place struct {
	Runner string // the name of the runner that reaches it; "" is this machine

	Surroundings Surroundings
	Files        Files
	Tools        Tools
	Artifacts    Artifacts
	Jobs         Jobs

	// Twin keeps its files the same as those of this machine. nil: they are the same, or have
	// nothing to do with each other.
	Twin Twin

	// Reach makes sure that the machine can be worked on, before a run begins. nil: it
	// always can.
	Reach func(context.Context) error
}

// Twin keeps the files of a place the same as those of this machine.
type Twin interface {
	// Send makes the files there what they are here, and names those of here whose text in
	// the editor is not saved: that is not sent.
	Send(ctx context.Context, session, run string) (typed []string, err error)
	// Fetch gets what is other there than it was sent; nil for nothing.
	Fetch(ctx context.Context, session, run string) (*Fetched, error)
}

// Fetched is what is other in a place than it was sent there.
type Fetched struct {
	Runner string // that reaches the place
	// Tool brings files here; its call takes {"paths": […]}, some of Paths.
	Tool  tool.Tool
	Paths []string
	// Left are those that are not brought here whatever anybody says.
	Left []tool.Conflict
	// Settle says that all this is known here, so that it is not fetched again.
	Settle func(context.Context) error
}

// waited is how much of the time since then was spent on the way to the machine, by someone who
// only asked there; 0 on this one.
func (p *Place) waited(since time.Time) time.Duration {
	if p.Runner == "" {
		return 0
	}
	return time.Since(since)
}

// waitedMs is a time on the way as it is recorded, in milliseconds; nil on this machine.
func (p *Place) waitedMs(way time.Duration) *int64 {
	if p.Runner == "" {
		return nil
	}
	return new(way.Milliseconds())
}

// Elsewhere gives the places that are not this machine.
type Elsewhere interface {
	// Place is the one that a runner reaches for a session, which may not have been reached
	// yet. A runner that the configuration does not have is a RunnerError.
	Place(runner, session string) (*Place, error)
	// Runners are the names of those that the configuration has.
	Runners() []string
	// Left says that a session has no more to do with a runner: it works elsewhere now, or
	// gone, it was deleted. It does not wait.
	// What may be there and not here is fetched and kept first.
	Left(runner, session string, gone bool)
	// Kept is what a session has left on machines that it works on no more, or one that is no
	// more has. What is still being fetched is waited for, for some seconds.
	Kept(ctx context.Context, session string) ([]*Fetched, []Missing)
}

// Missing is a runner on which there is something that cannot be had now.
type Missing struct {
	Runner string
	Why    error
}

// placement is where a session works now. A run stays where it began.
type placement struct {
	at atomic.Pointer[Place]
	// heard says that the place was asked what its calls had changed whose results nobody has heard.
	heard atomic.Bool
}

// place is where the session and its sub-agents work.
func (o *root) place() *Place { return o.placement.at.Load() }

// At is the place of a runner for a session, "" for this machine.
func (d *Deps) At(runner, session string) (*Place, error) {
	if runner == "" {
		return d.Here, nil
	}
	if d.Elsewhere == nil {
		return nil, &RunnerError{Runner: runner}
	}
	return d.Elsewhere.Place(runner, session)
}

// nowhere is the place of a runner that is not configured any more: nothing is done
// here in its stead.
func nowhereAt(runner string) *Place {
	return &Place{Runner: runner, Surroundings: None{}, Files: None{}, Tools: None{}, Artifacts: None{}, Jobs: None{}}
}

// settle puts the session where its log says, and ends what it has in the background where
// it was. No run is at work, or one is that has not begun. The error is a RunnerError.
func (o *root) settle(deps *Deps, runner string) error {
	was := o.place()
	place, err := deps.At(runner, o.id)
	if err != nil {
		place = nowhereAt(runner)
	}
	if place == was {
		return nil
	}
	o.placement.at.Store(place)
	o.placement.heard.Store(false)
	o.leaveFullAccess(runner)
	was.Jobs.EndJobs(o.id)
	if was.Runner != "" && was.Runner != runner {
		deps.Elsewhere.Left(was.Runner, o.id, false)
	}
	return err
}

// Surroundings are where sessions work, as things are now.
type Surroundings interface {
	// Facts are the parts of a policy's facts that are the same for every session:
	// resolver, roots, homes.
	Facts() control.Facts
	// Environment is how this machine and this workspace are. A session keeps what it was
	// told at its start; the zero Environment says nothing.
	Environment() system.Environment
	// Instructions are the standing instructions of people (AGENTS.md files) that
	// hold for documents, given as URIs: layers of the prompt by that name, what
	// applies to all first. Of a workspace that is not trusted there are none. It is
	// asked once a run.
	Instructions(documents []string) []system.Layer
	// Skills are the folders of skills: the person's, then those of a workspace that is
	// trusted. They are read when it is asked what is in them.
	Skills() []skills.Folder
	// Memory is what the prompt of a person's own session says of earlier ones, ""
	// where there is nothing or the workspace is not trusted.
	Memory() string
}

// Files are those of the workspace. The Vault implements it.
type Files interface {
	// Unsaved names the files in which an edit of the agent's waits in the editor to
	// be saved.
	Unsaved() []string
	// ReadOnly says that nothing can be written in the workspace.
	ReadOnly() bool
	// Unfollowed counts the files that git ignores and that are other since a time, and
	// names the first; all is false where there are more.
	Unfollowed(ctx context.Context, since time.Time) (count int, first []string, all bool)
	// StartedDiff says what is different in a file, by its object, since it had the
	// content with that hash; "" where that is not known.
	StartedDiff(object, was string) string
	// Folder is the object of a folder, by a path from the first one or by an object.
	Folder(name string) (object string, err error)
	// Attachment reads a file that a prompt names by its URI, where mayRead says so of its
	// object: whole, or of a larger one max bytes and one more.
	Attachment(uri string, max int64, mayRead func(object string) bool) ([]byte, error)

	// Cited opens a file as its reader has it: text in UTF-8, unsaved where the editor has
	// it so. may says which objects may be looked at: any other is an error before it is
	// touched. What is no text is one, too. The caller closes it.
	Cited(path string, may func(object string) bool) (io.ReadCloser, error)

	// Undo brings files back to what they were before changes; record is called with
	// each change that this makes. With dryRun nothing is done.
	Undo(ctx context.Context, changes []tool.Change, merge, dryRun bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error)
	// LostChanges is what a call had changed when its process died; known is false
	// where nobody knows. It is asked once a call.
	LostChanges(line, callID string) (changes []tool.Change, known bool)
	// MoreChanges are the changes of a command that its log has only as one, by the
	// checkpoint of that.
	MoreChanges(checkpoint string) ([]tool.Change, error)
	// Compare says how a file is now beside what it was before a change; differs is
	// false for one that is back.
	Compare(was tool.Change) (now tool.Change, differs bool)
	// CheckpointText is the text of a kept content; an error says that it is not there
	// any more. size is in bytes.
	CheckpointText(hash string) (text string, isText bool, size int, err error)
}

// ToolOwner is the session that tools are made for. Each answer is as things are when it is
// asked.
type ToolOwner interface {
	// ID is the session's, or of a sub-agent its own.
	ID() string
	// MayRead tells of an object whether the session may read it without asking anybody.
	// What the current agent may not read is closed to its searches, too. It is made once
	// for a search that asks about very many, and may be called from several goroutines.
	// base is the directory that is searched, "" for none: a person who allowed that
	// allowed what is in it.
	MayRead(base string) func(object string) bool
	// Reading is what MayRead goes by, for tools on another machine.
	Reading() control.Reading
	// JudgeFetch is what applies to an address that a call comes to: a redirect is judged
	// like a call.
	JudgeFetch(object string) control.Decision
}

// Tools are those that sessions do not bring themselves.
type Tools interface {
	// Tools are the Vault's tools for one session, in whose folder they keep what must
	// last longer than the process; "" is none.
	Tools(of ToolOwner, folder string) []tool.Tool
	// ToolsToExplain take the place of those of Tools with the same name where a
	// call is only explained; asked is the tool it is about.
	ToolsToExplain(of ToolOwner, asked string) []tool.Tool
	// ThirdPartyTools are those that come and go: external ones and those of MCP
	// servers. Each run asks once and keeps what it got, so that the list stays as
	// it is while the model works with it. It may wait a little for servers that
	// are just starting, never beyond ctx.
	ThirdPartyTools(ctx context.Context) []tool.Tool
}

// Artifacts keeps outputs that are too large for the conversation.
type Artifacts interface {
	Create(sessionID, toolName, callID, mime string) (tool.Spill, error)
	RemoveSession(sessionID string) error
	// ArtifactDirs are the folders of a session's artifacts, absolute.
	ArtifactDirs(sessionID string) []string
	// Copy gives a session those of another one, by the names of their files;
	// what is not there any more is left out.
	Copy(from, to string, files []string) error
}

// Jobs are the commands that sessions, and sub-agents, have in the background.
// They outlive a run and end with their session.
type Jobs interface {
	// JobNews says for the model what has ended since it was asked last and the
	// model does not know.
	JobNews(sessionID string) []string
	// StopJob stops the job that a call has started, if it runs, and does not wait.
	StopJob(sessionID, callID string) (stopped bool)
	// EndJobs stops all jobs of a session and returns when nothing of them runs, or on another
	// machine that does not answer after some seconds.
	EndJobs(sessionID string)
}
