package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// invocation is one call on its way from request to result. Its fields are in the order
// in which they are known.
type invocation struct {
	call    history.Call
	ctx     context.Context // ends with the run, or when this call is cancelled
	done    func()
	started time.Time     // of the judgement, then of the run
	begun   chan struct{} // closed when the sub-agent of a task has begun
	way     time.Duration // what it has waited for its runner

	// By authorize.
	tool       tool.Tool
	input      json.RawMessage                             // its arguments with placeholders, as hooks or a person have changed them
	back       func(input json.RawMessage) json.RawMessage // of a call that leads to another tool; nil: it does not
	hooked     bool                                        // hooks have changed them
	edited     bool                                        // they are a person's, not the model's
	refused    *authorization                              // a hook's no
	plan       *tool.Plan
	counted    bool          // the loop guard waits to hear what came of it
	authorized authorization // may it run, and who says so
	end        *stop         // the run ends behind this step

	outcome
}

// outcome is what came of a call, by execute or by a refusal.
type outcome struct {
	unsaved   []string // of a command: files whose text it did not see
	tainted   bool     // its result may contain text from outside
	result    history.ToolReturned
	changes   []tool.Change
	conflicts []tool.Conflict      // of files that were to be brought here
	others    []history.FileChange // what a sub-agent changed; its own log has it
	spilled   *tool.Spilled        // the whole output is in a file already
	secrets   []tool.Secret        // what the files that are shown give away
	whole     string               // the text of the result before its secrets were hidden; "": there were none
	hidden    bool                 // the secrets of the result are hidden
	skill     *skills.Skill        // that it has loaded
	note      string               // of a sub-agent: follows the result unless it was cancelled
}

// caller takes the calls of a session along their line.
type caller struct {
	*watchers
	deps      *Deps
	id        string // of the session
	journal   *journal.Journal
	blobs     blobs
	authority *authority
	auditor   *auditor
	asker     *asker
	previews  *previewer
	room      func(*run) int // bytes that the result of a call may have; 0: no limit of this kind
	stops     sync.Map       // the context.CancelCauseFunc of calls at work, by callId
	// toldOfPlaceholders says that the model was told what placeholders are.
	toldOfPlaceholders bool
}

// authorize takes a call to the point where it may run: before-hooks → plan → loop
// guard → decide → ask → record the decision. What may not run has its result
// already.
func (l *caller) authorize(r *run, c history.Call, cut bool) *invocation {
	j := &invocation{call: c, started: time.Now(), begun: make(chan struct{})}
	j.ctx, j.done = l.stoppable(r, c.CallID)
	title, err := l.decode(r, j, cut)
	if err == nil {
		l.hookBefore(r, j)
		title, err = l.makePlan(j, title)
	}
	recordOrCancel(l.journal, r, history.ToolRequested{CallID: c.CallID, Tool: c.Tool, Input: c.Input, Title: title})
	if err != nil {
		return l.garbled(r, j, err)
	}
	j.authorized = l.authorization(r, j)
	j.authorized = l.audited(r, j)
	recordOrCancel(l.journal, r, l.decided(j))
	if !j.authorized.allow {
		j.end = j.authorized.end
		return j.refuse(j.authorized.status, j.authorized.text)
	}
	l.inSandbox(r, j)
	if j.plan.Effect != tool.Read {
		if err := l.journal.Sync(); err != nil { // the decision is durable before anything changes
			return j.refuse(history.StatusFailed, "the session log cannot be written, so nothing was run: "+err.Error())
		}
	}
	return j
}

// granted is what the decision about a plan lets it do. A decision of the sandbox opens
// none of the files that the sandbox closes.
func granted(p *tool.Plan, d control.Decision) tool.Grant {
	g := tool.Grant{Needs: p.Needs, Sandbox: d.Sandbox}
	if d.Network {
		g.Needs = g.Needs.With(tool.NeedNetwork)
	}
	if d.Git {
		g.Needs = g.Needs.With(tool.NeedGit)
	}
	if d.Sandbox == tool.NoSandbox {
		g.Opens = slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Reads, d.Reads))))
	}
	return g
}

// authorization is whether a planned call may run, and who says so: the loop guard, which
// counts what hooks refuse as well, a hook, or rules and people.
func (l *caller) authorization(r *run, j *invocation) authorization {
	if w, looping := l.guardLoop(r, j); looping {
		return w
	}
	if j.refused != nil {
		return j.refused.over(j.plan)
	}
	return l.decide(r, j)
}

