package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/key"
)

const artifactFile = "20260101T000000Z_bash_c2_0a1b2c3d.txt"

// eventful writes a session in which everything has happened that a fork may not
// take along, and much that it must.
func eventful(t testing.TB, st *Store) string {
	t.Helper()
	transcript := filepath.Join(st.dir, "0001", "transcripts", "0001_x.jsonl")
	quoted, _ := json.Marshal("Summary.\n[conversation compacted; transcript: " + transcript + "]")
	dir := writeLog(t, st, "0001", `{"version":1,"key":"agent:main:main","workspaceUri":"file:///w","agent":"build","mode":"agent","runtimeMode":"local","title":"First title"}`,
		/* 2 */ `"type":"session.changed","data":{"mode":"full_access","title":"Second title"}`,
		/* 3 */ `"type":"session.changed","data":{"tainted":true,"closed":true}`,
		/* 4 */ `"runId":"r1","type":"run.started","data":{"prompt":[{"type":"text","text":"one"}],"agent":"build","model":"m","clientMessageId":"m-1","kind":"prompt"}`,
		/* 5 */ `"runId":"r9","type":"run.queued","data":{"itemId":"q9","prompt":[{"type":"text","text":"later"}],"clientMessageId":"m-9"}`,
		/* 6 */ `"runId":"r1","type":"message.assistant","data":{"messageId":"m1","text":"","calls":[{"callId":"c1","tool":"task","input":{}},{"callId":"c2","tool":"bash","input":{}}],"model":"m"}`,
		/* 7 */ `"runId":"r1","type":"tool.requested","data":{"callId":"c1","tool":"task","input":{},"title":"t"}`,
		/* 8 */ `"runId":"r1","type":"subagent.started","data":{"agent":"explore","callId":"c1","path":"explore#2","prompt":"look"}`,
		/* 9 */ `"runId":"r1","type":"approval.requested","data":{"approvalId":"a1","sessionId":"0001","runId":"r1","callId":"c2","agentPath":[]}`,
		/* 10 */ `"runId":"r1","type":"approval.resolved","data":{"approvalId":"a1","callId":"c2","decision":"session","by":"client","grants":[{"domain":"bash","pattern":"rm *","decision":"allow"}]}`,
		/* 11 */ `"runId":"r1","type":"subagent.ended","data":{"callId":"c1","path":"explore#2","status":"completed","usage":{"inputTokens":0,"outputTokens":0,"cachedTokens":0,"context":{"used":0,"window":null,"percent":null,"generation":0}},"calls":0}`,
		/* 12 */ `"runId":"r1","type":"tool.returned","data":{"callId":"c1","tool":"task","status":"completed","text":"found","durationMs":1}`,
		/* 13 */ `"runId":"r1","type":"tool.returned","data":{"callId":"c2","tool":"bash","status":"completed","text":"cut, see .agent-output/0001/`+artifactFile+`","artifact":{"artifactId":"x","uri":"agent-artifact:/0001/`+artifactFile+`"},"durationMs":1}`,
		/* 14 */ `"runId":"r1","type":"message.user","data":{"messageId":"m2","content":[{"type":"text","text":"hurry"}],"clientMessageId":"m-2","steering":true}`,
		/* 15 */ `"runId":"r1","type":"from.the.future","data":{"text":"0001/kept"}`,
		/* 16 */ `"runId":"r1","type":"context.compacted","data":{"trigger":"manual","summary":`+string(quoted)+`,"keepFrom":14,"before":2,"after":1,"droppedTools":[],"transcript":"`+jsonInner(transcript)+`","ok":true}`,
		/* 17 */ `"runId":"r1","type":"approval.requested","data":{"approvalId":"a2","sessionId":"0001","runId":"r1","callId":"","agentPath":[],"domain":"limit"}`,
		/* 18 */ `"runId":"r1","type":"message.assistant","data":{"messageId":"m3","text":"","calls":[{"callId":"c3","tool":"bash","input":{}}],"model":"m"}`)
	for name, text := range map[string]string{
		"blobs/" + strings.Repeat("ab", 32): "a blob", "transcripts/0001_x.jsonl": "a transcript with .agent-output/0001/" + artifactFile,
		"sub/2/events.jsonl": `{"seq":1,"afterSeq":8,"time":"2026-01-01T00:00:00.000Z","type":"session.opened","data":{"version":1,"key":"agent:main:main","agent":"explore","mode":"full_access","runtimeMode":"local","parent":{"sessionId":"0001","callId":"c1"}}}` + "\n",
		"sub/3/events.jsonl": "never ended\n", "events.fold": "of other lines", "sub/2/events.fold": "of other lines",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func jsonInner(s string) string {
	raw, _ := json.Marshal(s)
	return strings.Trim(string(raw), `"`)
}

func lineOf(t *testing.T, dir string) [][]byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(raw, []byte("\n")), []byte("\n"))
}

