package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// shelf keeps artifacts in memory, or refuses.
type shelf struct {
	None
	full  error
	texts []*bytes.Buffer
}

func (s *shelf) Create(_, _, _, _ string) (tool.Spill, error) {
	if s.full != nil {
		return nil, s.full
	}
	b := &bytes.Buffer{}
	s.texts = append(s.texts, b)
	return page{b}, nil
}
func (s *shelf) RemoveSession(string) error           { return nil }
func (s *shelf) ArtifactDirs(session string) []string { return []string{"/v/.agent-output/" + session} }

type page struct{ *bytes.Buffer }

func (p page) Close() (tool.ArtifactRef, string, error) {
	return tool.ArtifactRef{ArtifactID: "a", Path: ".agent-output/0001/a.txt"}, "/v/.agent-output/0001/a.txt", nil
}

// truncateHouse is a session with a shelf and a configuration.
func truncateHouse(t *testing.T, config string) (*Session, *shelf) {
	t.Helper()
	h, kept := newHouse(t), &shelf{}
	h.deps.Here.Artifacts = kept
	h.around.facts = func() control.Facts { return control.Facts{Roots: []string{"/v"}} }
	if config != "" {
		dir := filepath.Join(h.deps.Home, "config")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "config.jsonc"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		h.deps.Config.Reload()
	}
	return h.session(t), kept
}

func truncated(t *testing.T, s *Session, j *invocation, note string) history.ToolReturned {
	t.Helper()
	if j.call.Tool == "" {
		j.call = history.Call{CallID: "c1", Tool: "mcp__x__y"}
	}
	s.calls.truncate(&run{ctx: context.Background(), model: &answers{}}, j, note)
	line, err := history.Marshal(j.result)
	if err != nil || len(line) > 190<<10 {
		t.Errorf("a line of %d bytes: %v", len(line), err)
	}
	return j.result
}

// Every result passes here, wherever its text came from.
func TestTruncateEdges(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("x\n", n) }
	for name, row := range map[string]struct {
		config, tool, text, note string
		cut                      bool
	}{
		"n-1 lines":                    {"", "", lines(1_999), "", false},
		"n lines":                      {"", "", lines(2_000), "", false},
		"n+1 lines":                    {"", "", lines(2_001), "", true},
		"n-1 bytes":                    {"", "", strings.Repeat("x", 51_199), "", false},
		"n bytes":                      {"", "", strings.Repeat("x", 51_200), "", false},
		"n+1 bytes":                    {"", "", strings.Repeat("x", 51_201), "", true},
		"n bytes with its note":        {"", "", strings.Repeat("x", 51_194), "Note", false},
		"n+1 bytes with its note":      {"", "", strings.Repeat("x", 51_195), "Note", true},
		"a report of 8 KiB":            {"", "task", strings.Repeat("x", 8<<10), "", false},
		"a report of 8 KiB and one":    {"", "task", strings.Repeat("x", 8<<10+1), "", true},
		"configured lines":             {`{"agents":{"runtime":{"truncation":{"maxLines":3}}}}`, "", lines(3), "", false},
		"configured lines and one":     {`{"agents":{"runtime":{"truncation":{"maxLines":3}}}}`, "", lines(4), "", true},
		"configured too large":         {`{"agents":{"runtime":{"truncation":{"maxBytes":10000000}}}}`, "", strings.Repeat("x", 92_160), "", false},
		"configured too large and one": {`{"agents":{"runtime":{"truncation":{"maxBytes":10000000}}}}`, "", strings.Repeat("x", 92_161), "", true},
		// Within the limits, but each of these is six bytes in the log.
		"control characters":           {"", "", strings.Repeat("\x01", 40_000), "", true},
		"fewer of them":                {"", "", strings.Repeat("\x01", 30_000), "", false},
		"quotes":                       {"", "", strings.Repeat(`"`, 51_200), "", false},
		"quotes, configured too large": {`{"agents":{"runtime":{"truncation":{"maxBytes":10000000}}}}`, "", strings.Repeat(`"`, 200_000), "", true},
	} {
		s, kept := truncateHouse(t, row.config)
		j := &invocation{call: history.Call{CallID: "c1", Tool: row.tool}, outcome: outcome{result: history.ToolReturned{Text: row.text}}}
		if row.tool == "" {
			j.call.Tool = "read"
		}
		got := truncated(t, s, j, row.note)
		if got.Truncated != row.cut || (got.Artifact != nil) != row.cut || len(kept.texts) > 1 {
			t.Errorf("%s: truncated %v, artifact %v", name, got.Truncated, got.Artifact)
		}
		if !row.cut {
			if want := withNote(row.text, row.note); got.Text != want {
				t.Errorf("%s: the text is another one", name)
			}
			continue
		}
		sum := sha256.Sum256([]byte(row.text))
		var w struct {
			SHA256  string `json:"sha256"`
			Preview string `json:"preview"`
		}
		if err := json.Unmarshal([]byte(got.Text), &w); err != nil || w.SHA256 != hex.EncodeToString(sum[:]) || kept.texts[0].String() != row.text {
			t.Errorf("%s: the artifact is not the text: %v", name, err)
		}
		if most := s.calls.limitsOf(&run{model: &answers{}}, j).MaxBytes; len(got.Text) > most || !strings.HasSuffix(w.Preview, row.note) {
			t.Errorf("%s: %d bytes of %d, preview ends %q", name, len(got.Text), most, w.Preview[max(0, len(w.Preview)-20):])
		}
	}
}