// decode finds the tool of a call and its arguments. The title is what there is to
// show before there is a plan; an error is a text for the model, and then there is
// nothing to decide.
func (l *caller) decode(r *run, j *invocation, cut bool) (title string, err error) {
	c := j.call
	t, ok := r.tools.Lookup(c.Tool)
	if c.Said != "" {
		return control.Title(c.Tool, 120), fmt.Errorf("unknown tool %q, which is recorded as %q because no provider takes that name; nothing was run. Call one tool at a time, by its own name; available: %s", c.Said, c.Tool, strings.Join(r.tools.Names(), ", "))
	}
	if !ok && strings.HasPrefix(c.Tool, tool.HostPrefix) {
		return control.Title(c.Tool, 120), fmt.Errorf("the tool %q is of an editor that is not connected now, or does not offer it any more; nothing was run. Available: %s", c.Tool, strings.Join(r.tools.Names(), ", "))
	}
	if !ok {
		return control.Title(c.Tool, 120), fmt.Errorf("unknown tool %q; available: %s", c.Tool, strings.Join(r.tools.Names(), ", "))
	}
	j.tool, title = t, t.Spec().Name
	switch {
	case r.reporting:
		return title, errors.New("the budget is used up, so nothing was run: report what you found")
	case cut:
		return title, errors.New("cut off; split the work: your answer hit the output limit, so this call may be incomplete and nothing was run. Make smaller calls, one at a time")
	}
	if !isObject(c.Input) {
		return title, errors.New(defect(c.Raw))
	}
	if j.input, err = l.blobs.reload(c.Input); err != nil {
		return title, err
	}
	return j.route(r.tools, title)
}

// route makes the call that of another tool where its own tool leads there: from here on
// hooks, rules and people have to do with that one alone.
func (j *invocation) route(all tool.Set, title string) (string, error) {
	routed, err := tool.RouteOf(j.tool, j.input)
	if err != nil || routed.Tool == nil {
		return title, err
	}
	if routed.Needs != "" && !has(all, routed.Needs) {
		return title, fmt.Errorf("%s: this leads to a tool of an MCP server, and you do not have %s", title, routed.Needs)
	}
	j.tool, j.input, j.back = routed.Tool, routed.Input, routed.Back
	return j.tool.Spec().Name, nil
}

// named is the tool that the call is of.
func (j *invocation) named() string {
	if j.back != nil {
		return j.tool.Spec().Name
	}
	return j.call.Tool
}

// makePlan plans the call, whose title is a line for a person.
func (l *caller) makePlan(j *invocation, title string) (string, error) {
	began := time.Now()
	p, err := l.planned(j.ctx, j.tool, j.call.CallID, j.input)
	j.way += l.root.place().waited(began)
	unknown, isUnknown := errors.AsType[*unknownAgent](err)
	switch {
	case isUnknown:
		return title, unknown
	case err != nil && j.hooked:
		return l.unplanned(title, j.input), fmt.Errorf("a hook changed the arguments, and with those the call cannot be done: %w", err)
	case err != nil:
		return l.unplanned(title, j.input), err
	}
	if err := l.root.narrowed.Load().refuses(j.tool.Spec().Name, p); err != nil {
		return title, err
	}
	j.plan = p
	return control.Title(l.root.redactor.RedactAgain(p.Title), 200), nil
}

// unplanned is the title of a call that cannot be planned: the tool, and the file that
// it was about, where its arguments name one.
func (l *caller) unplanned(title string, input json.RawMessage) string {
	var about struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(input, &about) != nil || strings.TrimSpace(about.Path) == "" {
		return title
	}
	return control.Title(l.root.redactor.RedactAgain(title+" "+about.Path), 200)
}

