//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
)

// restoreOne goes back to the first prompt.
const restoreOne = `{"sessionId": "0001", "seq": 2, "confirm": true, "skip": "conflicts"}`

// backToOne is a session that has changed and made files, and a person who goes back to
// its first prompt with the files.
var backToOne = story{
	name:   "restore",
	config: edits,
	files:  map[string]string{"free.txt": "epsilon end\n"},
	model: `
when ^One
repeat 99
call r1 read {"path": "free.txt"}
---
when ^1: epsilon
repeat 99
call e1 edit {"path": "free.txt", "old": "end", "new": "<e1> end"}
call e2 write {"path": "free2.txt", "content": "<e2>\n"}
---
when .
repeat 99
say Done.
`,
	deeds: []string{
		`agent/run {"prompt": "One.", "clientMessageId": "m-1"}`,
		`agent/session/restore ` + restoreOne,
	},
}

// TestARestoreIsFinishedByAskingAgain: wherever the process dies, the same request to the
// next one brings every file back and makes a fork, or says that the prompt was never
// written. The disk ends with the files of before the prompt.
func TestARestoreIsFinishedByAskingAgain(t *testing.T) {
	seed := sample.Seed(t)
	knownProber()
	steps := backToOne.steps(t)
	var deaths atomic.Int64
	for _, way := range []string{before, after, power} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			for k := range steps {
				if !chosen(seed, "asking again", way, k) {
					continue
				}
				deaths.Add(1)
				backToOne.inPremises(t, fmt.Sprint(k+1), func(h *premises) {
					h.die(k+1, way, h.live, (*life).play)
					known := len(h.logs().Lines()) > 1
					next := h.live(&durable.Disk{})
					next.hello()
					var got struct {
						Session   *struct{ ID string }
						Conflicts []struct{ Path string }
					}
					raw := next.ask("agent/session/restore", restoreOne)
					next.end()
					if err := json.Unmarshal(raw, &got); err != nil || known != (got.Session != nil) {
						t.Errorf("the prompt is written: %t; asked again: %s", known, raw)
					}
					free, _ := os.ReadFile(filepath.Join(h.env.Vault, "free.txt"))
					_, err := os.Stat(filepath.Join(h.env.Vault, "free2.txt"))
					if len(got.Conflicts) == 0 && (string(free) != "epsilon end\n" || err == nil) {
						t.Errorf("the files are not back: %q, %v; %s", free, err, raw)
					}
				})
			}
		})
	}
	t.Cleanup(func() { t.Logf("%d steps, %d deaths", len(steps), deaths.Load()) })
}
