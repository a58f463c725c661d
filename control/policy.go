package control

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// policy judges the plans of one session at one moment (control §1–§4). The
// steps stand in the order of ruling 49: hard limits, targets, rules, sensitive
// pass, trust and taint, strictest, mode, ceiling.
type policy struct {
	f        Facts
	rules    []*RuleSet // built-in first
	ceilings []*RuleSet // of the agent; each holds
	broad    string     // a root so wide that every edit asks (ruling 80), "" when none is
}

func newPolicy(f Facts) Policy {
	p := &policy{f: f, broad: broadRoot(f)}
	rules := f.Rules
	if rules == nil {
		rules = Compile(f.Layers)
	}
	if !rules.hasBuiltIn() {
		p.rules = append(p.rules, builtIn())
	}
	p.rules = append(p.rules, rules)
	if len(f.Grants) > 0 {
		p.rules = append(p.rules, Compile([]Layer{{Source: "session", Rules: f.Grants}}))
	}
	for _, ceiling := range append([][]Rule{f.Ceiling}, f.Further...) {
		if ceiling != nil {
			p.ceilings = append(p.ceilings, Compile([]Layer{{Source: "agent:" + f.Agent, Rules: ceiling}}))
		}
	}
	return p
}

// broadRoot finds a root that is "/", the home directory or around the
// sidecar's home.
func broadRoot(f Facts) string {
	for _, root := range f.Roots {
		root = path.Clean(root)
		if root == "/" || f.UserHome != "" && root == path.Clean(f.UserHome) || f.Home != "" && inside(path.Clean(f.Home), root) {
			return root
		}
	}
	return ""
}

// verdict is what one target comes to.
type verdict struct {
	target  tool.Target
	command *command // bash: the simple command
	is      Verdict
	by      string
	rule    RuleRef
	reason  string
	matched []RuleMatch
	winner  *compiled // the rule behind reason, which is put into words only when shown
	hard    bool
	skipped bool // a wrapper whose inner command is judged instead
	once    bool // a grant would not be heard: only `once` may be offered
	risk    string
	steps   []Step
}

// step notes what a part of the chain did to the verdict: nothing, when it is as
// before. The part that judges first always counts.
func (v *verdict) step(name string) {
	if n := len(v.steps); n > 0 && v.steps[n-1].Verdict == v.is && v.steps[n-1].Reason == v.reason {
		return
	}
	v.steps = append(v.steps, Step{name, v.is, v.reason})
}

// Decide judges every target and returns the strictest verdict with everything
// a person, the model and the audit need to know about it.
func (p *policy) Decide(plan *tool.Plan) Decision {
	if plan == nil {
		return Decision{By: "default", Reason: "There is nothing to judge.", Refusal: "Error: permission denied: there is nothing to judge."}
	}
	var sc *script
	verdicts := make([]verdict, 0, len(plan.Targets)+4)
	for _, t := range plan.Targets {
		if t.Domain == "bash" && plan.Command != "" {
			if sc == nil {
				sc = analyzeShell(plan.Command, plan.Dir, p.f.UserHome, p.f.Roots)
				verdicts = append(verdicts, p.script(plan, sc)...)
			}
			continue
		}
		verdicts = append(verdicts, p.target(plan, t, nil, false))
	}
	if plan.Command != "" && sc == nil {
		// A command whose tool forgot its target is judged all the same.
		sc = analyzeShell(plan.Command, plan.Dir, p.f.UserHome, p.f.Roots)
		verdicts = append(verdicts, p.script(plan, sc)...)
	}
	verdicts = p.wholePlan(plan, verdicts)
	for i := range verdicts {
		v := &verdicts[i]
		v.step("call")
		p.mode(plan, v)
		v.step("mode")
		p.underCeiling(v)
		v.step("agent")
	}
	return p.combine(plan, sc, verdicts)
}