// Wherever it is cut, a fork is a valid history of its own: nothing is open in it,
// seq n is its nth line, opening it mends nothing, and nothing of the other's
// rights is in it. The other is as it was.
func TestForkAtEverySeq(t *testing.T) {
	st := newStore(t)
	from := eventful(t, st)
	before := lineOf(t, from)
	want := map[int64]int64{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 7: 5, 8: 5, 9: 5, 10: 5, 11: 5, 12: 5, 13: 13, 14: 14, 15: 15, 16: 16, 17: 16, 18: 16, 0: 16}
	for at, cut := range want {
		s, err := st.Fork("0001", at, nil)
		if err != nil {
			t.Fatalf("at %d: %v", at, err)
		}
		info := s.Info()
		if info.Parent == nil || info.Parent.SessionID != "0001" || info.Parent.AtSeq != cut || info.State != "idle" || info.Mode != "agent" ||
			info.SessionKey != "workspace:w/agent:build/session:"+s.ID() {
			t.Errorf("at %d: %+v %+v", at, info, info.Parent)
		}
		if title := map[bool]string{true: "First title (fork)", false: "Second title (fork)"}[cut < 2]; info.Title != title {
			t.Errorf("at %d: it is called %q", at, info.Title)
		}
		if len(s.Queue())+len(s.Pending()) > 0 || s.Resume().Interrupted != nil {
			t.Errorf("at %d: something is open", at)
		}
		for _, fold := range []string{"events.fold", "sub/2/events.fold"} {
			if _, err := os.Stat(filepath.Join(s.Dir(), fold)); err == nil {
				t.Errorf("at %d: %s was copied", at, fold)
			}
		}
		lines := lineOf(t, s.Dir())
		folded := history.NewTranscript()
		for i, l := range lines {
			e, err := history.Decode(l)
			if err == nil {
				err = folded.Apply(e)
			}
			if err != nil || e.Seq != int64(i+1) {
				t.Fatalf("at %d: line %d: %v", at, i+1, err)
			}
		}
		if folded.Run != nil || len(folded.Queue) > 0 || len(folded.Grants) > 0 || len(folded.OpenCalls) > 0 || len(folded.Acks) > 0 || folded.Closed || folded.Info.Mode != "agent" {
			t.Errorf("at %d: %+v", at, folded)
		}
		if folded.Tainted != (cut >= 3) {
			t.Errorf("at %d: tainted is %v", at, folded.Tainted)
		}
		all := bytes.Join(lines, []byte("\n"))
		if bytes.Contains(bytes.Join(lines[1:], nil), []byte(`"sessionId":"0001"`)) {
			t.Errorf("at %d: a question names the other session", at)
		}
		for _, bad := range []string{"full_access", `"grants"`, `"clientMessageId"`, "/0001/transcripts/"} {
			if bytes.Contains(all, []byte(bad)) {
				t.Errorf("at %d: %s in\n%s", at, bad, all)
			}
		}
		if last := lines[len(lines)-1]; !bytes.Contains(last, []byte(`"session.changed"`)) {
			t.Errorf("at %d: the last line is %s: opening has written more", at, last)
		}
	}
	if after := lineOf(t, from); !slices.EqualFunc(before, after, bytes.Equal) {
		t.Error("the other's log has changed")
	}
}

