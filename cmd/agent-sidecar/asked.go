package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/questions"
)

// CanQuestion implements questions.Person: somebody types.
func (t *terminal) CanQuestion() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.in != nil && !t.ended
}

// CanBrowse implements tool.Browser: whoever types can open an address that is printed.
func (t *terminal) CanBrowse() bool { return t.CanQuestion() }

// Browse implements tool.Browser.
func (t *terminal) Browse(_ context.Context, address string) bool {
	t.line("  " + t.words("Open this address in your browser: %s", title(address, 0)))
	return true
}

// Question implements questions.Person: it asks in the terminal, one question after the other.
func (t *terminal) Question(ctx context.Context, q history.QuestionAsked) <-chan questions.Reply {
	replies := make(chan questions.Reply)
	go func() {
		t.ask.Lock()
		defer t.ask.Unlock()
		if ctx.Err() != nil {
			return
		}
		select {
		case replies <- t.answers(q):
		case <-ctx.Done():
		}
	}()
	return replies
}

// answers reads an answer to each question.
func (t *terminal) answers(q history.QuestionAsked) questions.Reply {
	reply := questions.Reply{By: "client"}
	some := false
	for i, one := range q.Questions {
		t.line("")
		number := shown("")
		if len(q.Questions) > 1 {
			number = showf("(%d/%d) ", i+1, len(q.Questions))
		}
		t.line("  ? " + number + title(one.Question, 0))
		for n, o := range one.Options {
			line := showf("    [%d] ", n+1) + title(o.Label, 0)
			if o.Description != "" {
				line += ": " + title(o.Description, 0)
			}
			t.line(line)
		}
		a, ok := t.answer(one)
		if !ok {
			return questions.Reply{Nobody: true}
		}
		some = some || !a.Empty()
		reply.Answers = append(reply.Answers, a)
	}
	if !some {
		reply.Answers = nil
	}
	return reply
}

// answer reads lines until one is an answer; false: nobody types any more.
func (t *terminal) answer(q history.Question) (history.QuestionAnswer, bool) {
	help := t.words("Type your answer, or - to skip the question.")
	if len(q.Options) > 0 {
		help = t.words("Type a number or your own words, or - to skip the question.")
	}
	if q.Multiple {
		help = t.words("Type one or more numbers or your own words, or - to skip the question.")
	}
	for {
		t.print("    " + help + " > ")
		typed, ok := t.read()
		switch {
		case !ok:
			return history.QuestionAnswer{}, false
		case typed == "-":
			return history.QuestionAnswer{Choices: []string{}}, true
		case typed == "":
			continue
		}
		choices, numbers := numbered(q, typed)
		switch {
		case !numbers:
			return history.QuestionAnswer{Choices: []string{}, Text: typed}, true
		case choices != nil:
			return history.QuestionAnswer{Choices: choices}, true
		}
	}
}

// numbered are the options whose numbers were typed. numbers says that nothing else was
// typed; then none of them is that of an option, or they are too many, where there are no
// choices.
func numbered(q history.Question, typed string) (choices []string, numbers bool) {
	fields := strings.FieldsFunc(typed, func(r rune) bool { return r == ' ' || r == ',' })
	if len(fields) == 0 || len(q.Options) == 0 {
		return nil, false
	}
	for _, f := range fields {
		n, err := strconv.Atoi(f)
		if err != nil {
			return nil, false
		}
		if n < 1 || n > len(q.Options) || slices.Contains(choices, q.Options[n-1].Label) {
			return nil, true
		}
		choices = append(choices, q.Options[n-1].Label)
	}
	if len(choices) > 1 && !q.Multiple {
		return nil, true
	}
	return choices, true
}
