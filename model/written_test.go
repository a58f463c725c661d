package model

import (
	"slices"
	"testing"
)

// TestWrittenCall: the forms in which models write calls as text, and texts that are none.
func TestWrittenCall(t *testing.T) {
	offered := func(name string) bool { return slices.Contains([]string{"read", "write", "ls"}, name) }
	for text, want := range map[string]string{
		"<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>":                                 "read",
		"<think>I read it.</think>\n<tool_call>{\"arguments\": {\"path\": \"a\"}, \"name\": \"read\"}</tool_call>":          "read",
		"```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n```":                                              "read",
		"```\n{\"tool\": \"read\", \"args\": {\"path\": \"a\"}}\n```":                                                       "read",
		"[TOOL_CALLS][{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}]":                                              "read",
		"[TOOL_CALLS]read[ARGS]{\"path\": \"a\"}":                                                                           "read",
		"<function=read>{\"path\": \"a\"}</function>":                                                                       "read",
		"<|python_tag|>{\"name\": \"read\", \"parameters\": {\"path\": \"a\"}}":                                             "read",
		"<|python_tag|>read.call(path=\"a\")":                                                                               "read",
		"<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>":                        "read",
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{\"path\": \"a\"}\n```<｜tool▁call▁end｜>": "read",
		"<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\": \"a\"}":      "read",
		"<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>":                                  "read",
		"{\"name\": \"read\", \"parameters\": {\"path\": \"a\"}}":                                                           "read",
		"[{\"type\": \"function\", \"function\": {\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}}]":                  "read",
		"read(path=\"a\")":         "read",
		"[read(path=\"a\"), ls()]": "read",
		"<function_calls>\n<invoke name=\"read\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</function_calls>": "read",
		"<|channel|>commentary to=functions.read <|constrain|>json<|message|>{\"path\": \"a\"}":                          "read",
		"READ(path=\"a\")": "read",

		"": "",
		"The form is <tool_call>{\"name\": \"read\", \"arguments\": {}}</tool_call>.": "",
		"<tool_call>{\"name\": \"remove\", \"arguments\": {}}</tool_call>":            "",
		"{\"name\": \"read\", \"version\": 1}":                                        "",
		"{\"answer\": 42}":                                                            "",
		"print(\"hello\")":                                                            "",
		"```go\nread(a)\n```\nThat is all.":                                           "",
		"read (the file) first":                                                       "",
	} {
		if got := WrittenCall(text, offered); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
