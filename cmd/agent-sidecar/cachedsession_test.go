package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// What an input token costs, as a share of its price, at Anthropic.
const (
	readShare    = 0.1
	writtenShare = 1.25
	lookBack     = 20 // blocks before a mark in which a cached prefix is found
)

// TestCachedSession plays a usual session of a person against a model that is asked by the
// Messages API: reading, searching, changing, planning, a restart. A provider is simulated that
// reads from its cache what was marked in earlier requests. What the input costs is held
// against what it would with a cache that forgets nothing, and how much of each request the one
// before it has against what it should be.
func TestCachedSession(t *testing.T) {
	for _, c := range []struct {
		window int
		cost   float64 // at most, of what perfect caching would cost
		share  float64 // at least, of all bytes that were sent
	}{
		{128 << 10, 1.1, 0.985},
		// Layer one and summaries make the beginning another one here; no model of this API has
		// so small a window, and its mark before what they change would save the difference.
		{32 << 10, 1.2, 0.97},
	} {
		if c.window < 128<<10 && !sample.Thorough() {
			continue
		}
		t.Run(fmt.Sprintf("%dk", c.window>>10), func(t *testing.T) {
			t.Parallel()
			dir, seen := t.TempDir(), &cache{kept: map[string]bool{}}
			var problems []string
			synctest.Test(t, func(t *testing.T) {
				talk, err := testclient.ParseConversation("cached_session", usualSession(c.window))
				if err != nil {
					t.Fatal(err)
				}
				o := testclient.Options{Dir: dir, Start: startHere(t, sandbox.NewProber(dir)), Settle: synctest.Wait, Update: true, Watch: seen.see}
				problems = testclient.Play(talk, o).Problems
			})
			if len(problems) > 0 {
				t.Errorf("%d problems: %.4000s", len(problems), strings.Join(problems, "\n"))
			}
			share := seen.same / seen.sent
			t.Logf("%d requests of up to %.0f tokens, %.2f M in all; the input costs %.3f of what it would with perfect caching and %.2f of what it would with none; %.2f %% is as in the request before; of that one %.2f %% was thrown away: %s",
				seen.asked, seen.largest/bytesPerToken, seen.sent/bytesPerToken/1e6, seen.cost/seen.perfect, seen.cost/seen.sent, 100*share, 100*seen.anew/seen.sent, seen.breaks)
			if !sample.Thorough() { // in a short session most is new
				share += 0.01
			}
			if seen.asked < 100 || seen.cost > c.cost*seen.perfect || share < c.share {
				t.Errorf("%d requests, cost %.3f (at most %.2f), share %.4f (at least %.3f)", seen.asked, seen.cost/seen.perfect, c.cost, share, c.share)
			}
		})
	}
}

const bytesPerToken = 3.9

// cache is a simulated provider's.
type cache struct {
	kept   map[string]bool // prefixes that were marked
	before []string        // the blocks of the last request
	asked  int
	sent, same, anew, cost,
	perfect, largest float64
	breaks []string
}

// see takes a request in.
func (c *cache) see(r scriptmodel.Request) {
	blocks, marks := blocksIn(r.Body)
	c.asked++
	// How much of it is as in the request before.
	same, total := 0, 0
	for i, b := range blocks {
		if i < len(c.before) && same == i && c.before[i] == b {
			same++
		}
		total += len(b)
	}
	kept := sizeOfAll(blocks[:same])
	c.sent, c.same = c.sent+float64(total), c.same+float64(kept)
	c.largest = max(c.largest, float64(total))
	grown := 0
	if len(c.before) > 0 {
		grown = max(sizeOfAll(c.before)-kept, 0) // of the last one, that was thrown away
		c.anew += float64(grown)
	}
	if grown > 4000 {
		c.breaks = append(c.breaks, fmt.Sprintf("%d:%d", c.asked, grown))
	}
	c.perfect += readShare*float64(kept) + writtenShare*float64(total-kept)
	// What its marks are worth.
	read := 0
	for _, m := range marks {
		for at := m; at > max(0, m-lookBack); at-- {
			if at > read && c.kept[strings.Join(blocks[:at], "\x00")] {
				read = at
			}
		}
	}
	last := 0
	for _, m := range marks {
		c.kept[strings.Join(blocks[:m], "\x00")] = true
		last = m
	}
	last = max(last, read)
	c.cost += readShare*float64(sizeOfAll(blocks[:read])) + writtenShare*float64(sizeOfAll(blocks[read:last])) + float64(sizeOfAll(blocks[last:]))
	c.before = blocks
}

func sizeOfAll(blocks []string) (n int) {
	for _, b := range blocks {
		n += len(b)
	}
	return n
}

