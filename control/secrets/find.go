package secrets

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// places are secrets that only what is before them gives away: the
// secret is the last group. hints are lower case, and unless tells an ordinary
// value from a secret.
var places = []struct {
	name   string
	hints  []string
	find   func() *regexp.Regexp
	unless func(string) bool
}{
	{"url", []string{"://"}, lazy.Regexp(`[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@"'«]*:([^/\s@"'«]+)@`), nil},
	{"header", []string{"authorization"}, lazy.Regexp(`(?i)\b(?:proxy-)?authorization["']?\s*[:=,]\s*["']?(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{8,})`), nil},
	{"header", []string{"api-key"}, lazy.Regexp(`(?i)\b(?:x-)?api-key["']?\s*:\s*["']?([A-Za-z0-9._~+/=-]{16,})`), ordinary},
	{"aws", []string{"aws_secret", "secretaccesskey"}, lazy.Regexp(`(?i)(?:aws_secret_access_key|secretaccesskey)["'\s:=]+([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)`), nil},
	{"webhook", []string{"hooks.slack.com"}, lazy.Regexp(`hooks\.slack\.com/services/([A-Za-z0-9/]{20,})`), nil},
	// A line of an environment file, also as a tool that numbers lines shows it.
	{"env", []string{"key=", "token=", "secret=", "passwd=", "password=", "passphrase=", "credential="},
		lazy.Regexp(`(?m)(?:^|[\s;"'` + "`" + `:|])(?:[A-Z][A-Z0-9]*_)*(?:KEY|TOKEN|SECRET|PASSWD|PASSWORD|PASSPHRASE|CREDENTIAL)=["']?([^\s"'` + "`" + `$(){}<>;«]{8,})`), ordinary},
}

// ordinary says that a value behind a telling name is a word, a number or a path
// and no secret: a secret mixes letters and digits.
func ordinary(value string) bool {
	digit := strings.ContainsAny(value, "0123456789")
	letter := strings.ContainsFunc(value, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
	return !digit || !letter || strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "~/")
}

// Find finds what has the shape of a secret, in no order; stretches may
// overlap. It is for texts that leave the machine: beside the shapes of Redact it
// knows some by what is before them (session/bundle).
func Find(s string) []Found {
	var found []Found
	for _, shape := range Shapes(s) {
		if shape.Kind != "url" && shape.Kind != "pem" { // places and whole blocks know more
			found = append(found, shape)
		}
	}
	if strings.Contains(s, "PRIVATE KEY") {
		for _, at := range pemBlock().FindAllStringIndex(s, -1) {
			found = append(found, Found{Start: at[0], End: at[1], Kind: "pem"})
		}
	}
	if !strings.ContainsAny(s, "=:,") {
		return found
	}
	lower := strings.ToLower(s)
	for _, place := range places {
		if !slices.ContainsFunc(place.hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
			continue
		}
		for _, at := range place.find().FindAllStringSubmatchIndex(s, -1) {
			start, end := at[len(at)-2], at[len(at)-1]
			if place.unless == nil || !place.unless(s[start:end]) {
				found = append(found, Found{Start: start, End: end, Kind: place.name})
			}
		}
	}
	return found
}