// script judges a command text: every simple command, then every file it names,
// then what is doubtful about the text as a whole.
func (p *policy) script(plan *tool.Plan, s *script) []verdict {
	whole := tool.Target{Domain: "bash", Object: "shell:" + plan.Command}
	switch {
	case s.refused != "":
		v := verdict{target: whole, by: "default", reason: "Refused: " + s.refused + ".", risk: "execute"}
		v.step("shell")
		return []verdict{v}
	case s.blocked != "":
		v := verdict{target: whole, by: "hard_limit", hard: true, reason: s.blocked, risk: "destructive"}
		v.step("hard_limit")
		return []verdict{v}
	}
	if plan.Dir != "" && len(p.f.Roots) > 0 && !slices.ContainsFunc(p.f.Roots, func(root string) bool { return inside(path.Clean(plan.Dir), path.Clean(root)) }) {
		// A directory outside is something the command looks at.
		s.uses = append(s.uses, pathUse{domain: "read", word: path.Clean(plan.Dir), redirect: true})
	}
	files := s.fileTargets(p.f)
	network := s.network || plan.Needs == "network"
	var out []verdict
	for _, c := range s.commands {
		out = append(out, p.target(plan, tool.Target{Domain: "bash", Object: "shell:" + c.text}, c, network))
	}
	for _, t := range files {
		out = append(out, p.target(plan, t, nil, false))
	}
	if len(s.doubts) > 0 {
		v := verdict{target: whole, is: Ask, by: "default", reason: "The shell text asks: " + strings.Join(s.doubts, "; ") + ".", risk: "execute"}
		v.step("shell")
		out = append(out, v)
	}
	return out
}

// target judges one object by everything but mode and ceiling.
func (p *policy) target(plan *tool.Plan, t tool.Target, c *command, network bool) verdict {
	v := verdict{target: t, command: c, by: "default", risk: riskOf(t.Domain)}
	if !domains[t.Domain] {
		v.reason = "Denied: there is no permission domain " + t.Domain + "."
		return v
	}
	o := newObject(t.Object)
	if c != nil {
		o.shell, o.alt = c, c.alt
		if o.alt == "" {
			o.alt = c.text
		}
	}
	if t.Domain == "internal" {
		v.is, v.reason = Allow, "Allowed: it is part of the agent itself."
		v.step("own")
		return v
	}
	if fileDomain(t.Domain) {
		if t.Domain == "read" && p.f.isOwn(o) {
			v.is, v.reason = Allow, "Allowed: it belongs to this session."
			v.step("own")
			return v
		}
		if p.f.inHome(o) {
			v.by, v.hard = "hard_limit", true
			v.reason = "the sidecar's own directory " + Title(t.Object, 200)
			v.step("hard_limit")
			return v
		}
	}
	winner := p.byRules(&v, o)
	v.step("rules")
	if winner != nil && winner.source == BuiltIn && c != nil && c.wrapper && len(c.reaching) == 0 {
		v.skipped, v.is = true, Allow
		v.reason = "Judged by the command it starts."
		v.step("shell")
		return v
	}
	p.secondPass(&v, plan, o, winner)
	v.step("files")
	p.distrust(&v, plan, o, winner, network)
	v.step("trust")
	return v
}

// byRules lets the layers decide.
func (p *policy) byRules(v *verdict, o object) *compiled {
	out := judge(p.rules, Deny, v.target.Domain, o, p.f.Workspace)
	v.matched = make([]RuleMatch, 0, len(out.matched))
	for i := range out.matched {
		v.matched = append(v.matched, out.describe(i, v.target.Object))
	}
	if out.winner == nil {
		v.reason = "Denied: no rule covers " + Title(v.target.Object, 200) + "."
		return nil
	}
	v.is, v.rule = out.verdict, refOf(out.winner)
	if out.winner.source != BuiltIn {
		v.by = "rule"
	}
	v.winner = out.winner
	if onlyAsks(v.target.Domain) && v.is != Ask {
		v.is, v.by, v.reason = Ask, "default", "A question of "+v.target.Domain+" is always asked."
	}
	return out.winner
}

// secondPass asks about sensitive and protected files and about a root that is
// too wide, unless the rule that allows names that kind of file (ruling 25, 80).
func (p *policy) secondPass(v *verdict, plan *tool.Plan, o object, winner *compiled) {
	if v.is != Allow || winner == nil || !fileDomain(v.target.Domain) {
		return
	}
	sensitive := sensitiveSet.has(o)
	switch {
	case sensitive && !sensitiveSet.names(winner, o, true):
		v.is, v.by = Ask, "default"
		v.reason = "Asks: " + Title(v.target.Object, 200) + " may hold secrets and no rule names it."
	case v.target.Domain == "edit" && !sensitive && protectedSet.has(o) && !protectedSet.names(winner, o, false) && !isMemory(plan, o):
		v.is, v.by = Ask, "default"
		v.reason = "Asks: " + Title(v.target.Object, 200) + " is a file that other programs run or obey."
	case v.target.Domain == "edit" && p.broad != "":
		v.is, v.by = Ask, "default"
		v.reason = "Asks: the workspace " + p.broad + " is so wide that every edit is asked about."
	}
}

