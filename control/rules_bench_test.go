package control

import (
	"fmt"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// tenThousand are sets of 10,000 rules that are each slow in their own way, with
// a call that they judge.
func tenThousand() map[string]struct {
	rules []Rule
	plan  *tool.Plan
} {
	many := func(domain, decision, format string) []Rule {
		rules := make([]Rule, 10_000)
		for i := range rules {
			rules[i] = rule(domain, fmt.Sprintf(format, i), decision)
		}
		return rules
	}
	file := filePlan("read", "vault:/some/longer/path/to/a/main.go")
	exact := many("read", "allow", "vault:/some/longer/path/to/a/%d.go")
	for i := range exact {
		exact[i].Exact = true
	}
	return map[string]struct {
		rules []Rule
		plan  *tool.Plan
	}{
		"mixed files":         {manyRules(10_000), file},
		"exact files":         {exact, file},
		"all match":           {many("read", "allow", "vault:/some/**/{%d,main}.go"), file},
		"stars":               {many("read", "ask", "**/*a*/**/*%d*"), file},
		"base stars":          {many("read", "ask", "*a*i*%d*"), file},
		"classes":             {many("read", "ask", "**/[l-p]*/**/%d[a-z]*.go"), file},
		"expressions":         {many("read", "ask", "regex:^vault:/some/.*/x%d/[a-z]+$"), file},
		"loose expressions":   {many("read", "ask", "regex:(path|way)/.*%d.*go"), file},
		"commands":            {many("bash", "allow", "tool%d sub *"), bashPlan("git status")},
		"commands, all stars": {many("bash", "allow", "*s*t*a*%d*"), bashPlan("git status")},
		"a script of ten":     {many("bash", "allow", "tool%d sub *"), bashPlan("a 1; b 2; c 3 | d 4; e 5 && f 6; g 7; h 8; (i 9); j 10")},
		"hosts":               {many("web_fetch", "allow", "https://*.host%d.dev/*"), filePlan("web_fetch", "url:https://docs.host77.dev/a/b")},
		"bad rules":           {many("read", "allow", "[%d"), file},
	}
}

// TestTenThousandRulesInFiveMilliseconds: a decision over 10,000 rules takes at
// most 5 ms, whatever kind they are. It takes the best of several tries: a busy
// machine is not what is measured.
func TestTenThousandRulesInFiveMilliseconds(t *testing.T) {
	for name, row := range tenThousand() {
		f := baseFacts(row.rules...)
		f.Rules = Compile(f.Layers)
		p := NewPolicy(f)
		best := time.Hour
		for range 12 {
			start := time.Now()
			p.Decide(row.plan)
			best = min(best, time.Since(start))
		}
		t.Logf("%-20s %v", name, best)
		if best > 5*time.Millisecond {
			t.Errorf("%s: %v", name, best)
		}
	}
}
