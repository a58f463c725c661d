package history

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// A fold is believed where every byte that it stands for is there, and it is whole, and of
// this program. Else the log is replayed, and says itself what is wrong in it.
func TestAFoldThatDoesNotFit(t *testing.T) {
	events := story(3, 80)
	other := written(t, story(4, 80), 70)
	fold := func(dir string, change func([]byte) []byte) {
		path := filepath.Join(dir, foldFile)
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(raw), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	log := func(dir string, change func([]byte) []byte) {
		path := filepath.Join(dir, LogFile)
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(raw), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, row := range map[string]struct {
		change func(dir string)
		fits   bool
	}{
		"as it was": {func(string) {}, true},
		"a time in the log": {func(dir string) {
			log(dir, func(b []byte) []byte { return bytes.Replace(b, []byte(":30.000Z"), []byte(":30.001Z"), 1) })
		}, false},
		"a word in the log": {func(dir string) {
			log(dir, func(b []byte) []byte { return bytes.Replace(b, []byte("Never"), []byte("Newer"), 1) })
		}, false},
		"a mode in the log": {func(dir string) {
			log(dir, func(b []byte) []byte { return bytes.Replace(b, []byte(`"agent"`), []byte(`"agenT"`), 1) })
		}, false},
		"only behind the fold": {func(dir string) {
			log(dir, func(b []byte) []byte {
				return append(b[:bytes.LastIndex(b, []byte(`,"time"`))], []byte(`,"time":"2026-01-01T00:00:00.000Z","type":"x","data":{}}`+"\n")...)
			})
		}, true},
		"a shorter log": {func(dir string) { log(dir, func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] }) }, false},
		"another session's log": {func(dir string) {
			log(dir, func([]byte) []byte { b, _ := os.ReadFile(filepath.Join(other, LogFile)); return b })
		}, false},
		"another session's fold": {func(dir string) {
			fold(dir, func([]byte) []byte { b, _ := os.ReadFile(filepath.Join(other, foldFile)); return b })
		}, false},
		"another program's": {func(dir string) { rewrite(t, dir, func(f map[string]any) { f["program"] = "0" }) }, false},
		"empty":             {func(dir string) { fold(dir, func([]byte) []byte { return nil }) }, false},
		"no sum":            {func(dir string) { fold(dir, func(b []byte) []byte { return b[65:] }) }, false},
		"more behind it":    {func(dir string) { fold(dir, func(b []byte) []byte { return append(b, ' ') }) }, false},
		"no pieces":         {func(dir string) { rewrite(t, dir, func(f map[string]any) { f["pieces"] = []any{} }) }, false},
		"no acks":           {func(dir string) { rewrite(t, dir, func(f map[string]any) { f["acks"] = nil }) }, false},
		"nothing requested": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["inner"].(map[string]any)["requested"] = nil })
		}, false},
		"more lines": {func(dir string) { rewrite(t, dir, func(f map[string]any) { f["seq"] = 71 }) }, false},
		"since what is not there": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["inner"].(map[string]any)["since"] = 100 })
		}, false},
		"since before the first": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["inner"].(map[string]any)["since"] = -1 })
		}, false},
		"an item that is none": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["items"] = []any{map[string]any{"seq": 1}} })
		}, false},
		"an item that is not there": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["inner"].(map[string]any)["held"] = []any{map[string]any{"seq": 7777}} })
		}, false},
		"an item before all": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["inner"].(map[string]any)["held"] = []any{map[string]any{"seq": -7}} })
		}, false},
		"an item behind the fold": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["inner"].(map[string]any)["held"] = []any{map[string]any{"seq": 75}} })
		}, false},
		"a piece of nothing": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["pieces"] = append(f["pieces"].([]any), f["pieces"].([]any)[0]) })
		}, false},
		"a piece of everything": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["pieces"] = []any{map[string]any{"end": 1 << 62, "sum": "AA=="}} })
		}, false},
		"a piece of another sum": {func(dir string) {
			rewrite(t, dir, func(f map[string]any) { f["pieces"].([]any)[0].(map[string]any)["sum"] = "AA==" })
		}, false},
	} {
		dir := written(t, events, 70)
		row.change(dir)
		plain, got, by := replayed(t, dir)
		if row.fits != (by > 0) {
			t.Errorf("%s: %d bytes were believed", name, by)
		}
		if at := same(plain, got); at != "" {
			t.Errorf("%s: %s", name, at)
		}
	}
}

