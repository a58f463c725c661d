package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRunOutputSchema: the last answer is JSON that fits the schema, alone on stdout; it is
// asked for twice at most.
func TestRunOutputSchema(t *testing.T) {
	t.Parallel()
	const again = "when Your last message does not fit the JSON Schema: (.*)\n"
	write := "call c1 write {\"path\": \"a.txt\", \"content\": \"x\"}\n---\n"
	for _, row := range []struct {
		name, script string
		args         []string
		code         int
		stdout       string
		stderr       string
	}{
		{"fits", "say {\"bugs\": 1}", nil, 0, "{\"bugs\":1}\n", "1000 input tokens"},
		{"nothing invisible", `say "{\"bugs\": 1, \"note\": \"\x7f\u202e\"}"`, nil, 0, `{"bugs":1,"note":"\u007f\u202e"}` + "\n", ""},
		{"fits when asked again", "say One bug.\n---\n" + again + "say {\"bugs\": 1}", nil, 0, "{\"bugs\":1}\n", "The answer does not fit the schema: it is not JSON"},
		{"never", "say One bug.\n---\n" + again + "say {\"bugs\": \"one\"}", nil, exitUnfit, "", "agent-sidecar: the answer does not fit the schema: "},
		{"refused, and fits", write + "say {\"bugs\": 1}", []string{"--mode", "ask"}, exitRefused, "{\"bugs\":1}\n", "Refused because nobody could be asked: 1"},
		{"refused, and does not fit", write + "say no\n---\n" + again + "say no", []string{"--mode", "ask"}, exitRefused, "", "does not fit"},
		{"nothing left to ask again", "say One bug.\nusage 1000 50", []string{"--max-tokens", "1050"}, exitLimit, "", "does not fit"},
		{"both share a budget", "say One bug.\nusage 1000 50\n---\ncall c1 ls {}\nusage 1000 50\n---\nsay never\noptional", []string{"--max-tokens", "2000"}, exitLimit, "", "token budget (950)"},
		{"failed", "status 401 {}", nil, exitFailed, "", "401"},
		{"failed when asked again", "say One bug.\n---\nstatus 401 {}", nil, exitFailed, "", "401"},
		{"cut by its limit", "say {\"bugs\":\nfinish length\n---\nsay 1\nfinish length", nil, exitLimit, "", "output limit"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := scriptedShell(t, "", row.script)
			s.write(t, filepath.Join(s.dir, "s.json"), `{"type": "object", "properties": {"bugs": {"type": "integer"}}, "required": ["bugs"]}`)
			code, out, errs := s.run(t, "", append([]string{"run", "--output-schema", "s.json", "Count the bugs."}, row.args...)...)
			if code != row.code || out != row.stdout || !strings.Contains(errs, row.stderr) {
				t.Errorf("exit %d, %q\n%s", code, out, errs)
			}
			for _, p := range s.model.Problems() {
				t.Error(p)
			}
			if first := string(s.model.Requests()[0].Body); !strings.Contains(first, `one JSON value that fits this JSON Schema`) || !strings.Contains(first, `\"bugs\":{\"type\":\"integer\"}`) {
				t.Errorf("the model is not told the schema: %s", first)
			}
			if unused := s.model.Unused(); len(unused) > 0 && !strings.Contains(row.script, "optional") {
				t.Errorf("not asked: %v", unused)
			}
		})
	}
}

// TestRunOutputSchemaJSON: with --json the output is in the result.
func TestRunOutputSchemaJSON(t *testing.T) {
	t.Parallel()
	s := scriptedShell(t, "", "say One bug.\nusage 1000 50\n---\nsay {\"bugs\": 1}\nusage 1000 50\n---\nsay no\n---\nsay no")
	s.write(t, filepath.Join(s.dir, "s.json"), `{"required": ["bugs"], "type": "object"}`)
	code, out, errs := s.run(t, "", "run", "--json", "--output-schema", "s.json", "Count.")
	if r, types := s.result(t, out); code != 0 || string(r.Output) != `{"bugs":1}` || r.Text != `{"bugs": 1}` || r.Usage.InputTokens != 2000 || strings.Count(strings.Join(types, " "), "run.ended") != 2 {
		t.Errorf("exit %d: %+v %s", code, r, errs)
	}
	code, out, errs = s.run(t, "", "run", "--json", "--output-schema", "s.json", "Count.")
	if r, _ := s.result(t, out); code != exitUnfit || r.ExitCode != exitUnfit || r.Output != nil || r.Text != "no" || !strings.Contains(errs, "it is not JSON") {
		t.Errorf("exit %d: %+v %s", code, r, errs)
	}
}

// TestRunOutputSchemaIsRefused: a schema that cannot be used is said before anything is asked.
func TestRunOutputSchemaIsRefused(t *testing.T) {
	t.Parallel()
	s := scriptedShell(t, "", "say never")
	for name, text := range map[string]string{
		"broken.json": "{", "network.json": `{"$ref": "https://example.com/s.json"}`, "file.json": `{"$ref": "other.json"}`, "itself.json": `{"$ref": "#"}`, "binary.json": "\x00",
		"large.json": `{"description": "` + strings.Repeat("x", mostSchema) + `"}`,
	} {
		s.write(t, filepath.Join(s.dir, name), text)
		if code, out, errs := s.run(t, "", "run", "--output-schema", name, "x"); code != exitMisused || out != "" || !strings.Contains(errs, "agent-sidecar: run: ") {
			t.Errorf("%s: exit %d: %s%s", name, code, out, errs)
		}
	}
	if code, _, errs := s.run(t, "", "run", "--output-schema", "missing.json", "x"); code != exitMisused || !strings.Contains(errs, "--output-schema: ") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if n := len(s.model.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
}
