package model

import (
	"cmp"
	"encoding/json"
	"strings"
)

// leastOutput is how many tokens an answer may have where nothing is known of the model and
// the request does not say: the API wants a number.
const leastOutput = 8192

// usualOutput is the most that is asked for without being told to. More would leave no room in
// the window for the conversation: older models refuse what could not fit.
const usualOutput = 32_000

// encodeMessages is a request to the Messages API.
func encodeMessages(req Request, info Info, quirks map[string]bool) wireRequest {
	all, before := begin(req, dialectOf(info, apiMessages, quirks))
	w := messagesWriter{all}
	if w.items == 0 || w.answer { // what ends with the model's own words is refused
		w.turn("user", textBlock(noText))
	}
	w.out.WriteByte(']')
	w.tools(req)
	most := w.outputTokens(req.Params, info)
	w.member("max_tokens", most)
	if !w.thinking(req, info, most) { // thought goes with no other temperature than its own
		w.sampling(req.Params)
	}
	if w.form.version != versionAtAmazon { // whose address says it
		w.out.WriteString(`,"stream":true`)
	}
	return w.end(before)
}

// messagesWriter writes what only this API wants.
type messagesWriter struct{ *writer }

// outputTokens is how long the answer may be.
func (w messagesWriter) outputTokens(p Params, info Info) int64 {
	w.note(quirkMaxTokens) // that it is too large may be refused
	most := cmp.Or(min(info.MaxOutput, usualOutput), leastOutput)
	if p.MaxTokens != nil {
		most = *p.MaxTokens
	}
	if w.quirks[quirkOutputLimit] {
		most = min(most, leastOutput/2)
	}
	return most
}

// budgets are how many tokens a model may think, where it wants a number.
var budgets = map[string]int64{"minimal": leastThought, "low": 4096, "medium": 10_000, "high": 20_000, "xhigh": usualOutput - 1}

// leastThought is the smallest number of tokens that may be given.
const leastThought = 1024

// thinking says how much the model may think, and whether it does at all.
func (w messagesWriter) thinking(req Request, info Info, most int64) bool {
	f := familyOf(info)
	if req.Params.Effort == "" || f == nil || !w.may(quirkThinking) {
		return false
	}
	level := f.nearest(req.Params.Effort)
	if level == noEffort {
		w.member(quirkThinking, map[string]string{"type": "disabled"})
		return false
	}
	if decidesItself().MatchString(strings.ToLower(info.Name)) {
		w.member(quirkThinking, map[string]string{"type": "adaptive"})
		if w.may("effort") {
			w.member("output_config", map[string]string{"effort": level})
		}
		return true
	}
	tokens := min(budgets[level], most-1)
	if tokens < leastThought || !w.thought(req.Messages) {
		return false
	}
	w.member(quirkThinking, map[string]any{"type": "enabled", "budget_tokens": tokens})
	return true
}

// thought says that the last answer begins with thinking where its calls have just been
// answered: a model that thinks by number refuses its own calls without it.
func (w messagesWriter) thought(all []Message) bool {
	last := len(all) - 1
	for last >= 0 && all[last].isResult() {
		last--
	}
	if last < 0 || len(all[last].Calls) == 0 {
		return true
	}
	m := all[last]
	if m.Opaque == nil || m.Opaque.Provider != w.provider || w.quirks[quirkThoughts] {
		return false
	}
	marks := readMarks(m.Opaque.Fields[blocksField])
	return len(marks) > 0 && marks[0].sealed()
}

// claudeTool is a tool. The mark behind the last one keeps all of them cached where the system
// prompt changes.
type claudeTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *ephemeral      `json:"cache_control,omitempty"`
}

func (w messagesWriter) tools(req Request) {
	if len(req.Tools) == 0 {
		return
	}
	n := 0
	w.describe(req.Tools, func(t Tool) any {
		one := claudeTool{Name: t.Name, Description: t.Description, Schema: sentSchema(t, w.quirks)}
		if n++; n == len(req.Tools) {
			one.Cache = w.mark()
		}
		return one
	})
	if req.ToolChoice != "" && w.may(quirkToolChoice) {
		w.member("tool_choice", map[string]string{"type": req.ToolChoice})
	}
}

