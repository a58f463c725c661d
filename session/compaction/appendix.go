package compaction

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Words are a summary without the heading that the sidecar writes itself, which
// a model may repeat because it saw one.
func Words(summary, prefix string) string {
	words := strings.TrimSpace(summary)
	for {
		line, rest, _ := strings.Cut(words, "\n")
		if line = strings.TrimSpace(line); prefix == "" || line != prefix && !strings.HasPrefix(line, "[conversation compacted; transcript: ") {
			return words
		}
		words = strings.TrimSpace(rest)
	}
}

// Appendix is what is behind the model's own words: what code knows better,
// in at most so many bytes. Where there is more, what is older is left out; the
// last message of the user and the open plan come first.
func Appendix(f history.Facts, plan []history.PlanItem, most int) string {
	var open []string
	for _, p := range plan {
		if p.Status == "pending" || p.Status == "in_progress" {
			open = append(open, p.ID+" ("+p.Status+"): "+p.Text)
		}
	}
	last := f.Last
	if len(last) > most/2 {
		last = strings.ToValidUTF8(last[:most/2], "") + " … (all of it is in the transcript)"
	}
	parts := []struct {
		title string
		lines []string
		text  string
	}{
		{title: "Open plan items:", lines: open},
		{title: "What the user demanded, word for word:", lines: f.Constraints},
		{title: "Files changed:", lines: f.Changed},
		{title: "Files read:", lines: f.Read},
		{title: "Artifacts with whole outputs:", lines: f.Artifacts},
	}
	left := most - len(last)
	for i, p := range parts {
		parts[i].text = list(p.title, p.lines, max(left, 0)/(len(parts)-i))
		left -= len(parts[i].text)
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.text)
	}
	if last != "" {
		b.WriteString("\nThe last message of the user before this point, word for word:\n" + last + "\n")
	}
	return b.String()
}

// list is a titled list of the newest lines that fit into so many bytes.
func list(title string, lines []string, most int) string {
	size, from := len(title)+2, len(lines)
	for from > 0 && size+len(lines[from-1])+len("- \n") <= most {
		from--
		size += len(lines[from]) + len("- \n")
	}
	if from == len(lines) {
		return ""
	}
	return "\n" + title + "\n- " + strings.Join(lines[from:], "\n- ") + "\n"
}
