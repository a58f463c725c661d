package convert

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// TestBlocks: what a prompt of the client is for the server.
func TestBlocks(t *testing.T) {
	for in, want := range map[string]string{
		`[{"type":"text","text":"hi"}]`:                                                      `[{"text":"hi","type":"text"}]`,
		`[{"type":"image","data":"QQ==","mimeType":"image/png"}]`:                            `[{"data":"QQ==","mimeType":"image/png","type":"image"}]`,
		`[{"type":"resource_link","name":"a","uri":"file:///w/a.go"}]`:                       `[{"type":"resource_link","uri":"file:///w/a.go"}]`,
		`[{"type":"resource_link","name":"a","uri":"file:///w/a.go#L10-20"}]`:                `[{"range":{"end":{"character":0,"line":20},"start":{"character":0,"line":9}},"type":"resource_link","uri":"file:///w/a.go"}]`,
		`[{"type":"resource_link","name":"a","uri":"file:///w/a.go#L3-L4"}]`:                 `[{"range":{"end":{"character":0,"line":4},"start":{"character":0,"line":2}},"type":"resource_link","uri":"file:///w/a.go"}]`,
		`[{"type":"resource_link","name":"a","uri":"file:///w/a.go#L7"}]`:                    `[{"range":{"end":{"character":0,"line":7},"start":{"character":0,"line":6}},"type":"resource_link","uri":"file:///w/a.go"}]`,
		`[{"type":"resource_link","name":"a","uri":"file:///w/a.go#L99999999999"}]`:          `[{"type":"resource_link","uri":"file:///w/a.go#L99999999999"}]`,
		`[{"type":"resource_link","name":"a","uri":"https://x.test/a#L1"}]`:                  `[{"type":"resource_link","uri":"https://x.test/a#L1"}]`,
		`[{"type":"resource","resource":{"uri":"file:///w/a.go","text":"package a"}}]`:       `[{"text":"package a","type":"resource_link","uri":"/w/a.go"}]`,
		`[{"type":"resource","resource":{"uri":"zed:///x","text":"words"}}]`:                 `[{"text":"words","type":"resource_link","uri":"zed:///x"}]`,
		`[{"type":"resource","resource":{"uri":"a","blob":"QQ==","mimeType":"image/png"}}]`:  `[{"data":"QQ==","mimeType":"image/png","type":"image"}]`,
		`[{"type":"text","text":"a"},{"type":"audio","data":"QQ==","mimeType":"audio/wav"}]`: "params.prompt.1: ",
		`[{"type":"hologram"}]`: "params.prompt.0: ",
		`[]`:                    `[]`,
	} {
		var prompt []v1.ContentBlock
		if err := json.Unmarshal([]byte(in), &prompt); err != nil {
			t.Fatal(err)
		}
		blocks, err := Blocks(prompt)
		got := ""
		if raw, _ := json.Marshal(blocks); err == nil {
			got = string(raw)
		} else {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.HasPrefix(got, want)) {
			t.Errorf("%s\nis   %s\nwant %s", in, got, want)
		}
	}
}

