package store

import (
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// A session is cut before a prompt, or words handed to a run, and at nothing else; where
// it cannot be cut there, at the last place where it can.
func TestRestoreIsCutBeforeAPrompt(t *testing.T) {
	st := newStore(t)
	log := history.Read(eventful(t, st))
	want := map[int64]int64{4: 3, 14: 13}
	for seq := int64(-1); seq < 30; seq++ {
		cut, err := cutBefore(log, seq)
		if prompt := want[seq] != 0; cut != want[seq] || prompt != (err == nil) {
			t.Errorf("before %d: %d, %v", seq, cut, err)
		}
	}
	first := history.Read(writeLog(t, st, "0002", openedMain,
		`"runId":"r1","type":"run.started","data":{"prompt":[],"agent":"build","model":"m","kind":"prompt"}`,
		`"runId":"r1","type":"message.assistant","data":{"messageId":"m1","text":"","calls":[{"callId":"c1","tool":"bash","input":{}}],"model":"m"}`,
		`"runId":"r1","type":"message.user","data":{"messageId":"m2","content":[{"type":"text","text":"hurry"}],"steering":true}`,
		`"runId":"r2","type":"run.started","data":{"prompt":[],"agent":"build","model":"m","kind":"continuation"}`,
		`"runId":"r2","type":"message.user","data":{"messageId":"m3","content":[],"synthetic":true}`))
	for seq, want := range map[int64]int64{2: 1, 4: 2, 5: 0, 6: 0} {
		if cut, _ := cutBefore(first, seq); cut != want {
			t.Errorf("before %d: %d, not %d", seq, cut, want)
		}
	}
}
