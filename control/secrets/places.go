package secrets

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Bounds of what is looked at behind a hint: a longer text is none of these.
const (
	maxUserInfo  = 512      // bytes of user and password in a URL
	maxCutKey    = 4 << 10  // bytes of a key that was cut
	maxKeyBytes  = 64 << 10 // of a private key with all that is around it
	maxKeyLine   = 8 << 10  // of one that is in one line
	leastKeyRun  = 16       // letters of a line of a private key
	leastKeyLine = 40       // the same where only the end of the key is there
)

// urlUser looks for the password in a URL, `scheme://user:password@host`.
func (f *shapeFinder) urlUser(at int) {
	if at > 0 && !isRun(f.s[at-1], "+.-") {
		return
	}
	from := at + len(hintURL)
	rest := f.s[from:min(len(f.s), from+maxUserInfo)]
	end := 0
	for end < len(rest) && rest[end] > ' ' && rest[end] < 0x80 && strings.IndexByte("/@\"'`<>\\?#,;|()", rest[end]) < 0 {
		end++
	}
	if end == len(rest) || rest[end] != '@' {
		return
	}
	user, password, ok := strings.Cut(rest[:end], ":")
	if !ok || noPassword(user, password) || end+1 >= len(rest) || !isRun(rest[end+1], "[") {
		return
	}
	f.found = append(f.found, Found{Start: from + len(user) + 1, End: from + end, Kind: "url"})
}

// exampleWords are what people write in the place of a password.
var exampleWords = []string{"passw0rd", "pwd", "pw", "secret", "token", "key", "user", "username", "login", "admin", "root", "guest", "test", "example",
	"changeme", "foo", "bar", "baz", "foobar", "qux", "xxx", "postgres", "mysql", "redis", "mongo", "rabbitmq", "credential", "credentials", "x-oauth-basic", "dummy", "fake", "something", "anything", "auth", "info", "name", "port", "my", "your"}

// noPassword says that what is in a URL behind a user is a variable, or a word
// of an example.
func noPassword(user, password string) bool {
	plain := escapedByte().ReplaceAllString(password, "")
	lower := strings.ToLower(strings.TrimRight(plain, "0123456789!"))
	switch {
	case len(plain) < 5, distinct(plain) <= 3, strings.EqualFold(user, password), strings.ContainsAny(plain, "${}[]*%^~"), // a variable, a format, a pattern
		strings.Contains(lower, "pass"), strings.Contains(lower, "word"):
		return true
	}
	for word := range strings.FieldsFuncSeq(lower, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if !slices.Contains(exampleWords, word) {
			return len(plain) < 12 && strings.Trim(plain, "abcdefghijklmnopqrstuvwxyz") == ""
		}
	}
	return true
}

// escapedByte is a byte as a URL writes it.
var escapedByte = lazy.Regexp(`%[0-9A-Fa-f]{2}`)

// pemLabel is what is behind BEGIN and END of a private key.
var pemLabel = lazy.Regexp(`^-----(?:BEGIN|END) [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----`)

// privateKey looks at the lines behind the first line of a private key. Only what
// is of the key's alphabet counts: a text that merely names the line is none.
func (f *shapeFinder) privateKey(at int) {
	label := pemLabel().FindString(f.s[at:min(len(f.s), at+80)])
	if label == "" || at < f.pem {
		return
	}
	from := at + len(label)
	stop := min(len(f.s), from+maxKeyBytes)
	line := f.line(from, min(stop, from+maxKeyLine))
	if end := strings.Index(line, hintEnd); end >= 0 || longEnough(line) { // all in one line
		if end < 0 {
			end = len(line)
		}
		f.pem = from + end
		f.inOneLine(from, line[:end])
		return
	}
	added := at > 0 && f.s[at-1] == '+' // a line of a diff
	inKey := false
	for from += len(line) + 1; from < stop; from += len(line) + 1 {
		line = f.line(from, stop)
		f.pem = from
		if strings.Contains(line, hintEnd) {
			return
		}
		start, n := longestRun(line)
		if added && n > 0 && start == 0 && line[0] == '+' {
			start, n = 1, n-1
		}
		switch {
		case keyHeader().MatchString(line), n == 0, strings.Contains(line, placeholder):
		case keyLine(line, start, n):
			inKey = true
			f.found = append(f.found, Found{Start: from + start, End: from + start + n, Kind: "pem"})
		case inKey && strings.Contains(f.line(min(stop, from+len(line)+1), stop), hintEnd) || inKey && line[start] == '=':
			start, n = lastRun(line) // what is left for the last line
			f.found = append(f.found, Found{Start: from + start, End: from + start + n, Kind: "pem"})
		case inKey, !blankKeyLine().MatchString(line):
			return
		}
	}
}

// keyLine says that the n letters at start make a line one of a key: many of them, or
// nothing but numbers and marks beside them.
func keyLine(line string, start, n int) bool {
	run := line[start : start+n]
	switch {
	case n < leastKeyRun, distinct(run) <= 5:
		return false
	case n >= leastKeyLine && !noDigit(run):
		return true
	}
	return !besides().MatchString(line[:start] + " " + line[start+n:])
}

// besides is what is not beside the letters of a key.
var besides = lazy.Regexp(`(?:^|[^\\])[A-Za-z_]|[(){}\[\]]`)

