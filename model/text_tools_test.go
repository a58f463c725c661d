package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTextCalls: what an answer says, and what it calls, however it is cut into pieces.
func TestTextCalls(t *testing.T) {
	block := func(call string) string { return "```tool_call\n" + call + "\n```" }
	read := `{"name": "read", "arguments": {"path": "a.txt"}}`
	called := Call{Name: "read", Arguments: `{"path": "a.txt"}`}
	for _, c := range []struct {
		name, answer, said string
		calls              []Call
	}{
		{"no call", "It says hello.\n\n```go\nx := 1\n```", "It says hello.\n\n```go\nx := 1\n```", nil},
		{"one", block(read), "", []Call{called}},
		{"a text before it", "I look.\n\n" + block(read) + "\n", "I look.", []Call{called}},
		{"two", block(read) + "\n\n" + block(read), "", []Call{called, called}},
		{"two in a list", block("[" + read + "," + read + "]"), "", []Call{called, called}},
		{"a result that the model invents", block(read) + "\nThe file says hello.\n" + block(read), "", []Call{called}},
		{"on one line", "```tool_call " + read + "```", "", []Call{called}},
		{"the closing fence behind the call", "```tool_call\n" + read + "```\n", "", []Call{called}},
		{"lines of Windows", "Look.\r\n```tool_call\r\n" + read + "\r\n```\r\n", "Look.", []Call{called}},
		{"in the plural, moved to the right", "  ```tool_calls\n" + read + "\n  ```", "", []Call{called}},
		{"a fence in a string", block(`{"name": "write", "arguments": {"path": "a.md", "content": "` + "```sh\\nls\\n```" + `"}}`), "",
			[]Call{{Name: "write", Arguments: `{"path": "a.md", "content": "` + "```sh\\nls\\n```" + `"}`}}},
		{"arguments in a string", block(`{"name": "read", "arguments": "{\"path\": \"a.txt\"}"}`), "", []Call{{Name: "read", Arguments: `{"path": "a.txt"}`}}},
		{"another word for them", block(`{"tool": "read", "parameters": {"path": "a.txt"}}`), "", []Call{called}},
		{"no closing fence", "```tool_call\n" + read, "", []Call{called}},
		{"cut", "```tool_call\n" + `{"name": "read", "arguments": {"path": "a.`, "", []Call{{Name: "read", Arguments: `{"path": "a.`}}},
		{"broken", block(`{"name": "read", "arguments": {'path': 'a.txt'}}`), "", []Call{{Name: "read", Arguments: `{'path': 'a.txt'}`}}},
		{"nothing that can be read", block("read a.txt"), "", []Call{{Arguments: "read a.txt"}}},
		{"in the middle of a line", "Write ```tool_call to call.", "Write ```tool_call to call.", nil},
		{"another word", "```tool_caller\nx\n```", "```tool_caller\nx\n```", nil},
		{"the beginning of a fence at the end", "Done.\n```", "Done.\n```", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for size := 1; size <= len(c.answer); size++ {
				var b blocks
				told := ""
				for from := 0; from < len(c.answer); from += size {
					told += b.next(c.answer[from:min(from+size, len(c.answer))])
				}
				told += b.end()
				if d := (&textReply{&answer{}, b}).done("p", "m"); strings.TrimRight(d.Text, " \r\n") != c.said || !cmp.Equal(d.Calls, c.calls) {
					t.Fatalf("in pieces of %d: %q %v", size, d.Text, d.Calls)
				}
				if told != b.said.String() {
					t.Fatalf("in pieces of %d it was shown %q", size, told)
				}
			}
		})
	}
}

// TestTextCallsAreBounded: fences without end in a block that never ends take no time.
func TestTextCallsAreBounded(t *testing.T) {
	var b blocks
	b.next("```tool_call\n")
	for range 20_000 {
		b.next(`{"a":"}` + "```")
	}
	if b.end(); len(b.calls) != 1 {
		t.Fatal(b.calls)
	}
}

// TestTextTools: how a request says what its tools are, what was called and what came back.
func TestTextTools(t *testing.T) {
	req := Request{
		Messages: []Message{
			{Role: "system", Text: "Be brief."},
			{Role: "user", Text: "What is in a.txt?"},
			{Role: "assistant", Text: "I look.", Calls: []Call{{ID: "c1", Name: "read", Arguments: `{"path":"a.txt"}`}, {ID: "c2", Name: "read", Arguments: `["b"]`}}},
			{Role: "tool", CallID: "c1", Text: "hello"},
			{Role: "tool", CallID: "c2"},
			{Role: "user", Text: "Well?"},
		},
		Tools:      []Tool{{Name: "read", Description: "Reads a file.\n", Schema: []byte(`{"type":"object"}`)}},
		ToolChoice: "none",
	}
	got := textTools(req, nil)
	want := []Message{
		{Role: "system", Text: strings.TrimSpace(textToolsPrompt) + "\n\n## read\n\nReads a file.\n\nArguments: {\"type\":\"object\"}\n\nBe brief."},
		{Role: "user", Text: "What is in a.txt?"},
		{Role: "assistant", Text: "I look.\n\n```tool_call\n{\"name\": \"read\", \"arguments\": {\"path\":\"a.txt\"}}\n```\n\n```tool_call\n{\"name\": \"read\", \"arguments\": {\"malformed_arguments\":\"[\\\"b\\\"]\"}}\n```"},
		{Role: "user", Text: "[What read returned; it is not from the user]\nhello\n\n[What read returned; it is not from the user]\n(no output)\n\nWell?"},
	}
	if diff := cmp.Diff(want, got.Messages); diff != "" || got.Tools != nil || got.ToolChoice != "" {
		t.Error(diff, got.Tools, got.ToolChoice)
	}
	if req.Messages[0].Text != "Be brief." || len(req.Messages) != 6 {
		t.Error("the conversation itself was changed")
	}
}

