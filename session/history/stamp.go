package history

import "time"

// timeLayout is RFC 3339 in UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// Stamp is a time as the log and the wire write it.
func Stamp(t time.Time) string { return t.UTC().Format(timeLayout) }

// ParseStamp reads what stamp writes. A log has one in each of its lines, so that
// form is read without a layout; every other one is left to the library.
func ParseStamp(s string) (time.Time, error) {
	digits := [...]int{0, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 23}
	var n [7]int
	plain := len(s) == 24 && s[4] == '-' && s[7] == '-' && s[10] == 'T' && s[13] == ':' && s[16] == ':' && s[19] == '.' && s[23] == 'Z'
	for i := 0; plain && i < len(n); i++ {
		for _, c := range []byte(s[digits[2*i]:digits[2*i+1]]) {
			plain = plain && '0' <= c && c <= '9'
			n[i] = n[i]*10 + int(c-'0')
		}
	}
	if plain && 1 <= n[1] && n[1] <= 12 && 1 <= n[2] && n[2] <= 28 && n[3] < 24 && n[4] < 60 && n[5] < 60 {
		return time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], n[6]*int(time.Millisecond), time.UTC), nil
	}
	return time.Parse(timeLayout, s)
}
