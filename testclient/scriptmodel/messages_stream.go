package scriptmodel

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// messagesAnswer writes a turn as the Messages API does: blocks that begin, go on in pieces
// and end.
type messagesAnswer struct {
	model  string
	blocks []any // that are complete
	begun  bool
	kind   string
	text   strings.Builder // of the open block

	seal func(block string) // is told of thinking before it is given out
}

// kindsOf are the blocks of the kinds of pieces.
var kindsOf = map[string]string{"message": "text", "reasoning": "thinking"}

// piece implements eventAnswer.
func (a *messagesAnswer) piece(kind, words string) string {
	kind = kindsOf[kind]
	out := ""
	if a.kind != kind {
		out = a.close() + a.event("content_block_start", map[string]any{"content_block": map[string]any{"type": kind, kind: ""}})
		a.kind = kind
	}
	a.text.WriteString(words)
	return out + a.event("content_block_delta", map[string]any{"delta": map[string]any{"type": kind + "_delta", kind: words}})
}

// call implements eventAnswer.
func (a *messagesAnswer) call(id, tool, args string) string {
	block := map[string]any{"type": "tool_use", "id": id, "name": tool, "input": map[string]any{}}
	out := a.close() + a.event("content_block_start", map[string]any{"content_block": block})
	for _, piece := range append([]string{""}, pieces(args, max(8, (len(args)+3)/4))...) {
		out += a.event("content_block_delta", map[string]any{"delta": map[string]any{"type": "input_json_delta", "partial_json": piece}})
	}
	out += a.event("content_block_stop", map[string]any{})
	if json.Valid([]byte(args)) {
		block["input"] = json.RawMessage(args)
	}
	a.blocks = append(a.blocks, block)
	return out
}

// close ends the open block.
func (a *messagesAnswer) close() string {
	if a.kind == "" {
		return ""
	}
	out := ""
	var block any = map[string]string{"type": a.kind, a.kind: a.text.String()}
	if a.kind == kindsOf["reasoning"] {
		sealed := thinkingBlock{a.kind, a.text.String(), "sealed<" + base64.StdEncoding.EncodeToString([]byte(a.text.String())) + ">"}
		a.seal(encoded(sealed))
		out = a.event("content_block_delta", map[string]any{"delta": map[string]any{"type": "signature_delta", "signature": sealed.Signature}})
		block = sealed
	}
	out += a.event("content_block_stop", map[string]any{})
	a.blocks = append(a.blocks, block)
	a.kind = ""
	a.text.Reset()
	return out
}

// thinkingBlock is thinking as it goes back.
type thinkingBlock struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

// stopReasons are the words of the API for the finishes of a script.
var stopReasons = map[string]string{"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}

// end implements eventAnswer.
func (a *messagesAnswer) end(finish string, usage map[string]any) string {
	out := a.close()
	if finish == "none" {
		return out
	}
	reason, known := stopReasons[finish]
	if !known {
		reason = finish
	}
	delta := map[string]any{"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil}}
	if usage != nil {
		delta["usage"] = claudeUsage(usage)
	}
	return out + a.event("message_delta", delta) + a.event("message_stop", map[string]any{})
}

// whole implements eventAnswer.
func (a *messagesAnswer) whole(usage map[string]any) map[string]any {
	a.close()
	return map[string]any{"id": "msg_script", "type": "message", "role": "assistant", "model": a.model, "content": a.blocks, "stop_reason": "end_turn", "usage": claudeUsage(usage)}
}

// claudeUsage is usage in the words of the API.
func claudeUsage(usage map[string]any) map[string]any {
	return map[string]any{"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]}
}

// event is one event, of the block that is open or begins.
func (a *messagesAnswer) event(kind string, members map[string]any) string {
	out := ""
	if !a.begun {
		a.begun = true
		start := map[string]any{"id": "msg_script", "type": "message", "role": "assistant", "model": a.model, "content": []any{}, "stop_reason": nil, "usage": map[string]any{"output_tokens": 1}}
		out = a.event("message_start", map[string]any{"message": start})
	}
	members["type"] = kind
	if strings.HasPrefix(kind, "content_block_") {
		members["index"] = len(a.blocks)
	}
	return out + "event: " + kind + "\ndata: " + encoded(members) + "\n\n"
}
