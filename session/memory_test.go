package session

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/key"
	"github.com/agent-sidecar/agent-sidecar/tool"
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

// An old log has its key as it was written then: what it is called today counts. A
// group stays one, whatever its name, also where nobody can read the key.
func TestWhoHasMemoryOfOldLogs(t *testing.T) {
	for said, want := range map[string]bool{
		"":                            true,
		"agent:main:main":             true,
		"main:topic:3":                true,
		"agent:main:slack:direct:U1":  true,
		"agent:main:slack:channel:C1": false,
		"workspace:w/agent:build/group:mail:team/main":     false, // not encoded
		"workspace:w/agent:build/group:mail:x/dm:slack:u1": false,
		"group:" + strings.Repeat("x", 200) + ":team":      false, // unreadable
		"workspace:w/agent:build/session:0001":             true,
	} {
		s := newHouse(t).session(t)
		stateOf(s).Opened.Key, s.root.key = said, key.Stored(said, "w", "build", "0001")
		if got := s.root.private(); got != want {
			t.Errorf("%s (%s): %v, want %v", said, s.root.key, got, want)
		}
	}
}

// "Of the two values the smaller counts".
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
		show(s, tell(t, prompt("p"), sized("x", row.tokens, 0, "m")).live)
		s.saw()
		if got := s.worker.view.flushDue(&run{model: h.model}); got != row.due {
			t.Errorf("%d tokens of 1,000: %v, want %v", row.tokens, got, row.due)
		}
	}
	for _, row := range []struct {
		chars int
		due   bool
	}{{859, false}, {860, false}, {861, true}} { // the window is not known; a frame is 40
		h := newHouse(t)
		h.deps.Config.Settings().Compaction.MaxChars = 1000
		s := h.session(t)
		show(s, tell(t, prompt(strings.Repeat("会", row.chars))).live)
		if got := s.worker.view.flushDue(&run{model: h.model}); got != row.due {
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

// A silent turn asks nobody, so there is none where something would have to be
// asked, and none where nothing can be written.
func TestMayFlush(t *testing.T) {
	notes := tool.Define(tool.Spec{Name: memoryName, Effect: tool.Write}, func(struct {
		Kind string `json:"kind"`
		Text string `json:"text"`
	}) (*tool.Plan, error) {
		return &tool.Plan{Title: "remember", Targets: []tool.Target{{Domain: "edit", Object: "vault:/.agent/MEMORY.md"}}}, nil
	})
	for name, row := range map[string]struct {
		change func(h *house, s *Session, r *run, f *control.Facts)
		want   bool
	}{
		"a trusted workspace": {func(*house, *Session, *run, *control.Facts) {}, true},
		"not trusted":         {func(_ *house, _ *Session, _ *run, f *control.Facts) { f.Trusted = false }, false},
		"rules that are lost": {func(_ *house, _ *Session, _ *run, f *control.Facts) { f.Unread = "it is broken" }, false},
		"tainted":             {func(_ *house, s *Session, _ *run, _ *control.Facts) { stateOf(s).Tainted = true }, false},
		"a group": {func(_ *house, s *Session, _ *run, _ *control.Facts) {
			stateOf(s).Opened.Key = "workspace:w/agent:a/group:b:c"
		}, false},
		"a read-only folder":   {func(h *house, _ *Session, _ *run, _ *control.Facts) { h.around.readOnly = true }, false},
		"a folder to write in": {func(h *house, _ *Session, _ *run, _ *control.Facts) { h.around.readOnly = false }, true},
		"an agent without it":  {func(_ *house, _ *Session, r *run, _ *control.Facts) { r.tools = tool.NewSet() }, false},
		"an agent that reads": {func(_ *house, _ *Session, r *run, _ *control.Facts) {
			r.agent.Ceiling = []control.Rule{{Domain: "edit", Pattern: "*", Decision: "deny"}}
		}, false},
		"an agent that says so": {func(_ *house, _ *Session, r *run, _ *control.Facts) { r.agent.NoFlush = true }, false},
		"flush: false":          {func(h *house, _ *Session, _ *run, _ *control.Facts) { h.deps.Config.Settings().Memory.Flush = false }, false},
		"enabled: false":        {func(h *house, _ *Session, _ *run, _ *control.Facts) { h.deps.Config.Settings().Memory.Enabled = false }, false},
		"a sub-agent":           {func(h *house, s *Session, _ *run, _ *control.Facts) { s.activity.above = h.session(t).activity }, false},
	} {
		h := newHouse(t)
		f := control.Facts{Trusted: true, Mode: "agent"}
		h.around.facts = func() control.Facts { return f }
		s := h.session(t)
		r := &run{model: h.model, tools: tool.NewSet(notes)}
		row.change(h, s, r, &f)
		if got := s.worker.room.mayFlush(r); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}
