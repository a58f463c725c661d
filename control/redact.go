package control

import (
	"regexp"
	"sync"
)

// onFirstUse compiles a pattern when it is first asked for: an editor waits for
// the start of the program, which needs none of them.
func onFirstUse(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// secretShapes are the high-precision shapes of secrets (workspace §6): text
// that is a key by its form, whatever stands around it.
var secretShapes = []struct {
	name string
	find func() *regexp.Regexp
}{
	{"pem", onFirstUse(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)`)},
	{"ghp", onFirstUse(`\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})`)},
	{"sk", onFirstUse(`\bsk-[A-Za-z0-9_-]{20,}`)},
	{"aws", onFirstUse(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"xox", onFirstUse(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"jwt", onFirstUse(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
	{"glpat", onFirstUse(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"google", onFirstUse(`\bAIza[0-9A-Za-z_-]{35}\b`)},
}

// urlUser finds name and password in a URL.
var urlUser = onFirstUse(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s:@"']+:[^/\s@"']+@`)

// Redact replaces what has the shape of a secret by «secret:kind». It is for
// texts that are kept but never used again: the audit, logs.
func Redact(s string) string {
	for _, shape := range secretShapes {
		s = shape.find().ReplaceAllString(s, "«secret:"+shape.name+"»")
	}
	return urlUser().ReplaceAllString(s, "${1}«secret:url»@")
}
