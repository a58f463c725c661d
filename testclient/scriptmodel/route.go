package scriptmodel

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// toldTool is the description of a tool in a system prompt, where tools are texts.
var toldTool = regexp.MustCompile(`(?s)\n## ([A-Za-z0-9_-]+)\n\n[^\n].*?\n\nArguments: \{`)

// Told are the tools that the system prompt describes, in their order.
func (r *ChatRequest) Told() (names []string) {
	for _, found := range toldTool.FindAllStringSubmatch(r.System(), -1) {
		names = append(names, found[1])
	}
	return names
}

func (r *ChatRequest) hasTool(name string) bool {
	return slices.ContainsFunc(r.Tools, func(t chatTool) bool { return t.Function.Name == name }) || slices.Contains(r.Told(), name)
}

// last is the last user or tool message.
func (r *ChatRequest) last() (m ChatMessage) {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "user" || m.Role == "tool" {
			return m
		}
	}
	return m
}

// FirstUser is the text of the first message of the user, "" if there is none.
func (r *ChatRequest) FirstUser() string {
	for _, m := range r.Messages {
		if m.Role == "user" {
			return m.Text()
		}
	}
	return ""
}

// asksForSummary knows both forms of the request: calls forbidden, or one text
// without tools.
func (r *ChatRequest) asksForSummary() bool {
	n := len(r.Messages)
	if n == 0 || r.Messages[n-1].Role != "user" {
		return false
	}
	return string(r.ToolChoice) == `"none"` || len(r.Tools)+len(r.Told()) == 0
}

// asksForMemory knows the silent turn before a summary: anyone who is asked there is
// told how to say that nothing has to be written.
func (r *ChatRequest) asksForMemory() bool {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "user" {
			return strings.Contains(m.Text(), "NO_REPLY")
		}
	}
	return false
}

// asksForTitle knows the request beside the first answer of a session.
func (r *ChatRequest) asksForTitle() bool {
	return strings.HasPrefix(r.System(), "You name conversations.")
}

// besides answers, in scripts that are about something else, what is asked beside every
// conversation: there is nothing to remember, and no title.
func besides(title string) *section {
	s, _ := newSection(title)
	words := map[string]string{"memory": "NO_REPLY", "title": "."}[title]
	return &section{rank: s.rank, fits: s.fits, turns: []*turn{{optional: true, repeat: math.MaxInt, verbs: []verb{{name: "say", text: words}, {name: "usage"}}}}}
}

// newSection reads what follows "--- for". The narrower a section, the earlier
// it is tried: memory and title, prompt, system and model, then agents, compaction, main.
func newSection(title string) (*section, error) {
	s := &section{title: title}
	kind, arg, _ := strings.Cut(title, " ")
	arg = strings.TrimSpace(arg)
	var re *regexp.Regexp
	var err error
	switch kind {
	case "main":
		s.rank, s.fits = 3, func(*ChatRequest) bool { return true }
	case "compaction":
		s.rank, s.fits = 2, (*ChatRequest).asksForSummary
	case "memory":
		s.rank, s.fits = -1, (*ChatRequest).asksForMemory
	case "title":
		s.rank, s.fits = -1, (*ChatRequest).asksForTitle
	case "prompt":
		re, err = regexp.Compile(arg)
		s.fits = func(r *ChatRequest) bool { return re.MatchString(r.FirstUser()) }
	case "system":
		re, err = regexp.Compile(arg)
		s.fits = func(r *ChatRequest) bool { return re.MatchString(r.System()) }
	case "model":
		s.fits = func(r *ChatRequest) bool { return r.Model == arg }
	default:
		if kind == "agent" {
			kind = arg
		}
		re, err = regexp.Compile(`(?i)\b` + regexp.QuoteMeta(kind) + `\b`)
		s.rank, s.fits = 1, func(r *ChatRequest) bool { return !r.hasTool("task") && re.MatchString(r.System()) }
	}
	if err != nil {
		return nil, fmt.Errorf("for %s: %w", title, err)
	}
	return s, nil
}

func (s *script) order() {
	slices.SortStableFunc(s.sections, func(a, b *section) int { return a.rank - b.rank })
}

// next is the first unused turn, of the first section that fits the request,
// whose when fits its last message, with the groups that when captured. The
// section is given also when it has no turn left.
func (s *script) next(r *ChatRequest) (*section, *turn, []string) {
	last := r.last().Text()
	for _, sec := range s.sections {
		if !sec.fits(r) {
			continue
		}
		for _, t := range sec.turns {
			if t.used >= t.repeat || t.has != nil && !t.has.Match(r.body) {
				continue
			}
			if t.when == nil {
				t.used++
				return sec, t, nil
			}
			if groups := t.when.FindStringSubmatch(last); groups != nil {
				t.used++
				return sec, t, groups
			}
		}
		return sec, nil, nil
	}
	return nil, nil, nil
}

// unused names the turns that were never asked for.
func (s *script) unused() []string {
	var out []string
	for _, sec := range s.sections {
		for _, t := range sec.turns {
			if t.used == 0 && !t.optional {
				out = append(out, fmt.Sprintf("script line %d (for %s): this turn was never asked for", t.line, sec.title))
			}
		}
	}
	return out
}
