package surface

import (
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// A question about trust knows only `always` and `reject`. Surfaces that offered
// "Allow once" for it could never get a yes through: from the light bulb it was
// refused, and as a message request it closed the question without any trust.
func TestTrustCanBeGivenOnEverySurface(t *testing.T) {
	s := shownBy(t, nil, Facts{Literals: true})
	trust := &PendingApproval{Approval: history.Approval{ApprovalID: "config-1", Title: said.Plain("Do you trust it?"), Domain: "config", Decisions: []string{"always", "reject"}}}
	var decisions []string
	for _, c := range s.Menu.choices(trust) {
		if d, ok := c.args["decision"]; ok {
			decisions = append(decisions, d.(string))
		}
	}
	if want := []string{"always"}; !slices.Equal(decisions, want) {
		t.Errorf("code actions offer %v, want %v", decisions, want)
	}
	titles, answers := s.Pending.items(trust)
	for i, a := range answers {
		if a != nil && !slices.Contains(trust.Decisions, a.Decision) {
			t.Errorf("the message request offers %q, which is %s", titles[i], a.Decision)
		}
	}
	if !slices.ContainsFunc(answers, func(a *session.Answer) bool { return a != nil && a.Decision == "always" }) {
		t.Errorf("the message request offers no yes: %v", titles)
	}
}

// Its review is in no folder of the workspace and belongs to no session. In Helix
// whoever read it there had no code action to answer with.
func TestTrustCanBeAnsweredInItsReview(t *testing.T) {
	s := shownBy(t, nil, Facts{})
	s.SetFolders([]string{"file:///work"})
	q := &PendingApproval{Approval: history.Approval{ApprovalID: "config-1", Domain: "config"}, file: "/tmp/review-1/config-1.diff"}
	s.Pending.open[q.ApprovalID] = q
	s.Pending.order = append(s.Pending.order, q.ApprovalID)
	for uri, want := range map[string]bool{"file:///tmp/review-1/config-1.diff": true, "file:///tmp/review-1/config-2.diff": false, "file:///work/a.go": true} {
		if got := s.places.inWorkspace(uri); got != want {
			t.Errorf("code actions on %s: %v, want %v", uri, got, want)
		}
	}
}
