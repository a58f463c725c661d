package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/shell"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// offering makes the rules that an answer of `always` may store.
type offering struct {
	f     *Facts
	rules []*RuleSet
	broad string // a root so wide that every edit asks, "" when none is
}

// offers builds what `always` may store, narrowest first. There is none in an
// untrusted workspace, in a tainted run, without a readable configuration, or
// where targets of more than one domain ask.
func (of *offering) offers(plan *tool.Plan, verdicts []verdict) []Offer {
	if !of.f.Trusted || of.f.Tainted || of.f.Unread != "" || of.broad != "" {
		return nil
	}
	var asking []verdict
	for _, v := range verdicts {
		if v.is == Ask && !slices.ContainsFunc(asking, func(a verdict) bool { return a.target == v.target }) {
			asking = append(asking, v)
		}
	}
	if len(asking) == 0 || len(asking) > maxOfferRules {
		return nil
	}
	for _, v := range asking {
		// By "agent" no stored rule would help; the domains that only ask store
		// nothing.
		if v.target.Domain != asking[0].target.Domain || v.by == "agent" || onlyAsks(v.target.Domain) {
			return nil
		}
	}
	var out []Offer
	switch domain := asking[0].target.Domain; domain {
	case tool.DomainBash:
		out = of.bashOffers(asking)
	case tool.DomainTool:
		out = of.exactOffers(asking, of.f.Workspace)
	case tool.DomainMCP, tool.DomainWebSearch:
		out = of.exactOffers(asking, "")
	case tool.DomainWebFetch:
		out = of.hostOffers(asking)
	case tool.DomainRead, tool.DomainEdit:
		out = of.fileOffers(plan, asking)
	}
	for i := range out {
		out[i] = out[i].on(of.f.Runner)
		out[i].ID = fmt.Sprintf("a%d", i+1)
	}
	return out
}

// bashOffers: the exact commands here; then a prefix for heads known to be safe;
// everywhere only what reads and never runs anything of the project.
func (of *offering) bashOffers(asking []verdict) []Offer {
	if of.f.Workspace == "" {
		return nil // a command cannot be tied to a workspace that has no name
	}
	var exact, prefix []Rule
	prefixed, everywhere := true, true
	for _, v := range asking {
		c := v.command
		if c == nil || c.Dynamic || c.Wraps() {
			return nil
		}
		exact = append(exact, Rule{Domain: tool.DomainBash, Pattern: c.Text, Exact: true})
		everywhere = everywhere && c.OnlyReads() && len(c.Reaching) == 0 && !c.ReadsTree && bareHead(c)
		start := safePrefix(c)
		prefixed = prefixed && start != ""
		prefix = append(prefix, Rule{Domain: tool.DomainBash, Pattern: start + " *"})
	}
	out := []Offer{offer(of.f.Workspace, exact...)}
	if prefixed {
		out = append(out, offer(of.f.Workspace, dedupe(prefix)...))
	}
	if everywhere {
		out = append(out, offer("", slices.Clone(exact)...))
	}
	return out
}

func dedupe(rules []Rule) []Rule {
	var out []Rule
	for _, r := range rules {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// bareHead says that the program was named without a directory.
func bareHead(c *shell.Command) bool {
	return c.Text == c.Head || strings.HasPrefix(c.Text, c.Head+" ")
}

// safePrefixes are the heads `always` may offer as a prefix. Each is the exact
// beginning of a command; what shell.Command.Reaching holds is never covered by
// them.
var safePrefixes = []string{
	"git status", "git diff", "git log", "git show", "git rev-parse", "git ls-files", "git blame", "git describe",
	"go test", "go build", "go vet", "go list", "go version", "go doc", "gofmt", "staticcheck",
	"npm test", "pnpm test", "yarn test", "cargo test", "cargo build", "cargo check", "cargo clippy", "cargo fmt",
	"pytest", "mvn test", "gradle test", "dotnet test", "dotnet build", "mix test", "tsc", "eslint", "ruff check", "mypy",
	"ls", "cat", "head", "tail", "wc", "pwd", "grep", "stat", "file", "du", "tree",
}

// safePrefix is the prefix a rule may have for this command, "" for none.
func safePrefix(c *shell.Command) string {
	if len(c.Reaching) > 0 || len(c.Unlisted) > 0 || c.ReadsTree || c.RunsOthers && !strings.HasPrefix(c.Bare(), "npm test") && !strings.HasPrefix(c.Bare(), "pnpm test") && !strings.HasPrefix(c.Bare(), "yarn test") {
		return ""
	}
	best := ""
	for _, s := range safePrefixes {
		if (c.Bare() == s || strings.HasPrefix(c.Bare(), s+" ")) && len(s) > len(best) {
			best = s
		}
	}
	return best
}

// exactOffers store the objects themselves.
func (of *offering) exactOffers(asking []verdict, workspace string) []Offer {
	var rules []Rule
	for _, v := range asking {
		rules = append(rules, Rule{Domain: v.target.Domain, Pattern: v.target.Object, Exact: true})
	}
	return []Offer{offer(workspace, rules...)}
}

// hostOffers store the URL, then its host.
func (of *offering) hostOffers(asking []verdict) []Offer {
	out := of.exactOffers(asking, "")
	if len(asking) > 1 {
		return out
	}
	if pattern := pagesOf(asking[0].target.Object); pattern != "" {
		out = append(out, offer("", Rule{Domain: tool.DomainWebFetch, Pattern: pattern}))
	}
	return out
}
