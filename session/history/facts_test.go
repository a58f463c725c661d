package history

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

func fold(t *testing.T, bodies ...Body) *Transcript {
	t.Helper()
	out := NewTranscript()
	for i, b := range bodies {
		if err := out.Apply(Event{Seq: int64(i + 1), Time: time.Unix(0, 0), Run: "r", Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func reads(id, path string) Body {
	return AssistantMessage{Calls: []Call{{CallID: id, Tool: "read", Input: []byte(fmt.Sprintf(`{"path":%q}`, path))}}}
}

// Facts are what was read and changed, what was kept, and what the user demanded,
// each once, the newest last; they survive the next summary.
func TestFacts(t *testing.T) {
	live := fold(t,
		RunStarted{Prompt: Text("Write a parser. Never touch go.mod! It must be fast.\n不要改测试。Fine"), Kind: "prompt"},
		reads("1", "a.go"), ToolReturned{CallID: "1", Tool: "read", Status: "completed"},
		reads("2", "gone.go"), ToolReturned{CallID: "2", Tool: "read", Status: "failed"},
		reads("3", "b.go"), ToolReturned{CallID: "3", Tool: "read", Status: "completed", Artifact: &tool.ArtifactRef{Path: ".out/3.txt"}},
		ToolReturned{CallID: "4", Tool: "edit", Status: "completed", Changes: []FileChange{{Kind: "modified", Path: "c.go"}}},
		UserMessage{Content: Text("You must not stop."), Synthetic: true},
		reads("5", "a.go"), ToolReturned{CallID: "5", Tool: "read", Status: "completed"},
		AssistantMessage{Text: "I must say it is done."},
		UserMessage{Content: Text("And only in Go."), Steering: true},
		RunEnded{StopReason: "end_turn"},
	)
	want := Facts{
		Read: []string{"b.go", "a.go"}, Changed: []string{"modified c.go"}, Artifacts: []string{".out/3.txt"},
		Constraints: []string{"Never touch go.mod! It must be fast.", "不要改测试", "And only in Go."}, Last: "And only in Go.",
	}
	if got := live.FactsBefore(len(live.Items)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := live.FactsBefore(1); got.Last == want.Last || len(got.Read) > 0 {
		t.Errorf("what is behind the cut counts: %+v", got)
	}
	for _, b := range []Body{
		ContextCompacted{OK: true, KeepFrom: 100, Summary: "s"},
		RunStarted{Prompt: Text("Go on."), Kind: "prompt"}, reads("6", "b.go"), ToolReturned{CallID: "6", Tool: "read", Status: "completed"},
	} {
		if err := live.Apply(Event{Seq: live.Seq + 1, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	want.Read, want.Last = []string{"a.go", "b.go"}, "Go on."
	if got := live.FactsBefore(len(live.Items)); !reflect.DeepEqual(got, want) {
		t.Errorf("after a summary: %+v", got)
	}
}

// Of each kind only so many are kept, and a sentence that is a page is none.
func TestFactsAreBounded(t *testing.T) {
	var bodies []Body
	for i := range 2 * mostFacts {
		bodies = append(bodies, RunStarted{Prompt: Text(fmt.Sprintf("Always do number %d.", i)), Kind: "prompt"}, reads(fmt.Sprint(i), fmt.Sprint(i)), ToolReturned{CallID: fmt.Sprint(i), Status: "completed"})
	}
	live := fold(t, append(bodies, RunStarted{Prompt: Text("Never " + strings.Repeat(".", maxConstraint)), Kind: "prompt"})...)
	f := live.FactsBefore(len(live.Items))
	if len(f.Read) != mostFacts || f.Read[mostFacts-1] != fmt.Sprint(2*mostFacts-1) || len(f.Constraints) != mostConstraints {
		t.Errorf("%d read, %d demands: %q", len(f.Read), len(f.Constraints), f.Constraints[len(f.Constraints)-1])
	}
}

// What is left of a pruned result says what it was and where all of it lies.
func TestPruned(t *testing.T) {
	two := 2
	for want, row := range map[string]struct {
		r        ToolReturned
		artifact *tool.ArtifactRef // written when it was pruned
	}{
		"grep: 132 lines, 18 KB, ok":                                  {ToolReturned{Tool: "grep", Status: "completed", Text: strings.Repeat(strings.Repeat(".", 135)+"\n", 132)}, nil},
		"ls: 1 line, 1 byte, ok; full output: .out/1.txt":             {ToolReturned{Tool: "ls", Status: "completed", Text: "x"}, &tool.ArtifactRef{Path: ".out/1.txt"}},
		"glob: 0 lines, 0 bytes, ok":                                  {ToolReturned{Tool: "glob", Status: "completed"}, nil},
		"bash: 9000 lines, 700 KB, exit code 2; full output: .o/2.js": {ToolReturned{Tool: "bash", Status: "completed", Text: "{}", ExitCode: &two, Artifact: &tool.ArtifactRef{Path: ".o/2.js", Lines: 9000, Bytes: 699_600}}, nil},
		"read: 1 line, 999 bytes, failed":                             {ToolReturned{Tool: "read", Status: "failed", Text: strings.Repeat(".", 999)}, nil},
	} {
		if got := pruned(&row.r, cmp.Or(row.artifact, row.r.Artifact)); got != "[Old tool result content cleared]\n"+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Pruning leaves the call, its input and what came of it; the size and what was
// counted since the last report shrink with it.
func TestPruneFolds(t *testing.T) {
	long := strings.Repeat(".", 3000)
	live := fold(t,
		RunStarted{Prompt: Text("Go."), Kind: "prompt"}, reads("1", "a.go"), ToolReturned{CallID: "1", Tool: "read", Status: "failed", Text: long},
		reads("2", "b.go"), ToolReturned{CallID: "2", Tool: "read", Status: "completed", Text: long},
	)
	before := live.Total()
	if err := live.Apply(Event{Seq: live.Seq + 1, Body: ContextPruned{CallIDs: []string{"1"}, Artifacts: map[string]tool.ArtifactRef{"1": {Path: ".out/1.txt"}}}}); err != nil {
		t.Fatal(err)
	}
	text := "[Old tool result content cleared]\nread: 1 line, 3 KB, failed; full output: .out/1.txt"
	m := live.Messages(nil)
	if m[1].Calls[0].Arguments != `{"path":"a.go"}` || m[2].Text != text || m[2].CallID != "1" || m[4].Text != long {
		t.Errorf("%+v", m)
	}
	less := int64(len(long) - len(text))
	if got := live.Total(); before.Minus(got).Bytes != less {
		t.Errorf("%+v to %+v", before, got)
	}
	if f := live.FactsBefore(len(live.Items)); !reflect.DeepEqual(f.Artifacts, []string{".out/1.txt"}) {
		t.Errorf("%v", f.Artifacts)
	}
}