// What the log of a fork names is the fork's own, also when the other is deleted.
func TestForkIsWhole(t *testing.T) {
	st := newStore(t)
	eventful(t, st)
	var asked copied
	st.deps.Here.Artifacts = &asked
	s, err := st.Fork("0001", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"0001 0002 " + artifactFile}; !slices.Equal(asked.asked, want) {
		t.Errorf("artifacts: %q, want %q", asked.asked, want)
	}
	if err := st.Delete(t.Context(), "0001"); err != nil {
		t.Fatal(err)
	}
	all := string(bytes.Join(lineOf(t, s.Dir()), []byte("\n")))
	transcript := filepath.Join(s.Dir(), "transcripts", "0001_x.jsonl")
	for _, want := range []string{"agent-artifact:/0002/" + artifactFile, ".agent-output/0002/" + artifactFile, jsonInner(transcript), `"text":"0001/kept"`} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not in the log:\n%s", want, all)
		}
	}
	for path, want := range map[string]string{transcript: "a transcript with .agent-output/0002/" + artifactFile, filepath.Join(s.Dir(), "blobs", strings.Repeat("ab", 32)): "a blob"} {
		if got, err := os.ReadFile(path); string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	page, err := s.Events(t.Context(), history.PageQuery{Agent: []string{"explore#2"}})
	if err != nil || len(page.Events) != 1 || page.Events[0].ParentCall != "c1" {
		t.Errorf("the sub-agent: %+v, %v", page, err)
	}
	if data := string(page.Events[0].Data); !strings.Contains(data, `"sessionId":"0002"`) || strings.Contains(data, "full_access") || strings.Contains(data, "agent:main") {
		t.Error(data)
	}
	if _, err := s.Events(t.Context(), history.PageQuery{Agent: []string{"explore#3"}}); err == nil {
		t.Error("a sub-agent that had not ended was copied")
	}
	if infos, err := st.List(Query{Children: true}); err != nil || len(infos) != 2 || infos[0].ID != "0002" && infos[1].ID != "0002" {
		t.Errorf("%+v, %v", infos, err)
	}
}

// It works from what is on disk: also of a session that runs in another process,
// whose last line may be half written.
func TestForkOfAnotherProcess(t *testing.T) {
	st := newStore(t)
	s := begin(t, st)
	appendLog(t, s.Dir(), `{"seq":2,"time":"2026-01-01T00:00:00.000Z",`+started("r1", "go")+"}\n"+`{"seq":3,"ti`)
	fork, err := Open(st.deps).Fork(s.ID(), 0, nil)
	if err != nil || fork.Info().Title != "go (fork)" || fork.Info().Parent.AtSeq != 2 {
		t.Errorf("%v", err)
	}
	if fork, err := fork.Dir(), errors.Join(fork.Close(t.Context())); err != nil || !history.Exists(fork) {
		t.Error(err)
	}
}

// At whatever step the process dies, there is a whole fork or none, no id is given
// twice, and nothing of it is in the way.
func TestForkCrash(t *testing.T) {
	for step := 1; ; step++ {
		st := newStore(t)
		eventful(t, st)
		n := 0
		st.deps.Disk.Fail(func(op durable.Op, path string) error {
			if n++; n == step {
				st.deps.Disk.Freeze()
			}
			return nil
		})
		_, _ = st.Fork("0001", 0, nil)
		if n < step {
			t.Logf("%d steps", n)
			return
		}
		deps := *st.deps
		deps.Disk = &durable.Disk{}
		again := Open(&deps)
		infos, err := again.List(Query{})
		if err != nil || len(infos) > 2 {
			t.Fatalf("step %d: %+v, %v", step, infos, err)
		}
		for _, i := range infos {
			if i.ID == "0001" {
				continue
			}
			s, err := again.Get(i.ID)
			if err != nil || s.Info().Title != "Second title (fork)" || s.Info().Mode != "agent" || s.Seq() != 19 {
				t.Fatalf("step %d: half a fork: %v", step, err)
			}
		}
		s, _, err := again.New(session.NewSession{})
		if err != nil || slices.ContainsFunc(infos, func(i history.Info) bool { return i.ID == s.ID() }) {
			t.Fatalf("step %d: %v", step, err)
		}
	}
}

