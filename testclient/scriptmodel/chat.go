package scriptmodel

import (
	"encoding/json"
	"strings"
)

// ChatRequest is the body of POST …/chat/completions as far as the scripted
// model looks at it.
type ChatRequest struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages   []ChatMessage   `json:"messages"`
	Tools      []chatTool      `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`

	API  string `json:"-"` // by which it came: "" is chat completions
	body []byte
}

// The other APIs, by the last part of their addresses.
const (
	apiResponses = "responses"
	apiMessages  = "messages"
)

// ChatMessage is one message of a request.
type ChatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []chatCall      `json:"tool_calls"`
	CallID    string          `json:"tool_call_id"`
	chatState
}

// chatState is what a provider gave with an answer and gets back.
type chatState struct {
	ReasoningContent json.RawMessage `json:"reasoning_content,omitempty"`
	Reasoning        json.RawMessage `json:"reasoning,omitempty"`
	Details          json.RawMessage `json:"reasoning_details,omitempty"`
	Encrypted        json.RawMessage `json:"reasoning_encrypted,omitempty"`
	Extra            json.RawMessage `json:"extra_content,omitempty"`
}

type chatCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

type chatTool struct {
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// State is what a provider gave with the answer and gets back, as JSON; "{}" if it
// gave nothing.
func (m ChatMessage) State() string { return encoded(m.chatState) }

// Text is the message's text, its parts joined; images and files are named.
func (m ChatMessage) Text() string { return textOfParts(m.Content) }

// add puts text behind that of the message.
func (m *ChatMessage) add(text string) {
	if before := m.Text(); before != "" {
		text = before + text
	}
	m.Content = quoted(text)
}

// System is the text of all messages of the system, each with a newline behind it.
func (r *ChatRequest) System() string {
	var b strings.Builder
	for _, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			b.WriteString(m.Text())
			b.WriteByte('\n')
		}
	}
	return b.String()
}
