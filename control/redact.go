package control

import (
	"regexp"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/lazy"
)

// secretShapes are the high-precision shapes of secrets (workspace §6): text
// that is a key by its form, whatever stands around it. unless tells a name from
// a key where both have the form.
var secretShapes = []struct {
	name   string
	find   func() *regexp.Regexp
	unless func(string) bool
}{
	{"pem", lazy.Regexp(`-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY( BLOCK)?-----|$)`), nil},
	{"ghp", lazy.Regexp(`\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})`), nil},
	{"sk", lazy.Regexp(`\bsk-[A-Za-z0-9_-]{20,}`), onlyWords},
	{"stripe", lazy.Regexp(`\b[rs]k_(live|test)_[A-Za-z0-9]{16,}`), nil},
	{"aws", lazy.Regexp(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`), nil},
	{"xox", lazy.Regexp(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`), func(s string) bool { return !strings.ContainsAny(s, "0123456789") }},
	{"jwt", lazy.Regexp(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`), nil},
	{"glpat", lazy.Regexp(`\bglpat-[A-Za-z0-9_-]{20,}`), nil},
	{"google", lazy.Regexp(`\bAIza[0-9A-Za-z_-]{35}\b`), nil},
	{"npm", lazy.Regexp(`\bnpm_[A-Za-z0-9]{36}\b`), nil},
	{"hf", lazy.Regexp(`\bhf_[A-Za-z0-9]{30,}\b`), nil},
	{"pypi", lazy.Regexp(`\bpypi-[A-Za-z0-9_-]{50,}`), nil},
	{"sendgrid", lazy.Regexp(`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`), nil},
	{"age", lazy.Regexp(`\bAGE-SECRET-KEY-1[0-9A-Z]{50,}`), nil},
}

// onlyWords says that a text is words with hyphens between them, as the names of
// packages are, and no key.
func onlyWords(s string) bool {
	for piece := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(piece) >= 16 || strings.ContainsAny(piece, "0123456789") && strings.ToLower(piece) != piece {
			return false
		}
	}
	return true
}

// urlUser finds name and password in a URL, and authorization what a header holds.
var (
	urlUser       = lazy.Regexp(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s:@"']*:[^/\s@"']+@`)
	authorization = lazy.Regexp(`(?i)\b((?:proxy-)?authorization:\s*(?:bearer|basic|token)\s+)[A-Za-z0-9._~+/=-]{8,}`)
)

// Redact replaces what has the shape of a secret by «secret:kind». It is for
// texts that are kept but never used again: the audit, logs.
func Redact(s string) string {
	for _, shape := range secretShapes {
		s = shape.find().ReplaceAllStringFunc(s, func(found string) string {
			if shape.unless != nil && shape.unless(found) {
				return found
			}
			return "«secret:" + shape.name + "»"
		})
	}
	s = urlUser().ReplaceAllString(s, "${1}«secret:url»@")
	return authorization().ReplaceAllString(s, "${1}«secret:header»")
}
