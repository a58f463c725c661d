package scriptmodel

import (
	"fmt"
	"slices"
)

// refusals are what some servers refuse in a history that others take, by the word
// after `wants` in a script. Each gives the words of such a server, "" for a
// request that it takes.
var refusals = map[string]func(*ChatRequest) string{
	// The template of Llama 3.
	"one-call": firstOf(func(i int, m ChatMessage) string {
		if len(m.ToolCalls) > 1 {
			return "This model only supports single tool-calls at once!"
		}
		return ""
	}),
	// vLLM.
	"string-content": firstOf(func(i int, m ChatMessage) string {
		if m.absent() {
			return fmt.Sprintf("[{'type': 'string_type', 'loc': ('body', 'messages', %d, 'content'), 'msg': 'Input should be a valid string', 'input': None}]", i)
		}
		return ""
	}),
	"no-calls": firstOf(func(i int, m ChatMessage) string {
		if len(m.ToolCalls) > 0 || m.Role == "tool" {
			return fmt.Sprintf("messages[%d]: tool calls are not possible with this model's template", i)
		}
		return ""
	}),
}

// unwanted says why the scripted model refuses a request, "" if it takes it.
func (s *script) unwanted(req *ChatRequest) string {
	for _, name := range s.wants {
		if text := refusals[name](req); text != "" {
			return text
		}
	}
	return ""
}

// firstOf is the first refusal of a message.
func firstOf(refusal func(int, ChatMessage) string) func(*ChatRequest) string {
	return func(req *ChatRequest) string {
		i := slices.IndexFunc(req.Messages, func(m ChatMessage) bool { return refusal(0, m) != "" })
		if i < 0 {
			return ""
		}
		return refusal(i, req.Messages[i])
	}
}
