package explore

import (
	"errors"
	"strings"
	"testing"
)

// files is a Source of texts.
type files map[string]string

func (f files) CitedLine(path string, n int) (string, error) {
	text, ok := f[path]
	lines := strings.Split(text, "\n")
	if !ok || n < 1 || n > len(lines) {
		return "", errors.New("no such line")
	}
	return lines[n-1], nil
}

func TestCheck(t *testing.T) {
	source := files{
		"server/http.go": "package server\n\nfunc Serve(addr string) error {\n\treturn nil\n}",
		"Makefile":       "all:\n\tgo build",
		"docs/a b.md":    "x",
	}
	for _, row := range []struct {
		text    string
		ok, bad int
		want    string // "" = unchanged
	}{
		{"see server/http.go:3", 1, 0, ""},
		{"`server/http.go:3` `func Serve(addr string) error {`", 1, 0, ""},
		{"server/http.go:3: \"func Serve\"", 1, 0, ""},
		{"server/http.go:3-5 `return nil }`", 1, 0, ""},
		{"Makefile:2", 1, 0, ""},
		{"server/http.go:9", 0, 1, "server/http.go:9 [unverified]"},
		{"server/nope.go:1", 0, 1, "server/nope.go:1 [unverified]"},
		{"`server/http.go:3` `func Listen() error`", 0, 1, "`server/http.go:3` [unverified] `func Listen() error`"},
		{"server/http.go:0", 0, 1, "server/http.go:0 [unverified]"},
		{"server/http.go:5-3", 0, 1, "server/http.go:5-3 [unverified]"},
		{"at http://localhost:8080/x and 12:30 and 1.2.3.4:80", 0, 0, ""},
		{"(server/http.go:1)", 1, 0, ""},
		{"server/http.go:1 and server/http.go:99", 1, 1, "server/http.go:1 and server/http.go:99 [unverified]"},
		{"server/http.go:99 [unverified]", 0, 1, "server/http.go:99 [unverified]"},
	} {
		want := row.want
		if want == "" {
			want = row.text
		}
		got, ok, bad := Check(source, row.text)
		if got != want || ok != row.ok || bad != row.bad {
			t.Errorf("%q: got %q %d/%d, want %q %d/%d", row.text, got, ok, bad, want, row.ok, row.bad)
		}
	}
}
