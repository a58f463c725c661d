package session

import (
	"context"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// After a summary that nobody asked for the model is told that it may go on, unless
// its word comes next anyhow.
func TestTakeUp(t *testing.T) {
	for name, row := range map[string]struct {
		last    history.Body
		trigger string
		want    string
	}{
		"an answer":            {history.AssistantMessage{Text: "Done."}, "auto", "Continue if you have next steps."},
		"after an overflow":    {history.AssistantMessage{Text: "Done."}, "overflow", "Continue if you have next steps."},
		"somebody asked":       {history.AssistantMessage{Text: "Done."}, "manual", "Done."},
		"a prompt":             {history.UserMessage{Content: history.Text("And now?")}, "auto", "And now?"},
		"a result is answered": {history.ToolReturned{CallID: "c", Tool: "read", Text: "x"}, "auto", "x"},
	} {
		h := newHouse(t)
		s := h.session(t)
		ctx, cancel := context.WithCancelCause(context.Background())
		r := &run{id: "r1", ctx: ctx, cancel: cancel, model: h.model}
		recordOrCancel(s.journal, r, history.RunStarted{Prompt: history.Text("Go."), Kind: "prompt"})
		recordOrCancel(s.journal, r, row.last)
		s.worker.room.takeUp(r, row.trigger)
		messages := stateOf(s).Messages(nil)
		if got := messages[len(messages)-1].Text; got != row.want {
			t.Errorf("%s: the last word is %q", name, got)
		}
	}
}

// What a provider reported counts, and what came after it is estimated; what is
// shown no more is taken off. Usage of another process, of another model and from
// before a summary says nothing.
func TestUsed(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &run{id: "r1", ctx: ctx, cancel: cancel, model: h.model, progress: progress{by: "m"}}
	recordOrCancel(s.journal, r, history.RunStarted{Prompt: history.Text("Go."), Kind: "prompt"})
	asked := s.worker.view.shownSize(r)
	recordOrCancel(s.journal, r, history.AssistantMessage{Text: "x", Model: "m", Usage: &history.TokenCount{InputTokens: 5000, OutputTokens: 50}})
	if got := s.worker.view.used(r); got > 100 {
		t.Errorf("usage that this process has not heard counts: %d", got)
	}
	s.worker.view.sawUpTo(asked)
	if got := s.worker.view.used(r); got != 5050 {
		t.Errorf("used %d, reported 5050", got)
	}
	recordOrCancel(s.journal, r, history.UserMessage{Content: history.Text(string(make([]byte, 260)))}) // 260 and its frame are 900 bytes: NUL becomes three
	after := s.worker.view.used(r)
	if after <= 5050 || after > 5500 {
		t.Errorf("used %d", after)
	}
	r.by = "another"
	if got := s.worker.view.used(r); got >= 5000 {
		t.Errorf("usage of another model counts: %d", got)
	}
	r.by = "m"
	recordOrCancel(s.journal, r, history.ContextCompacted{OK: true, KeepFrom: 1, Summary: "s"})
	if got := s.worker.view.used(r); got >= 5000 {
		t.Errorf("usage from before the summary counts: %d", got)
	}
}

// The real window of an overflow error counts where it is smaller than what is
// configured, and never where it is larger.
func TestLearnWindow(t *testing.T) {
	s := newHouse(t).session(t)
	info := model.Info{Name: "m", Window: 100_000}
	for _, step := range []struct {
		error int64
		want  int64
	}{{0, 95_904}, {200_000, 95_904}, {50_000, 45_904}, {10_000, 8_000}} {
		s.worker.view.learnWindow("m", step.error)
		s.worker.view.learnWindow("another", 1000)
		if got := s.worker.view.bounds(info).Usable; got != step.want {
			t.Errorf("after %d: %d usable, want %d", step.error, got, step.want)
		}
	}
	if got := s.worker.view.bounds(model.Info{Name: "m"}).Usable; got != 8_000 {
		t.Errorf("where nothing was known: %d", got)
	}
}

// A message is cut only where the window has no room for it, in the same way with
// every request, and all of it is kept: also one that lies beside the log.
func TestFitPrompts(t *testing.T) {
	h := newHouse(t)
	h.model.info = model.Info{Name: "m", Window: 10_000} // 8,000 are usable; a message may have 4,000 tokens, 12,000 bytes
	for name, row := range map[string]struct {
		bytes int
		cut   bool
	}{"n-1": {11_999, false}, "n": {12_000, false}, "over": {12_003, true}, "beside the log": {200_000, true}} {
		s := h.session(t)
		ctx, cancel := context.WithCancelCause(context.Background())
		r := &run{id: "r1", ctx: ctx, cancel: cancel, model: h.model}
		whole := strings.Repeat("é", row.bytes/2) + strings.Repeat("x", row.bytes%2)
		blocks, err := s.intake.offload(history.Text(whole))
		if err != nil {
			t.Fatal(err)
		}
		recordOrCancel(s.journal, r, history.RunStarted{Prompt: blocks, Kind: "prompt"})
		shown := s.worker.view.request(r).Messages[1].Text
		if (shown != whole) != row.cut || !utf8.ValidString(shown) {
			t.Errorf("%s: %d bytes are shown", name, len(shown))
		}
		if !row.cut {
			continue
		}
		_, rest, _ := strings.Cut(shown, "all of it is in ")
		path, _, _ := strings.Cut(rest, " …")
		if kept, err := os.ReadFile(path); err != nil || string(kept) != whole || len(shown) > 12_000 {
			t.Errorf("%s: %d bytes are kept, %d shown: %v", name, len(kept), len(shown), err)
		}
		h.around.ratio = 2
		if again := s.worker.view.request(r).Messages[1].Text; again != shown {
			t.Errorf("%s: it is shown in another way", name)
		}
		h.around.ratio = 0
	}
}

// What a summary may have is sent only where somebody has set it, and never more
// than the model gives or the window has room for behind the conversation.
func TestSummaryTokens(t *testing.T) {
	for name, row := range map[string]struct {
		budget, asked int64 // 0: not set
		info          model.Info
		request       int64
		want          int64 // 0: nothing is sent
	}{
		"nobody has set it":        {0, 0, model.Info{Window: 10_000, MaxOutput: 500}, 9000, 0},
		"the run's own":            {0, 4000, model.Info{}, 9000, 4000},
		"the budget":               {3000, 0, model.Info{}, 9000, 3000},
		"the smaller of the two":   {3000, 4000, model.Info{}, 9000, 3000},
		"the run's is smaller":     {3000, 2000, model.Info{}, 9000, 2000},
		"what the model gives":     {3000, 0, model.Info{MaxOutput: 1000}, 9000, 1000},
		"what is left, n":          {3000, 0, model.Info{Window: 10_000}, 7000, 3000},
		"what is left, n-1":        {3000, 0, model.Info{Window: 10_000}, 7001, 2999},
		"always a few words":       {3000, 0, model.Info{Window: 10_000}, 9_999, 256},
		"no room, but a budget":    {100, 0, model.Info{Window: 10_000}, 9_999, 100},
		"of a window nobody knows": {3000, 0, model.Info{}, 1 << 40, 3000},
	} {
		h := newHouse(t)
		h.deps.Config.Settings().Compaction.OutputBudget = row.budget
		r := &run{}
		if row.asked > 0 {
			r.params.MaxTokens = &row.asked
		}
		got := h.session(t).worker.view.summaryTokens(r, row.info, row.request)
		if (got == nil) != (row.want == 0) || got != nil && *got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
