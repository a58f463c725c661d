package wire

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestMalformed feeds each damage between initialize and a good message, in one
// go, and wants exactly the answers given and then the good one's.
func TestMalformed(t *testing.T) {
	const (
		badJSON  = "malformed JSON"
		badID    = "id must be an integer or a string"
		badParam = "params must be an object or an array"
	)
	ok := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":"absent"}` }
	echo := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"echo"}` }
	deep := strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000)
	nested := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat(`}`, 5000)

	tests := []struct {
		name string
		in   string
		want []string
	}{
		// Tolerated headers.
		{"lower case header", "content-length: 40\r\n\r\n" + echo(`9`), []string{ok("9")}},
		{"no blank after the colon", "Content-Length:40\r\n\r\n" + echo(`9`), []string{ok("9")}},
		{"blanks around the number", "Content-Length:   40  \r\n\r\n" + echo(`9`), []string{ok("9")}},
		{"line feeds only", "Content-Length: 40\n\n" + echo(`9`), []string{ok("9")}},
		{"content type", "Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: 40\r\n\r\n" + echo(`9`), []string{ok("9")}},
		{"unknown header", "X-Thing: a:b\r\nContent-Length: 40\r\n\r\n" + echo(`9`), []string{ok("9")}},
		{"byte order mark", "\xef\xbb\xbf" + frameOf(echo(`9`)), []string{ok("9")}},
		{"blank lines between", "\r\n\r\n\n" + frameOf(echo(`9`)), []string{ok("9")}},
		{"counted line feed", frameOf(echo(`9`) + "\n"), []string{ok("9")}},

		// Broken headers.
		{"no length", "X-Thing: 1\r\n\r\n" + echo(`9`), []string{fault("null", -32600, errNoLength.Error())}},
		{"not a number", "Content-Length: abc\r\n\r\n" + echo(`9`), []string{fault("null", -32600, errBadLength.Error())}},
		{"empty number", "Content-Length:\r\n\r\n" + echo(`9`), []string{fault("null", -32600, errBadLength.Error())}},
		{"negative", "Content-Length: -41\r\n\r\n" + echo(`9`), []string{fault("null", -32600, errBadLength.Error())}},
		{"plus sign", "Content-Length: +41\r\n\r\n" + echo(`9`), []string{fault("null", -32600, errBadLength.Error())}},
		{"two lengths", "Content-Length: 40\r\nContent-Length: 40\r\n\r\n" + echo(`9`), []string{fault("null", -32600, errTwoLengths.Error())}},
		{"absurd length", "Content-Length: 99999999999\r\n\r\n" + echo(`9`), []string{fault("null", -32600, errBadLength.Error())}},
		{"length over int64", "Content-Length: 99999999999999999999\r\n\r\n" + echo(`9`), []string{fault("null", -32600, errBadLength.Error())}},
		{"garbage line", "hello there\r\n", []string{fault("null", -32600, errHeaderLine.Error())}},
		{"garbage lines", "one\ntwo\n\nthree\n", []string{fault("null", -32600, errHeaderLine.Error())}},
		{"header over 8 KiB in one line", "X: " + strings.Repeat("x", 9000) + "\r\n\r\n", []string{fault("null", -32600, errHeaderTooLong.Error())}},
		{"header over 64 KiB without an end", "X: " + strings.Repeat("x", 70_000) + "Content-Length: 9\r\n\r\n", []string{fault("null", -32600, errHeaderTooLong.Error())}},
		{"header cut by the buffer in front of the word", strings.Repeat("x", 64<<10) + "Content-Length: 40\r\n\r\n" + echo(`9`) + "\n", []string{fault("null", -32600, errHeaderTooLong.Error())}},
		{"header over 8 KiB in many lines", strings.Repeat("X: yyyyyyyyyyyyyy\r\n", 600) + "\r\n", []string{fault("null", -32600, errHeaderTooLong.Error())}},
		{"bad header, then a line with the word inside", "Content-Length: x\r\n\r\n{\"t\":\"\nz Content-Length: 40\r\n\r\n" + echo(`9`) + "\n", []string{fault("null", -32600, errBadLength.Error())}},
		{"body longer than said", "Content-Length: 39\r\n\r\n" + echo(`9`), []string{fault("null", -32700, badJSON), fault("null", -32600, errHeaderLine.Error())}},
		{"length 0", "Content-Length: 0\r\n\r\n", []string{fault("null", -32700, badJSON)}},
		{"over 16 MiB", frameOf(`{"jsonrpc":"2.0","id":9,"method":"echo","params":{"a":"` + strings.Repeat("x", 16<<20) + `"}}`), []string{fault("null", -32600, errFrameTooLarge.Error())}},

		// Malformed JSON and shapes.
		{"cut JSON", frameOf(`{"jsonrpc":"2.0","id":9,"meth`), []string{fault("null", -32700, badJSON)}},
		{"two values", frameOf(`{} {}`), []string{fault("null", -32700, badJSON)}},
		{"100,000 levels", frameOf(deep), []string{fault("null", -32700, badJSON)}},
		{"100,000 levels in params", frameOf(`{"jsonrpc":"2.0","id":"a","method":"echo","params":` + deep + `}`), []string{fault(`"a"`, -32700, badJSON)}},
		{"100,000 levels in front of the id", frameOf(`{"params":{"id":7,"a":` + deep + `}, "id" : 8,"jsonrpc":"2.0","method":"echo"}`), []string{fault("8", -32700, badJSON)}},
		{"100,000 levels and two ids", frameOf(`{"id":7,"params":` + deep + `,"id":8,"jsonrpc":"2.0","method":"echo"}`), []string{fault("null", -32700, badJSON)}},
		{"100,000 levels and an id that is none", frameOf(`{"id":1.5,"params":` + deep + `,"jsonrpc":"2.0","method":"echo"}`), []string{fault("null", -32700, badJSON)}},
		{"100,000 levels with brackets in a string", frameOf(`{"id":8,"params":{"b":"]}\"","a":` + deep + `},"jsonrpc":"2.0","method":"echo"}`), []string{fault("8", -32700, badJSON)}},
		{"100,000 levels that are not closed", frameOf(`{"id":7,"jsonrpc":"2.0","method":"echo","params":` + deep[:150_000] + `}`), []string{fault("null", -32700, badJSON)}},
		{"5,000 levels in params", frameOf(`{"jsonrpc":"2.0","id":9,"method":"echo","params":` + nested + `}`), []string{`{"jsonrpc":"2.0","id":9,"result":` + nested + `}`}},
		{"empty object", frameOf(`{}`), []string{fault("null", -32600, `jsonrpc must be "2.0"`)}},
		{"number", frameOf(`42`), []string{fault("null", -32600, "a message must be an object")}},
		{"null", frameOf(`null`), []string{fault("null", -32600, "a message must be an object")}},
		{"string", frameOf(`"x"`), []string{fault("null", -32600, "a message must be an object")}},
		{"batch", frameOf(`[` + echo(`9`) + `,` + echo(`10`) + `]`), []string{fault("null", -32600, "batches are not supported")}},
		{"empty batch", frameOf(`[]`), []string{fault("null", -32600, "batches are not supported")}},
		{"no version", frameOf(`{"id":9,"method":"echo"}`), []string{fault("9", -32600, `jsonrpc must be "2.0"`)}},
		{"version 1.0", frameOf(`{"jsonrpc":"1.0","id":9,"method":"echo"}`), []string{fault("9", -32600, `jsonrpc must be "2.0"`)}},
		{"version as a number", frameOf(`{"jsonrpc":2.0,"id":"a","method":"echo"}`), []string{fault(`"a"`, -32600, `jsonrpc must be "2.0"`)}},
		{"no method", frameOf(`{"jsonrpc":"2.0","id":9}`), []string{fault("9", -32600, "method is missing")}},
		{"method as a number", frameOf(`{"jsonrpc":"2.0","id":9,"method":5}`), []string{fault("9", -32600, "method must be a string")}},
		{"method and result", frameOf(`{"jsonrpc":"2.0","id":9,"method":"echo","result":1}`), []string{fault("9", -32600, "a request carries neither result nor error")}},
		{"params as a number", frameOf(`{"jsonrpc":"2.0","id":9,"method":"echo","params":5}`), []string{fault("9", -32600, badParam)}},
		{"params as a string in a notification", frameOf(`{"jsonrpc":"2.0","method":"note","params":"x"}`), []string{fault("null", -32600, badParam)}},
		{"id null", frameOf(echo(`null`)), []string{fault("null", -32600, badID)}},
		{"id true", frameOf(echo(`true`)), []string{fault("null", -32600, badID)}},
		{"id object", frameOf(echo(`{"a":1}`)), []string{fault("null", -32600, badID)}},
		{"id 1.5", frameOf(echo(`1.5`)), []string{fault("null", -32600, badID)}},
		{"id 1.0", frameOf(echo(`1.0`)), []string{fault("null", -32600, badID)}},
		{"id 1e3", frameOf(echo(`1e3`)), []string{fault("null", -32600, badID)}},
		{"id twice", frameOf(`{"jsonrpc":"2.0","id":9,"id":10,"method":"echo"}`), []string{fault("null", -32600, "a member occurs twice")}},
		{"method twice, once escaped", frameOf(`{"jsonrpc":"2.0","id":9,"method":"echo","m\u0065thod":"note"}`), []string{fault("null", -32600, "a member occurs twice")}},

		// Legal ids, echoed byte for byte.
		{"id 0", frameOf(echo(`0`)), []string{ok(`0`)}},
		{"id -5", frameOf(echo(`-5`)), []string{ok(`-5`)}},
		{"id empty", frameOf(echo(`""`)), []string{ok(`""`)}},
		{"id \"1\" and 1", frameOf(echo(`"1"`)) + frameOf(echo(`1`)), []string{ok(`"1"`), ok(`1`)}},
		{"id 2^31-1", frameOf(echo(`2147483647`)), []string{ok(`2147483647`)}},
		{"id of 30 digits", frameOf(echo(`123456789012345678901234567890`)), []string{ok(`123456789012345678901234567890`)}},
		{"id with escapes", frameOf(echo(`"\u0041\/<>&"`)), []string{ok(`"\u0041\/<>&"`)}},

		// What is fine.
		{"params null", frameOf(`{"jsonrpc":"2.0","id":9,"method":"echo","params":null}`), []string{ok("9")}},
		{"params byte for byte", frameOf(`{"jsonrpc":"2.0","id":9,"method":"echo","params":{"z":1e400, "a":"<&>\/","b":1.50}}`), []string{`{"jsonrpc":"2.0","id":9,"result":{"z":1e400, "a":"<&>\/","b":1.50}}`}},
		{"invalid UTF-8", frameOf("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"echo\",\"params\":{\"a\":\"\xff\xfe\"}}"), []string{"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"a\":\"\uFFFD\"}}"}},
		{"unknown member of the envelope", frameOf(`{"jsonrpc":"2.0","x":[1,{"id":3}],"id":9,"method":"echo"}`), []string{ok("9")}},
		{"response with id null", frameOf(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`), nil},
		{"response to nothing", frameOf(`{"jsonrpc":"2.0","id":77,"result":1}`) + frameOf(`{"jsonrpc":"2.0","id":"s1","result":1}`), nil},
		{"response without version", frameOf(`{"id":77,"result":1}`), []string{fault("null", -32600, `jsonrpc must be "2.0"`)}},

		// Methods and params.
		{"unknown request", frameOf(`{"jsonrpc":"2.0","id":9,"method":"no/such"}`), []string{fault("9", -32601, "method not found: no/such")}},
		{"unknown $/ request", frameOf(`{"jsonrpc":"2.0","id":9,"method":"$/no"}`), []string{fault("9", -32601, "method not found: $/no")}},
		{"unknown notifications", framesOf(`{"jsonrpc":"2.0","method":"$/no"}`, `{"jsonrpc":"2.0","method":"no/such"}`), nil},
		{"notification sent as a request", frameOf(`{"jsonrpc":"2.0","id":9,"method":"note"}`), []string{fault("9", -32601, "method not found: note")}},
		{"array for an object", frameOf(`{"jsonrpc":"2.0","id":9,"method":"text","params":[1]}`), []string{`{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"params: must be an object, not an array","data":{"kind":"invalid_params","retryable":false}}}`}},
		{"ill-typed member", frameOf(`{"jsonrpc":"2.0","id":9,"method":"text","params":{"count":"many"}}`), []string{`{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"params.count: string does not fit here","data":{"field":"count","kind":"invalid_params","retryable":false}}}`}},
		{"missing member", frameOf(`{"jsonrpc":"2.0","id":9,"method":"strict","params":{}}`), []string{`{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"params.text: is missing","data":{"field":"text","kind":"invalid_params","retryable":false}}}`}},
		{"missing params", frameOf(`{"jsonrpc":"2.0","id":9,"method":"strict"}`), []string{`{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"params.text: is missing","data":{"field":"text","kind":"invalid_params","retryable":false}}}`}},
		{"unknown member of params", frameOf(`{"jsonrpc":"2.0","id":9,"method":"text","params":{"text":"a","x":1}}`), []string{`{"jsonrpc":"2.0","id":9,"result":"a"}`}},
		{"second initialize", frameOf(`{"jsonrpc":"2.0","id":9,"method":"initialize"}`), []string{fault("9", -32600, "already initialized")}},
	}
	const good = `{"jsonrpc":"2.0","id":"good","method":"text","params":{"text":"fine"}}`
	const goodReply = `{"jsonrpc":"2.0","id":"good","result":"fine"}`
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, code, _ := play(t, &scene{}, framesOf(initFrame, inited)+test.in+framesOf(good))
			want := append(append([]string{initReply}, test.want...), goodReply)
			if code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			if len(got) != len(want) {
				t.Fatalf("got %d answers\n%.2000s\nwant %d\n%.2000s", len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("answer %d is %.500s\nwant        %.500s", i, got[i], want[i])
				}
			}
		})
	}
}

// TestEndInAFrame: a message that the end of the input cuts is nothing, and
// what came before it is answered.
func TestEndInAFrame(t *testing.T) {
	whole := framesOf(initFrame, inited, `{"jsonrpc":"2.0","id":1,"method":"echo"}`)
	last := frameOf(`{"jsonrpc":"2.0","id":2,"method":"echo"}`)
	for cut := range last {
		got, _, told := play(t, &scene{}, whole+last[:cut])
		if len(got) != 2 || got[1] != `{"jsonrpc":"2.0","id":1,"result":"absent"}` {
			t.Fatalf("cut at %d: %q", cut, got)
		}
		if told.String() != "" {
			t.Fatalf("cut at %d: reported %s", cut, told)
		}
	}
}

// FuzzStream: no bytes crash or hang the reader, and a good message behind
// garbage that holds no header of its own is answered.
func FuzzStream(f *testing.F) {
	f.Add([]byte(frameOf(`{"jsonrpc":"2.0","id":1,"method":"echo"}`)))
	f.Add([]byte("Content-Length: -1\r\n\r\n{}"))
	f.Add([]byte("garbage\nX: y\r\n\r\n[1]"))
	f.Add([]byte("content-length:3\n\n{}}Content-Length: 2\n\n{}"))
	f.Add([]byte("\xef\xbb\xbf\r\nContent-Length: 7\r\n\r\n[[[[[[["))
	f.Add(bytes.Repeat([]byte("A"), 9000))
	const good = `{"jsonrpc":"2.0","id":"good","method":"echo"}`
	f.Fuzz(func(t *testing.T, garbage []byte) {
		in := framesOf(initFrame, inited) + string(garbage) + "\n" + frameOf(good)
		got, _, _ := play(t, &scene{}, in)
		if bytes.Contains(bytes.ToLower(garbage), []byte("content-length")) {
			return
		}
		if want := `{"jsonrpc":"2.0","id":"good","result":"absent"}`; len(got) == 0 || got[len(got)-1] != want {
			t.Errorf("the good message was not answered: %q", got)
		}
	})
}

// TestRecordedEditors plays what eight real editors sent through the reader:
// every request is answered once, under its own id, in order.
func TestRecordedEditors(t *testing.T) {
	dir := os.Getenv("AGENT_EDITORS_WIRE")
	if dir == "" {
		dir = "../../testclient/testdata/editors"
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) { playRecording(t, dir+"/"+file.Name()) })
	}
}
