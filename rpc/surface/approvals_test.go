package surface

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// TestQuestionThatIsNeverAsked: where the disk refuses a question after it was told,
// it is withdrawn at once. Who has answered it or asked for its documents meanwhile was
// never answered, and held up the end of the process.
func TestQuestionThatIsNeverAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shownBy(t, nil, Facts{CodeActions: true})
		q := s.Pending.Expect(history.Approval{ApprovalID: "0001-a1", SessionID: "0001", Decisions: []string{"once"}, Preview: &history.ApprovalPreview{}})
		go func() {
			if o, err := s.Pending.Answer(t.Context(), nil, q.ApprovalID, session.Answer{Decision: "once"}); err != nil || o.Status != "already_resolved" {
				t.Errorf("the answer: %q, %v", o.Status, err)
			}
		}()
		go func() {
			if _, found := s.Asker.Side(q, []string{"0001-a1", "after", "a"}); found {
				t.Error("there is a document")
			}
			q.wholePreview()
		}()
		synctest.Wait()
		s.Asker.Withdraw(q.ApprovalID)
	})
}

// TestAnswerBeforeTheSessionListens: a client that answers as soon as it sees the
// event is heard, although the session has not asked for answers yet. It was told
// already_resolved, and the run waited for ever.
func TestAnswerBeforeTheSessionListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := shownBy(t, nil, Facts{CodeActions: true})
		a := history.Approval{ApprovalID: "0001-a1", SessionID: "0001", Decisions: []string{"once"}}
		s.Pending.Expect(a) // what Event does before it writes
		status := make(chan string, 1)
		go func() {
			o, err := s.Pending.Answer(t.Context(), nil, a.ApprovalID, session.Answer{Decision: "once"})
			if err != nil {
				t.Error(err)
			}
			status <- o.Status
		}()
		synctest.Wait()
		if open := s.Pending.Pending("0001"); len(open) != 1 {
			t.Errorf("%d open questions", len(open))
		}
		ctx, withdraw := context.WithCancel(t.Context())
		q, _ := s.Pending.Listen(ctx, a)
		answer := <-q.Answers()
		answer.Settle(session.Outcome{Status: "applied"})
		withdraw()
		if got := <-status; answer.Decision != "once" || got != "applied" {
			t.Errorf("the session heard %q, the client %q", answer.Decision, got)
		}
	})
}
