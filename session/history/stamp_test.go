package history

import (
	"testing"
	"time"
)

// The short way reads what the library reads, and refuses what it refuses.
func TestParseStamp(t *testing.T) {
	for _, s := range []string{
		"2026-01-02T03:04:05.678Z", "2026-12-31T23:59:59.999Z", "2024-02-29T00:00:00.000Z", "2026-02-29T00:00:00.000Z",
		"2026-04-31T00:00:00.000Z", "0000-01-01T00:00:00.000Z", "2026-00-01T00:00:00.000Z", "2026-13-01T00:00:00.000Z",
		"2026-01-00T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01T00:60:00.000Z", "2026-01-01T00:00:60.000Z",
		"2026-01-02T03:04:05.678+02:00", "2026-01-02T03:04:05Z", "2026-01-02 03:04:05.678Z", "2026-01-02T03:04:05.6x8Z",
		"2026-01-02T03:04:05.67:Z", "/026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678z", "", "yesterday",
	} {
		got, err := parseStamp(s)
		want, wantErr := time.Parse(timeLayout, s)
		if !got.Equal(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%q: %v %v, want %v %v", s, got, err, want, wantErr)
		}
	}
}