// A fork that cannot be written leaves nothing.
func TestForkDiskFull(t *testing.T) {
	for step := range 12 {
		st := newStore(t)
		eventful(t, st)
		n := 0
		st.deps.Disk.Fail(func(op durable.Op, path string) error {
			if strings.Contains(path, filepath.Join("", "0002")) && op != durable.OpRemove {
				if n++; n > step {
					return fmt.Errorf("disk full at %s", op)
				}
			}
			return nil
		})
		s, err := st.Fork("0001", 0, nil)
		if infos, _ := st.List(Query{}); err == nil && s == nil || err != nil && len(infos) != 1 {
			t.Errorf("step %d: %v, %+v", step, err, infos)
		}
	}
}

// What is no session, or a path, has no fork.
func TestForkOfNothing(t *testing.T) {
	st := newStore(t)
	begin(t, st)
	for _, id := range []string{"", "0002", "../w/0001", "0001.1", "0001/", "e0001", "."} {
		var none *session.NotFoundError
		if _, err := st.Fork(id, 0, nil); !errors.As(err, &none) {
			t.Errorf("%q: %v", id, err)
		}
	}
	writeLog(t, st, "0007", "7")
	if _, err := st.Fork("0007", 0, nil); err == nil {
		t.Error("a broken log was forked")
	}
	if infos, _ := st.List(Query{}); len(infos) != 2 {
		t.Errorf("%+v", infos)
	}
}

// A fork of the beginning of an imported session, and one of that, is text from
// outside too.
func TestForkOfTainted(t *testing.T) {
	st := newStore(t)
	writeLog(t, st, "0001", `{"version":1,"key":"workspace:w/agent:build/session:0001","workspaceUri":"file:///w","agent":"build","mode":"agent","runtimeMode":"local","parent":{"sessionId":"bundle:0007"},"tainted":true}`,
		`"runId":"r1","type":"run.started","data":{"prompt":[{"type":"text","text":"one"}],"agent":"build","model":"m","kind":"prompt"}`)
	for _, id := range []string{"0001", "0002"} {
		s, err := st.Fork(id, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		folded := history.NewTranscript()
		if err := history.Read(s.Dir()).Each(1, folded.Apply); err != nil || !folded.Tainted {
			t.Errorf("the fork of %s: tainted %v, %v", id, folded.Tainted, err)
		}
	}
}

// A fork of a group's session is that group's, whatever form the key in the log has: by
// its key, and in its first line. A fork of a person's is nobody else's.
func TestForkOfAGroup(t *testing.T) {
	for logged, place := range map[string]string{
		"workspace:w/agent:build/group:slack:team":                     "group:slack:team:thread:session-0002",
		"workspace:w/agent:build/group:slack:team:thread:1":            "group:slack:team:thread:session-0002",
		"workspace:w/agent:build/group:slack:team:thread:session-0001": "group:slack:team:thread:session-0002",
		"agent:main:slack:group:team":                                  "group:slack:team:thread:session-0002",
		"agent:build:group:matrix:!room:example.org":                   "group:fork:0002",
		"no key of ours":                       "group:fork:0002",
		"workspace:w/agent:build/dm:slack:u1":  "session:0002",
		"workspace:w/agent:build/session:0001": "session:0002",
		"agent:main:main":                      "session:0002",
		"main":                                 "session:0002",
		`workspace:w/agent:build/session:0001","group":true,"x":"`: "group:fork:0002",
	} {
		want := strings.HasPrefix(place, "group:")
		st := newStore(t)
		writeLog(t, st, "0001", `{"version":1,"key":"`+logged+`","workspaceUri":"file:///w","agent":"build","mode":"agent","runtimeMode":"local"}`)
		s, err := st.Fork("0001", 0, nil)
		if err != nil {
			t.Fatalf("%s: %v", logged, err)
		}
		tr, err := history.Boundary(history.Read(s.Dir()), 0)
		if err != nil || tr.Opened.Group != want {
			t.Errorf("%s: group is %v, want %v; %v", logged, tr.Opened.Group, want, err)
		}
		if _, _, got := key.Parts(tr.Opened.Key); got != place || s.Info().SessionKey != tr.Opened.Key {
			t.Errorf("%s: the key is %s (%s), want %s", logged, tr.Opened.Key, s.Info().SessionKey, place)
		}
	}
}

// copied are the artifacts that were asked for.
type copied struct {
	session.None
	asked []string
}

func (c *copied) Copy(from, to string, files []string) error {
	c.asked = append(c.asked, from+" "+to+" "+strings.Join(files, ","))
	return nil
}