// rewrite changes what a fold says and gives it the sum of that.
func rewrite(t testing.TB, dir string, change func(map[string]any)) {
	t.Helper()
	path := filepath.Join(dir, foldFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f map[string]any
	line, calls, _ := bytes.Cut(raw[65:], newline)
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	change(f)
	body, err := json.Marshal(f)
	body = append(append(body, '\n'), calls...)
	if err == nil {
		err = os.WriteFile(path, append(sumOf(body), body...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A fold that is cut anywhere, as by a power cut, is none.
func TestATornFold(t *testing.T) {
	dir := written(t, story(5, 20), 15)
	path := filepath.Join(dir, foldFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(raw); n += 7 {
		if err := os.WriteFile(path, raw[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		l := Read(dir)
		if f, ok := l.readFold(); ok {
			t.Fatalf("%d bytes of %d are taken: %+v", n, len(raw), f)
		}
	}
}

// Anyone who can write a fold can give it any words and the sum of them. What is allowed in
// a session is nevertheless what the lines of its log say: mode, taint, grants, questions,
// the agent, the model's parameters and the system prompt.
func TestBypassForgedFold(t *testing.T) {
	yes, mode, prompt := true, tool.ModeAgent, "Ask first."
	events := []Event{}
	for _, b := range []Body{
		Opened{Version: 1, Key: "k", Agent: "build", Mode: "agent"}, Changed{Tainted: &yes, Mode: &mode, SystemPrompt: &prompt},
		Approval{ApprovalID: "a1", CallID: "c1"}, ApprovalResolved{ApprovalID: "a1", Grants: []control.Rule{{Domain: "vault"}}},
		RunStarted{Prompt: Text("p"), Kind: "prompt"}, Approval{ApprovalID: "a2", CallID: "c2"}, PlanUpdated{},
	} {
		events = append(events, Event{Seq: int64(len(events) + 1), Time: time.UnixMilli(1000).UTC(), Run: "r", Body: b})
	}
	dir := written(t, events, len(events))
	rewrite(t, dir, func(f map[string]any) {
		f["title"] = "believed"
		for _, name := range []string{"tainted", "Tainted"} {
			f[name] = false
		}
		for _, name := range []string{"grants", "Grants"} {
			f[name] = []any{map[string]any{"domain": "bash", "action": "allow"}}
		}
		f["info"] = map[string]any{"mode": "full_access", "agent": "other"}
		f["opened"] = map[string]any{"mode": "full_access"}
		f["systemPrompt"] = "Ask nobody."
		f["calls"].(map[string]any)["Pending"] = []any{}
		f["shown"].(map[string]any)["Items"] = []any{map[string]any{"Seq": 5}}
	})
	plain, got, by := replayed(t, dir)
	if by == 0 || got.Info.Title != "believed" {
		t.Fatalf("nothing of the fold was taken: %q", got.Info.Title)
	}
	got.Info.Title = plain.Info.Title
	if at := same(plain, got); at != "" {
		t.Error(at)
	}
	if !got.Tainted || got.Info.Mode != "agent" || len(got.Grants) != 1 || len(got.Pending) != 1 {
		t.Errorf("%+v", got)
	}
}

// Rules are found in whatever form their lines have.
func TestRulesInAnotherForm(t *testing.T) {
	dir := t.TempDir()
	text := openedLine +
		`{"data":{"tainted":true,"mode":"full_access"},"type":"session.changed","time":"2026-01-01T00:00:00.000Z","seq":2}` + "\n" +
		`{ "seq": 3, "time":"2026-01-01T00:00:00.000Z","type":"approval.re\u0073olved","data":{"grants":[{"domain":"vault"}]}}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, LogFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, live, err := Open(&durable.Disk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	keepNow(t, l, live)
	l.Close()
	plain, got, by := replayed(t, dir)
	if at := same(plain, got); at != "" || by == 0 || !got.Tainted || len(got.Grants) != 1 {
		t.Errorf("%d bytes believed: %s", by, at)
	}
}

// What is wrong in a log is named although a fold of it was written before.
func TestDamageBehindAFold(t *testing.T) {
	dir := long(t, 40, func(_ int, seq int64) Body { return ContextCompacted{OK: true, Summary: "s", KeepFrom: seq - 4} })
	l, live, err := Open(&durable.Disk{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	keepNow(t, l, live)
	l.Close()
	path := filepath.Join(dir, LogFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Replace(raw, []byte(`"seq":20,`), []byte(`"seq":20;`), 1)
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := opened(dir); err == nil || !strings.Contains(err.Error(), path+": line 20: ") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(path, append(raw, []byte(`{"seq":9`)...), 0o600); err != nil {
		t.Fatal(err)
	}
	plain, got, by := replayed(t, dir)
	if at := same(plain, got); at != "" || by != int64(len(raw)) {
		t.Errorf("a torn tail: %d bytes believed: %s", by, at)
	}
}
