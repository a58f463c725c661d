package control

// describe is match i of an outcome as a person and the protocol see it.
func (out *outcome) describe(i int, target string) RuleMatch {
	m := out.matched[i]
	r := RuleMatch{
		Domain: m.rule.rule.Domain, Pattern: m.rule.rule.Pattern, Decision: m.rule.verdict.String(),
		Source: m.rule.source, Index: m.rule.index, Target: target,
	}
	switch {
	case m.rule == out.winner:
		r.Won = true
	case m.passed != "":
		r.Lost = m.passed
	default:
		r.Lost = "a later rule decides"
	}
	return r
}

// judgement is a verdict with everything that led to it.
func (v verdict) judgement(decides bool) Judgement {
	j := Judgement{
		Target: v.target, Command: v.command != nil, Verdict: v.is, By: v.by, Rule: v.rule,
		Steps: v.steps, Matched: v.matched, Decides: decides,
	}
	if v.command != nil {
		j.Depth = v.command.Depth
	}
	for i := range j.Steps {
		// A rule's reason is put into words only when it is shown.
		if s := &j.Steps[i]; s.Reason == "" && v.winner != nil {
			at := v
			at.is = s.Verdict
			s.Reason = ruleReason(&at, v.winner)
		}
	}
	return j
}

// Located is a copy of the decision in which every rule says where it stands.
// place knows the rules of a source by their index.
func (d Decision) Located(place func(source string, index int) Place) Decision {
	locate := func(all []RuleMatch) []RuleMatch {
		out := make([]RuleMatch, len(all))
		for i, m := range all {
			m.Place = place(m.Source, m.Index)
			out[i] = m
		}
		return out
	}
	d.Matched = locate(d.Matched)
	judged := make([]Judgement, len(d.Judged))
	for i, j := range d.Judged {
		j.Matched = locate(j.Matched)
		judged[i] = j
	}
	d.Judged = judged
	return d
}