// isMemory says that the memory tool writes one of its own two kinds of files
// (ruling 27).
func isMemory(plan *tool.Plan, o object) bool {
	if plan.Tool != "memory" || !o.isVault() {
		return false
	}
	return o.rest == ".agent/MEMORY.md" || path.Dir(o.rest) == ".agent/memory" && strings.HasSuffix(o.rest, ".md")
}

// distrust asks where foreign text entered the run or the folder is not trusted
// (rulings 84, 85). What is asked because of such text is asked each time: the
// grant of a moment ago may be what the text is after. In an untrusted folder a
// person's own answer for this session holds for exactly what it was about.
func (p *policy) distrust(v *verdict, plan *tool.Plan, o object, winner *compiled, network bool) {
	if why := p.taintAsks(v, plan, o, winner, network); why != "" {
		v.once = v.target.Domain != "web_fetch" // there a grant names the address itself
		if v.is == Allow {
			v.is, v.by, v.reason = Ask, "default", "Asks: "+why+"."
		}
		return
	}
	switch {
	case v.is == Allow && p.f.Unread != "" && (winner == nil || winner.source != "session"):
		v.is, v.by, v.reason = Ask, "default", "Asks: what the configuration forbids is not known, because "+p.f.Unread+"."
	case v.is != Allow || p.f.Trusted || v.target.Domain == "read":
	case winner != nil && winner.source == "session":
	default:
		v.is, v.by, v.reason = Ask, "default", "Asks: this workspace is not trusted yet."
	}
}

// taintAsks says why a target is asked about once text from the web or from an
// MCP server is part of the conversation, "" where that makes no difference
// (workspace §6).
func (p *policy) taintAsks(v *verdict, plan *tool.Plan, o object, winner *compiled, network bool) string {
	if !p.f.Tainted {
		return ""
	}
	switch {
	case v.target.Domain == "bash" && (network || !p.f.Offline):
		return "text from outside entered the run and the command can use the network"
	case v.target.Domain == "web_fetch" && !namesHost(winner, o):
		return "text from outside entered the run and no rule names this host"
	case v.target.Domain == "edit" && (protectedSet.has(o) || plan.Tool == "memory"):
		return "text from outside entered the run and " + Title(v.target.Object, 200) + " steers later runs"
	}
	return ""
}

// namesHost says that an allow spells out the host of a URL (ruling 28).
func namesHost(c *compiled, o object) bool {
	if c == nil || c.source == BuiltIn || c.pattern.any || c.pattern.re != nil {
		return false
	}
	return c.pattern.exact != "" || hostOf(c.pattern.text) == hostOf(o.rest) && hostOf(o.rest) != ""
}

func hostOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = url
	}
	host, _, _ := strings.Cut(rest, "/")
	return strings.ToLower(host)
}

// wholePlan asks about what is wrong with the call as a whole.
func (p *policy) wholePlan(plan *tool.Plan, verdicts []verdict) []verdict {
	internal := len(verdicts) > 0 && !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.target.Domain != "internal" })
	switch {
	case len(verdicts) == 0:
		verdicts = append(verdicts, verdict{by: "default", reason: "Denied: the call does not say what it touches."})
	case plan.Effect == tool.Unknown && !internal:
		t := verdicts[0].target
		verdicts = append(verdicts, verdict{target: t, by: "default", risk: riskOf(t.Domain), reason: "Denied: the tool does not say what it can do."})
	}
	p.sharedNetwork(verdicts)
	for i := range verdicts {
		v := &verdicts[i]
		why := asksAnyway(plan, v)
		switch {
		case why == "" || v.skipped:
		case v.is == Allow:
			v.is, v.by, v.reason = Ask, "default", "Asks: "+why+"."
		case v.is == Ask && v.once: // both are what a person should know
			v.reason = "Asks: " + why + "; " + strings.TrimPrefix(v.reason, "Asks: ")
		}
	}
	return verdicts
}

