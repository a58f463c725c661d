package model

import (
	"encoding/json"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// What a model writes in the place of a call, where its server does not make calls of it: each
// begins with a mark of its own and has the name of the tool behind it.
var writtenCall = lazy.Regexp(`(?s)^(?:` + strings.Join([]string{
	`<tool_call>\s*\{.*?"name"\s*:\s*"([\w.-]+)"`,          // Hermes, Qwen
	`<tool_call>\s*<function=([\w.-]+)>`,                   // Qwen3-Coder
	`<tool_call>\s*([\w.-]+)\s*(?:<arg_key>|</tool_call>)`, // GLM
	`<function=([\w.-]+)>`,                                 // Llama
	`\[TOOL_CALLS\]\s*\[?\s*\{.*?"name"\s*:\s*"([\w.-]+)"`, // Mistral
	`\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[ARGS\]|\{)`,
	`<\|python_tag\|>\s*\{.*?"name"\s*:\s*"([\w.-]+)"`, // Llama
	`<\|python_tag\|>\s*([\w-]+)(?:\.call)?\(`,
	`<｜tool▁calls▁begin｜>.*?<｜tool▁sep｜>([\w.-]+)`,                       // DeepSeek
	`<\|tool_calls_section_begin\|>.*?<\|tool_call_begin\|>\s*([\w.-]+)`, // Kimi
	`(?:<function_calls>\s*)?<invoke name="([\w.-]+)">`,                  // Claude's, as others have learned it
	`<\|(?:start|channel)\|>[^{]*?\bto=([\w.-]+)`,                        // gpt-oss
}, "|") + `)`)

// writtenPlain is a call in the form of Python, alone or in a list.
var writtenPlain = lazy.Regexp(`(?s)^\[?\s*([A-Za-z_]\w*)\(.*\)\s*\]?$`)

// fenced is a text between fences.
var fenced = lazy.Regexp("(?s)^```[a-z_]*\\s*\\n(.*?)\\n?```$")

// WrittenCall is the tool whose call a whole text is, in one of the forms in which models
// write calls; "" where it is none, or of no tool that is offered. Such a text is never run:
// it may quote.
func WrittenCall(text string, offered func(name string) bool) string {
	text = strings.TrimSpace(withoutThought(text))
	known := func(name string) string {
		name = strings.TrimPrefix(name, "functions.")
		name, _, _ = strings.Cut(name, ":")
		if name = strings.ToLower(name); offered(name) {
			return name
		}
		return ""
	}
	if found := writtenCall().FindStringSubmatch(text); found != nil {
		return known(strings.Join(found[1:], ""))
	}
	if inner := fenced().FindStringSubmatch(text); inner != nil {
		text = strings.TrimSpace(inner[1])
	}
	if calls := calledInJSON(text); len(calls) > 0 {
		return known(calls[0].Name)
	}
	if found := writtenPlain().FindStringSubmatch(text); found != nil {
		return known(found[1])
	}
	return ""
}

// calledInJSON is what a JSON text calls, with which arguments; nothing where it says something
// else.
func calledInJSON(text string) (calls []Call) {
	var all []object
	if json.Unmarshal([]byte(text), &all) != nil {
		var one object
		if json.Unmarshal([]byte(text), &one) != nil {
			return nil
		}
		all = []object{one}
	}
	for _, call := range all {
		if inner := call["function"]; len(inner) > 0 && inner[0] == '{' {
			_ = json.Unmarshal(inner, &call)
		}
		var name string
		for _, member := range []string{"name", "tool", "tool_name", "function"} {
			if name == "" {
				_ = json.Unmarshal(call[member], &name)
			}
		}
		for _, member := range []string{"arguments", "parameters", "args", "input", "tool_input"} {
			if name != "" && len(call[member]) > 0 {
				calls = append(calls, Call{Name: name, Arguments: argumentsIn(call[member])})
				break
			}
		}
	}
	return calls
}

// argumentsIn are arguments as they are in a call, where they may be a string that has them.
func argumentsIn(raw json.RawMessage) string {
	var quoted string
	if json.Unmarshal(raw, &quoted) == nil && json.Valid([]byte(quoted)) {
		return quoted
	}
	return string(raw)
}
