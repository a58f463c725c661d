package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// longCalls is how many tool calls the long session has: 2,000 with -thorough.
func longCalls() int {
	if sample.Thorough() {
		return 2000
	}
	return 500
}

// TestLongSession plays a session of 2,000 calls against a model with a small, a usual and a large window
// (-thorough; else of fewer calls, in a small window) that counts what it is sent and refuses what is over it. What holds in every
// one: no request is over the window, every call has its one result right behind it in every request, the
// laws of the log, and a prefix that stays as it is, so that a provider's cache is of use.
func TestLongSession(t *testing.T) {
	for _, c := range []struct {
		window int
		// mean is how much of a request's messages the next one must begin with, as a
		// share, where nothing was pruned or summarised between them. Growing by
		// appending gives 1. A step of layer one rewrites what stands behind the first
		// result that it shortens; it gains a quarter of the trigger, so that with
		// the results of this session there are some ten requests to a step in the
		// large window, and three in the small one, where the prompt and the tools
		// take most of the room. Shortening with every request gives 0.7 and less.
		mean float64
	}{
		{8 << 10, 0.8},
		{32 << 10, 0.83},
		{128 << 10, 0.92},
	} {
		if c.window > 8<<10 && !sample.Thorough() {
			continue // a small window fills up in few calls, and is summarised most often
		}
		t.Run(fmt.Sprintf("%dk", c.window>>10), func(t *testing.T) {
			t.Parallel()
			dir, watch, began := t.TempDir(), &prefixes{least: 1}, time.Now()
			var problems []string
			synctest.Test(t, func(t *testing.T) {
				talk, err := testclient.ParseConversation("long_session", longSession(c.window))
				if err != nil {
					t.Fatal(err)
				}
				// Nothing is compared with golden lines: an update that nobody writes.
				o := testclient.Options{Dir: dir, Start: startHere(t, sandbox.NewProber(dir)), Settle: synctest.Wait, Update: true, Watch: watch.see}
				problems = testclient.Play(talk, o).Problems
			})
			if len(problems) > 0 {
				t.Errorf("%d problems: %.4000s", len(problems), strings.Join(problems, "\n"))
			}
			calls, sums := tellLong(t, dir)
			t.Logf("%d calls in %d requests, %.1f s; a request begins with %.1f %% of the one before it (least %.1f %%), a summary's with %.1f %%; largest %d tokens of %d",
				calls, watch.asked, time.Since(began).Seconds(), 100*watch.mean(), 100*watch.least, 100*watch.ofSummaries(), watch.largest*2/7, c.window)
			if calls != longCalls() || sums == 0 || watch.refused > 0 {
				t.Errorf("%d calls have a result, %d summaries, %d requests were over the window", calls, sums, watch.refused)
			}
			if watch.mean() < c.mean {
				t.Errorf("the prefix is not stable: %.3f on the mean", watch.mean())
			}
		})
	}
}

// longSession writes the conversation: files of all sizes, prompts long and
// short, batches of calls, calls that fail, one turn with hundreds of calls, and
// words of the person while the model works.
func longSession(window int) string {
	var model, talk, files strings.Builder
	lines := func(n int, word string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "\t%s%d := \"%s\" // line %d of it\n", word, i, word, i)
		}
		return b.String()
	}
	sizes := map[string]int{"tiny": 2, "small": 30, "middle": 180, "large": 1200, "huge": 9000}
	for name, n := range sizes {
		fmt.Fprintf(&files, "-- workspace/%s.go --\n%s", name, lines(n, name))
	}
	fmt.Fprintf(&model, "window %d\n", window)
	names := []string{"tiny", "small", "tiny", "middle", "small", "large", "tiny", "small", "middle", "huge"}
	calls := 0
	call := func() {
		calls++
		n := calls
		switch {
		case n%17 == 0:
			fmt.Fprintf(&model, "call k%d read {\"path\": \"no/such/file%d.go\"}\n", n, n)
		case n%53 == 0:
			fmt.Fprintf(&model, "callraw k%d read {\"path\": \"cut\n", n)
		case n%11 == 0:
			text, _ := json.Marshal(lines(3+n%min(40, window>>9), "new"))
			fmt.Fprintf(&model, "call k%d write {\"path\": \"out/f%d.go\", \"content\": %s}\n", n, n, text)
		case n%7 == 0:
			fmt.Fprintf(&model, "call k%d grep {\"pattern\": \"line %d of\", \"path\": \".\"}\n", n, n%1000)
		case n%23 == 0:
			fmt.Fprintf(&model, "call k%d glob {\"pattern\": \"**/*%d.go\"}\n", n, n%10)
		default:
			fmt.Fprintf(&model, "call k%d read {\"path\": \"%s.go\", \"offset\": %d}\n", n, names[n%len(names)], 1+n%3)
		}
	}
	step := func(batch int) {
		fmt.Fprintf(&model, "say Step %d.\n", calls)
		for range min(batch, longCalls()-calls) {
			call()
		}
		model.WriteString("usage counted\n---\n")
	}
	talk.WriteString(`--- hide session.opened session.changed run.started run.state run.ended usage message.user message.assistant message.delta tool.input tool.requested tool.decided tool.returned file.changed context.pruned context.compacted notice
`)
	start := func(id int) {
		fmt.Fprintf(&talk, "--> initialize #%d {\"processId\": null, \"rootUri\": \"file://$VAULT\", \"initializationOptions\": {\"agentSidecar\": {\"trusted\": true}}, \"capabilities\": {\"experimental\": {\"agentSidecar\": {\"versions\": [1]}}}}\n--> initialized {}\n", id)
	}
	start(1)
	for turn := 0; calls < longCalls(); turn++ {
		if turn%25 == 24 { // another process knows nothing of what was shown by name
			talk.WriteString("--- restart\n")
			start(20_000 + turn)
		}
		fmt.Fprintf(&talk, "--> agent/run #%d {\"sessionKey\": \"main\", \"prompt\": %q}\n", turn+2, fmt.Sprintf("Task %d. Never touch file %d. %s", turn, turn, strings.Repeat("Look at it well. ", turn%5*20)))
		steps, from := 3+turn%13, calls
		if turn == 6 { // one turn with hundreds of calls
			steps = 300
		}
		for i := 0; i < steps && calls < longCalls(); i++ {
			if i == 2 && turn%4 == 1 {
				model.WriteString("stall 30s\n")
			}
			step(1 + (from+i)%7*(i%3)/4)
		}
		model.WriteString("say Task done. All of it was looked at, and this is what was found in the files.\nusage counted\n---\n")
		if turn%4 == 1 && steps > 3 {
			fmt.Fprintf(&talk, "--> agent/run #%d {\"sessionKey\": \"main\", \"prompt\": \"Mind also number %d.\", \"delivery\": \"steer\"}\n", turn+10002, turn)
		}
		talk.WriteString("--- wait 1m\n")
	}
	talk.WriteString("--> shutdown #99999\n--> exit {}\n")
	summary, _ := json.Marshal("1. Request and intent: files are read and written, task after task.\n" + strings.Repeat("2. More of what was found, in other words each time: $N.\n", 5))
	fmt.Fprintf(&model, "--- for compaction\nrepeat 100000\noptional\nsummary %s\nusage counted\n", summary)
	return "A long session.\n-- config --\n" + fmt.Sprintf(`{"providers": {"p": {"baseUrl": "$MODEL", "apiKeys": ["k-123456"], "models": {"scripted": {"window": %d}}}}, "model": "p/scripted",
  "agents": {"runtime": {"limits": {"maxToolCalls": 0, "maxTurns": 0}, "doomLoop": {"maxToolCalls": 0, "sameToolThreshold": 100000}, "permission": {"rules": [{"domain": "edit", "pattern": "vault:**", "decision": "allow"}]}}}}
`, window) + files.String() + "-- model --\n" + model.String() + "-- conversation --\n" + talk.String()
}

