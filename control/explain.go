package control

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
		if s := &j.Steps[i]; s.Reason.IsZero() && v.winner != nil {
			at := v
			at.is = s.Verdict
			s.Reason = ruleReason(&at, v.winner)
		}
	}
	return j
}
