package surface

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// What was decided about each command is said in the language of the client, and what is
// shown to others stays in theirs.
func TestVerdictsInLanguage(t *testing.T) {
	asked := history.Approval{Preview: &history.ApprovalPreview{Verdicts: []history.CommandVerdict{{Decision: "ask", Why: said.That("by default"), Text: "ls"}}}}
	if got := Asked("zh-cn", asked).Preview.Verdicts[0].Why.String(); got != "默认" {
		t.Errorf("in Chinese: %q", got)
	}
	if got := asked.Preview.Verdicts[0].Why.String(); got != "by default" {
		t.Errorf("the other one is %q now", got)
	}
}
