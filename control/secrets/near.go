package secrets

import (
	"encoding/base64"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Bounds of what is between a word and the key that it gives away.
const (
	maxGap   = 30  // bytes of a longer name, up to its end
	maxValue = 300 // bytes of the key
)

// nearWord looks for a key behind a word, as in `aws_secret_access_key = "…"`.
func nearWord(f *shapeFinder, sh *shape, _, end int) {
	from, ok := f.assigned(end)
	if !ok {
		return
	}
	to := from
	for to < len(f.s) && to-from < maxValue && isRun(f.s[to], "+/=_-.:~") {
		to++
	}
	if value := f.s[from:to]; sh.whole().MatchString(value) && (sh.unless == nil || !sh.unless(value)) && !repeats(value) {
		f.found = append(f.found, Found{Start: from, End: to, Kind: sh.kind})
	}
}

// assigned is where the value stands of the name that goes on at at: behind "=", ":",
// "=>" or ",", with quotes and blanks around it, in the same line.
func (f *shapeFinder) assigned(at int) (value int, ok bool) {
	skip := func(most int, chars string, letters bool) int {
		n := 0
		for at < len(f.s) && n < most && (strings.IndexByte(chars, f.s[at]) >= 0 || letters && isRun(f.s[at], "")) {
			at, n = at+1, n+1
		}
		return n
	}
	skip(maxGap, " \t._-", true)
	skip(4, "\"'`\\] \t", false)
	if strings.HasPrefix(f.s[at:], "%3D") || strings.HasPrefix(f.s[at:], "%3d") {
		at += 3
	} else if skip(3, "=:>|,", false) == 0 {
		return 0, false
	}
	skip(6, "\"'`\\= \t", false)
	return at, at < len(f.s)
}

// scheme is what is behind the name of the header in front of what it holds.
var scheme = lazy.Regexp("^[\"'`\\\\\\]]{0,3}[ \\t]{0,3}(?:=>|[:=,])[ \\t]{0,3}[\"'`\\\\]{0,2}(?i:bearer|basic|token|bot)(?: {1,3}|%20|\\+)")

// authorizationHeader looks for what an Authorization header holds, whose name ends at end.
func authorizationHeader(f *shapeFinder, _ *shape, _, end int) {
	window := f.s[end:min(len(f.s), end+40)]
	at := scheme().FindString(window)
	if at == "" {
		return
	}
	from := end + len(at)
	to := from
	for to < len(f.s) && to-from < maxCutKey && isRun(f.s[to], "._~+/=-") {
		to++
	}
	value := strings.TrimRight(f.s[from:to], ".")
	if strings.Contains(strings.ToLower(at), "basic") && noBasic(value) || !strings.Contains(strings.ToLower(at), "basic") && noBearer(value) {
		return
	}
	f.found = append(f.found, Found{Start: from, End: from + len(value), Kind: "header"})
}

// noBasic says that a value contains no user with a password, or those of an example.
func noBasic(value string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	user, password, ok := strings.Cut(string(raw), ":")
	return err != nil || !ok || noPassword(user, password) || noDigit(password) && strings.ToUpper(password) == password || password == "open sesame" // of RFC 7617
}

// noBearer says that a value is a word of an example rather than a token.
func noBearer(value string) bool {
	return len(value) < 16 || noDigit(value) || distinct(value) <= 6 || onlyWords(value) || repeats(value)
}

// derHead is how the text of a private key begins: PKCS #1 and #8 of any size, SEC 1,
// the small keys of RFC 8410, encrypted ones, and those of OpenSSH. What a certificate
// or a public key begins with is another.
var derHead = lazy.Regexp(`^(?:MII[A-Za-z0-9+/]{2}[AQgw]IBA(?:AK[BC]|DA[A-Z])|MII[A-Za-z0-9+/]{5}BgkqhkiG9w0BBQ|` +
	`MHcCAQEEI|MIGkAgEBBD|MIHcAgEBBEI|MIGHAgEAM|MIG2AgEAM|MIHuAgEAM|MIG[A-Za-z0-9+/]AgEAMBAG|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjE)`)

// keyBody takes the text of a private key as one, although nothing says BEGIN: 40
// letters and more that begin as one does, and the lines of a key behind it.
func (f *shapeFinder) keyBody(_ *shape, at, _ int) {
	if at < f.pem || at > 0 && isRun(f.s[at-1], "+/=") && !endsWithEscape(f.s[:at]) || !derHead().MatchString(f.s[at:min(len(f.s), at+32)]) {
		return
	}
	end := at
	for end < len(f.s) && end-at < maxKeyBytes && isRun(f.s[end], "+/=") {
		end++
	}
	if run := f.s[at:end]; len(run) < leastKeyLine || distinct(run) <= 8 {
		return
	}
	if literal := strings.HasPrefix(f.s[end:], `\n`) || strings.HasPrefix(f.s[end:], `\r`); literal { // all in one line
		f.pem = end
		line := f.line(at, min(len(f.s), at+maxKeyLine))
		stop := strings.IndexAny(line, "\"' ")
		if stop < 0 {
			stop = len(line)
		}
		f.inOneLine(at, line[:stop])
		return
	}
	f.found = append(f.found, Found{Start: at, End: end, Kind: "pem"})
	f.linesOfKey(end, end-at)
}

// linesOfKey takes the lines behind the first one of a key, which has n letters and
// ends at from, as long as they are the same in form; the last one may be shorter.
func (f *shapeFinder) linesOfKey(from, n int) {
	stop := min(len(f.s), from+maxKeyBytes)
	f.pem = from
	for from += len(f.line(from, stop)) + 1; from < stop; {
		line := f.line(from, stop)
		start, m := longestRun(line)
		if m == 0 || m > n || besides().MatchString(line[:start]+" "+line[start+m:]) || m < 4 {
			return
		}
		if run := line[start : start+m]; m >= leastKeyRun && distinct(run) <= 5 || m < n && m < leastKeyLine && noDigit(run) && !strings.HasSuffix(run, "=") {
			return
		}
		f.found = append(f.found, Found{Start: from + start, End: from + start + m, Kind: "pem"})
		from += len(line) + 1
		f.pem = from
		if m < n {
			return
		}
	}
}
