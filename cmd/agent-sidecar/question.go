package main

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// read is the next line that was typed; false: there will be none.
func (t *terminal) read() (line string, ok bool) {
	line, err := t.in.ReadString('\n')
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.midline = !t.typed // what was typed ended the line, a pipe did not
	}
	line = strings.TrimSpace(line)
	if err == nil || line != "" {
		return line, true
	}
	t.ended = true
	return "", false
}

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
					t.line("  " + t.words("it has changed since; you are asked again"))
				}
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return answers
}

// question shows one approval and reads lines until one is an answer.
func (t *terminal) question(a history.Approval) session.Answer {
	t.line("")
	asker := shown("")
	if len(a.AgentPath) > 0 {
		asker = showf(" (%s)", strings.Join(a.AgentPath, "/"))
	}
	t.line("  ? " + title(locale.Say(t.lang, a.Title), 0) + asker)
	t.line("    " + title(locale.Say(t.lang, a.Reason), 400))
	whole := previewOf(a)
	seen := t.preview(whole)
	t.hasSeen(a.CallID, whole != "")
	if t.yes {
		t.line("    " + t.words("yes (--yes)"))
		return session.Answer{Decision: "once", By: "client", Digest: a.Digest}
	}
	for {
		words := t.choices(a, seen)
		t.offer(words)
		typed, ok := t.read()
		if !ok { // nobody will ever answer
			t.noteUnanswered()
			return session.Answer{Decision: "reject", Feedback: "Nobody is at the terminal to ask.", By: "client"}
		}
		word, why, _ := strings.Cut(typed, " ")
		c, known := answerTo(words, word)
		switch {
		case known && c.decision == "reject":
			return session.Answer{Decision: "reject", Feedback: strings.TrimLeft(why, " ,.:;-"), By: "client"}
		case !known || why != "":
			t.line("    " + t.usage(words, typed))
		case c.decision == "view":
			for _, l := range t.head(whole, math.MaxInt) {
				t.line("    │ " + title(l, 0))
			}
			seen = true
		case c.decision == "always" && c.offer != "":
			return session.Answer{Decision: "always", OfferID: c.offer, By: "client", Digest: a.Digest}
		default:
			return session.Answer{Decision: c.decision, Mode: c.mode, By: "client", Digest: a.Digest}
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
	first := t.head(whole, previewLines)
	all = len(first) <= previewLines
	for _, l := range first {
		line := title(l, previewWidth)
		all = all && line == title(l, 0)
		t.line("    │ " + line)
	}
	return all
}

// choice is one answer: what is typed for it, in short and as a word, and what it does.
type choice struct {
	key, word string
	label     shown
	decision  string
	mode      tool.Mode // of a plan
	offer     string    // of a rule that is stored
}

// choices are the answers that there are. There is no yes to what was not shown
// whole, and always shows the whole rule.
func (t *terminal) choices(a history.Approval, seen bool) []choice {
	no := choice{key: "n", word: "no", label: t.words("Reject (n and why, if you like)"), decision: "reject"}
	if !seen {
		return []choice{{key: "v", word: "view", label: t.words("View all of it"), decision: "view"}, no}
	}
	if a.Domain == tool.DomainPlan {
		no.label = t.words("Keep planning (n and what to change, if you like)")
		return []choice{{key: "y", word: "yes", label: t.words("Accept the plan"), decision: "once"},
			{key: "k", word: "ask", label: t.words("Accept it, and ask before each edit"), decision: "once", mode: tool.ModeAsk}, no}
	}
	words := []choice{{key: "y", word: "yes", label: t.words("Allow once"), decision: "once"}}
	if slices.Contains(a.Decisions, "session") {
		words = append(words, choice{key: "s", word: "session", label: t.words("Allow this session"), decision: "session"})
	}
	for i, o := range a.Always {
		c := choice{key: "a", word: "always", label: title(o.Label, 0), decision: "always", offer: o.ID}
		if i > 0 {
			c.key = string(showf("a%d", i+1))
			c.word = c.key
		}
		words = append(words, c)
	}
	if len(a.Always) == 0 && slices.Contains(a.Decisions, "always") { // a limit or a loop: nothing is stored
		words = append(words, choice{key: "a", word: "always", label: t.words("Always allow"), decision: "always"})
	}
	return append(words, no)
}

// offer prints the answers: in one line, or where a rule can be chosen one below the
// other.
func (t *terminal) offer(words []choice) {
	separator := shown(" · ")
	if len(words) > 4 {
		separator = "\n    "
	}
	var all []shown
	for _, c := range words {
		all = append(all, showf("[%s] ", c.key)+c.label)
	}
	t.print("    " + join(all, separator) + " > ")
}

// answerTo finds what was typed among the answers.
func answerTo(words []choice, typed string) (choice, bool) {
	typed = strings.ToLower(strings.TrimRight(typed, ",.:;"))
	i := slices.IndexFunc(words, func(c choice) bool { return typed == c.key || typed == c.word })
	if i < 0 {
		return choice{}, false
	}
	return words[i], true
}

// usage says which answers there are to somebody who has typed something else.
func (t *terminal) usage(words []choice, typed string) shown {
	var keys []shown
	for _, c := range words {
		keys = append(keys, title(c.key, 0))
	}
	last := len(keys) - 1
	help := t.words("Type %s or %s, then Enter.", join(keys[:last], ", "), keys[last])
	if typed == "" {
		return help
	}
	return t.words("%q is not an answer here. ", title(typed, 40)) + help
}

// confirm asks a question of the terminal itself, with the words for yes and no. An
// empty line is a no.
func (t *terminal) confirm(question, yes, no shown) bool {
	if t.yes {
		t.line(question + " " + t.words("yes (--yes)"))
		return true
	}
	if !t.CanAnswer() {
		return false
	}
	words := []choice{{key: "y", word: "yes", label: yes, decision: "yes"}, {key: "n", word: "no", label: no + " (Enter)", decision: "no"}}
	t.line(question)
	for {
		t.offer(words)
		typed, ok := t.read()
		c, known := answerTo(words, typed)
		switch {
		case !ok || typed == "":
			return false
		case known:
			return c.decision == "yes"
		}
		t.line("    " + t.usage(words, typed))
	}
}