// TestServers: a program and an address; what else there is is refused and named.
func TestServers(t *testing.T) {
	var servers []v1.MCPServer
	err := json.Unmarshal([]byte(`[{"name":"a","command":"/bin/a","args":["-x"],"env":[{"name":"K","value":"v"}]},{"type":"http","name":"b","url":"https://b.test","headers":[{"name":"H","value":"v"}]}]`), &servers)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Servers(servers)
	if err != nil || string(got["a"]) != `{"command":["/bin/a","-x"],"env":{"K":"v"}}` || string(got["b"]) != `{"headers":{"H":"v"},"url":"https://b.test"}` || len(got) != 2 {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Servers([]v1.MCPServer{{SSE: &v1.MCPServerSSE{}}}); err == nil || !strings.Contains(err.Error(), "mcpServers.0") {
		t.Errorf("an SSE server: %v", err)
	}
}

// TestOptions: only what the question takes, a yes for once before the no, and what lasts behind it.
func TestOptions(t *testing.T) {
	for decisions, want := range map[string]string{
		"once session always reject": "once reject reject_stop session always:a1 always:a2",
		"once reject":                "once reject reject_stop",
		"always reject":              "reject reject_stop always:a1 always:a2",
		"reject":                     "reject reject_stop",
	} {
		var a Approval
		if err := json.Unmarshal([]byte(`{"sessionId":"0001","always":[{"id":"a1","label":"One"},{"id":"a2","label":"Two"}],"labels":{"once":"Go"}}`), &a); err != nil {
			t.Fatal(err)
		}
		a.Decisions = strings.Fields(decisions)
		options, answers := Options("en", a)
		var ids []string
		for _, o := range options {
			ids = append(ids, o.OptionID)
			if allows := strings.HasPrefix(string(o.Kind), "allow"); allows == (answers[o.OptionID]["decision"] == "reject") {
				t.Errorf("%s: option %s of kind %s means %v", decisions, o.OptionID, o.Kind, answers[o.OptionID])
			}
			if o.OptionID == "once" && o.Name != "Go" {
				t.Errorf("once is called %q", o.Name)
			}
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: %q, want %q", decisions, got, want)
		}
	}
	config, answers := Options("en", Approval{Decisions: []string{"always", "reject"}})
	if len(config) != 2 || config[0].OptionID != "reject" || config[1].OptionID != "always" || answers["always"]["decision"] != "always" {
		t.Errorf("a question of no session: %+v, %v", config, answers)
	}
}

// TestAnswers: what a form says to questions. What was not offered is no choice.
func TestAnswers(t *testing.T) {
	options := []history.QuestionOption{{Label: "Red"}, {Label: "Blue"}}
	q := history.QuestionAsked{Questions: []history.Question{{Question: "One?", Options: options}, {Question: "Some?", Options: options, Multiple: true}, {Question: "Words?"}}}
	none := []string{}
	for in, want := range map[string][]history.QuestionAnswer{
		`{"answer_1":"Blue","answer_2":["Red","Blue"],"answer_3":"three"}`: {{Choices: []string{"Blue"}}, {Choices: []string{"Red", "Blue"}}, {Choices: none, Text: "three"}},
		`{"answer_1":"Green","answer_3":"three"}`:                          {{Choices: none}, {Choices: none}, {Choices: none, Text: "three"}},
		`{"answer_1_other":"Green"}`:                                       {{Choices: none, Text: "Green"}, {Choices: none}, {Choices: none}},
		`{"answer_1":["Red","Blue"]}`:                                      {{Choices: []string{"Red"}}, {Choices: none}, {Choices: none}},
		`{"answer_1":5,"answer_2":{},"answer_3":null}`:                     nil,
		`{}`: nil,
	} {
		var content map[string]json.RawMessage
		if err := json.Unmarshal([]byte(in), &content); err != nil {
			t.Fatal(err)
		}
		if got := Answers(q, content); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", in, got, want)
		}
	}
	form := Form("en", q)
	var fields []string
	for name := range form.Properties {
		fields = append(fields, name)
	}
	slices.Sort(fields)
	if want := []string{"answer_1", "answer_1_other", "answer_2", "answer_2_other", "answer_3"}; !slices.Equal(fields, want) {
		t.Errorf("the form has %q", fields)
	}
}

// TestLocations: a file where the input names one, below the first folder.
func TestLocations(t *testing.T) {
	for _, row := range []struct{ tool, input, want string }{
		{"read", `{"path":"a/b.go","offset":7}`, "/w/a/b.go"},
		{"edit", `{"path":"/else/c"}`, "/else/c"},
		{"bash", `{"path":"a"}`, ""},
		{"read", `{"path":"agent-artifact:/0001/x"}`, ""},
		{"read", `{"path":5}`, ""},
		{"read", `[]`, ""},
	} {
		got := ""
		for _, at := range Locations("/w", row.tool, json.RawMessage(row.input)) {
			got = at.Path
		}
		if got != row.want {
			t.Errorf("%s %s: %q, want %q", row.tool, row.input, got, row.want)
		}
	}
}
