package control

import "strings"

// hostPattern is the pattern that allows an entry of web.allowedHosts: a host
// ("go.dev", "*.example.com", "localhost:8080"), which stands for all its pages
// over either scheme, or the beginning of a URL ("https://go.dev/doc"), which
// stands for what is below it.
func hostPattern(entry string) string {
	scheme, rest, given := strings.Cut(strings.TrimSpace(entry), "://")
	if !given {
		scheme, rest = "*", scheme
	}
	return "url:" + scheme + "://" + strings.TrimSuffix(strings.TrimSuffix(rest, "/*"), "/") + "/*"
}

// hostRules let only these hosts be fetched.
func hostRules(hosts []string) []Rule {
	rules := []Rule{{Domain: "web_fetch", Pattern: "*", Decision: "deny"}}
	for _, h := range hosts {
		rules = append(rules, Rule{Domain: "web_fetch", Pattern: hostPattern(h), Decision: "allow"})
	}
	return rules
}
