package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agent-sidecar/agent-sidecar/schema"
)

// TestRunJSON: stdout has the events of the run as the protocol has them, one a line, and
// behind them what became of it; texts for people are on stderr.
func TestRunJSON(t *testing.T) {
	t.Parallel()
	write := "call c1 write {\"path\": \"a.txt\", \"content\": \"x\\n\"}\n---\n"
	for _, row := range []struct {
		name, script, settings string
		args                   []string
		want                   runResult
		events                 []string // some of them, in this order
		stderr                 string
	}{
		{"done", write + "say \"Done \\x1b[2J.\"", "", []string{"--yes", "Go."},
			runResult{SessionID: "0001", StopReason: "end_turn", Text: "Done \x1b[2J."},
			[]string{"session.opened", "run.started", "message.assistant", "tool.requested", "tool.decided", "tool.returned", "message.assistant", "run.ended"}, "created a.txt +1"},
		{"refused", write + "say Not made.", "", []string{"--mode", "ask", "Go."},
			runResult{SessionID: "0001", StopReason: "end_turn", Text: "Not made.", Refused: 1, ExitCode: exitRefused}, []string{"run.ended"}, "Refused because nobody could be asked: 1"},
		{"a sub-agent", "call c1 task {\"agent\": \"explore\", \"prompt\": \"look\"}\n---\nsay Seen.\n--- for explore\nsay nothing there", "", []string{"Go."},
			runResult{SessionID: "0001", StopReason: "end_turn", Text: "Seen."}, []string{"subagent.started", "subagent.ended", "run.ended"}, ""},
		{"failed", "status 401 {}", "", []string{"Go."}, runResult{SessionID: "0001", StopReason: "error", ExitCode: exitFailed}, []string{"run.started", "run.ended"}, "401"},
		{"a limit", write + "say never", `{"agents": {"runtime": {"limits": {"maxTurns": 1}}}}`, []string{"Go."}, runResult{SessionID: "0001", StopReason: "max_turns", Refused: 1, ExitCode: exitLimit}, []string{"run.ended"}, "Stopped"},
		{"no prompt", "say never", "", nil, runResult{ExitCode: exitMisused}, nil, "no prompt given"},
		{"no such session", "say never", "", []string{"--session", "7", "Go."}, runResult{ExitCode: exitFailed}, nil, `there is no session "0007"`},
		{"no such mode", "say never", "", []string{"--mode", "fast", "Go."}, runResult{ExitCode: exitMisused}, nil, "none of ask, edit, plan"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := scriptedShell(t, row.settings, row.script)
			code, out, errs := s.run(t, "", append([]string{"run", "--json"}, row.args...)...)
			got, types := s.result(t, out)
			w := row.want
			if code != w.ExitCode || got.ExitCode != code || got.SessionID != w.SessionID || got.StopReason != w.StopReason || got.Text != w.Text || got.Refused != w.Refused || !strings.Contains(errs, row.stderr) {
				t.Errorf("exit %d, %+v\n%s", code, got, errs)
			}
			if began := w.SessionID != ""; began != (got.RunID != "") || began != (got.Usage != nil) || (code == 0 || code == exitRefused || code == exitLimit) != (got.Error == nil) {
				t.Errorf("%+v", got)
			}
			if row.name == "done" && (len(got.Changes) != 1 || got.Changes[0].Path != "a.txt") {
				t.Errorf("changes %+v", got.Changes)
			}
			for _, want := range row.events {
				at := slices.Index(types, want)
				if at < 0 {
					t.Fatalf("no %s in %q", want, types)
				}
				types = types[at+1:]
			}
			if strings.Contains(out, "\x1b") || strings.Contains(out, "delta") {
				t.Errorf("%q", out)
			}
		})
	}
}

// TestRunJSONWithoutModel: a run that cannot begin says so as one line, too.
func TestRunJSONWithoutModel(t *testing.T) {
	t.Parallel()
	s := newShell(t, "")
	code, out, errs := s.run(t, "", "run", "--json", "Go.")
	got, types := s.result(t, out)
	if code != exitFailed || len(types) != 0 || got.Error == nil || got.Error.Kind != "model_not_set" || !strings.Contains(errs, "There are three ways.") {
		t.Errorf("exit %d, %+v: %s", code, got, errs)
	}
	dir := s.dir
	s.dir = filepath.Join(dir, "..")
	if code, out, _ = s.run(t, "", "run", "--json", "--home", "/dev/null/x", "Go."); code != exitFailed || !strings.Contains(out, `"type":"run.result"`) {
		t.Errorf("exit %d: %s", code, out)
	}
}

// result reads what run --json has printed: every line but the last fits the schema of
// agent/event, and the last one is the result.
func (s *shell) result(t *testing.T, out string) (result runResult, types []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	last := len(lines) - 1
	if err := json.Unmarshal([]byte(lines[last]), &result); err != nil || result.Type != "run.result" || result.Changes == nil {
		t.Fatalf("the last line is no result: %v: %s", err, lines[last])
	}
	params, data := eventSchemas(t)
	for _, line := range lines[:last] {
		var e any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		kind, _ := e.(map[string]any)["type"].(string)
		if err := params.Validate(e); err != nil || data[kind] == nil {
			t.Errorf("%s is no event of the protocol: %v", line, err)
		} else if err := data[kind].Validate(e.(map[string]any)["data"]); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		types = append(types, kind)
	}
	return result, types
}

// eventSchemas are those of the params of agent/event and of the data of each event.
func eventSchemas(t *testing.T) (params *jsonschema.Resolved, data map[string]*jsonschema.Resolved) {
	t.Helper()
	var protocol jsonschema.Schema
	var meta struct {
		Events []struct {
			Type string
			Data *jsonschema.Schema
		}
	}
	if err := json.Unmarshal(schema.JSONSchema(), &protocol); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(schema.MetaModel(), &meta); err != nil {
		t.Fatal(err)
	}
	resolved := func(s *jsonschema.Schema) *jsonschema.Resolved {
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	data = map[string]*jsonschema.Resolved{}
	for _, e := range meta.Events {
		data[e.Type] = resolved(e.Data)
	}
	return resolved(protocol.Defs["agent/event params"]), data
}
