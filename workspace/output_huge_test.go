//go:build linux

package workspace

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient/sample"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// However much a command prints, and of whatever, it costs the process a bounded
// amount of memory; the file ends at its cap and says so, and what is shown live is
// bounded in size and number. With -thorough it is 2 GB
// instead of 120 MB, and everything instead of lines and some of the rest.
func TestBashHugeOutputInBoundedMemory(t *testing.T) {
	size, times := "120000000", "25" // what is kept of it ends at 100 MiB, and of bytes by chance every second one is kept
	if sample.Thorough() {
		size, times = "2000000000", "250"
	}
	sh, _ := shellIn(t)
	seed := sample.Seed(t)
	t.Logf("AGENT_SIDECAR_SEED=%d", seed)
	for name, command := range map[string]string{
		"lines":         "yes 'a line of some output' | head -c " + size,
		"short lines":   "yes | head -c " + size,
		"one line":      "head -c " + size + " /dev/zero | tr '\\0' x",
		"NUL":           "head -c 120000000 /dev/zero",
		"binary":        "head -c 8000000 /dev/urandom > r; for i in $(seq " + times + "); do cat r; done",
		"drawn again":   "yes 'progress' | head -c " + size + " | tr '\\n' '\\r'",
		"open sequence": "printf '\\033]0;'; head -c " + size + " /dev/zero | tr '\\0' x",
	} {
		if name != "lines" && !sample.Chosen(seed, 4, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // peak starts anew, where that is allowed
			before, begun := peak(t), time.Now()
			k := &outputtest.Kept{Mute: true}
			r, err := outputtest.Allowed(t.Context(), bashPlan(t, sh, map[string]any{"command": command, "timeoutMs": bashMaxTimeout}), k)
			if err != nil || r.Failed {
				t.Fatalf("%+v %v", r, err)
			}
			took := time.Since(begun)
			grown := peak(t) - before
			t.Logf("%v, %d MiB more", took, grown>>20)
			if grown > 32<<20 {
				t.Errorf("%d MiB more", grown>>20)
			}
			if name != "drawn again" && name != "open sequence" && (r.Spilled == nil || !r.Spilled.Capped || k.Files[0].Size > output.FileBytes || r.Text != "") {
				t.Errorf("%+v", r)
			}
			if most := int(took/output.LiveEvery) + 1; len(k.Live) > most {
				t.Errorf("%d pieces shown live in %v", len(k.Live), took)
			}
			for _, text := range k.Live {
				if len(text) > output.LiveBytes {
					t.Errorf("%d bytes shown live at once", len(text))
				}
			}
		})
	}
}

// A cancel in the middle of a flood ends it, and what there was is kept.
func TestBashCancelInAFlood(t *testing.T) {
	sh, _ := shellIn(t)
	for _, command := range []string{"yes", "cat /dev/zero", "cat /dev/urandom", "trap '' TERM; yes"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		because := errors.New("the user said so")
		sink := &trigger{Kept: outputtest.Kept{Mute: true}, act: func() { cancel(because) }}
		r, err := outputtest.Allowed(ctx, bashPlan(t, sh, map[string]any{"command": command}), sink)
		if !errors.Is(err, because) || !r.Failed || r.Spilled == nil {
			t.Errorf("%s: %v, %+v", command, err, r)
		}
	}
}