// prefixes compares each request with the one before it.
type prefixes struct {
	before  []byte // the messages and tools of the last request of the conversation itself
	summary bool   // a summary was asked for since
	pruned  int    // results of it that were taken out
	asked, refused,
	largest int

	shares, least float64
	compared      int
	sumShares     float64
	sums          int
}

func (p *prefixes) see(r scriptmodel.Request) {
	if r.Status != 200 {
		p.refused++
		return
	}
	p.asked++
	p.largest = max(p.largest, len(r.Body))
	var body struct{ Messages, Tools json.RawMessage }
	if json.Unmarshal(r.Body, &body) != nil {
		return // the model itself says so
	}
	now := slices.Concat(body.Tools, body.Messages) // what providers put into the prompt, in their order
	pruned := bytes.Count(now, []byte("[Old tool result content cleared]"))
	share := 0.0
	if len(p.before) > 0 {
		n := 0
		for n < len(now) && n < len(p.before)-1 && now[n] == p.before[n] {
			n++
		}
		share = float64(n-len(body.Tools)) / float64(len(p.before)-1-len(body.Tools))
	}
	switch {
	case r.For == "compaction":
		p.sumShares, p.sums, p.summary = p.sumShares+share, p.sums+1, true
		return
	case !p.summary && len(p.before) > 0 && pruned == p.pruned:
		p.shares, p.compared, p.least = p.shares+share, p.compared+1, min(p.least, share)
	}
	p.before, p.summary, p.pruned = now, false, pruned
}

func (p *prefixes) mean() float64 { return p.shares / float64(max(p.compared, 1)) }

func (p *prefixes) ofSummaries() float64 { return p.sumShares / float64(max(p.sums, 1)) }

// tellLong reads the log: how many calls have a result, how many summaries were
// accepted; and prints what they did.
func tellLong(t *testing.T, dir string) (calls, sums int) {
	t.Helper()
	pruned, failed, ended := 0, map[string]int{}, map[string]int{}
	var before, after, words int64
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "events.jsonl" {
			return err
		}
		return eachLine(path, func(line []byte) error {
			var l struct {
				Type string
				Data json.RawMessage
			}
			if err := json.Unmarshal(line, &l); err != nil {
				return err
			}
			var ctx struct {
				OK              bool
				Before, After   int64
				Summary, Reason string
			}
			var end struct{ StopReason string }
			switch l.Type {
			case "tool.returned":
				calls++
			case "context.pruned":
				pruned++
			case "run.ended":
				err = json.Unmarshal(l.Data, &end)
				ended[end.StopReason]++
			case "context.compacted":
				if err = json.Unmarshal(l.Data, &ctx); !ctx.OK {
					failed[ctx.Reason]++
					break
				}
				sums++
				before, after, words = before+ctx.Before, after+ctx.After, words+int64(len(ctx.Summary))
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	n := int64(max(sums, 1))
	t.Logf("%d summaries, %d → %d tokens on the mean, %d bytes long; %d times pruned; failed: %v; runs: %v", sums, before/n, after/n, words/n, pruned, failed, ended)
	if len(ended) != 1 || ended["end_turn"] == 0 {
		t.Errorf("runs ended %v", ended)
	}
	return calls, sums
}
