package tool

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestWholeRunes: what comes out is always JSON that the strictest reader takes.
func TestWholeRunes(t *testing.T) {
	for in, want := range map[string]string{
		`"plain"`:                      `"plain"`,
		``:                             ``,
		`"\ud800"`:                     `"\ufffd"`,
		`"\uDFFF x"`:                   `"\ufffd x"`,
		`"\ud83d\ude00"`:               `"\ud83d\ude00"`,
		`"\ude00\ud83d"`:               `"\ufffd\ufffd"`,
		`"\ud83d\ud83d\ude00"`:         `"\ufffd\ud83d\ude00"`,
		`"\ud83dx"`:                    `"\ufffdx"`,
		`"\\ud800"`:                    `"\\ud800"`,
		`"\\\ud800"`:                   `"\\\ufffd"`,
		`{"a\ud800":["\"\udc00\n"]}`:   `{"a\ufffd":["\"\ufffd\n"]}`,
		`"\u0041\ud800\u0042\\\\\u00"`: `"\u0041\ufffd\u0042\\\\\u00"`,
	} {
		before := in
		got := string(WholeRunes([]byte(in)))
		if got != want || in != before {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
		if json.Valid([]byte(in)) && !jsontext.Value(got).IsValid() {
			t.Errorf("%s became %s, which is not valid", in, got)
		}
	}
}
