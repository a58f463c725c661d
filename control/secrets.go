package control

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/lazy"
)

// Secret is a stretch of a text that is a secret by its form; Kind is short and
// says which form.
type Secret struct {
	Start, End int // bytes
	Kind       string
}

// secretHints are what a text must hold for a shape to be in it: looking for that
// costs a fraction of matching.
var secretHints = map[string][]string{
	"pem": {"PRIVATE KEY"}, "ghp": {"gh", "github_pat_"}, "sk": {"sk-"}, "stripe": {"k_live_", "k_test_"}, "aws": {"AKIA", "ASIA"},
	"xox": {"xox"}, "jwt": {"eyJ"}, "glpat": {"glpat-"}, "google": {"AIza"}, "npm": {"npm_"}, "hf": {"hf_"}, "pypi": {"pypi-"},
	"sendgrid": {"SG."}, "age": {"AGE-SECRET-KEY-"},
}

// secretPlaces are secrets that only what stands before them gives away: the
// secret is the last group. hints are lower case, and unless tells an ordinary
// value from a secret.
var secretPlaces = []struct {
	name   string
	hints  []string
	find   func() *regexp.Regexp
	unless func(string) bool
}{
	{"url", []string{"://"}, lazy.Regexp(`[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@"'«]*:([^/\s@"'«]+)@`), nil},
	{"header", []string{"authorization"}, lazy.Regexp(`(?i)\b(?:proxy-)?authorization["']?\s*[:=,]\s*["']?(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{8,})`), nil},
	{"header", []string{"api-key"}, lazy.Regexp(`(?i)\b(?:x-)?api-key["']?\s*:\s*["']?([A-Za-z0-9._~+/=-]{16,})`), ordinary},
	{"aws", []string{"aws_secret", "secretaccesskey"}, lazy.Regexp(`(?i)(?:aws_secret_access_key|secretaccesskey)["'\s:=]+([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)`), nil},
	{"azure", []string{"accountkey=", "sharedaccesskey="}, lazy.Regexp(`(?i)(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})`), nil},
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

// FindSecrets finds what has the shape of a secret, in no order; stretches may
// overlap. It is for texts that leave the machine: beside the shapes of Redact it
// knows some by what stands before them (session/bundle).
func FindSecrets(s string) []Secret {
	var found []Secret
	has := func(hint string) bool { return strings.Contains(s, hint) }
	for _, shape := range secretShapes {
		if hints := secretHints[shape.name]; len(hints) > 0 && !slices.ContainsFunc(hints, has) {
			continue
		}
		for _, at := range shape.find().FindAllStringIndex(s, -1) {
			if shape.unless == nil || !shape.unless(s[at[0]:at[1]]) {
				found = append(found, Secret{at[0], at[1], shape.name})
			}
		}
	}
	if !strings.ContainsAny(s, "=:,") {
		return found
	}
	lower := strings.ToLower(s)
	for _, place := range secretPlaces {
		if !slices.ContainsFunc(place.hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
			continue
		}
		for _, at := range place.find().FindAllStringSubmatchIndex(s, -1) {
			start, end := at[len(at)-2], at[len(at)-1]
			if place.unless == nil || !place.unless(s[start:end]) {
				found = append(found, Secret{start, end, place.name})
			}
		}
	}
	return found
}

// SecretValues are the keys, tokens and passwords that the configuration holds or
// names, literally: keys and telling headers of providers, what servers are given
// in their environment, the variables that apiKeyEnv names.
func (s *Settings) SecretValues(env func(string) string) []string {
	var found []string
	for i := range Keys {
		var v any
		if Keys[i].kind == kindObject && json.Unmarshal(s.Values[Keys[i].Path], &v) == nil {
			found = secretsIn(found, v, "", env)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// secretsIn collects the texts below members that sound like secrets. Below
// headers and env only those count whose own name does: the others are names of
// programs, languages, paths.
func secretsIn(found []string, v any, name string, env func(string) string) []string {
	switch v := v.(type) {
	case map[string]any:
		for inner, value := range v {
			if !soundsSecret(name) || strings.EqualFold(name, "apiKeyEnv") {
				found = secretsIn(found, value, inner, env)
			} else {
				found = secretsIn(found, value, name, env)
			}
		}
	case []any:
		for i, value := range v {
			flag := ""
			if i > 0 {
				flag, _ = v[i-1].(string)
			}
			if strings.HasPrefix(flag, "-") && !strings.Contains(flag, "=") && soundsSecret(flag) {
				found = secretsIn(found, value, flag, env)
			} else {
				found = secretsIn(found, value, name, env)
			}
		}
	case string:
		switch {
		case strings.EqualFold(name, "apiKeyEnv"):
			found = append(found, env(v))
		case soundsSecret(name):
			found = append(found, strings.TrimPrefix(strings.TrimPrefix(v, "Bearer "), "Basic "))
		default:
			for _, at := range secretArgument().FindAllStringIndex(v, -1) {
				_, value, _ := strings.Cut(v[at[0]:at[1]], "=")
				found = append(found, value)
			}
		}
	}
	return found
}

// SecretName says that a variable of this name may hold a secret.
func SecretName(name string) bool {
	upper := strings.ToUpper(name)
	return soundsSecret(name) || strings.HasSuffix(upper, "_PAT") || strings.HasSuffix(upper, "_DSN") || upper == "DATABASE_URL"
}