// blocksIn are the blocks of a request in the order in which the provider reads them, and
// behind which of them there is a mark.
func blocksIn(body []byte) (blocks []string, marks []int) {
	var r struct {
		Tools, System []json.RawMessage
		Messages      []struct {
			Role    string
			Content []json.RawMessage
		}
	}
	if json.Unmarshal(body, &r) != nil {
		return nil, nil
	}
	const mark = `,"cache_control":{"type":"ephemeral"}`
	add := func(role string, raw []json.RawMessage) {
		for _, b := range raw {
			bare := bytes.Replace(b, []byte(mark), nil, 1)
			blocks = append(blocks, role+string(bare))
			if len(bare) < len(b) {
				marks = append(marks, len(blocks))
			}
		}
	}
	add("", r.Tools)
	add("", r.System)
	for _, m := range r.Messages {
		add(m.Role, m.Content)
	}
	return blocks, marks
}

// usualSession writes the conversation.
func usualSession(window int) string {
	turns := 50
	if sample.Thorough() {
		turns = 200
	}
	var model, talk, files strings.Builder
	for i := range 8 {
		fmt.Fprintf(&files, "-- workspace/f%d.go --\npackage a\n", i)
		for line := range 40 + 12*i {
			fmt.Fprintf(&files, "\tname%d := compute(%d, \"some words about it\")\n", line, line*i)
		}
	}
	start := func(id int) {
		fmt.Fprintf(&talk, "--> initialize #%d {\"processId\": null, \"rootUri\": \"file://$VAULT\", \"initializationOptions\": {\"agentSidecar\": {\"trusted\": true}}, \"capabilities\": {\"experimental\": {\"agentSidecar\": {\"versions\": [1]}}}}\n--> initialized {}\n", id)
	}
	talk.WriteString("--- hide session.opened session.changed run.started run.state run.ended usage message.user message.assistant message.delta reasoning.delta tool.input tool.requested tool.decided tool.returned file.changed context.pruned context.compacted notice\n")
	start(1)
	for turn := range turns {
		agent := "build"
		if turn%40 >= 20 && turn%40 < 23 {
			agent = "plan"
		}
		if turn%40 == 30 {
			talk.WriteString("--- restart\n")
			start(1000 + turn)
		}
		session := ""
		if turn > 0 {
			session = `"sessionId": "0001", `
		}
		fmt.Fprintf(&talk, "--> agent/run #%d {%s\"agent\": %q, \"prompt\": \"Task %d: look at f%d.go and mend what is wrong with name%d.\", \"await\": true}\n", turn+2, session, agent, turn, turn%8, turn)
		model.WriteString("think Let me see what is there before I change anything of it.\n")
		switch file := turn % 8; {
		case agent == "plan" || turn%3 == 0:
			fmt.Fprintf(&model, "call a%d grep {\"pattern\": \"name%d :=\", \"path\": \".\"}\nusage counted\n---\n", turn, turn%40)
		case turn%3 == 1:
			fmt.Fprintf(&model, "call a%d read {\"path\": \"f%d.go\"}\nusage counted\n---\n", turn, file)
		default:
			fmt.Fprintf(&model, "call a%d ls {}\ncall b%d glob {\"pattern\": \"*.go\"}\nusage counted\n---\n", turn, turn)
		}
		if agent == "build" && turn%2 == 0 {
			fmt.Fprintf(&model, "say I write it.\ncall c%d write {\"path\": \"out/n%d.go\", \"content\": \"package out\\n\\n// N%d is what was wrong.\\nvar N%d = %d\\n\"}\nusage counted\n---\n", turn, turn, turn, turn, turn)
		}
		fmt.Fprintf(&model, "think That is all.\nsay Task %d is done: the name is as it should be, and nothing else was touched.\nusage counted\n---\n", turn)
		talk.WriteString("--- wait 1m\n")
	}
	talk.WriteString("--> shutdown #99999\n--> exit {}\n")
	fmt.Fprintf(&model, "say Nothing more.\noptional\n--- for compaction\nrepeat 1000\noptional\nsummary What was done so far, in many words.\nusage counted\n--- for memory\nrepeat 1000\noptional\nsay NO_REPLY\n")
	return "A usual session.\n-- config --\n" + fmt.Sprintf(`{"providers": {"p": {"baseUrl": "$MODEL", "apiKeys": ["k-123456"], "models": {"claude": {"window": %d, "api": "messages"}}}}, "model": "p/claude",
  "agents": {"runtime": {"permission": {"rules": [{"domain": "edit", "pattern": "vault:**", "decision": "allow"}]}}}}
`, window) + files.String() + "-- model --\n" + model.String() + "-- client --\nplugin\n-- conversation --\n" + talk.String()
}
