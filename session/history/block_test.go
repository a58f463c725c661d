package history

import "testing"

func TestLines(t *testing.T) {
	for _, c := range []struct {
		r           Range
		first, last int
	}{
		{Range{Position{0, 3}, Position{0, 9}}, 1, 1},
		{Range{Position{1, 2}, Position{3, 4}}, 2, 4},
		{Range{Position{1, 0}, Position{3, 0}}, 2, 3}, // whole lines
		{Range{Position{1, 0}, Position{1, 0}}, 2, 2}, // a caret
	} {
		if first, last := c.r.Lines(); first != c.first || last != c.last {
			t.Errorf("%v is lines %d-%d, want %d-%d", c.r, first, last, c.first, c.last)
		}
	}
}