// What was refused, failed, or rewritten by a hook is bounded like any other.
func TestTruncateWhateverItCameFrom(t *testing.T) {
	s, kept := truncateHouse(t, "")
	long := strings.Repeat("why not\n", 100_000)
	for _, status := range []string{"completed", "failed", "rejected", "cancelled"} {
		j := &invocation{}
		j.refuse(history.Status(status), long)
		if got := truncated(t, s, j, ""); !got.Truncated || got.Artifact == nil || len(got.Text) > 51_200 {
			t.Errorf("%s: %d bytes", status, len(got.Text))
		}
	}
	if len(kept.texts) != 4 || kept.texts[0].String() != long {
		t.Error(len(kept.texts), "artifacts")
	}
	spilled := &invocation{call: history.Call{CallID: "c", Tool: "bash"}, outcome: outcome{spilled: &tool.Spilled{Head: "head\n", Tail: "tail\n", Bytes: 1 << 30, Lines: 1 << 20, SHA256: "s", Note: "(exit code 1)", Artifact: &tool.ArtifactRef{Path: "p"}, FullPath: "/p"}}}
	if got := truncated(t, s, spilled, "Note"); !strings.Contains(got.Text, `tail\n(exit code 1)\nNote","artifact_path":"p"`) || len(kept.texts) != 4 {
		t.Error(got.Text)
	}
}

// Where all of an output is at hand although it went to a file, both ends are chosen
// from all of it.
func TestTruncateChoosesBothEndsFromTheWhole(t *testing.T) {
	var text strings.Builder
	for i := range 2500 {
		fmt.Fprintln(&text, i)
	}
	for toolName, last := range map[string]string{"bash": "598", "mcp__x__y": "1598"} {
		s, _ := truncateHouse(t, "")
		spilled := &tool.Spilled{Text: text.String(), Bytes: int64(text.Len()), Chars: int64(text.Len()), Lines: 2500, SHA256: "s"}
		j := &invocation{call: history.Call{CallID: "c1", Tool: toolName}, plan: &tool.Plan{Tool: toolName}, outcome: outcome{spilled: spilled}}
		s.calls.takeIn(j)
		got := truncated(t, s, j, "").Text
		if !strings.Contains(got, `preview":"0\n1\n`) || !strings.Contains(got, `\n`+last+`\n… 501 lines`) || !strings.HasSuffix(got[:max(0, strings.Index(got, `","artifact_path":null`))], `\n2499\n`) {
			t.Errorf("%s: %s … %s", toolName, got[:150], got[len(got)-300:])
		}
	}
}

// Where nothing can be kept there is the preview, and the run goes on.
func TestTruncateWithoutAPlace(t *testing.T) {
	s, kept := truncateHouse(t, "")
	kept.full = errors.New("no space left on device")
	got := truncated(t, s, &invocation{outcome: outcome{result: history.ToolReturned{Status: "completed", Text: strings.Repeat("line\n", 5_000)}}}, "")
	if !got.Truncated || got.Artifact != nil || !strings.Contains(got.Text, `"artifact_path":null`) || !strings.Contains(got.Text, "could not be saved") || got.Status != "completed" {
		t.Error(got.Text[max(0, len(got.Text)-300):])
	}
}

