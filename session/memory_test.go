package session

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

func TestWhoHasMemory(t *testing.T) {
	for key, want := range map[string]bool{
		"":                                                   true,
		"workspace:w/agent:build/main":                       true,
		"workspace:w/agent:build/main:thread:7":              true,
		"workspace:w/agent:build/dm:slack:u1":                true,
		"workspace:w/agent:build/session:0001":               true,
		"workspace:w/agent:build/group:slack:t1":             false,
		"workspace:w/agent:build/group:slack:main:thread:dm": false,
		"workspace:main/agent:dm/group:slack:t1":             false,
		"workspace:w/agent:build/channel:x":                  false, // whatever comes later
		"group:slack:t1":                                     false, // an old form
	} {
		if got := isPrivate(key); got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}

// "Of the two values the smaller counts" (rulings 37, 63).
func TestFlushThreshold(t *testing.T) {
	for name, row := range map[string]struct{ window, trigger, reserve, soft, want int64 }{
		"the trigger is nearer":       {128_000, 99_123, 20_000, 4_000, 89_210},
		"the window is nearer":        {128_000, 123_904, 20_000, 4_000, 104_000},
		"equal":                       {128_000, 115_556, 20_000, 4_000, 104_000},
		"a quarter of a small window": {8_000, 6_400, 20_000, 0, 5_760},
		"and a twentieth of it":       {8_000, 6_400, 20_000, 4_000, 5_600},
		"79,999: its quarter":         {79_999, 79_999, 20_000, 0, 79_999 - 19_999},
		"80,000: just a quarter":      {80_000, 80_000, 20_000, 0, 60_000},
		"80,001: the floor":           {80_001, 80_001, 20_000, 0, 60_001},
		"79,999: its twentieth":       {79_999, 88_888, 0, 4_000, 79_999 - 3_999},
		"80,001: the soft floor":      {80_001, 88_890, 0, 4_000, 76_001},
		"no reserve":                  {8_000, 8_000, 0, 0, 7_200},
		"a cap alone":                 {0, 50_000, 20_000, 4_000, 45_000},
		"nothing known":               {0, 0, 20_000, 4_000, 0},
	} {
		if got := flushThreshold(row.window, row.trigger, row.reserve, row.soft); got != row.want {
			t.Errorf("%s: %d, want %d", name, got, row.want)
		}
	}
}

func TestFlushIsDueAboveTheThreshold(t *testing.T) {
	for _, row := range []struct {
		tokens int64
		due    bool
	}{{899, false}, {900, false}, {901, true}} {
		h := newHouse(t)
		h.deps.Config.Settings().Compaction.MaxTokens = 1000
		s := h.session(t)
		s.t = tell(t, prompt("p"), sized("x", row.tokens, 0, "m")).live
		if got := s.flushDue(&run{model: h.model}); got != row.due {
			t.Errorf("%d tokens of 1,000: %v, want %v", row.tokens, got, row.due)
		}
	}
	for _, row := range []struct {
		chars int
		due   bool
	}{{899, false}, {900, false}, {901, true}} { // the window is not known
		h := newHouse(t)
		h.deps.Config.Settings().Compaction.MaxChars = 1000
		s := h.session(t)
		s.t = tell(t, prompt(strings.Repeat("会", row.chars))).live
		if got := s.flushDue(&run{model: h.model}); got != row.due {
			t.Errorf("%d characters of 1,000: %v, want %v", row.chars, got, row.due)
		}
	}
}

// The log remembers that a cycle had its turn, and a summary begins the next.
func TestFlushedIsFolded(t *testing.T) {
	s := tell(t, prompt("p"), says("x"), history.MemoryFlushed{Paths: []string{".agent/MEMORY.md"}})
	if !s.live.Flushed || !s.replayed().Flushed {
		t.Error("forgotten")
	}
	s.add(history.ContextCompacted{})
	if !s.live.Flushed {
		t.Error("a summary that was not accepted began a cycle")
	}
	s.add(history.ContextCompacted{OK: true, Summary: "S", KeepFrom: 3})
	if s.live.Flushed || s.replayed().Flushed {
		t.Error("a summary did not begin a cycle")
	}
}
