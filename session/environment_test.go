package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/system"
)

var monday = system.Environment{Folders: []string{"/w", "/lib"}, Branch: "main", OS: "linux", Date: "2026-03-02"}

// The environment of the prompt is that of the session's start, in this process
// and in the next; what is different goes into the user's message, and the prefix
// of the second turn's request is all of the first.
func TestPromptOnTwoDays(t *testing.T) {
	h := newHouse(t, model.Done{Text: "one", Model: "m"}, model.Done{Text: "two", Model: "m"}, model.Done{Text: "three", Model: "m"}, model.Done{Text: "four", Model: "m"})
	now := monday
	h.around.environment = func() system.Environment { return now }
	s := h.session(t)
	ask := func(s *Session, text string) []model.Message {
		t.Helper()
		if _, err := s.Run(t.Context(), Prompt{Request: history.Request{Prompt: history.Text(text)}}); err != nil {
			t.Fatal(err)
		}
		return h.model.asked.Messages
	}
	first := ask(s, "one?")
	now.Date, now.Branch = "2026-03-03", "fix"
	second := ask(s, "two?")
	if !strings.Contains(first[0].Text, "Date: 2026-03-02") || strings.Contains(first[0].Text, "2026-03-03") {
		t.Errorf("the prompt of the first day:\n%s", first[0].Text)
	}
	wasText, isText := flat(first), flat(second)
	if common := commonPrefix(wasText, isText); common < len(wasText) {
		t.Errorf("the second request begins with %d bytes of the %d of the first", common, len(wasText))
	}
	if last := second[len(second)-1]; last.Role != "user" || last.Text != "two?\n\n"+system.Reminder("The environment has changed since this conversation began: the git branch is fix; today is 2026-03-03.") {
		t.Errorf("the second prompt: %+v", last)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := h.open("0001")
	if err != nil {
		t.Fatal(err)
	}
	third := ask(again, "three?")
	if common := commonPrefix(isText, flat(third)); common < len(isText) {
		t.Errorf("after a restart %d bytes of %d are the same", common, len(isText))
	}
	if last := third[len(third)-1]; last.Text != "three?" {
		t.Errorf("it was said already: %+v", last)
	}
	// Two days, two sessions: what differs stands behind the identity.
	fresh := ask(h.session(t), "four?")
	if common := commonPrefix(first[0].Text, fresh[0].Text); common < len(system.Default()) {
		t.Errorf("two days have %d bytes in common", common)
	}
	// Without its file a session is told how it is now.
	if err := os.Remove(filepath.Join(h.folder(1), system.EnvironmentFile)); err != nil {
		t.Fatal(err)
	}
	if kept := h.deps.Here.keptEnvironment(h.folder(1)); kept.Date != now.Date {
		t.Errorf("kept %+v", kept)
	}
}

// flat is a request as one text.
func flat(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Role + ": " + m.Text + "\n")
	}
	return b.String()
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
