package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	openai "github.com/sashabaranov/go-openai"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Texts that are where a provider refuses emptiness.
const (
	noOutput    = "(no output)"
	noText      = "(empty message)"
	onlyCalls   = "(tool calls)"
	imagesAbove = "The images that the tool results above refer to:"
)

// wireRequest is a request as it is written for one endpoint.
type wireRequest struct {
	url  *url.URL
	body pieces
	sent []string // what in it the provider could refuse
	left ImagesLeft
	api  api
	// textTools: calls are read from the text of the answer.
	textTools bool

	foreign int // answers whose state stays here
}

// writer writes one request body for one endpoint.
type writer struct {
	dialect
	written
	kept *Kept
	out  bytes.Buffer
	json *json.Encoder // into out
	// Calls whose provider gave no id are numbered through the request; their
	// results come in the same order.
	waiting []string
	here    map[string][]string // what the calls of this answer are sent under, by id; those without a result yet
}

// encodeRequest is a chat completion request.
func encodeRequest(req Request, info Info, quirks map[string]bool) wireRequest {
	w, before := begin(req, dialectOf(info, apiChat, quirks))
	w.note(quirkResponses)
	w.out.WriteByte(']')
	w.tools(req)
	if len(req.asText) > 0 && takesGrammar(info.Server) && w.may(quirkGrammar) {
		w.member(quirkGrammar, callGrammar(req.asText))
	}
	w.params(req.Params)
	w.effort(req.Params, info)
	w.cacheKey(req)
	w.out.WriteString(`,"stream":true`)
	if w.may(quirkStreamOptions) {
		w.member("stream_options", openai.StreamOptions{IncludeUsage: true})
	}
	return w.end(before)
}

func newWriter(d dialect, so written) *writer {
	w := &writer{dialect: d, written: so, here: map[string][]string{}}
	w.json = json.NewEncoder(&w.out)
	w.json.SetEscapeHTML(false) // the text stays as it came
	return w
}

// end closes the body, of which some is there already. The names have a stable order, so that the same refusal
// makes the same fix every time.
func (w *writer) end(before pieces) wireRequest {
	w.out.WriteByte('}')
	body := append(before, tool.WholeRunes(w.out.Bytes()))
	if w.form.marks && w.may(quirkCache) {
		body = body.marked(w.spots)
	}
	return wireRequest{body: body, api: w.form.api, sent: slices.Sorted(slices.Values(w.sent)), left: w.left, foreign: w.foreign}
}

// may notes that name is sent, unless the provider is known to refuse it.
func (w *writer) may(name string) bool {
	if w.quirks[name] {
		return false
	}
	w.note(name)
	return true
}

// note keeps that name is sent, or that its absence may be refused.
func (w *writer) note(name string) {
	if !slices.Contains(w.sent, name) {
		w.sent = append(slices.Clip(w.sent), name)
	}
}

// member writes a member behind others. name needs no escapes.
func (w *writer) member(name string, value any) {
	w.out.WriteString(`,"`)
	w.out.WriteString(name)
	w.out.WriteString(`":`)
	w.value(value)
}

// value writes v, which holds only strings, raw JSON and plain structs: these
// always encode.
func (w *writer) value(v any) {
	if text, ok := v.(string); ok { // nearly all of a request; bytes that are no UTF-8 become U+FFFD
		quoted, _ := jsontext.AppendQuote(w.out.AvailableBuffer(), text)
		w.out.Write(quoted)
		return
	}
	if w.json.Encode(v) != nil {
		w.out.WriteString("null")
		return
	}
	w.out.Truncate(w.out.Len() - 1) // the encoder ends with a newline
}

// wireTool keeps the order of its members, and so the cached prefix.
type wireTool struct {
	Type     openai.ToolType           `json:"type"`
	Function openai.FunctionDefinition `json:"function"`
}

func (w *writer) tools(req Request) {
	if len(req.Tools) == 0 {
		return
	}
	w.describe(req.Tools, func(t Tool) any {
		return wireTool{openai.ToolTypeFunction, openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: sentSchema(t, w.quirks)}}
	})
	if req.ToolChoice != "" && w.may(quirkToolChoice) {
		w.member("tool_choice", req.ToolChoice)
	}
}

// newNames are the models that refuse max_tokens.
var newNames = lazy.Regexp(`^(o[1-9]\d?|gpt-([5-9]|[1-9]\d))([.-]|$)`)

// sampling is what both APIs call the same.
func (w *writer) sampling(p Params) {
	if p.Temperature != nil && w.may(quirkTemperature) {
		w.member("temperature", *p.Temperature)
	}
	if p.TopP != nil && w.may(quirkTopP) {
		w.member("top_p", *p.TopP)
	}
}

func (w *writer) params(p Params) {
	w.sampling(p)
	if p.MaxTokens == nil || w.quirks[quirkOutputLimit] {
		return
	}
	name := quirkMaxTokens
	if newNames().MatchString(w.model[strings.LastIndexByte(w.model, '/')+1:]) || w.quirks[quirkMaxTokens] {
		name = quirkMaxCompletionTokens
	}
	if w.quirks[name] {
		name = quirkMaxTokens
	}
	if w.may(name) {
		w.member(name, *p.MaxTokens)
	}
}

// leadingSystem joins the system messages at the start: some templates allow
// one only, and the Responses API wants them elsewhere.
func leadingSystem(all []Message) (text string, n int) {
	var leading []string
	for ; n < len(all) && all[n].Role == "system"; n++ {
		if !IsBlank(all[n].Text) {
			leading = append(leading, all[n].Text)
		}
	}
	return strings.Join(leading, "\n\n"), n
}

