package control

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Stored lists every rule that an answer of `always` stores. A script with two
// commands needs two, and the label shows both.
func (o Offer) Stored() []Rule {
	if len(o.Rules) > 0 {
		return o.Rules
	}
	return []Rule{o.Rule}
}

// PlainNames is what a lasting yes stores, on one line and in the words of PlainName. A
// command is shown letter by letter, and each blank of it for what it is.
func (o Offer) PlainNames() string {
	if len(o.Rules) == 0 {
		return plainBlanks(Title(o.Pattern, 0))
	}
	names := make([]string, 0, len(o.Rules))
	for _, r := range o.Rules {
		if r.Domain == tool.DomainRead || r.Domain == tool.DomainEdit {
			r.Pattern = PlainName(r.Pattern)
		}
		names = append(names, plainBlanks(Title(r.Pattern, 0)))
	}
	return strings.Join(names, " + ")
}

// GrantsOf are what an answer of `session` allows from now on: exactly the targets;
// of a page every page of its host, because that is what fetches ask about; of a
// directory that is searched what is below it, where that is what `always` would
// store, too.
func GrantsOf(d Decision) []Rule {
	var rules []Rule
	for _, t := range d.Targets {
		rule := Rule{Domain: t.Domain, Pattern: t.Object, Decision: "allow", Exact: true}
		if pattern := pagesOf(t.Object); t.Domain == tool.DomainWebFetch && pattern != "" {
			rule.Pattern, rule.Exact = pattern, false
		}
		if pattern := allBelow(t.Object); len(d.Always) > 0 && slices.ContainsFunc(d.Always[0].Stored(), func(r Rule) bool { return r.Domain == t.Domain && r.Pattern == pattern && !r.Exact }) {
			rule.Pattern, rule.Exact = pattern, false
		}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// maxOfferRules is how many rules one `always` may store; longer scripts are
// answered once or for the session.
const maxOfferRules = 4

// offer makes one entry of several rules that share a scope.
func offer(workspace string, rules ...Rule) Offer {
	var patterns []string
	for i := range rules {
		rules[i].Decision, rules[i].By, rules[i].Workspace = "allow", "always", workspace
		patterns = append(patterns, rules[i].Pattern)
	}
	pattern := strings.Join(patterns, " + ")
	out := Offer{Pattern: pattern, Workspace: workspace, Rule: rules[0], Rules: rules}
	out.Label = "Always, in every folder: " + out.PlainNames()
	if workspace != "" {
		out.Label = "Always in this workspace: " + out.PlainNames()
	}
	return out
}

// plainBlanks shows a blank that is none of the keyboard's as its code: words that
// are one to the shell would look like two.
func plainBlanks(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c != ' ' && unicode.IsSpace(c) {
			fmt.Fprintf(&b, "<U+%04X>", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// allBelow is the pattern of a directory outside with all that is in it.
func allBelow(object string) string { return object + "/**" }

// pagesOf is the pattern of all pages of a URL's host, "" where there is none.
func pagesOf(object string) string {
	scheme, rest, ok := strings.Cut(strings.TrimPrefix(object, "url:"), "://")
	host, _, _ := strings.Cut(rest, "/")
	if !ok || host == "" || strings.ContainsAny(host, `*?\`) {
		return ""
	}
	return "url:" + scheme + "://" + host + "/*"
}
