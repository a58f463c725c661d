package explore

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// thoroughness is how much looking an answer is worth. The arguments of `task` are
// the same for all agents, so anyone who sends an explorer says it in the prompt:
// "quick: where is …", or "Thoroughness: very thorough" anywhere in it.
type thoroughness int

const (
	unsaid thoroughness = iota
	quick
	medium
	veryThorough
)

// level matches how it is said.
var level = lazy.Regexp(`(?i)(?:^[^\pL]*|\bthoroughness\b[^\pL]+(?:level\b[^\pL]*)?(?:is\b[^\pL]*)?)(quick|medium|very[ -]thorough)\b`)

// opening matches what must be behind a level that begins a prompt: "Quick
// question about …" is none.
var opening = lazy.Regexp(`^[*_"”)\]]*(?:[:.,;–—-]|\s*\n|$|\s+(?:search|look|exploration|thoroughness)\b)`)

func thoroughnessOf(prompt string) thoroughness {
	for _, m := range level().FindAllStringSubmatchIndex(prompt, -1) {
		word, rest := strings.ToLower(prompt[m[2]:m[3]]), prompt[m[3]:]
		if said := strings.ToLower(prompt[m[0]:m[2]]); !strings.Contains(said, "thoroughness") && !opening().MatchString(rest) {
			continue
		}
		switch word {
		case "quick":
			return quick
		case "medium":
			return medium
		}
		return veryThorough
	}
	return unsaid
}

// share is how many percent of the configured turns it has; 0 is all of them.
func (t thoroughness) share() int {
	switch t {
	case quick:
		return 33
	case medium:
		return 67
	}
	return 0
}
