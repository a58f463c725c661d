package secrets

import "strings"

// Pending is how much of the end of s may be a part of a secret that goes on behind
// it, in bytes. Who shows a text in pieces keeps so much back.
func Pending(s string) int {
	at := len(s)
	for at > 0 && len(s)-at < maxCutKey && strings.IndexByte(" \t\r\n\"'`<>", s[at-1]) < 0 {
		at--
	}
	run := s[at:]
	if len(run) < maxCutKey && mayBegin(run) {
		return max(len(run), openKey(s))
	}
	return openKey(s)
}

// mayBegin says that a hint is in a text without blanks, or begins at its end.
func mayBegin(run string) bool {
	m, f := shapeHints(), shapeFinder{s: run}
	for h, hint := range m.hints {
		if strings.Contains(run, hint) {
			return true
		}
		for n := min(len(hint)-1, len(run)); n > 0; n-- {
			if strings.HasSuffix(run, hint[:n]) && (m.shape[h] < 0 || f.beginsWord(len(run)-n)) {
				return true
			}
		}
	}
	return strings.HasSuffix(run, `\`) // of an escape
}

// openKey is how much of the end of s is a private key that has begun and may go on.
func openKey(s string) int {
	at := strings.LastIndex(s, hintBegin)
	if at < 0 || len(s)-at > maxKeyBytes {
		return 0
	}
	label := pemLabel().FindString(s[at:min(len(s), at+80)])
	if label == "" {
		if len(s)-at < 80 && !strings.Contains(s[at:], "\n") && !strings.Contains(s[at+len(hintBegin):], "-----") {
			return len(s) - at // of the first line
		}
		return 0
	}
	rest := s[at+len(label):]
	_, lines, more := strings.Cut(rest, "\n")
	switch {
	case strings.Contains(rest, hintEnd):
		return 0
	case !more:
		return len(s) - at
	}
	for line := range strings.SplitSeq(lines, "\n") {
		_, n := longestRun(line)
		if n < leastKeyRun && !keyHeader().MatchString(line) && !blankKeyLine().MatchString(line) && strings.ContainsAny(strings.TrimSpace(line), " \t") {
			return 0
		}
	}
	return len(s) - at
}

// beginsWord says that no word goes over at; the letter of an escape, as in
// "\nghp_", belongs to none.
func (f *shapeFinder) beginsWord(at int) bool {
	return at == 0 || !isRun(f.s[at-1], "_") || endsWithEscape(f.s[:at])
}