// What only shows an artifact does not become another one.
func TestTruncateArtifactIsPaged(t *testing.T) {
	s, kept := truncateHouse(t, "")
	long := strings.Repeat("12345: some line of an artifact\n", 4_000)
	read := func(effect tool.Effect, objects ...string) *invocation {
		j := &invocation{call: history.Call{CallID: "c1", Tool: "grep"}, plan: &tool.Plan{Effect: effect}, outcome: outcome{result: history.ToolReturned{Text: long}}}
		for _, o := range objects {
			j.plan.Targets = append(j.plan.Targets, tool.Target{Domain: "read", Object: o})
		}
		return j
	}
	for name, row := range map[string]struct {
		step  *invocation
		paged bool
	}{
		"its own":               {read(tool.Read, "vault:/.agent-output/0001/a.txt"), true},
		"another session's":     {read(tool.Read, "vault:/.agent-output/0007/a.txt"), true},
		"by its absolute path":  {read(tool.Read, "fs:/v/.agent-output/0001/a.txt"), true},
		"a transcript":          {read(tool.Read, "fs:"+filepath.Join(s.dir, "transcripts", "t.jsonl")), true},
		"another file":          {read(tool.Read, "vault:/a.txt"), false},
		"both":                  {read(tool.Read, "vault:/.agent-output/0001/a.txt", "vault:/a.txt"), false},
		"a name that is alike":  {read(tool.Read, "vault:/.agent-output-2/a.txt"), false},
		"nothing said":          {read(tool.Read), false},
		"a call that can write": {read(tool.Exec, "vault:/.agent-output/0001/a.txt"), false},
	} {
		before := len(kept.texts)
		got := truncated(t, s, row.step, "Note")
		if paged := len(kept.texts) == before; paged != row.paged || !got.Truncated {
			t.Errorf("%s: paged %v", name, paged)
		}
		if row.paged && (len(got.Text) > 51_200 || !strings.HasPrefix(got.Text, "12345: some line") || !strings.Contains(got.Text, "go on with a larger offset") || !strings.HasSuffix(got.Text, "Note")) {
			t.Errorf("%s: %d bytes, ends %q", name, len(got.Text), got.Text[len(got.Text)-100:])
		}
	}
}

func TestResultImages(t *testing.T) {
	s, _ := truncateHouse(t, "")
	// The header of a PNG of 1 × 1; its pixels are never read.
	const head = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x02\x00\x00\x00\x90wS\xde"
	part := func(n int) tool.Part {
		return tool.Part{MIME: "image/jpeg", Data: append([]byte(head), bytes.Repeat([]byte{1}, n-len(head))...)}
	}
	for n, want := range map[int]int{5<<20 - 1: 1, 5 << 20: 1, 5<<20 + 1: 0} {
		refs, note := s.intake.blobs.keepImages([]tool.Part{part(n)})
		if want == 1 && refs[0].MIMEType != "image/png" {
			t.Errorf("kept as %s", refs[0].MIMEType)
		}
		if len(refs) != want || (note == "") != (want == 1) {
			t.Errorf("%d bytes: %d kept, %q", n, len(refs), note)
		}
	}
	for n, want := range map[int]int{19: 19, 20: 20, 21: 20} {
		if refs, note := s.intake.blobs.keepImages(bytesOf(part(100), n)); len(refs) != want || (note == "") != (n == want) {
			t.Errorf("%d images: %d kept, %q", n, len(refs), note)
		}
	}
}

func bytesOf(p tool.Part, n int) (parts []tool.Part) {
	for range n {
		parts = append(parts, p)
	}
	return parts
}

// A call that changes very many files is one line of the log all the same.
func TestChangesAreBounded(t *testing.T) {
	many := make([]history.FileChange, 5_000)
	for i := range many {
		many[i] = history.FileChange{URI: "file:///v/some/folder/with/a/name", Path: "some/folder/with/a/name", Kind: "deleted", CallID: "c1"}
	}
	s, _ := truncateHouse(t, "")
	j := &invocation{outcome: outcome{result: history.ToolReturned{Text: strings.Repeat(`"`, 51_200), Changes: many}}}
	if got := truncated(t, s, j, ""); len(got.Changes) == 0 || len(got.Changes) == len(many) {
		t.Error(len(got.Changes), "changes")
	}
	if few := boundChanges(many[:3], maxChanges); len(few) != 3 {
		t.Error("three changes are not kept")
	}
}

// Live output of a tool is what came last, whole characters.
func TestLiveOutputIsBounded(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	k := &sink{calls: s.calls, run: &run{id: "r"}, call: history.Call{CallID: "c"}}
	k.Output("stdout", strings.Repeat("é", 1<<20)+"end")
	k.Output("stdout", "short")
	first, second := h.ears.shown[0].Data.(ToolOutput).Text, h.ears.shown[1].Data.(ToolOutput).Text
	if len(first) > 8<<10 || len(first) < 8<<10-4 || !strings.HasPrefix(first, "é") || !strings.HasSuffix(first, "end") || second != "short" {
		t.Errorf("%d bytes, then %q", len(first), second)
	}
}