// sharedNetwork asks about commands that would have the network, unasked, only
// because another one in the same text is known to need it (ruling 79): what allows
// them alone allows them without. What only reads sends nothing, and "*" means it.
func (p *policy) sharedNetwork(verdicts []verdict) {
	network := slices.ContainsFunc(verdicts, func(v verdict) bool { return v.command != nil && v.command.network })
	asked := slices.ContainsFunc(verdicts, func(v verdict) bool { return v.is != Allow })
	if !network || asked || !p.f.Offline {
		return
	}
	for i := range verdicts {
		v := &verdicts[i]
		c := v.command
		switch {
		case c == nil || c.network || c.wrapper || v.skipped || v.winner == nil || v.winner.pattern.any:
		case (readHeads[c.head] || readsDirectories[c.head]) && bareHead(c) && len(c.reaching) == 0:
		default:
			v.is, v.by, v.once = Ask, "default", true
			v.reason = "Asks: the command would have the network that another one beside it needs."
		}
	}
}

// asksAnyway says why a target is asked about although rules allow it. No rule
// and no grant answers that, so only `once` is offered for such a call.
func asksAnyway(plan *tool.Plan, v *verdict) string {
	switch {
	case plan.Destructive && v.target.Domain == "edit":
		return "it removes a whole directory"
	case plan.Why != "":
		return plan.Why
	case plan.Needs == "unconfined" && v.command != nil:
		return "the command wants to run outside the sandbox"
	case plan.Needs == "network" && v.command != nil && !v.command.network:
		return "the command wants the network"
	}
	return ""
}

// mode lets full access answer what would be asked (control §4). It never
// answers for an untrusted folder, where the configuration cannot be read, for leaving the sandbox, or questions that
// only a person can answer (rulings 65, 113).
func (p *policy) mode(plan *tool.Plan, v *verdict) {
	if v.is != Ask || p.f.Mode != "full_access" || !p.f.Trusted || p.f.Unread != "" || onlyAsks(v.target.Domain) {
		return
	}
	if plan.Needs == "unconfined" && v.target.Domain == "bash" {
		v.is, v.by, v.reason = Deny, "mode", "Denied: leaving the sandbox is not offered in full access."
		return
	}
	v.is, v.by, v.reason = Allow, "mode", "Allowed: the session has full access."
}

// underCeiling never lets an agent do more than its profile says (ruling 25).
func (p *policy) underCeiling(v *verdict) {
	if len(p.ceilings) == 0 || v.hard {
		return
	}
	o := newObject(v.target.Object)
	if v.command != nil {
		o.shell, o.alt = v.command, v.command.alt
	}
	for _, ceiling := range p.ceilings {
		p.under(ceiling, v, o)
	}
}

func (p *policy) under(ceiling *RuleSet, v *verdict, o object) {
	out := judge([]*RuleSet{ceiling}, Allow, v.target.Domain, o, p.f.Workspace)
	stricter := out.winner != nil && out.verdict < v.is
	if v.skipped && (out.winner == nil || out.winner.pattern.any) {
		return // "*" is about every command, and the one inside is judged
	}
	for i := range out.matched {
		m := out.describe(i, v.target.Object)
		if m.Won && !stricter {
			m.Won, m.Lost = false, "a ceiling never loosens"
		}
		v.matched = append(v.matched, m)
	}
	if !stricter {
		return
	}
	v.is, v.by, v.rule, v.skipped = out.verdict, "agent", refOf(out.winner), false
	v.reason = ceilingReason(v, p.f.Agent)
}

// inHome says that an object lies in the sidecar's home (ruling 81).
func (f Facts) inHome(o object) bool {
	if f.Home == "" || !o.isFile() {
		return false
	}
	home := path.Clean(f.Home)
	return slices.ContainsFunc(f.absolute(o), func(p string) bool { return inside(strings.ToLower(p), strings.ToLower(home)) })
}

// Owns says that a target lies in one of Own.
func (f Facts) Owns(t tool.Target) bool { return f.isOwn(newObject(t.Object)) }

func (f Facts) isOwn(o object) bool {
	return len(f.Own) > 0 && o.isFile() && slices.ContainsFunc(f.absolute(o)[:1], func(p string) bool {
		return slices.ContainsFunc(f.Own, func(dir string) bool { return dir != "" && inside(p, path.Clean(dir)) })
	})
}

// absolute lists where an object may lie. A further folder is known by name
// only, so it is held against every root.
func (f Facts) absolute(o object) []string {
	switch {
	case o.scheme == "fs":
		return []string{cleanPath("/" + o.rest)}
	case o.scheme == "vault" && len(f.Roots) > 0:
		return []string{path.Join(f.Roots[0], o.rest)}
	case o.isVault() && len(f.Roots) > 1:
		var out []string
		for _, root := range f.Roots[1:] {
			out = append(out, path.Join(root, o.rest))
		}
		return out
	}
	return []string{path.Join("/", o.rest)}
}
