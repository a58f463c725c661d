package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// terminal shows a session on a terminal and asks there. What models, tools and
// files say passes the same filter as titles, so that no text can move the
// cursor or hide itself (ruling 93).
type terminal struct {
	in  *bufio.Reader // nil: nobody can be asked
	out io.Writer
	yes bool // allow what is asked, and say so
	// typed: in is a terminal, which shows what is typed with its line ends.
	typed bool

	mu       sync.Mutex // guards what follows, and what is printed
	midline  bool
	streamed bool       // something of an answer that is not finished was shown
	ended    bool       // nothing more comes from in
	ask      sync.Mutex // one question at a time
}

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

// read is the next line that was typed, in lower case; false: there will be none.
func (t *terminal) read() (word string, ok bool) {
	word, err := t.in.ReadString('\n')
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.midline = !t.typed // what was typed ended the line, a pipe did not
	}
	word = strings.ToLower(strings.TrimSpace(word))
	if err == nil || word != "" {
		return word, true
	}
	t.ended = true
	return "", false
}

// CanEdit implements session.Approver: the terminal takes only words.
func (t *terminal) CanEdit() bool { return false }

// Approve implements session.Approver: it asks in the terminal. An empty line, an
// unknown word and the end of the input are no answer.
func (t *terminal) Approve(ctx context.Context, a history.Approval) <-chan session.Answer {
	answers := make(chan session.Answer)
	go func() {
		t.ask.Lock()
		defer t.ask.Unlock()
		for ctx.Err() == nil {
			answer := t.question(a)
			settled := make(chan session.Outcome, 1)
			answer.Settle = func(o session.Outcome) { settled <- o }
			select {
			case answers <- answer:
				if o := <-settled; o.Status == "stale" {
					t.line("  it has changed since; asking again")
				}
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return answers
}

// question shows one approval and reads one word.
func (t *terminal) question(a history.Approval) session.Answer {
	t.line("")
	asker := ""
	if len(a.AgentPath) > 0 {
		asker = " (" + strings.Join(a.AgentPath, "/") + ")"
	}
	t.line("  ? " + a.Title + asker)
	t.line("    " + control.Title(a.Reason, 400))
	whole := previewOf(a)
	seen := t.preview(whole)
	if t.yes {
		t.line("    yes (--yes)")
		return session.Answer{Decision: "once", By: "client", Digest: a.Digest}
	}
	for {
		t.print("    " + strings.Join(choices(a, seen), " · ") + " > ")
		word, ok := t.read()
		switch {
		case !ok: // nobody will ever answer
			return session.Answer{Decision: "reject", Feedback: "Nobody is at the terminal to ask.", By: "client"}
		case !seen && (word == "v" || word == "view"):
			for _, l := range head(whole, math.MaxInt) {
				t.line("    │ " + control.Title(l, 0))
			}
			seen = true
		case !seen && word != "n" && word != "no":
		case word == "y" || word == "yes":
			return session.Answer{Decision: "once", By: "client", Digest: a.Digest}
		case (word == "s" || word == "session") && slices.Contains(a.Decisions, "session"):
			return session.Answer{Decision: "session", By: "client", Digest: a.Digest}
		case (word == "a" || word == "always") && len(a.Always) > 0:
			return session.Answer{Decision: "always", OfferID: a.Always[0].ID, By: "client", Digest: a.Digest}
		case (word == "a" || word == "always") && slices.Contains(a.Decisions, "always"): // a limit or a loop: nothing is stored
			return session.Answer{Decision: "always", By: "client", Digest: a.Digest}
		case word == "n" || word == "no":
			return session.Answer{Decision: "reject", By: "client"}
		}
	}
}

// Of a preview so many lines are shown, of so many characters each.
const (
	previewLines = 30
	previewWidth = 160
)

// previewOf is the whole of what would happen.
func previewOf(a history.Approval) string {
	switch {
	case a.Preview == nil:
		return ""
	case a.Preview.Whole != "":
		return a.Preview.Whole
	}
	return a.Preview.Text
}

// preview shows the beginning of what would happen and says whether that was all.
func (t *terminal) preview(whole string) (all bool) {
	if whole == "" {
		return true
	}
	lines := head(whole, previewLines)
	all = len(lines) <= previewLines
	for _, l := range lines {
		shown := control.Title(l, previewWidth)
		all = all && shown == control.Title(l, 0)
		t.line("    │ " + shown)
	}
	return all
}

// choices are the words that are answers. There is no yes to what was not shown
// whole (ruling 82), and always shows the whole rule.
func choices(a history.Approval, seen bool) []string {
	if !seen {
		return []string{"[v]iew all of it", "[n]o"}
	}
	words := []string{"[y]es once"}
	if slices.Contains(a.Decisions, "session") {
		words = append(words, "[s]ession")
	}
	switch {
	case len(a.Always) > 0:
		words = append(words, "[a] "+control.Title(a.Always[0].Label, 0))
	case slices.Contains(a.Decisions, "always"):
		words = append(words, "[a]lways")
	}
	return append(words, "[n]o")
}

// confirm asks a question of the terminal itself.
func (t *terminal) confirm(question string) bool {
	if t.yes {
		t.line(question + " yes (--yes)")
		return true
	}
	if !t.CanAnswer() {
		return false
	}
	t.print(question + " [y/N] > ")
	word, _ := t.read()
	return word == "y" || word == "yes"
}

// Event implements session.Notifier.
func (t *terminal) Event(o history.Origin, e history.Event) {
	indent := strings.Repeat("    ", len(o.AgentPath))
	switch b := e.Body.(type) {
	case history.ToolRequested:
		t.line(indent + "  → " + b.Title)
	case history.ToolReturned:
		t.line(indent + "    " + returned(b))
	case history.AssistantMessage:
		t.endLine()
		t.wasStreamed()
		if len(o.AgentPath) > 0 && b.Text != "" {
			for _, l := range head(b.Text, 12) {
				t.line(indent + "  " + control.Title(l, 160))
			}
		}
	case history.SubagentStarted:
		t.line(indent + "  ┌ " + b.Path + ": " + control.Title(b.Prompt, 100))
	case history.SubagentEnded:
		line := fmt.Sprintf("  └ %s %s, %d calls", b.Path, b.Status, b.Calls)
		if b.Citations != nil {
			line += fmt.Sprintf(", citations: %d hold, %d do not", b.Citations.OK, b.Citations.Bad)
		}
		t.line(indent + line)
	case history.PlanUpdated:
		for _, item := range b.Items {
			t.line(indent + "  · " + control.Title(item.Text, 120) + " (" + strings.ReplaceAll(item.Status, "_", " ") + ")")
		}
	case history.ContextPruned:
		t.line(fmt.Sprintf("  ~ %d old results are left out from now on: %d tokens", len(b.CallIDs), b.Tokens))
	case history.ContextCompacted:
		if b.OK {
			t.line(fmt.Sprintf("  ~ conversation summarised (%s): %d → %d tokens", b.Trigger, b.Before, b.After))
		} else {
			t.line("  ~ no summary: " + control.Title(b.Reason, 200))
		}
	case history.ModelSwitched:
		t.line("  ~ " + control.Title(fmt.Sprintf("from here on %s is asked instead of %s (%s)", b.To, b.From, b.Reason), 300))
	case history.RunEnded:
		t.endLine()
		if len(o.AgentPath) == 0 && b.Message != "" {
			t.line("  " + control.Title(b.Message, 400))
		}
	}
}

// returned is a result in one line.
func returned(b history.ToolReturned) string {
	line := b.Status
	if b.ExitCode != nil {
		line += fmt.Sprintf(" (exit %d)", *b.ExitCode)
	}
	for _, c := range b.Changes {
		line += fmt.Sprintf(", %s %s +%d −%d", c.Kind, c.Path, c.Additions, c.Deletions)
	}
	switch {
	case b.Truncated && b.Artifact != nil:
		line += fmt.Sprintf(", truncated: %d bytes, full output in %s", b.Artifact.Bytes, b.Artifact.Path)
	case b.Status != "completed" && b.Text != "":
		line += ": " + control.Title(b.Text, 200)
	}
	return line
}

// Ephemeral implements session.Notifier: the answer as it is written.
func (t *terminal) Ephemeral(o history.Origin, e history.Ephemeral) {
	switch d := e.Data.(type) {
	case session.Delta:
		if e.Type == "message.delta" && len(o.AgentPath) == 0 {
			t.print(visibleLines(d.Text))
			t.mu.Lock()
			t.streamed = true
			t.mu.Unlock()
		}
	case session.Notice:
		if d.Kind == "message_reset" { // why is said by the state that follows
			if t.wasStreamed() {
				t.line("  ! what was said so far is withdrawn")
			}
			return
		}
		t.line("  ! " + control.Title(d.Title, 300))
	case session.RunState:
		if d.State == "retrying" {
			when := ""
			if d.InMs > 0 {
				when = fmt.Sprintf(" in %.1f s", float64(d.InMs)/1000)
			}
			t.line("  ! " + control.Title(d.Detail, 200) + "; trying again" + when)
		}
	}
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

// visibleLines filters text line by line.
func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		cells := strings.Split(l, "\t")
		for j, c := range cells {
			cells[j] = control.Title(c, 0)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

func head(text string, n int) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = append(lines[:n], fmt.Sprintf("… %d more lines", len(lines)-n))
	}
	return lines
}

func (t *terminal) print(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.midline = text != "" && !strings.HasSuffix(text, "\n")
	fmt.Fprint(t.out, text)
}

func (t *terminal) line(text string) {
	t.endLine()
	t.print(text + "\n")
}

func (t *terminal) endLine() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.midline {
		fmt.Fprintln(t.out)
		t.midline = false
	}
}
