package bundle

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A bundle that was cut anywhere, or in which any line is changed, missing or
// twice, is refused with the line.
func TestReadDamaged(t *testing.T) {
	raw := written(t, aSession(t), hidden())
	lines := strings.SplitAfter(string(raw), "\n")
	lines = lines[:len(lines)-1] // what follows the last newline
	for cut := range len(raw) {
		if cut%1999 != 0 && cut < len(raw)-50 {
			continue
		}
		if _, err := Read(bytes.NewReader(raw[:cut])); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	if _, err := Read(bytes.NewReader(append(bytes.Clone(raw), "{}\n"...))); err == nil || !strings.Contains(err.Error(), "something follows the end") {
		t.Errorf("more behind the end: %v", err)
	}
	for i := range lines {
		for what, with := range map[string]string{"missing": "", "twice": lines[i] + lines[i], "another": strings.Replace(lines[i], "e", "E", 1), "no JSON": "x" + lines[i]} {
			damaged := strings.Join(lines[:i], "") + with + strings.Join(lines[i+1:], "")
			if what == "another" && (damaged == string(raw) || i == len(lines)-1) {
				continue // nothing to change; and End says the same as end
			}
			if _, err := Read(strings.NewReader(damaged)); err == nil {
				t.Errorf("line %d %s: it was read", i+1, what)
			} else if what == "no JSON" && !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d: ", i+1)) {
				t.Errorf("line %d %s: %v", i+1, what, err)
			}
		}
	}
}

