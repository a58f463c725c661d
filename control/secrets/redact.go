package secrets

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// pemBlock is a private key, whatever is in it; where its end is missing, up to
// the end of the text. urlUser finds name and password in a URL, and authorization
// what a header holds.
var (
	pemBlock      = lazy.Regexp(`-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY( BLOCK)?-----|$)`)
	urlUser       = lazy.Regexp(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s:@"']*:[^/\s@"']+@`)
	authorization = lazy.Regexp(`(?i)\b((?:proxy-)?authorization:\s*(?:bearer|basic|token)\s+)[A-Za-z0-9._~+/=-]{8,}`)
)

// Redact replaces what has the shape of a secret by «secret:kind». It is for
// texts that are kept but never used again: the audit, logs.
func Redact(s string) string {
	if strings.Contains(s, "PRIVATE KEY") {
		s = pemBlock().ReplaceAllString(s, "«secret:pem»")
	}
	if strings.Contains(s, hintURL) {
		s = urlUser().ReplaceAllString(s, "${1}«secret:url»@")
	}
	s = Replace(s, Shapes(s), func(found Found, _ string) string { return "«secret:" + found.Kind + "»" })
	return authorization().ReplaceAllString(s, "${1}«secret:header»")
}

// Replace puts the word that name gives in the place of each secret. found
// is in order and apart, as Shapes gives it.
func Replace(s string, found []Found, name func(found Found, text string) string) string {
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(s[at:f.Start])
		b.WriteString(name(f, s[f.Start:f.End]))
		at = f.End
	}
	b.WriteString(s[at:])
	return b.String()
}