// execute runs what was allowed. Several read-only steps may run at the same time;
// nothing is recorded here.
func (l *caller) execute(r *run, j *invocation) {
	if j.result.Status != "" {
		return // refused
	}
	defer func() {
		if p := recover(); p != nil {
			l.deps.Log.Error().Interface("panic", p).Bytes("stack", debug.Stack()).Str("tool", j.call.Tool).Msg("tool")
			j.refuse(history.StatusFailed, fmt.Sprintf("internal error in %s: %v", j.call.Tool, p))
		}
	}()
	unlock, err := l.deps.Locks.take(j.ctx, j.plan.Lock)
	if err != nil { // cancelled: nothing has begun
		j.refuse(history.StatusCancelled, "")
		return
	}
	defer unlock()
	j.started = time.Now()
	if err := l.root.place().stillStarts(j.plan); err != nil {
		j.refuse(history.StatusFailed, err.Error())
		return
	}
	j.tainted = taints(j) // also where it panics
	grant := granted(j.plan, j.authorized.decision)
	grant.Bounds, grant.Origin = l.authority.heldTo(r.agent), l.originOf(r)
	if j.plan.Effect == tool.Exec {
		j.unsaved = l.root.place().Files.Unsaved()
	}
	result, err := l.deps.runPlan(j.ctx, j.plan, grant, &sink{calls: l, run: r, call: j.call, step: j, begun: sync.OnceFunc(func() { close(j.begun) })})
	j.tainted = j.tainted || result.Tainted
	if l.root.place().Runner != "" {
		j.way += result.Way
	}
	switch {
	case j.ctx.Err() != nil && (err != nil || result.Failed):
		j.returned(history.StatusCancelled, result.Text)
	case errors.Is(err, tool.ErrInterrupted):
		l.root.placement.heard.Store(false)
		l.deps.Accepted.Doubt() // what the call did, nobody has seen
		j.returned(history.StatusInterrupted, err.Error())
	case err != nil:
		j.returned(history.StatusFailed, err.Error())
	case result.Failed:
		j.returned(history.StatusFailed, result.Text)
	default:
		j.returned(history.StatusCompleted, result.Text)
	}
	if !result.Ends.IsZero() {
		j.end = &stop{reason: history.StopEndTurn, message: result.Ends}
	}
	j.secrets = secretsIn(j, result)
	j.result.ExitCode, j.changes, j.spilled, j.conflicts = result.ExitCode, result.Changes, result.Spilled, result.Conflicts
	images, left := l.blobs.keepImages(result.Parts)
	j.result.Images, j.result.Text = images, joinLines(j.result.Text, left)
	l.takeIn(j)
	l.hookAfter(r, j)
}

// record writes down what came of a step: the files it changed, then its result,
// bounded, whatever it came from.
func (l *caller) record(r *run, j *invocation) {
	defer j.done()
	j.result.Changes = l.recordChanges(r, j)
	r.note(l.root.redactor, j)
	if !j.hidden { // refused, or rewritten by a hook
		j.result.Text = l.root.redactor.RedactAgain(j.result.Text)
	}
	l.truncate(r, j, l.remarks(r, j))
	if j.tainted {
		l.taint(r, j)
	}
	l.loaded(r, j)
	j.result.WayMs = l.root.place().waitedMs(j.way)
	r.way += j.way
	recordOrCancel(l.journal, r, j.result)
	if j.plan != nil && j.plan.Effect != tool.Read {
		_ = l.journal.Sync() // a log that cannot be written has been reported
	}
}

// recordChanges records the files that a step has changed, and counts them to
// the run.
func (l *caller) recordChanges(r *run, j *invocation) (changes []history.FileChange) {
	for _, c := range j.changes {
		if !c.Directory {
			changes = append(changes, fileChange(j.call.CallID, c))
		}
		c.Runner = l.root.place().Runner
		recordOrCancel(l.journal, r, fileChanged(j.call.CallID, c))
	}
	changes = append(changes, j.others...)
	if l.root.place().Twin == nil { // else what of it comes here counts
		r.changes = append(r.changes, changes...)
	}
	return changes
}

// stoppable lets one call be cancelled by its id, also while it is asked about.
func (l *caller) stoppable(r *run, callID string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	l.stops.Store(callID, cancel)
	return ctx, func() {
		l.stops.Delete(callID)
		cancel(nil)
	}
}

// refuse gives a call its result without running it.
func (j *invocation) refuse(status history.Status, text string) *invocation {
	j.returned(status, text)
	return j
}

func (j *invocation) returned(status history.Status, text string) {
	j.result = history.ToolReturned{CallID: j.call.CallID, Tool: j.call.Tool, Status: status, Text: history.Clean(text), DurationMs: time.Since(j.started).Milliseconds()}
}

// loaded records that a call has loaded a skill, and lets it narrow the run from here on.
func (l *caller) loaded(r *run, j *invocation) {
	s := j.skill
	if s == nil || j.result.Status != history.StatusCompleted {
		return
	}
	e := history.SkillLoaded{CallID: j.call.CallID, Name: s.Name, Source: string(s.Source), Path: s.Path}
	if s.Allowed != nil {
		e.AllowedTools = &s.Allowed.Tools
	}
	recordOrCancel(l.journal, r, e)
	l.root.narrowed.Store(l.root.narrowed.Load().with(*s))
}