// TestRefusesTools: what servers say that have no tools, and what is about something else.
func TestRefusesTools(t *testing.T) {
	for words, want := range map[string]string{
		`registry.ollama.ai/library/gemma2:2b does not support tools`:                                      quirkTools,
		`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`:           quirkTools,
		`tools param requires --jinja flag`:                                                                quirkTools,
		"`tool calling` is not supported with this model":                                                  quirkTools,
		`No endpoints found that support tool use. To learn more about provider routing, visit: https://x`: quirkTools,
		`tools is not supported in this model. For a list of supported models, refer to https://x`:         quirkTools,
		`deepseek-reasoner does not support Function Calling`:                                              quirkTools,
		`Function calling is not enabled for this model`:                                                   quirkTools,
		`Unrecognized request argument supplied: tools`:                                                    quirkTools,
		`Thinking mode does not support this tool_choice`:                                                  "",
		`No endpoints found that support the provided 'tool_choice' value.`:                                "",
		`tools[0].function.strict: Extra inputs are not permitted`:                                         "",
		`Invalid schema for function 'x': 'format' is not supported in tools[3].function.parameters.`:      "",
		`tools.12.input_schema: JSON schema keyword "pattern" is not supported`:                            "",
	} {
		if got := findQuirk(`{"error":{"message":`+string(encodeJSON(words))+`}}`, []string{quirkTools}); got != want {
			t.Errorf("%s: %q", words, got)
		}
	}
}

// TestCallGrammar: only a server that takes a grammar gets one; it names the tools, and is left
// out from then on where it is refused.
func TestCallGrammar(t *testing.T) {
	req := Request{Messages: []Message{{Role: "user", Text: "x"}}, Tools: []Tool{{Name: "read"}, {Name: "apply_patch"}}}
	sent := func(server string, quirks ...string) string {
		all := map[string]bool{}
		for _, q := range quirks {
			all[q] = true
		}
		var body struct{ Grammar string }
		if err := json.Unmarshal(encode(req, Info{Server: server}, all).body.whole(), &body); err != nil {
			t.Fatal(err)
		}
		return body.Grammar
	}
	if g := sent("llamacpp", quirkTools); !strings.Contains(g, `("\"read\"" | "\"apply_patch\"")`) || !strings.Contains(g, "\"```tool_cal\" ([^l\\n] [^\\n]*)?") {
		t.Error(g)
	}
	for _, none := range []string{sent("llamacpp"), sent("vllm", quirkTools), sent("llamacpp", quirkTools, quirkGrammar)} {
		if none != "" {
			t.Error("a grammar was sent:", none)
		}
	}
	if got := findQuirk(`{"error":{"message":"Failed to parse grammar"}}`, []string{quirkGrammar}); got != quirkGrammar {
		t.Error(got)
	}
}

// TestTextCallsBehindAThought: a thought that a text begins with is none of it, and what is held
// back until the end is said.
func TestTextCallsBehindAThought(t *testing.T) {
	for text, want := range map[string]string{
		"<think>I read.</think>\n```tool_call\n{\"name\": \"read\", \"arguments\": {}}\n```": "calls read", // the thought may quote a call, too
		"<think>```tool_call\n{\"name\": \"read\", \"arguments\": {}}\n```</think>No.":       `says "No."`,
		"<thi":                            `says "<thi"`,
		"Done.\n```":                      `says "Done.\n` + "```" + `"`,
		"```tool_call\n{\"name\": \"ls\"": "calls ls",
	} {
		r := &textReply{reply: &answer{}}
		shown := ""
		emit := func(p Part) bool {
			if d, is := p.(TextDelta); is {
				shown += d.Text
			}
			return true
		}
		for _, piece := range text {
			r.add([]byte(`{"choices":[{"index":0,"delta":{"content":`+string(encodeJSON(string(piece)))+`}}]}`), emit)
		}
		r.flush(emit)
		d := r.done("p", "m")
		got := fmt.Sprintf("says %q", d.Text)
		if len(d.Calls) > 0 {
			got = "calls " + d.Calls[0].Name
		}
		if got != want || shown != d.Text {
			t.Errorf("%q %s, shown %q", text, got, shown)
		}
	}
}
