package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Results that are cut anew are recorded together, as long as a line of the log has room, and
// each once.
func TestCutsFitIntoLines(t *testing.T) {
	ref := &tool.ArtifactRef{Path: "a"}
	cut := func(id string, bytes int, kept *tool.ArtifactRef) shorter {
		return shorter{callID: id, text: strings.Repeat("\n", bytes), kept: kept, gain: 10}
	}
	for _, row := range []struct {
		cuts []shorter
		want string // calls of each event, with those whose artifact is new in capitals
	}{
		{nil, "[]"},
		{[]shorter{cut("a", 10, nil), cut("b", 10, ref)}, "[aB]"},
		{[]shorter{cut("a", maxInline/2, nil), cut("b", 1, nil)}, "[a b]"},
		{[]shorter{cut("a", maxResult, ref)}, "[A]"},
		{[]shorter{cut("a", 10, nil), cut("b", maxResult, nil), cut("c", 10, nil), cut("d", 10, nil)}, "[a b cd]"},
	} {
		got := []string{}
		for _, body := range inLines(row.cuts) {
			line, err := history.Marshal(body)
			if err != nil || len(line) > durable.MaxLine || body.Tokens != int64(10*len(body.CallIDs)) {
				t.Errorf("%d bytes, %d tokens: %v", len(line), body.Tokens, err)
			}
			calls := ""
			for _, id := range body.CallIDs {
				if _, shown := body.Texts[id]; !shown {
					t.Errorf("%s has no text", id)
				}
				if _, kept := body.Artifacts[id]; kept {
					id = strings.ToUpper(id)
				}
				calls += id
			}
			got = append(got, calls)
		}
		if fmt.Sprint(got) != row.want {
			t.Errorf("%v, want %s", got, row.want)
		}
	}
}
