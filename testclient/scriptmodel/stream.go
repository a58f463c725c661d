package scriptmodel

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// defaultUsage is reported where a turn has no usage verb: fixed numbers, so
// that no golden file depends on the length of a prompt.
const defaultIn, defaultOut = 1000, 50

// performance is one turn being played to one request.
type performance struct {
	w    http.ResponseWriter
	r    *http.Request
	req  *ChatRequest
	size int // of the request's body, in bytes
	turn *turn
	pace time.Duration
	due  time.Time // when the last piece should have gone out
	fill func(string) string

	sent   int // bytes of text and arguments so far
	begun  bool
	failed bool
	calls  int
	finish string
	usage  map[string]any
	conn   net.Conn // that the script writes to itself, else nil
	apart  bool     // each byte alone

	events eventAnswer // of a request of another API than chat completions, else nil

	text, reasoning strings.Builder // for an answer that is not streamed
	whole           []any           // its calls
}

// eventAnswer writes a turn as an API does that has events of its own.
type eventAnswer interface {
	piece(kind, words string) string // more of a "message" or of "reasoning"
	call(id, tool, args string) string
	end(finish string, usage map[string]any) string // "" where the finish is none
	whole(usage map[string]any) map[string]any      // the answer that is not streamed
}

func (p *performance) play() {
	p.usage = usageOf(defaultIn, defaultOut)
	defer func() {
		if p.conn != nil {
			p.conn.Close()
		}
	}()
	for _, v := range p.turn.verbs {
		if stop := p.perform(v); stop {
			return
		}
	}
	if p.conn == nil {
		p.end()
	}
}

func (p *performance) perform(v verb) (stop bool) {
	switch v.name {
	case "say", "summary":
		return p.deltas("content", &p.text, p.fill(v.text))
	case "think":
		return p.deltas("reasoning_content", &p.reasoning, p.fill(v.text))
	case "call":
		return p.call(p.fill(v.id), v.tool, p.fill(v.text))
	case "usage":
		p.usage = p.usageFor(v)
	case "finish":
		p.finish = v.text
	case "stall":
		p.due = time.Time{}
		return pause(p.r, v.wait)
	case "status":
		for name, values := range v.header {
			p.w.Header()[name] = values
		}
		p.w.Header().Set("Content-Type", "application/json")
		p.w.WriteHeader(v.status)
		fmt.Fprint(p.w, p.fill(v.text))
		return true
	case "drop":
		p.begin()
		panic(http.ErrAbortHandler) // net/http cuts the connection and says nothing
	case "raw":
		p.write(v.text)
	case "http":
		return p.exact(v.text)
	case "apart":
		p.apart = true
	case "error":
		value := `"error":` + errorValue(p.fill(v.text)) + "}\n\n"
		if p.events != nil {
			p.write("event: error\ndata: {\"type\":\"error\"," + value)
		} else {
			p.write("data: {" + value)
		}
		p.failed = true
	}
	return false
}

// errorValue takes both {"error": {…}} and {…}.
func errorValue(text string) string {
	var outer struct{ Error json.RawMessage }
	if json.Unmarshal([]byte(text), &outer) == nil && outer.Error != nil {
		return string(outer.Error)
	}
	return text
}

// usageFor is what a usage verb says: fixed numbers, none, or what the request
// and the answer so far really have.
func (p *performance) usageFor(v verb) map[string]any {
	switch v.text {
	case "none":
		return nil
	case "counted":
		return usageOf(tokensOf(p.size), tokensOf(p.sent))
	}
	return usageOf(v.in, v.out)
}

func usageOf(in, out int) map[string]any {
	return map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}
}

// deltas sends a text word by word.
func (p *performance) deltas(member string, whole *strings.Builder, text string) (stop bool) {
	whole.WriteString(text)
	p.sent += len(text)
	for _, word := range strings.SplitAfter(text, " ") {
		if word == "" {
			continue
		}
		if p.events != nil {
			kind := map[string]string{"content": "message", "reasoning_content": "reasoning"}[member]
			if p.tell(p.events.piece(kind, word)) {
				return true
			}
			continue
		}
		if p.delta(map[string]any{member: word}) {
			return true
		}
	}
	return false
}