// head begins the body, with the system prompt.
func (w *writer) head(system string) {
	if w.form.version == "" {
		w.out.WriteString(`{"model":`)
		w.value(w.model)
	} else {
		w.out.WriteString(`{"anthropic_version":`)
		w.value(w.form.version)
	}
	switch {
	case w.form.api == apiResponses:
		if system != "" {
			w.member("instructions", system)
		}
		w.out.WriteString(`,"input":[`)
	case w.form.api == apiMessages:
		if system != "" {
			w.member("system", []any{w.lasting(system)})
		}
		w.out.WriteString(`,"messages":[`)
	default:
		w.out.WriteString(`,"messages":[`)
		if system == "" {
			return
		}
		var content any = system
		if w.form.marks && w.may(quirkCache) {
			content = []any{w.lasting(system)}
		}
		w.message("system", content, nil)
	}
}

// message writes a chat message behind the ones before it.
func (w *writer) message(role string, content any, rest func()) {
	if role == "user" && role == w.role {
		w.note(outOfTurn)
	}
	w.role = role
	w.comma()
	w.out.WriteString(`{"role":"`)
	w.out.WriteString(role) // one of four words
	w.out.WriteByte('"')
	if content != nil {
		w.out.WriteString(`,"content":`)
		from := w.place()
		w.value(content)
		if _, bare := content.(string); bare && role != "assistant" && role != "system" {
			w.spot(from, w.place())
		}
	}
	if rest != nil {
		rest()
	}
	w.out.WriteByte('}')
}

func (w *writer) comma() {
	if w.items++; w.items > 1 {
		w.out.WriteByte(',')
	}
}

// messages writes a group of messages.
func (w *writer) messages(group []Message) {
	var images []Image
	flush := func() {
		if len(images) > 0 { // a tool message contains text only
			w.message("user", w.parts(imagesAbove, images), nil)
			images = nil
		}
	}
	for _, m := range group {
		if !m.isResult() {
			flush()
		}
		switch m.Role {
		case "assistant":
			if content, rest := w.assistant(m); content != nil || rest != nil {
				w.message("assistant", content, rest)
			}
		case "tool":
			w.message("tool", orElse(m.Text, noOutput), func() { w.member("tool_call_id", w.resultID(m)) })
			images = append(images, m.Images...)
		default:
			if len(m.Images) > 0 {
				w.message(m.Role, w.parts(m.Text, m.Images), nil)
			} else {
				w.message(m.Role, orElse(m.Text, noText), nil)
			}
		}
	}
	flush()
}

func orElse(text, empty string) string {
	if IsBlank(text) {
		return empty
	}
	return text
}

// parts is the content of a message with images.
func (w *writer) parts(text string, images []Image) any {
	words := func(text string) any {
		return openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: text}
	}
	return w.content(text, images, words, func(mime, url string) any {
		if mime == PDF {
			return wireFile{"file", wireFileData{"document.pdf", url}}
		}
		return openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: url}}
	})
}

type (
	wireFile struct {
		Type string       `json:"type"`
		File wireFileData `json:"file"`
	}
	wireFileData struct {
		Filename string `json:"filename"`
		FileData string `json:"file_data"`
	}
)

// call is one of the calls of an answer. They are most of a long request and are
// written member by member: an encoder would read each of them three times.
func (w *writer) call(id string, c Call, extra json.RawMessage) {
	w.out.WriteString(`{"id":`)
	w.value(id)
	w.out.WriteString(`,"type":"function","function":{"name":`)
	w.value(PlainName(c.Name))
	w.member("arguments", sentArguments(c.Arguments))
	w.out.WriteByte('}')
	if len(extra) > 0 {
		w.member("extra_content", extra)
	}
	w.out.WriteByte('}')
}

// assistant gives the content, nil to leave it out, and what writes the other
// members. A message without text and calls has neither: it says nothing.
func (w *writer) assistant(m Message) (content any, rest func()) {
	same := m.Opaque != nil && m.Opaque.Provider == w.provider
	m.Text = withoutThought(m.Text) // logs of before have it
	w.newAnswer()
	switch {
	case !IsBlank(m.Text):
		content = m.Text
	case len(m.Calls) == 0:
		return nil, nil
	case !w.may(quirkContent):
		content = onlyCalls
	}
	return content, func() {
		if same {
			w.opaque(m.Opaque.Fields)
		}
		for i, c := range m.Calls {
			if i == 0 {
				w.out.WriteString(`,"tool_calls":[`)
			} else {
				w.out.WriteByte(',')
			}
			w.call(w.callID(c.ID, same), c, w.extra(c, same, i == 0))
		}
		if len(m.Calls) > 0 {
			w.out.WriteByte(']')
		}
	}
}

// opaque writes what the provider gave with the message and wants back. Where the details of
// the reasoning are there, its bare text is not sent a second time.
func (w *writer) opaque(fields map[string]json.RawMessage) {
	for _, name := range sentBack {
		raw, ok := fields[name]
		if ok && slices.Contains(reasoningTexts, name) && !w.asks() {
			w.note(quirkReasoningBack) // its absence may be refused
			continue
		}
		if !ok || !json.Valid(raw) || name == "reasoning" && fields["reasoning_details"] != nil && !w.quirks["reasoning_details"] {
			continue
		}
		if w.may(name) {
			fmt.Fprintf(&w.out, `,%q:%s`, name, raw)
		}
	}
}
