package session

import (
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// What is too long for the window is cut, and nothing is said to be left out of a
// message that is shown whole, whatever makes it large.
func TestFitPrompt(t *testing.T) {
	picture := history.Block{Type: "image", MIMEType: "image/png", Data: "AAAA"}
	for name, row := range map[string]struct {
		text string
		cut  bool
	}{
		"short":                       {"What is this?", false},
		"no words":                    {"", false},
		"nearly as long as there is":  {strings.Repeat("word ", 580), false},
		"long":                        {strings.Repeat("word ", 2000), true},
		"short, of more than letters": {strings.Repeat("A1", 800), true},
	} {
		for kind, blocks := range map[string][]history.Block{
			"alone": {{Type: "text", Text: row.text}}, "with pictures": {{Type: "text", Text: row.text}, picture, picture},
		} {
			s := newHouse(t).session(t)
			out, cut := s.worker.view.fitPrompt(&shown{as: shownAs{model: "m"}}, blocks, 1000)
			text := out[0].Text
			if cut != row.cut || !cut && text != row.text || cut && len(text) >= len(row.text)+400 || strings.Contains(text, " 0 bytes") || len(out) != len(blocks) {
				t.Errorf("%s %s: cut %v, %d bytes of %d, %d blocks: …%.200s", name, kind, cut, len(text), len(row.text), len(out), text[min(len(text), 1300):])
			}
		}
	}
}
