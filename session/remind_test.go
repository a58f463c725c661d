package session

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/system"
)

// The plan's reminder comes with every prompt to it; that it is over is said once,
// with the first prompt to an agent that may write, however many only read in
// between.
func TestModeReminders(t *testing.T) {
	h := newHouse(t)
	h.agent(t, "reader.md", "---\ntools: [read]\n---\nRead.")
	s := h.session(t)
	var seen history.Transcript
	planned := system.Reminders{Agent: config.Agent{Name: "plan"}}.Texts(&seen)[0]
	seen.Planned = true
	building := system.Reminders{Agent: config.Agent{Name: "build"}}.Texts(&seen)[0]
	var agents, got []string
	for _, row := range [][2]string{{"build", ""}, {"plan", "plan"}, {"plan", "plan"}, {"reader", ""}, {"build", "build"}, {"build", ""}, {"plan", "plan"}, {"build", "build"}, {"reader", ""}, {"build", ""}} {
		h.model.list = append(h.model.list, model.Done{Text: "ok", Model: "m"})
		if _, err := s.Run(t.Context(), Prompt{Request: history.Request{Prompt: history.Text("go"), Agent: row[0]}}); err != nil {
			t.Fatal(err)
		}
		messages := h.model.asked.Messages
		said := strings.NewReplacer("go", "", "\n", "", "<system-reminder>", "", "</system-reminder>", "", planned, "plan", building, "build").Replace(messages[len(messages)-1].Text)
		agents, got = append(agents, row[0]), append(got, said)
		if said != row[1] {
			t.Errorf("with %v the reminders were %q, want the last to be %q", agents, got, row[1])
		}
	}
}