// call sends a tool call as providers do: id and name first, then the arguments
// in several pieces.
func (p *performance) call(id, tool, args string) (stop bool) {
	index := p.calls
	p.calls++
	p.sent += len(args)
	if p.events != nil {
		return p.tell(p.events.call(id, tool, args))
	}
	p.whole = append(p.whole, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": tool, "arguments": args}})
	first := map[string]any{"index": index, "id": id, "type": "function", "function": map[string]any{"name": tool, "arguments": ""}}
	if p.delta(map[string]any{"tool_calls": []any{first}}) {
		return true
	}
	for _, piece := range pieces(args, max(8, (len(args)+3)/4)) {
		more := map[string]any{"index": index, "function": map[string]any{"arguments": piece}}
		if p.delta(map[string]any{"tool_calls": []any{more}}) {
			return true
		}
	}
	return false
}

func (p *performance) end() {
	if p.finish == "" {
		p.finish = "stop"
		if p.calls > 0 {
			p.finish = "tool_calls"
		}
	}
	if !p.req.Stream {
		p.endWhole()
		return
	}
	if p.failed {
		p.begin()
		return
	}
	if p.events != nil {
		p.write(p.events.end(p.finish, p.usage))
		return
	}
	if p.finish != "none" {
		p.chunk([]any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": p.finish}}, nil)
	}
	if p.usage != nil && p.req.StreamOptions != nil && p.req.StreamOptions.IncludeUsage {
		p.chunk([]any{}, p.usage)
	}
	p.write("data: [DONE]\n\n")
}

func (p *performance) endWhole() {
	if p.events != nil {
		p.w.Header().Set("Content-Type", "application/json")
		fmt.Fprintln(p.w, encoded(p.events.whole(p.usage)))
		return
	}
	message := map[string]any{"role": "assistant", "content": p.text.String()}
	if p.reasoning.Len() > 0 {
		message["reasoning_content"] = p.reasoning.String()
	}
	if len(p.whole) > 0 {
		message["tool_calls"] = p.whole
	}
	p.w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(p.w).Encode(map[string]any{
		"id": "chatcmpl-script", "object": "chat.completion", "created": 0, "model": p.req.Model, "usage": p.usage,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": p.finish}},
	})
}

func (p *performance) delta(delta map[string]any) (stop bool) {
	if !p.req.Stream {
		return false
	}
	if !p.begun {
		p.begin()
		p.chunk([]any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": ""}, "finish_reason": nil}}, nil)
	}
	p.chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": nil}}, nil)
	return p.rest()
}

// tell writes events where the answer is streamed.
func (p *performance) tell(events string) (stop bool) {
	if !p.req.Stream {
		return false
	}
	p.write(events)
	return p.rest()
}

// rest waits until the next piece is due. Where a wait took longer than it
// should, as short ones do, those that follow are shorter: the pieces come as
// often as the script says.
func (p *performance) rest() (stop bool) {
	if p.pace <= 0 {
		return false
	}
	now := time.Now()
	if p.due.IsZero() {
		p.due = now
	}
	p.due = p.due.Add(p.pace)
	if wait := p.due.Sub(now); wait > 0 {
		return pause(p.r, wait)
	}
	return p.r.Context().Err() != nil
}

func (p *performance) chunk(choices []any, usage map[string]any) {
	c := map[string]any{"id": "chatcmpl-script", "object": "chat.completion.chunk", "created": 0, "model": p.req.Model, "choices": choices}
	if usage != nil {
		c["usage"] = usage
	}
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // maps of strings and numbers always encode
	}
	p.write("data: " + string(text) + "\n\n")
}

func (p *performance) write(s string) {
	p.begin()
	fmt.Fprint(p.w, s)
	p.flush()
}

func (p *performance) begin() {
	if p.begun {
		return
	}
	p.begun = true
	p.w.Header().Set("Content-Type", "text/event-stream")
	p.w.Header().Set("Cache-Control", "no-cache")
	p.w.WriteHeader(http.StatusOK)
	p.flush()
}

func (p *performance) flush() {
	if f, ok := p.w.(http.Flusher); ok {
		f.Flush()
	}
}

// pause waits d, or until the client has gone, which it reports.
func pause(r *http.Request, d time.Duration) (gone bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return false
	case <-r.Context().Done():
		return true
	}
}
