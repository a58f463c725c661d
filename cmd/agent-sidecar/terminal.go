package main

import (
	"bufio"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
)

// terminal shows a session on a terminal and asks there. It prints only what was
// made visible, so that no text and no name can move the cursor or hide itself.
type terminal struct {
	in  *bufio.Reader // nil: nobody can be asked
	out screen
	// lang is the language of the person, as the environment names it.
	lang string
	yes  bool // allow what is asked, and say so
	// counts: there is a budget in money.
	counts bool
	// typed: in is a terminal, which shows what is typed with its line ends.
	typed bool

	mu         sync.Mutex // guards what follows, and what is printed
	midline    bool
	streamed   bool // something of an answer that is not finished was shown
	ended      bool // nothing more comes from in
	unanswered int  // calls that were refused because nobody could be asked
	// seen are the calls whose effect was shown when they were asked about.
	seen map[string]bool
	// uncounted are the models that were said to be in no budget of money.
	uncounted map[string]bool
	ask       sync.Mutex // one question at a time
}

// words are a text for the person.
func (t *terminal) words(form string, args ...any) shown { return inWords(t.lang, form, args...) }

// shortly bounds what happens on the way out.
func shortly() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 3*time.Second)
}

// CanAnswer implements session.Approver.
func (t *terminal) CanAnswer() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.yes || t.in != nil && !t.ended
}

// CanEdit implements session.Approver: the terminal takes only words.
func (t *terminal) CanEdit() bool { return false }

// Event implements session.Notifier.
func (t *terminal) Event(o history.Origin, e history.Event) {
	indent := title(strings.Repeat("    ", len(o.AgentPath)), 0)
	switch b := e.Body.(type) {
	case history.ToolRequested:
		t.line(indent + "  → " + title(b.Title, 0))
	case history.ToolDecided:
		switch b.By {
		case "nobody":
			t.noteUnanswered()
		case control.BySandbox:
			t.line(indent + "    " + t.words("in the sandbox"))
		}
	case history.ToolReturned:
		t.line(indent + "    " + t.returned(b))
		t.diff(indent, b)
	case history.AssistantMessage:
		t.endLine()
		t.wasStreamed()
		t.tellUncounted(b)
		if len(o.AgentPath) > 0 && b.Text != "" {
			for _, l := range t.head(b.Text, 12) {
				t.line(indent + "  " + title(l, 160))
			}
		}
	case history.SubagentStarted:
		t.line(indent + showf("  ┌ %s: %s", b.Path, title(b.Prompt, 100)))
	case history.SubagentEnded:
		line := showf("  └ %s %s, ", b.Path, locale.Status(t.lang, b.Status)) + title(locale.Calls(t.lang, b.Calls), 0)
		if c := b.Citations; c != nil && c.OK+c.Bad > 0 {
			line += t.words(", %d of %d citations verified", c.OK, c.OK+c.Bad)
		}
		t.line(indent + line)
	case history.PlanUpdated:
		for _, item := range b.Items {
			t.line(indent + showf("  · %s (%s)", title(item.Text, 120), locale.Status(t.lang, item.Status)))
		}
	case history.ContextPruned:
		if len(b.Texts) > 0 {
			t.line("  ~ " + t.words("%d results are shown shorter from now on, for a smaller window: %d tokens", len(b.CallIDs), b.Tokens))
			break
		}
		t.line("  ~ " + t.words("%d old results are left out from now on: %d tokens", len(b.CallIDs), b.Tokens))
	case history.ContextCompacted:
		if b.OK {
			t.line("  ~ " + t.words("conversation summarised (%s): %d → %d tokens", b.Trigger, b.Before, b.After))
		} else {
			t.line("  ~ " + t.words("no summary: %s", title(b.Reason, 200)))
		}
	case history.ModelSwitched:
		t.line("  ~ " + t.words("from here on %s is asked instead of %s (%s)", title(b.To, 100), title(b.From, 100), title(b.Reason, 60)))
	case history.RunEnded:
		t.endLine()
		if len(o.AgentPath) == 0 && !b.Message.IsZero() {
			t.line("  " + title(locale.Say(t.lang, b.Message), 400))
		}
		if len(o.AgentPath) == 0 && b.Usage.InputTokens > 0 {
			t.line("  " + t.spent(b.Usage))
		}
	}
}

// spent is what a run has cost in one line.
func (t *terminal) spent(u history.Usage) shown {
	line := t.words("%d input tokens (%d%% cached), %d output tokens", u.InputTokens, 100*u.CachedTokens/u.InputTokens, u.OutputTokens)
	if u.Cost != nil {
		line += showf(", %s", ledger.Dollars(u.Cost.Amount, u.Cost.Estimated))
	}
	return line
}

