package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// pendingApproval is a call that a person is asked about: what they see, and whether an
// answer still fits it.
type pendingApproval struct {
	l *caller
	r *run
	j *invocation

	since  time.Time        // the question that is shown was made then
	now    control.Decision // how the plan is judged
	shown  control.Decision // as the person sees it: that is what an answer is about
	edited bool             // what is asked about is a person's own text: no rule is offered for it
	gone   error            // why the call cannot be done any more
	unseen error            // why only a person who has seen it may let it run
}

// build is the question as it is now.
func (m *pendingApproval) build() history.Approval {
	m.shown, m.since = m.now, time.Now()
	if m.edited {
		m.shown.Always = nil
	}
	if namesSecret(m.l.root.redactor, m.shown.Targets) { // a rule would keep it
		m.shown.Always, m.shown.OnceOnly = nil, true
	}
	return m.l.previews.approvalOf(m.r, m.j.plan, m.shown)
}

// fresh says whether what a person said yes to is still what would run: the same
// files, in a command the same meaning of its words, nothing that is asked about
// only since, and the same rules to choose from. Where it is not, the call as it is
// now takes its place.
func (m *pendingApproval) fresh() error {
	again, unseen, err := m.planned(m.j.input)
	if err != nil {
		m.gone = err
		return err
	}
	m.unseen = unseen
	m.now = m.l.authority.policy(m.r.agent).Decide(again)
	switch {
	case again.Digest != m.j.plan.Digest, m.now.Verdict == control.Deny:
	case !slices.Equal(m.now.Targets, m.shown.Targets), len(more(m.shown, m.now)) > 0:
	case slices.ContainsFunc(m.shown.Always, func(o control.Offer) bool { return !m.offers(o) }):
	default:
		return nil
	}
	m.j.plan = again
	return errors.New("changed since it was asked about")
}

// offers says that the call as it is now may still be answered with that rule.
func (m *pendingApproval) offers(shown control.Offer) bool {
	return slices.ContainsFunc(m.now.Always, func(o control.Offer) bool { return o.Pattern == shown.Pattern && o.Workspace == shown.Workspace })
}

// again judges the call once more after rules, grants or the mode have changed.
func (m *pendingApproval) again() control.Verdict {
	if m.gone != nil {
		return control.Deny
	}
	m.now = m.l.authority.policy(m.r.agent).Decide(m.j.plan)
	if m.now.Verdict == control.Allow && m.unseen != nil { // a rule allows what the model has seen, and it has not seen this
		m.gone = m.unseen
		return control.Deny
	}
	return m.now.Verdict
}

// planned is the call as it is now. What the model has not seen is planned too, with the
// reason: a person is shown it before it runs.
func (m *pendingApproval) planned(input json.RawMessage) (plan *tool.Plan, unseen, err error) {
	plan, err = m.l.planned(m.j.ctx, m.j.tool, m.j.call.CallID, input)
	if old, ok := errors.AsType[*tool.Outdated](err); ok {
		return old.Plan, err, nil
	}
	return plan, nil, err
}

// tried is a person's own arguments, planned and judged like any others. The
// error says why they cannot run.
func (m *pendingApproval) tried(input json.RawMessage) (plan *tool.Plan, d control.Decision, unseen, err error) {
	if plan, unseen, err = m.planned(input); err != nil {
		return nil, d, nil, err
	}
	d = m.l.authority.policy(m.r.agent).Decide(plan)
	if d.Verdict == control.Deny {
		return nil, d, nil, fmt.Errorf("it may not run: %s", d.Reason)
	}
	return plan, d, unseen, nil
}

func (m *pendingApproval) mayRun(input json.RawMessage) error {
	_, _, _, err := m.tried(input)
	return err
}

// edit puts a person's own arguments in the place of the model's, unless they
// cannot run any more. false says that they are a question of their own, because
// they reach further than what was shown.
func (m *pendingApproval) edit(input json.RawMessage) bool {
	plan, now, unseen, err := m.tried(input)
	if err != nil {
		return false
	}
	further := now.Verdict == control.Ask && (!slices.Equal(plan.Needs, m.j.plan.Needs) || reachesFurther(m.shown, now))
	m.j.plan, m.j.input, m.now, m.j.edited, m.edited, m.unseen = plan, input, now, true, true, unseen
	return !further
}

// reachesFurther says that a call asks for more than another one that was shown:
// it is of another risk, it is less certain what it does, it changes a repository, or a file, an address or
// a tool is in it that was not asked about. The text of a command is what a
// person has changed, so that one alone is nothing new.
func reachesFurther(shown, now control.Decision) bool {
	return now.Risk != shown.Risk || now.OnceOnly && !shown.OnceOnly || now.Git && !shown.Git ||
		slices.ContainsFunc(more(shown, now), func(t tool.Target) bool { return t.Domain != tool.DomainBash })
}

// more are the targets that are asked about now and were not when the question was
// shown.
func more(shown, now control.Decision) []tool.Target {
	return slices.DeleteFunc(slices.Clone(now.Asking), func(t tool.Target) bool { return slices.Contains(shown.Asking, t) })
}

// grants are what an answer of `session` covers.
func (m *pendingApproval) grants() []control.Rule {
	return control.OnRunner(m.l.root.place().Runner, control.GrantsOf(m.shown))
}
