package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// summarise asks the model for a summary: the conversation as it saw it, with
// the same tools but forbidden to call them, so that the provider's cached
// prefix holds (rulings 60, 100). Where the conversation is too long for that,
// it is given the older part with its results cut; where the provider refuses
// the form, the conversation as one text.
func (s *Session) summarise(r *run, cut int, focus string) (string, error) {
	ask := compactPrompt
	if focus != "" {
		ask += "\nPay special attention to: " + focus
	}
	whole := s.request(r)
	if slices.Contains(r.model.Info().Quirks, "tool_choice") {
		return s.askSummary(r, asOneText(whole.Messages, ask))
	}
	whole.ToolChoice = "none"
	whole.Messages = append(whole.Messages, model.Message{Role: "user", Text: ask})
	summary, err := s.askSummary(r, whole)
	var failure *model.Error
	if !errors.As(err, &failure) {
		return summary, err
	}
	switch failure.Kind {
	case model.KindOverflow:
		return s.summariseLess(r, cut, ask)
	case model.KindRejected:
		return s.askSummary(r, asOneText(whole.Messages[:len(whole.Messages)-1], ask))
	}
	return "", err
}

func (s *Session) askSummary(r *run, request model.Request) (string, error) {
	for part, err := range r.model.Stream(r.ctx, request) {
		if err != nil {
			if r.ctx.Err() != nil {
				return "", context.Cause(r.ctx)
			}
			return "", err
		}
		if p, ok := part.(model.Retry); ok {
			s.show(r.id, "run.state", RunState{State: "retrying", Detail: p.Err.Error(), Iteration: r.iteration, Attempt: p.Attempt + 1, InMs: p.In.Milliseconds()})
		}
		done, ok := part.(model.Done)
		if !ok {
			continue
		}
		if u := done.Usage; u != nil {
			r.usage.Add(&history.TokenCount{InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.Cached, Cost: u.Cost})
		}
		switch {
		case len(done.Calls) > 0:
			return "", errors.New("the summary has tool calls")
		case strings.TrimSpace(done.Text) == "":
			return "", errors.New("the summary is empty")
		}
		return strings.TrimSpace(history.Clean(done.Text)), nil
	}
	return "", errors.New("the summary did not end")
}

// resultCuts are how much of each tool result is cut away, in percent, one try
// after another, for a summariser that overflows (session §6).
var resultCuts = []int{10, 20, 50, 100}

// summariseLess gives a summariser that overflows the older part alone, with less
// and less of its tool results, and then without its oldest turns.
func (s *Session) summariseLess(r *run, cut int, ask string) (summary string, err error) {
	for _, percent := range resultCuts {
		if summary, err = s.askSummary(r, s.shortened(r, 0, cut, percent, ask)); !overflows(err) {
			return summary, err
		}
	}
	s.mu.Lock()
	turns := s.t.TurnStarts()
	s.mu.Unlock()
	for _, from := range turns {
		if from == 0 || from >= cut {
			continue
		}
		if summary, err = s.askSummary(r, s.shortened(r, from, cut, 100, ask)); !overflows(err) {
			return summary, err
		}
	}
	return "", err
}

// shortened is the items from one to the other, with so much of every tool result
// cut away.
func (s *Session) shortened(r *run, from, to, percent int, ask string) model.Request {
	request := s.request(r)
	s.mu.Lock()
	older := *s.t
	s.mu.Unlock()
	older.Items = older.Items[from:to]
	messages := older.Messages(s.blob)
	for i := range messages {
		if m := &messages[i]; m.Role == "tool" {
			m.Text, m.Images = cutText(m.Text, len(m.Text)*(100-percent)/100), nil
		}
	}
	request.Messages = append(append(request.Messages[:1:1], messages...), model.Message{Role: "user", Text: ask})
	request.ToolChoice = "none"
	return request
}

// asOneText gives the conversation to a provider that refuses to be told not to
// call tools.
func asOneText(messages []model.Message, ask string) model.Request {
	var b strings.Builder
	b.WriteString(ask)
	b.WriteString("\n\n<conversation>\n")
	for _, m := range messages {
		if m.Role == "system" && b.Len() < len(ask)+40 {
			continue // the system prompt itself
		}
		fmt.Fprintf(&b, "[%s] %s\n", m.Role, m.Text)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "[call] %s %s\n", c.Name, c.Arguments)
		}
	}
	b.WriteString("</conversation>")
	return model.Request{Messages: []model.Message{{Role: "user", Text: b.String()}}}
}
