package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// The requests that have the client work.
const (
	toolMethod = "agent/client/tool"
	taskMethod = "agent/client/task"
)

type clientToolParams struct {
	CallID string          `json:"callId"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
}

// clientToolResult is what a tool of the client gives back. Content that is no text is named
// and left out.
type clientToolResult struct {
	Content []clientContent `json:"content"`
	IsError bool            `json:"isError"`
}

type clientContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type clientTaskParams struct {
	CallID string `json:"callId"`
	Name   string `json:"name"`
	Prompt string `json:"prompt"`
}

type clientTaskResult struct {
	Text    string `json:"text"`
	IsError bool   `json:"isError"`
}

var errAnswer = errors.New("the editor gave an answer that cannot be understood")

// CallTool has the client run one of its tools, until ctx ends.
func (e *Editor) CallTool(ctx context.Context, callID, name string, input json.RawMessage) (text string, failed bool, err error) {
	raw, err := e.work(ctx, toolMethod, clientToolParams{callID, name, input})
	if err != nil {
		return "", false, err
	}
	var result clientToolResult
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members["content"] == nil || json.Unmarshal(raw, &result) != nil {
		return "", false, errAnswer
	}
	var texts []string
	for _, c := range result.Content {
		if c.Type != "text" {
			c.Text = fmt.Sprintf("[content of the type %s is not taken]", control.Title(c.Type, 40))
		}
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n"), result.IsError, nil
}

// RunTask has a sub-agent of the client work, until ctx ends.
func (e *Editor) RunTask(ctx context.Context, callID, name, prompt string) (text string, failed bool, err error) {
	raw, err := e.work(ctx, taskMethod, clientTaskParams{callID, name, prompt})
	if err != nil {
		return "", false, err
	}
	var result clientTaskResult
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members["text"] == nil || json.Unmarshal(raw, &result) != nil {
		return "", false, errAnswer
	}
	return result.Text, result.IsError, nil
}

// work asks the client and waits for it. A no is an error in words.
func (e *Editor) work(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw, err := wire.EncodeJSON(params)
	if err != nil {
		return nil, err
	}
	request, err := e.link.Ask(ctx, method, raw)
	if err == nil {
		err = request.Wait(&raw)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("the editor could not do it: %s", control.Title(err.Error(), maxReason))
	}
	return raw, nil
}
