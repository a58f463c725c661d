package wire

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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

// TestLeaving is how connections end.
func TestLeaving(t *testing.T) {
	const (
		shutdown = `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`
		exit     = `{"jsonrpc":"2.0","method":"exit"}`
		down     = `{"jsonrpc":"2.0","id":1,"result":null}`
	)
	refused := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"the server is shutting down","data":{"kind":"shutting_down","retryable":false}}}`
	}
	tests := []struct {
		name string
		in   []string
		want []string
		code int
	}{
		{"shutdown and exit in one write", []string{initFrame, inited, shutdown, exit}, []string{initReply, down}, 0},
		{"shutdown and end of input", []string{initFrame, inited, shutdown}, []string{initReply, down}, 0},
		{"end of input", []string{initFrame, inited}, []string{initReply}, 1},
		{"nothing at all", nil, nil, 1},
		{"exit without shutdown", []string{initFrame, inited, exit}, []string{initReply}, 1},
		{"exit before initialize", []string{exit}, nil, 1},
		{"request after shutdown", []string{initFrame, inited, shutdown, ask("2", "echo", "{}"), ask("3", "shutdown", "{}"), ask("4", "no/such", "{}"), exit}, []string{initReply, down, refused("2"), refused("3"), refused("4")}, 0},
		{"request before initialize", []string{ask("0", "echo", "{}"), shutdown, initFrame}, []string{fault("0", -32002, "initialize comes first"), fault("1", -32002, "initialize comes first"), initReply}, 1},
		{"notification before initialize", []string{`{"jsonrpc":"2.0","method":"note","params":{"text":"early"}}`, initFrame}, []string{initReply}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &scene{}
			got, code, _ := play(t, s, framesOf(test.in...))
			if !slices.Equal(got, test.want) || code != test.code || len(s.seen) != 0 {
				t.Errorf("got code %d, handled %v,\n%s\nwant code %d\n%s", code, s.seen, strings.Join(got, "\n"), test.code, strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestInitializeFails: the client may try again, and until then nothing else
// counts.
func TestInitializeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := sceneRows()
		rows[0].Method = Handle(func(_ *scene, _ context.Context, _ *Call, p textParams) (None, error) {
			if p.Text == "" {
				return None{}, Missing("text")
			}
			return None{}, nil
		})
		s := &scene{}
		l := listen(t, s, rows)
		l.send(initFrame, ask("1", "echo", "{}"), ask("2", "initialize", `{"text":"x"}`), ask("3", "echo", "{}"))
		l.expect(`{"jsonrpc":"2.0","id":"init","error":{"code":-32602,"message":"params.text: is missing","data":{"field":"text","kind":"invalid_params","retryable":false}}}`,
			fault("1", -32002, "initialize comes first"), answer("2", "null"), answer("3", "{}"))
		l.exit(1)
	})
}
