package session

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// What a client sends with a prompt fits the log's line, or is refused before
// anything is recorded.
func TestStashedPromptFitsALine(t *testing.T) {
	link := history.Block{Type: "resource_link", URI: "file:///" + strings.Repeat("x", 8000)}
	many := make([]history.Block, 20_000)
	for i := range many {
		many[i] = history.Block{Type: "text", Text: "x"}
	}
	links := make([]history.Block, 65)
	for i := range links {
		links[i] = link
	}
	for name, row := range map[string]struct {
		blocks []history.Block
		taken  bool
	}{
		"data that is no image's": {[]history.Block{{Type: "text", Text: "x", Data: strings.Repeat("A", 2<<20)}}, true},
		"a kind without an end":   {[]history.Block{{Type: "text", Text: "x", MIMEType: strings.Repeat("A", 2<<20)}}, false},
		"many blocks":             {many, false},
		"65 long addresses":       {links[:65], true},
		"66 long addresses":       {append(links, link), false},
	} {
		s := newHouse(t).session(t)
		out, err := s.intake.offload(row.blocks)
		if !row.taken {
			if !errors.As(err, new(*InvalidError)) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		line, _ := history.Marshal(out)
		if err != nil || len(line) > durable.MaxLine/2 {
			t.Errorf("%s: %d bytes, %v", name, len(line), err)
		}
	}
}
