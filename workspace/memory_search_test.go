package workspace

import (
	"fmt"
	"strings"
	"testing"
)

// A search in memory gives whole entries, those with the most words first and of
// these the newest, and its answer is bounded however much there is.
func TestMemorySearch(t *testing.T) {
	r := newRoom(t, map[string]string{
		".agent/MEMORY.md":            "- 2026-01-01 10:00: The shop speaks Dutch.\n",
		".agent/memory/2026-03-02.md": "- 09:00: Deployed the shop.\n  It took an hour.\n\n- 10:00: Lunch.\n- 11:00: Shop again: ready.\n",
		".agent/memory/2026-03-01.md": "- 09:00: Ready to deploy the SHOP.\n",
		".agent/memory/notes.md":      "- shop, but no note of a day\n",
	})
	search := func(query string) string {
		t.Helper()
		return r.run("memory_search", "query", query).Text
	}
	for query, want := range map[string]string{
		"hour": ".agent/memory/2026-03-02.md:1\n  - 09:00: Deployed the shop.\n    It took an hour.\n(1 entry)",
		"ready shop": ".agent/memory/2026-03-02.md:5\n  - 11:00: Shop again: ready.\n.agent/memory/2026-03-01.md:1\n  - 09:00: Ready to deploy the SHOP.\n" +
			".agent/MEMORY.md:1\n  - 2026-01-01 10:00: The shop speaks Dutch.\n.agent/memory/2026-03-02.md:1\n  - 09:00: Deployed the shop.\n    It took an hour.\n(4 entries)",
		"nothing": "(no entry has any of these words)",
	} {
		if got := search(query); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", query, got, want)
		}
	}
	var many strings.Builder
	for i := range 400 {
		fmt.Fprintf(&many, "- 12:00: entry %d %s\n", i, strings.Repeat("é", 60))
	}
	r.put(map[string]string{".agent/memory/2026-03-03.md": many.String() + "- 13:00: the last " + strings.Repeat("é", 4000) + "\n"})
	if got := search("é"); len(got) > mostEntries*(entryBytes+100) || !strings.HasSuffix(got, "(20 of 401 entries; more words find fewer)") || !strings.HasPrefix(got, ".agent/memory/2026-03-03.md:401\n") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
	for _, query := range []string{"", " \n", strings.Repeat("x", maxMemoryQuery+1)} {
		if _, err := r.plan("memory_search", "query", query); err == nil {
			t.Errorf("%.10q is searched for", query)
		}
	}
	none := newRoom(t, nil)
	none.want(none.run("memory_search", "query", "x"), false, "(no entry has any of these words)")
}

// Where an entry is from is no word of it, or "files" would find nearly all of them.
func TestMemorySearchPassesOverOrigins(t *testing.T) {
	const text = "- 2026-01-01 10:00 (session 0001, run 0001-r2.1, read files and web): Tabs.\n- 10:00 (session 0002, run 0002-r2.1, read nothing): The files (session 3) moved.\n- 09:00: files\n"
	for query, want := range map[string]int{"files": 2, "tabs": 1, "0001-r2.1": 0, "web": 0, "10:00": 2} {
		if got := entriesWith("m", text, []string{query}); len(got) != want {
			t.Errorf("%s: %v", query, got)
		}
	}
}
