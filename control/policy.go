package control

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Policy judges a plan. Decide has no side effects and sees only the plan; what
// else it needs it closes over.
type Policy interface {
	Decide(*tool.Plan) Decision
}

// NewPolicy returns the policy of one session at one moment.
func NewPolicy(f Facts) Policy { return newPolicy(f) }

// Strictest judges with every policy and returns the strictest decision; the
// first one wins a tie, except that a yes that counts on a stricter sandbox is stricter.
// Without policies it denies.
func Strictest(ps ...Policy) Policy { return strictest(ps) }

type strictest []Policy

func (ps strictest) Decide(p *tool.Plan) Decision {
	var out Decision
	readOnly := false
	for i, policy := range ps {
		d := policy.Decide(p)
		readOnly = readOnly || d.Sandbox == tool.SandboxedReadOnly
		if i == 0 || d.Verdict < out.Verdict || d.Verdict == out.Verdict && d.Sandbox > out.Sandbox {
			out = d
		}
	}
	if readOnly && out.Verdict == Ask { // an answer would be a yes to a sandbox that can write
		return onlyUnasked(out)
	}
	return out
}

// onlyUnasked denies what an agent that changes nothing runs in the sandbox, where another
// policy wants a person to be asked.
func onlyUnasked(d Decision) Decision {
	d.Verdict, d.By, d.Rule, d.Always, d.Asking = Deny, "agent", RuleRef{}, nil, nil
	d.Reason = denied(said.That("an agent that changes nothing runs only commands that need no approval"))
	d.Refusal = "Error: permission denied: " + d.Reason.String()
	return d
}

// policy judges the plans of one session at one moment. The steps are taken in the
// following order: hard limits (script.go, own.go), targets, rules, sensitive
// pass (target.go), trust and taint (distrust.go), what is wrong with the call as a whole,
// mode (plan.go), ceiling (ceiling.go, bounds.go), sandbox (unasked.go), strictest (combine.go).
type policy struct {
	judge    judge
	ceiling  *ceiling
	countsOn tool.Sandboxing // what a command counts on that nobody is asked about
}

func newPolicy(f Facts) *policy {
	p := &policy{judge: newJudge(f), countsOn: tool.Sandboxed}
	p.ceiling = newCeiling(&p.judge.f)
	if RunsReadOnly(append([][]Rule{f.Ceiling}, f.Further...)...) {
		p.countsOn = tool.SandboxedReadOnly
	}
	return p
}

// Decide judges every target and returns the strictest verdict with everything
// a person, the model and the audit need to know about it.
func (p *policy) Decide(plan *tool.Plan) Decision {
	if plan == nil {
		return Decision{By: "default", Reason: said.That("There is nothing to judge."), Refusal: "Error: permission denied: there is nothing to judge."}
	}
	var sc *shell.Script
	verdicts := make([]verdict, 0, len(plan.Targets)+4)
	for _, t := range plan.Targets {
		if t.Domain == tool.DomainBash && plan.Command != "" {
			if sc == nil {
				sc, verdicts = p.judge.wholeCommand(plan, verdicts)
			}
			continue
		}
		verdicts = append(verdicts, p.judge.target(plan, t, nil, false))
	}
	if plan.Command != "" && sc == nil {
		// A command whose tool forgot its target is judged all the same.
		sc, verdicts = p.judge.wholeCommand(plan, verdicts)
	}
	j := &p.judge
	unasked := sandboxed{f: &j.f, rules: j.rules, broad: j.broad, ceiling: p.ceiling, countsOn: p.countsOn}
	verdicts = unasked.inSandbox(plan, sc, p.atLast(plan, verdicts))
	d := combine(&offering{f: &j.f, rules: j.rules, broad: j.broad}, plan, sc, verdicts)
	if d.By == BySandbox {
		d.Reads, d.Sandbox = nil, p.countsOn // the sandbox stays closed as it is
	}
	return d
}

// atLast adds to the verdicts of the targets what does not depend on one of them.
func (p *policy) atLast(plan *tool.Plan, verdicts []verdict) []verdict {
	f := &p.judge.f
	verdicts = wholePlan(f, plan, verdicts)
	for i := range verdicts {
		v := &verdicts[i]
		v.step("call")
		mode(f, plan, v)
		v.step("mode")
		p.ceiling.apply(v)
		underBounds(f, plan, v)
		v.step("agent")
	}
	return verdicts
}

// Readable tells of an object whether it may be read under f without asking
// anybody: what Decide says about a read of it, without the words. A search asks
// about tens of thousands of files. It may be called from several goroutines.
//
// base is the directory that is searched, "" for none. Where it had to be asked
// about itself, somebody said yes, or the search would not run. Then what is below
// it and is asked about by the same rule is covered, unless it may contain secrets.
func Readable(f Facts, base string) func(object string) bool {
	p := newPolicy(f)
	p.judge.verdictOnly = true
	judged := func(object string) (*tool.Plan, verdict) {
		t := tool.Target{Domain: tool.DomainRead, Object: object}
		plan := &tool.Plan{Tool: "read", Effect: tool.Read, Targets: []tool.Target{t}}
		return plan, p.judge.target(plan, t, nil, false)
	}
	var asked *compiled
	if base != "" {
		if _, v := judged(base); v.is == Ask {
			asked = v.winner
		}
	}
	below := strings.TrimSuffix(base, "/") + "/"
	return func(object string) bool {
		plan, v := judged(object)
		if asked != nil && v.is == Ask && v.winner == asked && strings.HasPrefix(object, below) && !isListed(f.Resolver, sensitiveSet, objectOf(v.target, nil)) {
			v.is = Allow
		}
		verdicts := p.atLast(plan, []verdict{v})
		return !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.is != Allow })
	}
}
