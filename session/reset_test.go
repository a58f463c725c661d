package session

import (
	"testing"
	"time"
)

// Days are local; the edge of idle is the whole minute; a clock that went back
// resets nothing.
func TestResetDue(t *testing.T) {
	day := func(d, h, m, s int) time.Time { return time.Date(2026, 3, d, h, m, s, 0, time.Local) }
	for _, row := range []struct {
		policy    string
		last, now time.Time
		want      bool
	}{
		{"never", day(1, 0, 0, 0), day(20, 0, 0, 0), false},
		{"manual", day(1, 0, 0, 0), day(20, 0, 0, 0), false},
		{"", day(1, 0, 0, 0), day(20, 0, 0, 0), false},
		{"weekly", day(1, 0, 0, 0), day(20, 0, 0, 0), false},
		{"daily", day(1, 0, 0, 0), day(1, 23, 59, 59), false},
		{"daily", day(1, 23, 59, 59), day(2, 0, 0, 0), true},
		{"daily", day(1, 12, 0, 0), day(2, 12, 0, 0).UTC(), true},
		{"daily", day(2, 0, 0, 0), day(1, 23, 59, 59), false},
		{"daily", day(1, 1, 0, 0).In(time.FixedZone("far", 14*3600)), day(1, 23, 0, 0), false},
		{"idle:30", day(1, 0, 0, 0), day(1, 0, 29, 59), false},
		{"idle:30", day(1, 0, 0, 0), day(1, 0, 30, 0), true},
		{"idle:30", day(1, 0, 30, 0), day(1, 0, 0, 0), false},
		{"idle:0", day(1, 0, 0, 0), day(1, 0, 30, 0), false},
		{"idle:-5", day(1, 0, 0, 0), day(1, 0, 30, 0), false},
		{"idle:x", day(1, 0, 0, 0), day(1, 0, 30, 0), false},
	} {
		if got := ResetDue(row.policy, row.last, row.now); got != row.want {
			t.Errorf("%s, from %v to %v: %v", row.policy, row.last, row.now, got)
		}
	}
}
