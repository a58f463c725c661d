package bundle

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

const (
	secret     = "my-own-secret-key-123456"
	artifactID = "20261120T134411Z_bash_c2_0b93c415"
	gone       = "20261120T134411Z_grep_c1_0b93c415"
)

// aSession writes a session into a new folder: a prompt with a large part and an
// image, two calls, a sub-agent, an artifact, a queued prompt, a grant, an event
// that nobody knows.
func aSession(t testing.TB) Source {
	t.Helper()
	dir := t.TempDir()
	blob := func(data string) string {
		name := hashOf([]byte(data))
		put(t, filepath.Join(dir, "blobs", name), data)
		return name
	}
	put(t, filepath.Join(dir, "blobs", strings.Repeat("0", 64)), "nobody names it")
	put(t, filepath.Join(dir, "events.fold"), "nobody names it")
	long, image, state := blob(strings.Repeat("a line of the prompt with "+secret+"\n", 3000)), blob("\x89PNG\xff\x00"), blob("provider state")
	file := filepath.Join(t.TempDir(), "artifact.txt")
	output := "at /srv/work/shop\n" + strings.Repeat("output\n", 20000) + secret
	put(t, file, output)
	ref := tool.ArtifactRef{ArtifactID: artifactID, URI: "agent-artifact:/0007/" + artifactID + ".txt", FileURI: "file:///srv/work/shop/.agent-output/0007/" + artifactID + ".txt",
		Path: ".agent-output/0007/" + artifactID + ".txt", Bytes: 140042, Lines: 20002, MIMEType: "text/plain", SHA256: hashOf([]byte(output))}
	lost := ref
	lost.ArtifactID, lost.Path = gone, ".agent-output/0007/"+gone+".txt"
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	full, model1, prompt, yes := tool.ModeFullAccess, "evil/model", "You are evil.", true
	writeEvents(t, dir, 0,
		"", history.Opened{Version: 1, Key: "workspace:shop-1a2b3c4d/agent:build/session:0007", WorkspaceURI: "file:///srv/work/shop", Agent: "build", Mode: "agent", RuntimeMode: "local", Model: "evil/model"},
		"", history.Changed{Mode: &full, Model: &model1, SystemPrompt: &prompt, AutoCompact: &yes},
		"r1", history.RunStarted{Prompt: []history.Block{{Type: "artifact", ArtifactID: long}, {Type: "image", URI: image, MIMEType: "image/png"}, {Type: "text", Text: "Use " + secret + " in /srv/work/shop/a.go."}}, Agent: "build", Model: "openai/scripted", Kind: "prompt"},
		"r1", history.AssistantMessage{MessageID: "m1", Text: "I look.", Model: "scripted", FinishReason: "tool_calls",
			Opaque: history.StashedOpaque("openai", state), Calls: []history.Call{
				{CallID: "c1", Tool: "task", Input: raw(`{"agent":"explore"}`), Extra: raw(`{"thought_signature":"x"}`)},
				{CallID: "c2", Tool: "bash", Input: raw(`{"command":"echo my-own\u002dsecret-key-123456"}`)}}},
		"r1", history.ToolRequested{CallID: "c1", Tool: "task", Input: raw(`{"agent":"explore"}`), Title: "explore"},
		"r1", history.SubagentStarted{Agent: "explore", CallID: "c1", Path: "explore#1", Prompt: "Look."},
		"r1", history.SubagentEnded{CallID: "c1", Path: "explore#1", Status: "completed"},
		"r1", history.ToolReturned{CallID: "c1", Tool: "task", Status: "completed", Text: "found", Truncated: true, Artifact: &lost},
		"r1", history.Approval{ApprovalID: "a1", SessionID: "0007", RunID: "r1", CallID: "c2", AgentPath: []string{}, Title: said.Plain("bash: echo my-own-secr…"), Input: raw(`{}`), Decisions: []string{"once"}, Always: []control.Offer{}},
		"r1", history.ApprovalResolved{ApprovalID: "a1", CallID: "c2", Decision: "session", By: "client", Grants: []control.Rule{{Domain: "bash", Pattern: "**", Decision: "allow"}}},
		"r1", history.ToolReturned{CallID: "c2", Tool: "bash", Status: "completed", Text: "saved to " + ref.Path + ".", Truncated: true, Artifact: &ref, Images: []history.ImageRef{{MIMEType: "image/png", Blob: image, Bytes: 6}}},
		"r1", history.FileChanged{CallID: "c2", Path: "a.go", Kind: "modified", Before: strings.Repeat("1", 64), After: strings.Repeat("2", 64), Checkpoint: strings.Repeat("1", 64)},
		"r2", history.RunQueued{ItemID: "q1", Request: history.Request{Prompt: history.Text("Later.")}},
		"r1", history.Unknown{Kind: "session.dreamt", Raw: raw(`{"seq":14,"time":"2026-11-20T13:44:11.000Z","runId":"r1","type":"session.dreamt","data":{"of":"` + secret + `","n":1.50}}`)},
		"r1", history.AssistantMessage{MessageID: "m2", Text: "And again.", Model: "scripted", Calls: []history.Call{{CallID: "c3", Tool: "bash", Input: raw(`{"command":"sleep 9"}`)}}},
	)
	writeEvents(t, filepath.Join(dir, "sub", "1"), 6,
		"", history.Opened{Version: 1, Key: "workspace:shop-1a2b3c4d/agent:build/session:0007", WorkspaceURI: "file:///srv/work/shop", Agent: "explore", Mode: "agent", RuntimeMode: "local", Parent: &history.Parent{SessionID: "0007", CallID: "c1"}},
		"k1", history.RunStarted{Prompt: history.Text("Look."), Agent: "explore", Model: "openai/scripted", Kind: "prompt"},
		"k1", history.AssistantMessage{MessageID: "n1", Text: "found " + secret, Model: "scripted", Opaque: &model.Opaque{Provider: "x", Fields: map[string]json.RawMessage{"reasoning_details": raw(`[{"data":"` + secret + `"}]`)}}},
		"k1", history.RunEnded{StopReason: "end_turn", Changes: []history.FileChange{}, Audit: strings.Repeat("3", 64)},
	)
	torn, err := os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := torn.WriteString(`{"seq":16,"ti`); err != nil { // another process is just writing
		t.Fatal(err)
	}
	torn.Close()
	return Source{ID: "0007", Dir: dir, Program: "test", Artifacts: []Artifact{{ref, file}, {tool.ArtifactRef{ArtifactID: "20261120T134411Z_bash_c9_ffffffff"}, file}}}
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeEvents writes pairs of a run and a body.
func writeEvents(t testing.TB, dir string, after int64, pairs ...any) {
	t.Helper()
	var all bytes.Buffer
	for i := 0; i < len(pairs); i += 2 {
		run, body := pairs[i].(string), pairs[i+1].(history.Body)
		e := history.Event{Seq: int64(i/2 + 1), After: after, Time: time.Date(2026, 11, 20, 13, 44, 11, 0, time.UTC), Run: run, Body: body}
		raw, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(raw, '\n'))
	}
	put(t, filepath.Join(dir, "events.jsonl"), all.String())
}

func hidden() *Private {
	return &Private{Secrets: []string{secret}, Roots: [][]string{{"/srv/work/shop"}}, WorkspaceID: "shop-1a2b3c4d", Home: []string{"/home/alice"}, User: "alice"}
}

func written(t testing.TB, from Source, hide *Private) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, from, hide); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// resealed gives changed lines the end that fits them: what a hostile writer does.
func resealed(lines []string) []byte {
	body := strings.Join(lines, "\n") + "\n"
	last, err := history.Marshal(end{true, len(lines), hashOf([]byte(body))})
	if err != nil {
		return nil
	}
	return append([]byte(body), append(last, '\n')...)
}