// Blocks of a message.
type (
	claudeSource struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	}
	claudeImage struct {
		Type   string       `json:"type"`
		Source claudeSource `json:"source"`
	}
	claudeResult struct {
		Type    string `json:"type"`
		CallID  string `json:"tool_use_id"`
		Content any    `json:"content"`
	}
)

func textBlock(text string) any { return lastingText{Type: "text", Text: text} }

// turns writes a group of messages. The results of one answer are one message: the API
// wants all of them in the one behind it.
func (w messagesWriter) turns(group []Message) {
	var results []any
	flush := func() {
		if len(results) > 0 {
			w.turn("user", results...)
			results = nil
		}
	}
	for _, m := range group {
		if m.isResult() {
			results = append(results, claudeResult{"tool_result", w.resultID(m), w.content(orElse(m.Text, noOutput), m.Images)})
			continue
		}
		flush()
		if m.Role == "assistant" {
			w.assistant(m)
			continue
		}
		content := w.content(m.Text, m.Images)
		if text, bare := content.(string); bare {
			content = []any{textBlock(orElse(text, noText))}
		}
		w.turn("user", content.([]any)...)
	}
	flush()
}

// claudeContent is a text with what is shown beside it: blocks, or the text alone.
func (w messagesWriter) content(text string, images []Image) any {
	if len(images) == 0 {
		return text
	}
	return w.writer.content(text, images, textBlock, func(mime, dataURL string) any {
		kind := "image"
		if mime == PDF {
			kind = "document"
		}
		return claudeImage{kind, claudeSource{"base64", mime, strings.TrimPrefix(dataURL, "data:"+mime+";base64,")}}
	})
}

// turn writes a message of blocks behind the ones before it. The last block of what is said
// to the model can be marked.
func (w messagesWriter) turn(role string, blocks ...any) {
	w.openTurn(role)
	for i, b := range blocks {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.value(b)
	}
	at := w.place() - 1
	w.spot(at, at)
	w.out.WriteString(`]}`)
}

// openTurn begins a message. A conversation begins with the user.
func (w messagesWriter) openTurn(role string) {
	if w.answer = role == "assistant"; w.answer && w.items == 0 {
		w.turn("user", textBlock(noText))
		w.answer = true
	}
	w.comma()
	w.out.WriteString(`{"role":"`)
	w.out.WriteString(role)
	w.out.WriteString(`","content":[`)
}

// claudeAnswer writes an answer as the blocks it came in, what is sealed in its place, or,
// where that is not known, its text and then its calls. One that says nothing is left out.
func (w messagesWriter) assistant(m Message) {
	same := m.Opaque != nil && m.Opaque.Provider == w.provider
	w.newAnswer()
	if IsBlank(m.Text) && len(m.Calls) == 0 {
		return
	}
	w.openTurn("assistant")
	first := true
	next := func() {
		if !first {
			w.out.WriteByte(',')
		}
		first = false
	}
	text, calls := m.Text, m.Calls
	say := func(piece string) {
		if !IsBlank(piece) {
			next()
			w.value(textBlock(piece))
		}
	}
	call := func() {
		next()
		w.call(w.callID(calls[0].ID, same), calls[0])
		calls = calls[1:]
	}
	if same {
		all := readMarks(m.Opaque.Fields[blocksField])
		texts := all.split(m.Text, "")
		for _, mark := range all {
			switch {
			case mark.sealed() && w.may(quirkThoughts):
				next()
				w.out.Write(mark.raw) // as it came; an encoder would write it anew
			case mark.Type == "message" && len(texts) > 0:
				say(texts[0])
				texts, text = texts[1:], ""
			case mark.Type == "function_call" && len(calls) > 0:
				if text != "" && texts == nil { // its place is not known any more
					say(text)
					text = ""
				}
				call()
			}
		}
	}
	say(text)
	for len(calls) > 0 {
		call()
	}
	w.out.WriteString(`]}`)
}

// claudeCall writes a call member by member: calls are most of a long request.
func (w messagesWriter) call(id string, c Call) {
	w.out.WriteString(`{"type":"tool_use","id":`)
	w.value(id)
	w.member("name", PlainName(c.Name))
	w.out.WriteString(`,"input":`)
	w.out.WriteString(sentArguments(c.Arguments))
	w.out.WriteByte('}')
}
