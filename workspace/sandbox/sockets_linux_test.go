package sandbox

import "testing"

func TestBoundName(t *testing.T) {
	for _, row := range []struct{ line, number, name string }{
		{"0000000000000000: 00000002 00000000 00010000 0001 01 17251 /run/a.sock\n", "17251", "/run/a.sock"},
		{"0000000000000000: 00000002 00000000 00010000 0001 01    51 private/a\n", "51", "private/a"},
		{"0000000000000000: 00000002 00000000 00010000 0001 01 17252 a /b  c\n", "17252", "a /b  c"},
		{"0000000000000000: 00000002 00000000 00010000 0001 01 17253 @abstract\n", "17253", "@abstract"},
		{"0000000000000000: 00000003 00000000 00000000 0001 03 17254\n", "17254", ""},
		{"", "", ""},
	} {
		if number, name := boundName(row.line); number != row.number || name != row.name {
			t.Errorf("%q: %q %q", row.line, number, name)
		}
	}
}
