package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// All files of a question have documents or none has: who has opened them all must
// have seen all of it.
func TestDocumentsOf(t *testing.T) {
	s := newHouse(t).session(t)
	many := func(n int, path string, text string) (files []tool.Compared) {
		for i := range n {
			files = append(files, tool.Compared{Path: fmt.Sprintf(path, i), After: text})
		}
		return files
	}
	for name, row := range map[string]struct {
		files []tool.Compared
		want  int
	}{
		"none":           {nil, 0},
		"three":          {many(3, "d/%d", "x\n"), 3},
		"as long as can": {many(1, "%d", strings.Repeat("x", maxDocument)), 1},
		"too long":       {append(many(1, "%d", "x"), tool.Compared{Path: "long", Before: strings.Repeat("x", maxDocument+1)}), 0},
		"long as shown":  {many(1, "%d", strings.Repeat("\u202e", maxDocument/4)), 0}, // each is eight characters then
		"too much":       {many(33, "%d", strings.Repeat("x", maxDocument)), 0},
		"shown alike":    {[]tool.Compared{{Path: "a\u200b", After: "evil"}, {Path: "a<U+200B>", After: "fine"}}, 0},
		"case alone":     {[]tool.Compared{{Path: "d/Run", After: "evil"}, {Path: "d/run", After: "fine"}}, 0},
		"too many names": {many(40, strings.Repeat("n", 200)+"%d", "x"), 0},
	} {
		if got := len(s.calls.previews.documentsOf(row.files)); got != row.want {
			t.Errorf("%s: %d documents, want %d", name, got, row.want)
		}
	}
	d := s.calls.previews.documentsOf([]tool.Compared{{Path: "a\nb", Before: "a\x00\u202e\r\n", After: "ghp_abcdefghijklmnopqrstuvwxyz0123456789\n"}})[0]
	if d.Path != "a⏎b" || d.BeforeText != "a\uFFFD<U+202E><U+000D>\n" || d.AfterText != "«secret:ghp#1»\n" {
		t.Errorf("shown as %+v", d)
	}
}
