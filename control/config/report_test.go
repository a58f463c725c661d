package config

import "testing"

// What others report stands among the configuration's own diagnostics until they
// report something else, and wakes who watches only where it is new.
func TestReport(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	woken := func(do func()) bool {
		changed := s.Changed()
		do()
		select {
		case <-changed:
			return true
		default:
			return false
		}
	}
	d := Diagnostic{Source: "mcp", File: "/c", Line: 3, Column: 5, Severity: "error", Message: "dead"}
	e := Diagnostic{Source: "tools", File: "/t", Line: 1, Column: 1, Severity: "error", Message: "broken"}
	for i, row := range []struct {
		do    func()
		wakes bool
		want  []Diagnostic
	}{
		{func() { s.Report("mcp", nil) }, false, nil},
		{func() { s.Report("tools", []Diagnostic{e}) }, true, []Diagnostic{e}},
		{func() { s.Report("mcp", []Diagnostic{d}) }, true, []Diagnostic{d, e}},
		{func() { s.Report("mcp", []Diagnostic{d}) }, false, []Diagnostic{d, e}},
		{func() { s.SetInline([]byte(`{}`)) }, true, []Diagnostic{d, e}},
		{func() { s.Report("mcp", nil) }, true, []Diagnostic{e}},
	} {
		if got := woken(row.do); got != row.wakes {
			t.Errorf("%d: woken %v", i, got)
		}
		got := s.Settings().Diagnostics
		if len(got) != len(row.want) {
			t.Fatalf("%d: %v", i, got)
		}
		for j := range got {
			if got[j] != row.want[j] {
				t.Errorf("%d: %v", i, got)
			}
		}
	}
}
