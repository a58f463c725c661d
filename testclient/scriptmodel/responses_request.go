package scriptmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// responsesRequest is the body of POST …/responses as far as the scripted model
// looks at it.
type responsesRequest struct {
	Model        string            `json:"model"`
	Stream       bool              `json:"stream"`
	Store        *bool             `json:"store"`
	Include      []string          `json:"include"`
	Instructions string            `json:"instructions"`
	Input        []json.RawMessage `json:"input"`
	ToolChoice   json.RawMessage   `json:"tool_choice"`
	Tools        []struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      *bool           `json:"strict"`
	} `json:"tools"`
}

// inputItem is one item of its input.
type inputItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Sealed    string          `json:"encrypted_content"`
}

// ReadRequest reads a body of any API. One of another than chat completions is turned
// into the chat request that says the same, so that sections, laws and the
// section requests know only one form; reasoning is in it as
// "[reasoning …]". sealed are its items of reasoning, as they came.
func ReadRequest(body []byte) (req *ChatRequest, sealed []string, err error) {
	var which struct {
		Input  json.RawMessage
		System json.RawMessage // a member of its own only in the Messages API
	}
	_ = json.Unmarshal(body, &which) // it is read again
	if which.Input != nil {
		return readResponses(body)
	}
	if which.System != nil {
		return readMessages(body)
	}
	req = &ChatRequest{}
	err = json.Unmarshal(body, req)
	return req, nil, err
}

func readResponses(body []byte) (*ChatRequest, []string, error) {
	var r responsesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, nil, err
	}
	req := &ChatRequest{Model: r.Model, Stream: r.Stream, ToolChoice: r.ToolChoice, API: apiResponses}
	for _, t := range r.Tools {
		if t.Type != "function" || t.Strict == nil || *t.Strict {
			return nil, nil, fmt.Errorf("tool %q is not a function whose schema is taken as it is", t.Name)
		}
		var tool chatTool
		tool.Function.Name, tool.Function.Description, tool.Function.Parameters = t.Name, t.Description, t.Parameters
		req.Tools = append(req.Tools, tool)
	}
	switch {
	case len(r.Input) == 0:
		return nil, nil, errors.New("the input is empty")
	case r.Store == nil || *r.Store:
		return nil, nil, errors.New("the conversation would be stored")
	}
	if r.Instructions != "" {
		req.Messages = append(req.Messages, ChatMessage{Role: "system", Content: quoted(r.Instructions)})
	}
	b := inputReader{req: req}
	for i, raw := range r.Input {
		if err := b.item(raw); err != nil {
			return nil, nil, fmt.Errorf("input[%d]: %w", i, err)
		}
	}
	if b.dangling {
		return nil, nil, errors.New("the last item of reasoning has no item that follows it")
	}
	if len(b.sealed) > 0 && !slices.Contains(r.Include, "reasoning.encrypted_content") {
		return nil, nil, errors.New("reasoning is sent back and not asked for")
	}
	return req, b.sealed, nil
}

// inputReader puts items together as messages.
type inputReader struct {
	req      *ChatRequest
	answer   *ChatMessage // the answer that items are still added to
	sealed   []string
	dangling bool // reasoning that nothing of the same answer follows yet
}

func (b *inputReader) item(raw json.RawMessage) error {
	var it inputItem
	if err := json.Unmarshal(raw, &it); err != nil {
		return err
	}
	own := it.Type == "reasoning" || it.Type == "function_call" || it.Role == "assistant"
	if !own && b.dangling {
		return errors.New("the reasoning before it has no item that follows it")
	}
	b.dangling = it.Type == "reasoning"
	if own && b.answer == nil {
		b.req.Messages = append(b.req.Messages, ChatMessage{Role: "assistant"})
	}
	last := len(b.req.Messages) - 1
	switch {
	case it.Type == "reasoning":
		b.sealed = append(b.sealed, string(raw))
		b.req.Messages[last].add("[reasoning " + it.Sealed + "]")
	case it.Type == "function_call":
		var c chatCall
		c.ID, c.Function.Name, c.Function.Arguments = it.CallID, it.Name, it.Arguments
		b.req.Messages[last].ToolCalls = append(b.req.Messages[last].ToolCalls, c)
	case it.Type == "function_call_output":
		b.req.Messages = append(b.req.Messages, ChatMessage{Role: "tool", Content: it.Output, CallID: it.CallID})
	case it.Type == "message" && it.Role == "assistant":
		b.req.Messages[last].add(textOfParts(it.Content))
	case it.Type == "message":
		b.req.Messages = append(b.req.Messages, ChatMessage{Role: it.Role, Content: quoted(textOfParts(it.Content))})
	default:
		return fmt.Errorf("items of type %q are not known", it.Type)
	}
	b.answer = nil
	if own {
		b.answer = &b.req.Messages[len(b.req.Messages)-1]
	}
	return nil
}
