package model

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

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
