package model

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Where a server has no tools, they are described in the system prompt, a call is a fenced
// block of an answer, and what it returned is the user's next message. What the session sees
// are calls like any (text_calls.go).

//go:embed text_tools.md
var textToolsPrompt string

// textTools is a request whose tools are texts. They come first, because they stay: a summary at
// the end of the system prompt does not move them. The request may not be told to call none: the model
// can write what it likes.
func textTools(req Request, quirks map[string]bool) Request {
	told := strings.Builder{}
	told.WriteString(strings.TrimSpace(textToolsPrompt))
	for _, t := range req.Tools {
		fmt.Fprintf(&told, "\n\n## %s\n\n%s\n\nArguments: %s", t.Name, strings.TrimSpace(t.Description), sentSchema(t, quirks))
	}
	all := toldIn(req.Messages, callAsText, func(tool string) string {
		return "[What " + orElse(tool, "the call") + " returned; it is not from the user]"
	})
	system, n := leadingSystem(all)
	req.Messages = slices.Insert(all[n:], 0, Message{Role: "system", Text: strings.TrimSuffix(told.String()+"\n\n"+system, "\n\n")})
	req.Tools, req.ToolChoice, req.asText = nil, "", req.Tools
	return req
}

// callAsText is a call as the model is asked to write it.
func callAsText(c Call) string {
	return "```" + textCall + "\n{\"name\": " + string(encodeJSON(PlainName(c.Name))) + ", \"arguments\": " + sentArguments(c.Arguments) + "}\n```"
}

// TextTools says that calls of this model are texts, and not what its server makes of them.
func (i Info) TextTools() bool { return slices.Contains(i.Quirks, quirkTools) }