// tellUncounted says once of a model that a budget in money does not count it.
func (t *terminal) tellUncounted(m history.AssistantMessage) {
	if !t.counts || m.Usage != nil && m.Usage.Cost != nil {
		return
	}
	t.mu.Lock()
	told := t.uncounted[m.Model]
	if t.uncounted == nil {
		t.uncounted = map[string]bool{}
	}
	t.uncounted[m.Model] = true
	t.mu.Unlock()
	if !told {
		t.line("  ! " + t.words("The price of %s is not known, so --max-cost does not count it; --max-tokens does.", title(m.Model, 100)))
	}
}

// returned is a result in one line.
func (t *terminal) returned(b history.ToolReturned) shown {
	line := title(locale.Status(t.lang, b.Status), 0)
	if b.ExitCode != nil {
		line += title(locale.PageExit.In(t.lang, *b.ExitCode), 0)
	}
	for _, c := range b.Changes {
		line += showf(", %s %s +%d −%d", locale.Status(t.lang, c.Kind), c.Path, c.Additions, c.Deletions)
	}
	switch {
	case b.Truncated && b.Artifact != nil:
		line += t.words(", truncated: %d bytes, full output in %s", b.Artifact.Bytes, b.Artifact.Path)
	case b.Status != history.StatusCompleted && b.Text != "":
		line += ": " + title(b.Text, 200)
	}
	return line
}

// diff shows what a call has changed in texts, unless that was asked about: then it was
// shown before.
func (t *terminal) diff(indent shown, b history.ToolReturned) {
	if t.wasSeen(b.CallID) || b.Status != history.StatusCompleted || !slices.Contains([]string{"edit", "write", "apply_patch"}, b.Tool) {
		return
	}
	_, diff, is := strings.Cut(b.Text, "\n--- ")
	if !is {
		return
	}
	all := strings.Split("--- "+diff, "\n")
	end := slices.IndexFunc(all, func(l string) bool { return l == "" || !strings.Contains("+- @\\", l[:1]) })
	if end >= 0 { // what the model is told below it
		all = all[:end]
	}
	for _, l := range t.head(strings.Join(all, "\n"), previewLines) {
		t.line(indent + "    │ " + title(l, previewWidth))
	}
}

// hasSeen notes that the effect of a call was shown.
func (t *terminal) hasSeen(call string, seen bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	t.seen[call] = seen
}

func (t *terminal) wasSeen(call string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen[call]
}

// Ephemeral implements session.Notifier: the answer as it is written.
func (t *terminal) Ephemeral(o history.Origin, e history.Ephemeral) {
	switch d := e.Data.(type) {
	case session.Delta:
		if e.Type == "message.delta" && len(o.AgentPath) == 0 {
			t.print(lines(d.Text))
			t.mu.Lock()
			t.streamed = true
			t.mu.Unlock()
		}
	case session.Notice:
		if d.Kind == "message_reset" { // why is said by the state that follows
			if t.wasStreamed() {
				t.line("  ! " + t.words("what was said so far is withdrawn"))
			}
			return
		}
		t.line("  ! " + title(locale.Say(t.lang, d.Title), 300))
	case session.RunState:
		if d.State == "retrying" {
			again := t.words("%s; trying again", title(d.Detail, 200))
			if d.InMs > 0 {
				again = t.words("%s; trying again in %.1f s", title(d.Detail, 200), float64(d.InMs)/1000)
			}
			t.line("  ! " + again)
		}
	}
}

func (t *terminal) noteUnanswered() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unanswered++
}

// tellUnanswered says how many calls were refused because nobody could be asked.
func (t *terminal) tellUnanswered() int {
	t.mu.Lock()
	n := t.unanswered
	t.mu.Unlock()
	if n > 0 {
		t.line("  " + t.words("Refused because nobody could be asked: %d (a rule or --yes allows them)", n))
	}
	return n
}

// wasStreamed says whether a part of an answer stands on the terminal, and
// forgets it.
func (t *terminal) wasStreamed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.streamed
	t.streamed = false
	return was
}

func (t *terminal) head(text string, n int) []string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(all) > n {
		all = append(all[:n], string(t.words("… %d more lines", len(all)-n)))
	}
	return all
}

func (t *terminal) print(text shown) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.midline = text != "" && !strings.HasSuffix(string(text), "\n")
	_ = t.out.write(text) // nobody reads it any more
}

func (t *terminal) line(text shown) {
	t.endLine()
	t.print(text + "\n")
}

func (t *terminal) endLine() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.midline {
		t.out.say("\n")
		t.midline = false
	}
}
