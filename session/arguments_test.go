package session

import "testing"

func TestWithoutTrailingCommas(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,}`: `{"a":1}`, "[1,\n ]": "[1]", `{"a":",]"}`: `{"a":",]"}`, `{"a":"\",}"}`: `{"a":"\",}"}`,
		`{"a":[1,],}`: `{"a":[1]}`, `{}`: `{}`, `{"a":1,,}`: `{"a":1,}`, ``: ``, `{"a":1,`: `{"a":1,`,
	} {
		if got := withoutTrailingCommas(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
