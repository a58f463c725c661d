package history

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// anyBody is one of everything that a log may say, in any order: the fold has to be the
// replay of what no session would write, too.
func anyBody(r *rand.Rand, seq int64) Body {
	n := func(most int) int { return r.IntN(most) }
	id := func() string { return fmt.Sprint("c", n(9)) }
	words := func() string { return strings.Repeat(fmt.Sprint("Never <say> \"", n(99), "\" 会.\n"), n(4)) }
	ref := func() *tool.ArtifactRef {
		if n(3) > 0 {
			return nil
		}
		return &tool.ArtifactRef{ArtifactID: id(), Path: "out/" + id(), Lines: 7, Bytes: 70}
	}
	yes := n(2) == 0
	calls := func() (out []Call) {
		for range n(4) {
			out = append(out, Call{CallID: id(), Tool: "read", Input: json.RawMessage(`{"path":"` + id() + `<"}`)})
		}
		return out
	}
	title, mode, number, tokens := words(), tool.ModeFullAccess, n(5), int64(n(5))
	prompt := Text(words() + ".")
	switch n(24) {
	case 0:
		return Changed{Title: &title, Tainted: &yes, AutoCompact: &yes, Model: &title}
	case 1:
		return Changed{Mode: &mode, SystemPrompt: &title, Params: &model.Params{MaxTokens: &tokens}, CompactionCount: &number}
	case 2:
		return RunQueued{ItemID: id(), Request: Request{Prompt: prompt, ClientMessageID: "m" + id()}}
	case 3, 4:
		return RunStarted{Prompt: prompt, Agent: []string{"plan", "build"}[n(2)], Model: id(), Kind: []string{"prompt", "compaction", "continuation"}[n(3)], ClientMessageID: "m" + id(), Limits: &Limits{MaxTurns: &number}}
	case 5:
		cost := Cost{Amount: 0.1, Currency: "USD"}
		return RunEnded{StopReason: []StopReason{StopEndTurn, StopInterrupted, StopError}[n(3)], Usage: Usage{InputTokens: 3, Cost: &cost}, Changes: []FileChange{}}
	case 6, 7:
		return UserMessage{Content: prompt, Steering: yes, Synthetic: n(2) == 0, Ignored: n(5) == 0}
	case 8, 9, 10, 11:
		return AssistantMessage{MessageID: id(), Text: words(), Calls: calls(), Model: "m", Usage: &TokenCount{InputTokens: int64(n(3)) * 500, OutputTokens: 1}, Opaque: &model.Opaque{Provider: "p", Fields: map[string]json.RawMessage{"f": json.RawMessage(`{"a":[1]}`)}}}
	case 12:
		return ToolRequested{CallID: id(), Tool: "read", Input: json.RawMessage(`{}`)}
	case 13:
		return ToolDecided{CallID: id(), Decision: "allow"}
	case 14, 15, 16:
		return ToolReturned{CallID: id(), Tool: []string{"read", "web_fetch", "mcp__x"}[n(3)], Status: []Status{StatusCompleted, StatusFailed, StatusInterrupted}[n(3)], Text: []string{words(), `{"a":1}`}[n(2)], Artifact: ref(), ExitCode: &number,
			Changes: []FileChange{{Path: id(), Kind: "modified"}}, Images: []ImageRef{{Blob: id()}}}
	case 17:
		return Approval{ApprovalID: id(), CallID: id(), Targets: []string{title}, Preview: &ApprovalPreview{Text: words()}}
	case 18:
		return ApprovalResolved{ApprovalID: id(), Grants: []control.Rule{{Domain: "bash", Pattern: "x"}}}
	case 19:
		return SubagentStarted{Path: id() + "#1", CallID: id(), Prompt: words()}
	case 20:
		return SubagentEnded{Path: id() + "#1", Usage: Usage{OutputTokens: 4}}
	case 21:
		return FileChanged{CallID: []string{UndoName + fmt.Sprint(n(5)), id()}[n(2)], Path: id(), From: id(), Kind: []string{"created", "deleted", "moved", "modified"}[n(4)], Before: []string{"", "x"}[n(2)], After: "y"}
	case 22:
		return ContextPruned{CallIDs: []string{id(), id(), id()}, Artifacts: map[string]tool.ArtifactRef{id(): {Path: "a"}}, Texts: map[string]string{id(): words()}}
	}
	return []Body{ContextCompacted{OK: n(4) > 0, Summary: words(), KeepFrom: seq - int64(n(12))}, PlanUpdated{Items: []PlanItem{{ID: id(), Text: title}}}, ModelSwitched{To: id()}, MemoryFlushed{}, LoopDetected{}, Unknown{"future.thing", []byte(fmt.Sprintf(`{"seq":%d,"time":"2026-01-01T00:00:00.000Z","type":"future.thing","data":{}}`, seq))}}[n(6)]
}

// story is a log of so many events of any kind.
func story(seed uint64, events int) (out []Event) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range events {
		e := Event{Seq: int64(i + 1), Time: time.UnixMilli(int64(i) * 1000).UTC(), Run: []string{"", "r1", "r2"}[r.IntN(3)], Body: anyBody(r, int64(i+1))}
		if i == 0 {
			e.Body = Opened{Version: 1, Key: "k", Agent: "build", Mode: "agent"}
		}
		out = append(out, e)
	}
	return out
}

// written is the log of some events, in a folder of its own, with a fold of so many of them.
func written(t testing.TB, events []Event, folded int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	l, err := Create(&durable.Disk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	live := NewTranscript()
	for i, e := range events {
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		if err := live.Apply(e); err != nil {
			t.Fatal(err)
		}
		if i+1 == folded {
			keepNow(t, l, live)
		}
	}
	return dir
}

// keepNow writes the fold of a log however short it is.
func keepNow(t testing.TB, l *Log, of *Transcript) {
	t.Helper()
	body, err := foldOf(of, l.seal.cut()).encode(of.CallIDs)
	if err == nil {
		err = l.disk.WriteCache(l.foldPath(), body, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// replayed is what follows from the log of a folder without its fold, which is put back, and
// with it; by says up to where the fold was believed, in bytes.
func replayed(t testing.TB, dir string) (plain, folded *Transcript, by int64) {
	t.Helper()
	path := filepath.Join(dir, foldFile)
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	plain, err := Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	size, err := fileSize(filepath.Join(dir, LogFile))
	if err != nil {
		t.Fatal(err)
	}
	believed := Read(dir)
	believed.unfold(size)
	l, folded, err := Open(&durable.Disk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.lines.count != plain.Seq {
		t.Errorf("%d lines of %d", l.lines.count, plain.Seq)
	}
	for _, seq := range []int64{1, plain.Seq / 3, plain.Seq} {
		if err := l.Each(seq, func(e Event) error {
			if e.Seq != max(seq, 1) {
				t.Errorf("line %d is taken for %d", e.Seq, seq)
			}
			return ErrStop
		}); err != nil {
			t.Error(err)
		}
	}
	return plain, folded, believed.kept
}

// same says where two transcripts differ, "" where they do not.
func same(a, b *Transcript) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	va, vb := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range va.NumField() {
		if x, y := fmt.Sprintf("%#v", va.Field(i)), fmt.Sprintf("%#v", vb.Field(i)); x != y {
			return fmt.Sprintf("%s: %s\nand %s", va.Type().Field(i).Name, x, y)
		}
	}
	return "in what is pointed to"
}
