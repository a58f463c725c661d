package model

import (
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"
)

// encodeResponses is a request to the Responses API. Nothing is kept at the
// provider (`store`): the whole conversation goes along every time, with the
// reasoning encrypted.
func encodeResponses(req Request, info Info, quirks map[string]bool) wireRequest {
	w, before := begin(req, dialectOf(info, apiResponses, quirks))
	if w.items == 0 { // the API refuses an empty input
		w.item(wireMessage{Type: "message", Role: "user", Content: noText})
	}
	w.out.WriteByte(']')
	w.functions(req)
	w.responseParams(req.Params)
	w.reasoning(req.Params, info)
	if w.may(quirkEncrypted) {
		w.member("include", []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent})
	}
	if w.may("store") {
		w.member("store", false)
	}
	w.cacheKey(req)
	w.out.WriteString(`,"stream":true`)
	return w.end(before)
}

// reasoning says how much the model may think, and asks for a summary of it.
func (w *writer) reasoning(p Params, info Info) {
	var how openai.ResponseReasoning
	if info.Reasoning {
		how.Summary = "auto"
	}
	if f := familyOf(info); p.Effort != "" && f != nil {
		how.Effort = f.nearest(p.Effort)
	}
	if how != (openai.ResponseReasoning{}) && w.may(quirkReasoning) {
		w.member("reasoning", how)
	}
}

// wireFunction is a tool. Without strict the API would make every parameter
// required.
type wireFunction struct {
	Type        openai.ToolType `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

func (w *writer) functions(req Request) {
	if len(req.Tools) == 0 {
		return
	}
	w.describe(req.Tools, func(t Tool) any {
		return wireFunction{Type: openai.ToolTypeFunction, Name: t.Name, Description: t.Description, Parameters: sentSchema(t, w.quirks)}
	})
	if req.ToolChoice != "" && w.may(quirkToolChoice) {
		w.member("tool_choice", req.ToolChoice)
	}
}

func (w *writer) responseParams(p Params) {
	w.sampling(p)
	if p.MaxTokens != nil && !w.quirks[quirkOutputLimit] && w.may(quirkMaxOutputTokens) {
		w.member(quirkMaxOutputTokens, *p.MaxTokens)
	}
}

// Items of the input.
type (
	wireMessage struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content any    `json:"content"`
		Phase   string `json:"phase,omitempty"`
	}
	wireOutputText struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	wireFunctionCall struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
)

// item writes one item of the input behind the ones before it.
func (w *writer) item(v any) {
	w.comma()
	if raw, ok := v.(json.RawMessage); ok {
		w.out.Write(raw) // as it came; an encoder would take its blanks away
		return
	}
	w.value(v)
}

// input writes a group of messages as items. A result contains text only, as in chat
// completions: not every server takes images there.
func (w *writer) input(group []Message) {
	var images []Image
	flush := func() {
		if len(images) > 0 {
			w.item(wireMessage{Type: "message", Role: "user", Content: w.inputParts(imagesAbove, images)})
			images = nil
		}
	}
	for _, m := range group {
		if !m.isResult() {
			flush()
		}
		switch {
		case m.Role == "assistant":
			w.assistantItems(m)
		case m.isResult():
			w.item(openai.ResponseFunctionCallOutput{Type: "function_call_output", CallID: w.resultID(m), Output: orElse(m.Text, noOutput)})
			images = append(images, m.Images...)
		case len(m.Images) > 0:
			w.item(wireMessage{Type: "message", Role: m.Role, Content: w.inputParts(m.Text, m.Images)})
		default:
			w.item(wireMessage{Type: "message", Role: m.Role, Content: orElse(m.Text, noText)})
		}
	}
	flush()
}

// inputParts is the content of a message with images.
func (w *writer) inputParts(text string, images []Image) any {
	words := func(text string) any { return openai.ResponseInputText{Type: "input_text", Text: text} }
	return w.content(text, images, words, func(mime, url string) any {
		if mime == PDF {
			return openai.ResponseInputFile{Type: "input_file", FileData: url, Filename: "document.pdf"}
		}
		return openai.ResponseInputImage{Type: "input_image", ImageURL: url}
	})
}

// assistantItems writes an answer as the items it came in, reasoning in its
// place, or, where that is not known, its text and then its calls. Reasoning
// that nothing of the same answer follows is left out: the API refuses it.
func (w *writer) assistantItems(m Message) {
	same := m.Opaque != nil && m.Opaque.Provider == w.provider
	w.newAnswer()
	calls := make([]wireFunctionCall, 0, len(m.Calls))
	for _, c := range m.Calls {
		calls = append(calls, wireFunctionCall{"function_call", w.callID(c.ID, same), PlainName(c.Name), sentArguments(c.Arguments)})
	}
	var thoughts []json.RawMessage
	put := func(v any) {
		for _, t := range thoughts {
			w.item(t)
		}
		thoughts = nil
		w.item(v)
	}
	text := m.Text
	say := func(piece, phase string) {
		if !IsBlank(piece) {
			put(wireMessage{"message", "assistant", []wireOutputText{{"output_text", piece}}, phase})
		}
	}
	if same {
		marks := readMarks(m.Opaque.Fields[outputField])
		texts := marks.split(m.Text, paragraph)
		for _, mark := range marks {
			switch {
			case mark.sealed() && w.may(quirkEncrypted):
				thoughts = append(thoughts, w.thought(mark.raw))
			case mark.Type == "message" && len(texts) > 0:
				say(texts[0], mark.Phase)
				texts, text = texts[1:], ""
			case mark.Type == "function_call" && len(calls) > 0:
				if text != "" && texts == nil { // its place is not known any more
					say(text, "")
					text = ""
				}
				put(calls[0])
				calls = calls[1:]
			}
		}
	}
	say(text, "")
	for _, c := range calls {
		put(c)
	}
}

// thought is an item of reasoning as it came, unless the provider refuses its
// id.
func (w *writer) thought(raw json.RawMessage) json.RawMessage {
	if w.may(quirkItemIDs) {
		return raw
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	delete(members, "id")
	return encodeJSON(members)
}
