package control

import "slices"

// sharedNetwork asks about commands that would have the network, unasked, only
// because another one in the same text is known to need it: what allows them alone
// allows them without. What only reads sends nothing, and "*" means it.
func (p *policy) sharedNetwork(verdicts []verdict) {
	network := slices.ContainsFunc(verdicts, func(v verdict) bool { return v.command != nil && v.command.Network })
	asked := slices.ContainsFunc(verdicts, func(v verdict) bool { return v.is != Allow })
	if !network || asked || !p.f.Offline {
		return
	}
	for i := range verdicts {
		v := &verdicts[i]
		c := v.command
		switch {
		case c == nil || c.Network || c.Wrapper || v.skipped || v.winner == nil || v.winner.pattern.any:
		case (c.OnlyReads() || c.Head == "cd" || c.Head == "pushd") && bareHead(c) && len(c.Reaching) == 0:
		default:
			v.is, v.by, v.once = Ask, "default", true
			v.reason = "Asks: the command would have the network that another one beside it needs."
		}
	}
}
