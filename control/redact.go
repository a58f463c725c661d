package control

import (
	"regexp"
)

// secretShapes are the high-precision shapes of secrets (workspace §6): text
// that is a key by its form, whatever stands around it.
var secretShapes = []struct {
	name string
	re   *regexp.Regexp
}{
	{"pem", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)`)},
	{"ghp", regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})`)},
	{"sk", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`)},
	{"aws", regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"xox", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"jwt", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
	{"glpat", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"google", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}\b`)},
}

// urlUser finds name and password in a URL.
var urlUser = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s:@"']+:[^/\s@"']+@`)

// Redact replaces what has the shape of a secret by «secret:kind». It is for
// texts that are kept but never used again: the audit, logs.
func Redact(s string) string {
	for _, shape := range secretShapes {
		s = shape.re.ReplaceAllString(s, "«secret:"+shape.name+"»")
	}
	return urlUser.ReplaceAllString(s, "${1}«secret:url»@")
}
