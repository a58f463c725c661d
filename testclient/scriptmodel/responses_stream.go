package scriptmodel

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// responsesAnswer writes a turn as the Responses API does: items that begin, go
// on in pieces and end, and a last event that holds all of them.
type responsesAnswer struct {
	output []any // the items that are complete
	kind   string
	text   strings.Builder // of the open item

	seal func(item string) // is told of reasoning before it is given out
}

// piece implements eventAnswer.
func (a *responsesAnswer) piece(kind, words string) string {
	out := ""
	if a.kind != kind {
		out = a.close() + a.event("response.output_item.added", map[string]any{"item": a.item(kind, false)})
		a.kind = kind
	}
	a.text.WriteString(words)
	if kind == "reasoning" {
		return out + a.event("response.reasoning_summary_text.delta", map[string]any{"summary_index": 0, "delta": words})
	}
	return out + a.event("response.output_text.delta", map[string]any{"content_index": 0, "delta": words})
}

// call implements eventAnswer.
func (a *responsesAnswer) call(id, tool, args string) string {
	out := a.close()
	item := func(args, status string) map[string]any {
		return map[string]any{"id": fmt.Sprintf("fc_%d", len(a.output)), "type": "function_call", "status": status, "call_id": id, "name": tool, "arguments": args}
	}
	out += a.event("response.output_item.added", map[string]any{"item": item("", "in_progress")})
	for _, piece := range pieces(args, max(8, (len(args)+3)/4)) {
		out += a.event("response.function_call_arguments.delta", map[string]any{"delta": piece})
	}
	out += a.event("response.function_call_arguments.done", map[string]any{"arguments": args})
	out += a.event("response.output_item.done", map[string]any{"item": item(args, "completed")})
	a.output = append(a.output, item(args, "completed"))
	return out
}

// close ends the open item.
func (a *responsesAnswer) close() string {
	if a.kind == "" {
		return ""
	}
	item := a.item(a.kind, true)
	out := ""
	if a.kind == "message" {
		out = a.event("response.output_text.done", map[string]any{"content_index": 0, "text": a.text.String()})
	} else {
		a.seal(encoded(item))
	}
	out += a.event("response.output_item.done", map[string]any{"item": item})
	a.output = append(a.output, item)
	a.kind = ""
	a.text.Reset()
	return out
}

func (a *responsesAnswer) item(kind string, whole bool) any {
	text := a.text.String()
	if kind == "reasoning" {
		item := map[string]any{"id": fmt.Sprintf("rs_%d", len(a.output)), "type": kind, "summary": []any{}, "encrypted_content": ""}
		if whole {
			item["summary"] = []any{map[string]any{"type": "summary_text", "text": text}}
			item["encrypted_content"] = "sealed<" + base64.StdEncoding.EncodeToString([]byte(text)) + ">"
		}
		return item
	}
	item := map[string]any{"id": fmt.Sprintf("msg_%d", len(a.output)), "type": kind, "role": "assistant", "status": "in_progress", "content": []any{}}
	if whole {
		item["status"], item["content"] = "completed", []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}
	}
	return item
}

// whole implements eventAnswer.
func (a *responsesAnswer) whole(usage map[string]any) map[string]any {
	a.close()
	return a.response("completed", "", usage)
}

// end implements eventAnswer.
func (a *responsesAnswer) end(finish string, usage map[string]any) string {
	out := a.close()
	switch finish {
	case "none":
		return out
	case "length":
		return out + a.event("response.incomplete", map[string]any{"response": a.response("incomplete", "max_output_tokens", usage)})
	case "content_filter":
		return out + a.event("response.incomplete", map[string]any{"response": a.response("incomplete", finish, usage)})
	}
	return out + a.event("response.completed", map[string]any{"response": a.response("completed", "", usage)})
}

func (a *responsesAnswer) response(status, reason string, usage map[string]any) map[string]any {
	r := map[string]any{"id": "resp_script", "object": "response", "status": status, "error": nil, "incomplete_details": nil, "output": a.output, "usage": nil}
	if reason != "" {
		r["incomplete_details"] = map[string]any{"reason": reason}
	}
	if usage != nil {
		r["usage"] = map[string]any{"input_tokens": usage["prompt_tokens"], "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": usage["completion_tokens"], "total_tokens": usage["total_tokens"]}
	}
	return r
}

// event is one event, of the item that is open or begins.
func (a *responsesAnswer) event(kind string, members map[string]any) string {
	members["type"] = kind
	if members["response"] == nil {
		members["output_index"] = len(a.output)
	}
	return "event: " + kind + "\ndata: " + encoded(members) + "\n\n"
}
