package control

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

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

// BenchmarkTenThousandRules is a decision over 10,000 rules: at most 5 ms, whatever kind
// they are.
func BenchmarkTenThousandRules(b *testing.B) {
	for name, row := range tenThousand() {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			f := baseFacts(row.rules...)
			f.Rules = Compile(f.Layers)
			p := NewPolicy(f)
			for b.Loop() {
				p.Decide(row.plan)
			}
		})
	}
}

// What lets rules be passed over quickly must not change what they match: with
// it and without it, random patterns say the same about random objects.
func TestQuickPassChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string, most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteString(from[random.IntN(len(from))])
		}
		return b.String()
	}
	names := []string{"a", "b", "ab", ".", "/", "env", "É", "x1", "\ufffd", "\xff", " "}
	globs := append([]string{"*", "**", "?", "[a-c]", "{a,b}", "**/", `\*`, " *"}, names...)
	exprs := []string{"a", "b", "ab", "x1", ".", ".*", "a+", "(ab)+", "b?", "(a|b)", "[ab]", "/", "^vault:", "(?i)AB", "(?i:a)b", "b{2,3}", "(?:ab){0,2}", "$", "\ufffd", "É"}
	matched := 0
	for range 60_000 {
		domain, object := "read", "vault:/"+pick(names, 5)
		switch random.IntN(4) {
		case 0:
			domain, object = "bash", "shell:"+pick(names, 5)
		case 1:
			domain, object = "web_fetch", "url:https://"+pick(names, 5)
		}
		text := pick(globs, 4)
		if random.IntN(3) == 0 {
			text = "regex:" + pick(exprs, 4)
		}
		quick, err := compilePattern(Rule{Domain: tool.Domain(domain), Pattern: text})
		if err != nil {
			continue
		}
		slow := quick
		slow.need, slow.literals = "", nil
		for _, strict := range []bool{false, true} {
			o := newObject(object)
			is := slow.match(o, strict)
			if is {
				matched++
			}
			if quick.match(o, strict) != is {
				t.Fatalf("%q on %q (strict %v): %v with the quick pass (%q, %q)", text, object, strict, !is, quick.need, quick.literals)
			}
		}
	}
	if matched < 5_000 {
		t.Errorf("only %d matched: the objects do not try the patterns", matched)
	}
}

func manyRules(n int) []Rule {
	rules := make([]Rule, 0, n)
	for i := range n {
		switch i % 5 {
		case 0:
			rules = append(rules, rule("read", fmt.Sprintf("vault:/pkg%d/**/*.go", i), "ask"))
		case 1:
			rules = append(rules, rule("read", fmt.Sprintf("*file%d*.txt", i), "deny"))
		case 2:
			rules = append(rules, rule("read", fmt.Sprintf("dir%d/**", i), "allow"))
		case 3:
			rules = append(rules, rule("read", fmt.Sprintf("**/*%d.md", i), "allow"))
		default:
			rules = append(rules, rule("read", fmt.Sprintf("regex:^vault:/x%d/[a-z]+$", i), "ask"))
		}
	}
	return rules
}
