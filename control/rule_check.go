package control

import (
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// RuleError is why a rule cannot be written or taken out, and which member of it
// is wrong ("rule" for the whole). Its text is for the person who wrote it.
type RuleError struct {
	Member string
	Reason string
}

func (e *RuleError) Error() string { return e.Reason }

// CheckRule says what is wrong with a rule that a person wants to add: where a
// file would get a diagnostic, a client is told before anything is written.
func CheckRule(r Rule) error {
	switch {
	case r.Domain == "":
		return &RuleError{"domain", "a rule needs a domain"}
	case !domains[r.Domain]:
		return &RuleError{"domain", fmt.Sprintf("there is no domain %q", r.Domain)}
	case onlyAsks(r.Domain) || r.Domain == tool.DomainInternal:
		return &RuleError{"domain", fmt.Sprintf("no rule has a say in %s", r.Domain)}
	case r.Decision != "allow" && r.Decision != "ask" && r.Decision != "deny":
		return &RuleError{"decision", fmt.Sprintf("the decision %q is neither allow nor ask nor deny", r.Decision)}
	case r.By != "":
		return &RuleError{"by", "only the answer to a question writes that it was one"}
	}
	if _, err := compilePattern(r); err != nil {
		return &RuleError{"pattern", err.Error()}
	}
	return nil
}
