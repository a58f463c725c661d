package scriptmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// messagesRequest is the body of POST …/messages as far as the scripted model looks at it.
type messagesRequest struct {
	Model     string            `json:"model"`
	MaxTokens *int64            `json:"max_tokens"`
	Stream    bool              `json:"stream"`
	System    []claudeBlock     `json:"system"`
	Thinking  json.RawMessage   `json:"thinking"`
	Messages  []claudeMessage   `json:"messages"`
	Choice    map[string]string `json:"tool_choice"`
	Tools     []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
		Cache       json.RawMessage `json:"cache_control"`
	} `json:"tools"`
}

type claudeMessage struct {
	Role    string            `json:"role"`
	Content []json.RawMessage `json:"content"`
}

// claudeBlock is one block of a message, of the system prompt, or of a result.
type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	CallID  string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	Cache   json.RawMessage `json:"cache_control"`
}

// mostMarks is how many parts of a request may be marked to be cached.
const mostMarks = 4

// readMessages turns a request of the Messages API into the chat request that says the same.
// sealed are its blocks of thinking, as they came.
func readMessages(body []byte) (*ChatRequest, []string, error) {
	var r messagesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, nil, err
	}
	if r.MaxTokens == nil || *r.MaxTokens < 1 {
		return nil, nil, errors.New("max_tokens: Field required")
	}
	req := &ChatRequest{Model: r.Model, Stream: r.Stream, API: apiMessages}
	if choice, given := r.Choice["type"]; given {
		req.ToolChoice = quoted(choice)
	}
	b := blockReader{req: req}
	for _, t := range r.Tools {
		var tool chatTool
		tool.Function.Name, tool.Function.Description, tool.Function.Parameters = t.Name, t.Description, t.Schema
		req.Tools = append(req.Tools, tool)
		b.count(t.Cache)
	}
	for _, s := range r.System {
		req.Messages = append(req.Messages, ChatMessage{Role: "system", Content: quoted(s.Text)})
		b.count(s.Cache)
	}
	for i, m := range r.Messages {
		if err := b.message(m); err != nil {
			return nil, nil, fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	switch n := len(r.Messages); {
	case n == 0:
		return nil, nil, errors.New("messages: at least one message is required")
	case r.Messages[0].Role != "user" || r.Messages[n-1].Role != "user":
		return nil, nil, errors.New("messages: the conversation must begin and end with a user message")
	case b.marks > mostMarks:
		return nil, nil, fmt.Errorf("a maximum of %d blocks with cache_control may be provided; found %d", mostMarks, b.marks)
	}
	return req, b.sealed, nil
}

// blockReader puts blocks together as messages of a chat.
type blockReader struct {
	req    *ChatRequest
	sealed []string
	marks  int
}

func (b *blockReader) count(mark json.RawMessage) {
	if mark != nil {
		b.marks++
	}
}

func (b *blockReader) message(m claudeMessage) error {
	if len(m.Content) == 0 {
		return errors.New("all messages must have non-empty content")
	}
	said := ChatMessage{Role: m.Role}
	for _, raw := range m.Content {
		var it claudeBlock
		if err := json.Unmarshal(raw, &it); err != nil {
			return err
		}
		if !slices.Contains(blocksOf[m.Role], it.Type) {
			return fmt.Errorf("a %s block of the %s", it.Type, m.Role)
		}
		b.count(it.Cache)
		if err := b.block(&said, it, raw); err != nil {
			return err
		}
	}
	if said.Content != nil || said.ToolCalls != nil {
		b.req.Messages = append(b.req.Messages, said)
	}
	return nil
}

// blocksOf are the kinds of blocks that each side may say.
var blocksOf = map[string][]string{
	"user":      {"text", "image", "document", "tool_result"},
	"assistant": {"text", "thinking", "redacted_thinking", "tool_use"},
}

// block adds one block to what was said.
func (b *blockReader) block(said *ChatMessage, it claudeBlock, raw json.RawMessage) error {
	switch it.Type {
	case "tool_use":
		var c chatCall
		c.ID, c.Function.Name, c.Function.Arguments = it.ID, it.Name, string(it.Input)
		said.ToolCalls = append(said.ToolCalls, c)
	case "tool_result":
		if said.Content != nil {
			return errors.New("tool_result blocks must come first")
		}
		b.req.Messages = append(b.req.Messages, ChatMessage{Role: "tool", Content: it.Content, CallID: it.CallID})
	case "thinking", "redacted_thinking":
		if it.Cache != nil {
			return errors.New("thinking blocks cannot be marked")
		}
		b.sealed = append(b.sealed, string(raw))
		said.add("[reasoning " + string(raw) + "]")
	case "text":
		said.add(it.Text)
	default:
		said.add("[" + it.Type + "]")
	}
	return nil
}
