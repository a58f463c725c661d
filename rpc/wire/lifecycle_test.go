package wire

import (
	"strings"
	"testing"
)

// TestGate plays messages in order: "m?" is a request, "m" a notification,
// "m!" a request whose handler fails, "eof" the end of the input. Each is
// followed by what the gate says: ok, drop, a code, or the exit code.
func TestGate(t *testing.T) {
	tests := []string{
		"x?=-32002 shutdown?=-32002 $/x?=-32002 n=drop initialized=drop $/setTrace=drop initialize?=ok",
		"exit=exit1",
		"eof=exit1",
		"initialize?=ok x?=ok n=ok initialize?=-32600 initialized=ok initialized=drop x?=ok",
		"initialize!=ok x?=-32002 initialize?=ok x?=ok",
		"initialize?=ok initialized=ok eof=exit1",
		"initialize?=ok initialized=ok exit=exit1",
		"initialize?=ok initialized=ok shutdown?=ok x?=-32600 shutdown?=-32600 initialize?=-32600 n=drop exit=exit0",
		"initialize?=ok initialized=ok shutdown?=ok eof=exit0",
		"initialize?=ok shutdown?=ok exit=exit0 eof=exit0",
		"initialize?=ok exit=exit1 x?=-32600 exit=exit1 shutdown?=-32600 eof=exit1",
	}
	codes := map[int64]string{CodeNotInitialized: "-32002", CodeInvalidRequest: "-32600"}
	for _, test := range tests {
		var g gate
		for step := range strings.FieldsSeq(test) {
			what, want, _ := strings.Cut(step, "=")
			got := "ok"
			switch method := strings.TrimRight(what, "?!"); {
			case what == "eof":
				got = "exit" + string(rune('0'+g.end()))
			case method == what && method == "exit":
				g.notification(method)
				got = "exit" + string(rune('0'+g.code))
			case method == what:
				if !g.notification(method) {
					got = "drop"
				}
			default:
				if why := g.request(method); why != nil {
					got = codes[why.Code]
				} else if strings.HasSuffix(what, "!") {
					g.initializeFailed()
				}
			}
			if got != want {
				t.Errorf("%s: %s gave %s", test, step, got)
			}
		}
	}
}