// What no writer of ours writes is refused, with sums that fit.
func TestReadRefuses(t *testing.T) {
	raw := written(t, aSession(t), hidden())
	all := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	all = all[:len(all)-1]
	if _, err := Read(bytes.NewReader(resealed(all))); err != nil {
		t.Fatal(err)
	}
	at := func(part string) int {
		for i, l := range all {
			if strings.Contains(l, part) {
				return i
			}
		}
		t.Fatalf("no line with %s", part)
		return 0
	}
	artifact := at(`{"artifact":`)
	for name, row := range map[string]struct {
		line     int
		old, new string
		want     string
	}{
		"another file":       {0, formatName, "something", "line 1: this is not a bundle of a session"},
		"a later form":       {0, `"version":1`, `"version":2`, "line 1: the bundle is of version 2; this program reads version 1"},
		"a form before all":  {0, `"version":1`, `"version":0`, "line 1: the bundle is of version 0"},
		"a later log":        {2, `"version":1`, `"version":2`, "line 3: event of log root: the log is of version 2"},
		"a path":             {at(`"log":"sub/1"`), "sub/1", "sub/../../x", `"sub/../../x" is neither root nor sub/<n>`},
		"a path in digits":   {at(`"log":"sub/1"`), "sub/1", "sub/01", `"sub/01" is neither`},
		"too many children":  {at(`"log":"sub/1"`), "sub/1", "sub/1001", "is neither root nor sub/<n>"},
		"two roots":          {at(`"log":"sub/1"`), "sub/1", "root", "the root's log comes first, and once"},
		"fewer events":       {1, `"events":15`, `"events":14`, "line 17: this is none of"},
		"more events":        {1, `"events":15`, `"events":16`, "line 18: event of log root: no seq or no type"},
		"minus one event":    {1, `"events":15`, `"events":-1`, "line 2: a log without events"},
		"no first line":      {2, "session.opened", "session.dreamt", "line 3: event of log root: a log begins with session.opened"},
		"a result too many":  {at(`"callId":"c1","tool":"task","status"`), `"callId":"c1"`, `"callId":"c9"`, `the result of call "c9" is in the wrong place`},
		"an answer too soon": {at(`"messageId":"m2"`), `"callId":"c3"`, `"callId":"c1"`, `call "c1" has no id of its own`},
		"a gap":              {at(`"type":"run.queued"`), `"seq":13`, `"seq":14`, "line 15: event of log root: seq 14 follows 12"},
		"a blob's name":      {at(`{"blob":`), `{"blob":"`, `{"blob":"../`, "damaged: its sum is another"},
		"both":               {artifact, `{"artifact":`, `{"blob":"x","artifact":`, "not the head of a blob or an artifact"},
		"a huge part":        {artifact, `"bytes":1400`, `"bytes":91400`, "the most is 4194304"},
		"a negative part":    {artifact, `"bytes":`, `"bytes":-`, "the most is 4194304"},
		"a shorter part":     {artifact, `"bytes":1400`, `"bytes":1300`, "its sum is another"},
		"no encoding":        {artifact, "utf8", "utf9", `encoding "utf9"`},
		"not base64":         {artifact, "utf8", "base64", "this is not base64"},
		"no kind":            {artifact, `{"artifact":`, `{"thing":`, "this is none of log, blob, artifact, leftOut, end"},
	} {
		changed := append([]string{}, all...)
		changed[row.line] = strings.Replace(changed[row.line], row.old, row.new, 1)
		if changed[row.line] == all[row.line] {
			t.Errorf("%s: nothing was changed in %s", name, all[row.line])
			continue
		}
		_, err := Read(bytes.NewReader(resealed(changed)))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(bytes.NewReader(resealed(all[:1]))); err == nil || !strings.Contains(err.Error(), "contains no log") {
		t.Errorf("no log: %v", err)
	}
	whole := string(resealed(all))
	counted := fmt.Sprintf(`"lines":%d,`, len(all))
	if _, err := Read(strings.NewReader(strings.Replace(whole, counted, `"lines":1,`, 1))); err == nil || !strings.Contains(err.Error(), "lines, but there were 1") {
		t.Errorf("another number of lines: %v", err)
	}
	long := append([]string{}, all...)
	long[1] = strings.Repeat(" ", maxLine+1-len(long[1])) + long[1]
	if _, err := Read(bytes.NewReader(resealed(long))); err == nil || !strings.Contains(err.Error(), "line 2: the line is over 1048576 bytes") {
		t.Errorf("a long line: %.200v", err)
	}
	long[1] = long[1][1:]
	if _, err := Read(bytes.NewReader(resealed(long))); err != nil {
		t.Errorf("the longest line: %.200v", err)
	}
}

// FuzzRead: whatever a file holds, reading it ends with a bundle or a sentence; and
// what was read can be shown and taken in.
func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	writeEvents(f, dir, 0,
		"", history.Opened{Version: 1, Key: "workspace:w-1/agent:build/session:0001", Agent: "build", Mode: "agent", RuntimeMode: "local", Title: "T"},
		"r1", history.RunStarted{Prompt: history.Text("Hi \x1b[2J"), Agent: "build", Model: "a/b", Kind: "prompt"},
		"r1", history.AssistantMessage{MessageID: "m1", Text: "I", Reasoning: "r", Model: "b", Calls: []history.Call{{CallID: "c1", Tool: "read", Input: []byte(`{"path":"a"}`)}}},
		"r1", history.ToolReturned{CallID: "c1", Tool: "read", Status: "completed", Text: "x", Artifact: &tool.ArtifactRef{ArtifactID: artifactID, Path: artifactID}},
		"r2", history.RunQueued{ItemID: "q1", Request: history.Request{Prompt: history.Text("Later.")}},
		"r1", history.RunEnded{StopReason: "end_turn", Changes: []history.FileChange{}})
	put(f, filepath.Join(dir, "file"), "output")
	raw := written(f, Source{ID: "0001", Dir: dir, Artifacts: []Artifact{{tool.ArtifactRef{ArtifactID: artifactID, Bytes: 6, SHA256: hashOf([]byte("output"))}, filepath.Join(dir, "file")}}}, hidden())
	f.Add(raw)
	f.Add(raw[:len(raw)/2])
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 32<<10 {
			return
		}
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		if n := len(lines) - 1; n > 0 && strings.HasPrefix(lines[n], `{"end"`) {
			lines = lines[:n]
		}
		for _, file := range [][]byte{data, resealed(lines)} {
			b, err := Read(bytes.NewReader(file))
			if err != nil {
				continue
			}
			var out bytes.Buffer
			if err := b.WriteEvents(&out); err == nil && bytes.ContainsAny(out.Bytes(), "\x1b\x07\x00") {
				t.Errorf("a control character in %q", out.String())
			}
			to := target(t)
			if err := b.Restore(to); err == nil {
				onlyInside(t, to)
			}
		}
	})
}
