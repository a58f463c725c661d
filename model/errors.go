package model

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxMessage bounds Error.Message, in bytes.
const maxMessage = 2 << 10

// Error says what was asked, where, and what came back. It never holds a key:
// messages are cleaned by scrubber before they get here.
func (e *Error) Error() string {
	if e.Kind == KindUnavailable {
		return e.Message // it names every model
	}
	var b strings.Builder
	b.WriteString("asking ")
	if e.Provider != "" {
		b.WriteString(e.Provider + "/")
	}
	b.WriteString(e.Model)
	if e.URL != "" {
		b.WriteString(" at " + e.URL)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (status %d)", e.Status)
	}
	b.WriteString(": ")
	if e.Message == "" {
		b.WriteString(string(e.Kind))
	} else {
		b.WriteString(e.Message)
	}
	return b.String()
}

// Is lets errors.Is compare by kind: errors.Is(err, &Error{Kind: KindAuth}).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Status == 0 && t.Message == "" && t.Model == ""
}

// failure is one request that failed, with what the retry loop needs to decide.
type failure struct {
	err   *Error
	class class
	// body is what the provider said, for quirks and for Retry-After.
	body string
	// again says that the same question may succeed later.
	again bool
}

// scrubber removes secrets from texts that leave this package.
type scrubber struct{ replacer *strings.Replacer }

// newScrubber hides each secret of at least 6 bytes, also as it is written in a
// URL and in JSON.
func newScrubber(secrets []string) scrubber {
	var pairs []string
	for _, s := range secrets {
		if len(s) < 6 {
			continue
		}
		inJSON := strings.Trim(string(encodeJSON(s)), `"`)
		forms := []string{s, url.QueryEscape(s), url.PathEscape(s), inJSON}
		for _, slash := range []string{"/", `\/`} {
			for _, plus := range []string{"+", `\u002b`, `\u002B`} {
				forms = append(forms, strings.NewReplacer("/", slash, "+", plus).Replace(inJSON))
			}
		}
		slices.Sort(forms)
		for _, form := range slices.Compact(forms) {
			pairs = append(pairs, form, "«key»")
		}
	}
	return scrubber{strings.NewReplacer(pairs...)}
}

// message makes provider text fit to be shown: no secrets, no control
// characters, valid UTF-8, at most 2 KiB.
func (s scrubber) message(text string) string {
	if s.replacer != nil {
		text = s.replacer.Replace(text)
	}
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return clip(strings.TrimSpace(text), maxMessage)
}

// clip cuts text to at most n bytes at a rune boundary and marks the cut.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// shownURL is u without user info, query and fragment.
func shownURL(u *url.URL) string {
	if u == nil {
		return ""
	}
	clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return clean.String()
}