// inOneLine takes a key with escaped or other line ends as one secret, from its first
// letter to its last.
func (f *shapeFinder) inOneLine(from int, body string) {
	if !longEnough(body) {
		return
	}
	first, _ := firstRun(body)
	last, n := lastRun(body)
	if body[max(0, last-1):last+n] == `\n` { // the letter of an escape
		last, n = last-1, 0
	}
	f.found = append(f.found, Found{Start: from + first, End: from + last + n, Kind: "pem"})
}

// longEnough says that a key begins at the beginning of body, but for line ends.
func longEnough(body string) bool {
	start, n := firstRun(body)
	return start <= 8 && n >= leastKeyRun && distinct(body[start:start+n]) > 5
}

// firstRun is the first letters of a key in a line; those of an escape are none.
func firstRun(line string) (start, n int) {
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
			continue
		}
		from := i
		for i < len(line) && isRun(line[i], "+/=") {
			i++
		}
		if i > from {
			return from, i - from
		}
	}
	return 0, 0
}

// keyHeader is a line such as `DEK-Info: AES-128-CBC,…`, blankKeyLine one that says
// nothing; both may have a number in front.
var (
	keyHeader    = lazy.Regexp(`^[\s+"'` + "`" + `]*(?:\d+[:-] )?[\s+"'` + "`" + `]*(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID):`)
	blankKeyLine = lazy.Regexp(`^[\s+"'` + "`" + `]*(?:\d+[:-])?[\s+"'` + "`" + `]*$`)
)

// placeholder is how what stands for a secret begins: its number is none.
const placeholder = "«secret:"

// restOfKey looks at the lines above the last line of a private key whose first
// one is not in the text.
func (f *shapeFinder) restOfKey(at int) {
	if at < f.pem || pemLabel().FindString(f.s[at:min(len(f.s), at+80)]) == "" {
		return
	}
	least := max(f.pem, at-maxKeyBytes)
	f.pem = at
	end := strings.LastIndexByte(f.s[least:at], '\n') + least // of the line above
	for first := true; end > least; first = false {
		from := strings.LastIndexByte(f.s[least:end], '\n') + 1 + least
		line := f.s[from:end]
		start, n := longestRun(line)
		if strings.Contains(line, placeholder) {
			end = from - 1
			continue
		}
		if n >= leastKeyLine && distinct(line[start:start+n]) > 5 {
			f.found = append(f.found, Found{Start: from + start, End: from + start + n, Kind: "pem"})
		} else if start, n = lastRun(line); first && n > 1 && from > least {
			f.found = append(f.found, Found{Start: from + start, End: from + start + n, Kind: "pem"})
		} else {
			return
		}
		end = from - 1
	}
}

// cut looks at the two sides of a place where text was left out: a secret may
// begin in front of it, or end behind it.
func (f *shapeFinder) cut(at int) {
	const more = "_-."
	from := at
	for from > 0 && at-from < maxCutKey && isRun(f.s[from-1], more) {
		from--
	}
	if kind, i := hintIn(f.s[from:at]); i >= 0 {
		f.found = append(f.found, Found{Start: from + i, End: at, Kind: kind, Part: true})
	}
	start := at + len(hintCut)
	end := start
	for end < len(f.s) && isRun(f.s[end], more) {
		end++
	}
	if run := f.s[start:end]; len(run) <= maxCutKey && random(run) {
		f.found = append(f.found, Found{Start: start, End: end, Kind: "cut", Part: true})
	}
}

// hintIn finds what may be the beginning of a key in the end of a text that was cut.
func hintIn(run string) (kind string, at int) {
	m, all := shapeHints(), shapes()
	state := 0
	for i := 0; i < len(run); i++ {
		if state = int(m.next[state<<8|int(run[i])]); state < m.accepting {
			continue
		}
		for _, h := range m.ends[state-m.accepting] {
			if m.shape[h] < 0 || all[m.shape[h]].look != nil {
				continue
			}
			sh, at := &all[m.shape[h]], i+1-len(m.hints[h])
			text := run[at:]
			if len(run)-i > 4 && !sh.inName(run[:at], text) && (sh.unless == nil || !onlyWords(text) || strings.ContainsAny(text, "0123456789")) {
				return sh.kind, at
			}
		}
	}
	return "", -1
}

// random says that a piece of a word may be the end of a key.
func random(s string) bool {
	digits, upper, lower := 0, 0, 0
	for i := range len(s) {
		switch b := s[i]; {
		case b >= '0' && b <= '9':
			digits++
		case b >= 'A' && b <= 'Z':
			upper++
		case b >= 'a' && b <= 'z':
			lower++
		}
	}
	return len(s) >= 12 && digits > 0 && upper > 0 && lower > 0 || len(s) >= 20 && digits > 3
}

// line is the text from from to the next line end.
func (f *shapeFinder) line(from, stop int) string {
	if from >= stop {
		return ""
	}
	if i := strings.IndexByte(f.s[from:stop], '\n'); i >= 0 {
		return f.s[from : from+i]
	}
	return f.s[from:stop]
}

func longestRun(line string) (start, n int) {
	for i := 0; i < len(line); i++ {
		from := i
		for i < len(line) && isRun(line[i], "+/=") {
			i++
		}
		if i-from > n {
			start, n = from, i-from
		}
	}
	return start, n
}

func lastRun(line string) (start, n int) {
	end := len(line)
	for end > 0 && !isRun(line[end-1], "+/=") {
		end--
	}
	start = end
	for start > 0 && isRun(line[start-1], "+/=") {
		start--
	}
	return start, end - start
}
