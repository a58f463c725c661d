// Package model talks to OpenAI-compatible endpoints: it turns a Request into a
// stream of Parts, whatever the provider does to the wire on the way. It knows
// nothing of sessions, tools or permission; it never runs a call, never
// compacts and never decides to switch away from a model by itself except along
// the chain it was given.
package model

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Model is one model, or a chain of them, that can be asked.
type Model interface {
	// Stream asks the model. The sequence yields Parts and ends after Done, or
	// with exactly one error (an *Error, or the context's cause when ctx ended).
	// Stopping the iteration early closes the connection.
	Stream(ctx context.Context, req Request) iter.Seq2[Part, error]
	// Info describes the model that is asked first.
	Info() Info
}

// Info is what is known about a model. Zero numbers are unknown.
type Info struct {
	Name      string // as the provider calls it
	Provider  string
	Window    int64  // tokens
	Known     Source // where Window, or MaxInput, is from
	MaxInput  int64  // tokens; where set it is the usable window itself
	MaxOutput int64  // tokens
	Server    string // which local server runs it, as its preset is called; "" where none is known to
	Vision    bool
	Files     bool // it reads PDF files
	Reasoning bool
	// Efforts are the levels of Efforts that it takes, nil where it takes none or is not known.
	Efforts []string
	// Quirks are the parameters that this model is known to refuse and that are
	// therefore left out, "tool_choice" above all: a summary is asked for in another way
	// then.
	Quirks []string

	form form
}

// Source is where the window of a model is known from: one of those below, or the path of the
// server's list that says it.
type Source string

// The sources of a window.
const (
	SourceNone          Source = ""
	SourceConfiguration Source = "configuration"
	SourceTable         Source = "table"  // of known models
	SourceServer        Source = "server" // what an overflow text named, or a cut prompt showed
)

// Request is one question to a model.
type Request struct {
	Messages   []Message
	Tools      []Tool
	ToolChoice string // "" lets the model choose, "none" forbids calls
	Params     Params
	// Kept, where it is not nil, is what was written of Messages for the last request
	// with it. Messages that are in an array of an earlier request have not changed
	// since; it is only appended to. Those in another array are compared.
	Kept *Kept
	// Session tells the conversations of one catalog apart, where a provider asks for it.
	Session string

	asText []Tool // those that are described in the system prompt
}

// Params are sent only where they are not nil.
type Params struct {
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"topP,omitempty"`
	MaxTokens   *int64   `json:"maxTokens,omitempty"`
	// Effort is one of Efforts; "" leaves it to the model. It is written as the model's family
	// wants it, at the nearest level that it has, and left out where the family has none.
	Effort string `json:"reasoningEffort,omitempty"`
}

// Tool is what a model is told about a tool.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// Message is one message of the conversation as the model sees it.
type Message struct {
	Role   string // "system", "user", "assistant" or "tool"
	Text   string
	Images []Image
	Calls  []Call // assistant
	CallID string // tool: the call this answers
	// Opaque is provider state (reasoning details, thought signatures) that must
	// be sent back unchanged to the provider it came from and to no other.
	Opaque *Opaque
}

// Image is an image of a user message or a tool result, or a PDF. What is shown
// of it, and to whom, is decided when the request is written (images.go).
type Image struct {
	MIME string
	Data []byte
	// Anyway: a person sends it, also to a model that is not known to take images.
	// One that has refused them still gets none.
	Anyway bool
}

// Call is a tool call as the model wrote it. Arguments is the raw text: it may
// be cut or malformed, and is never repaired here.
type Call struct {
	ID        string // the provider's id, "" when it gave none
	Name      string
	Arguments string
	// Extra is provider state that belongs to this call (Gemini's
	// extra_content) and goes back with it, if the message's Opaque names the
	// provider that is asked; a call with Extra always comes with an Opaque.
	Extra json.RawMessage
}

// Opaque is state that a provider wants back, kept byte for byte.
type Opaque struct {
	Provider string `json:"provider"`
	// Fields are members of the assistant message, by their wire name:
	// reasoning_content, reasoning, reasoning_details, reasoning_encrypted …
	Fields map[string]json.RawMessage `json:"fields"`
}

// Part is a piece of an answer: TextDelta, ReasoningDelta, CallDelta, Retry,
// Switch or Done.
type Part interface{ part() }

// TextDelta is more of the answer's text.
type TextDelta struct{ Text string }

// ReasoningDelta is more of what the model thinks, for people to watch.
type ReasoningDelta struct{ Text string }

// CallDelta is more of the arguments of the call at Index.
type CallDelta struct {
	Index int
	ID    string // the provider's, "" while it is not known
	Name  string
	Text  string
}

// Retry says that the attempt failed and another one follows after In: every
// part since the start or the last Retry is withdrawn.
type Retry struct {
	Attempt int // of the one that failed, from 1
	In      time.Duration
	Err     *Error
	From    string // the model that failed; with its provider where the chain has that name twice
	Model   string // the model that is asked next, written so too
	Switch  bool   // the next attempt asks another model
	// Provider is that of the model that is asked next.
	Provider string
}

// Switch says, before anything is asked, that another model is asked than the
// one before it in this chain: the earlier one failed a moment ago and rests, or
// has rested. Reason is the Kind of that failure, or Rested.
type Switch struct {
	From, To string // written as in Retry
	Reason   string
}

// Rested is the reason to go back to a model that is earlier in the chain.
const Rested = "rested"

// Done is the whole answer; it is the last Part.
type Done struct {
	Text         string
	Reasoning    string
	Calls        []Call
	Opaque       *Opaque
	FinishReason string     // "stop", "length", "tool_calls", "content_filter" or the provider's own word; "" when it gave none
	Cut          bool       // the output was cut at a limit, whatever FinishReason says
	Filtered     bool       // the provider's content filter ended the answer, whatever its word for it
	Refusal      string     // the provider's own words of a refusal; they are part of Text too
	Usage        *Usage     // nil when the provider gave none
	Model        string     // who answered, as Info.Name
	Quirk        string     // a parameter that was dropped because the provider refused it
	Also         []string   // what else of it was learned to be written otherwise
	Moved        bool       // it was found on the way that only the Responses API takes tools
	Provider     string     // of Model
	Left         ImagesLeft // of the request
	Part         bool       // Usage is of a part of the prompt: the server has cut it without a word
	Window       int64      // at which it has just been found to do so, in tokens; 0: not found
	Foreign      int        // answers of the request whose sealed state was not sent: another gave it, or another API
}

func (TextDelta) part()      {}
func (ReasoningDelta) part() {}
func (CallDelta) part()      {}
func (Retry) part()          {}
func (Switch) part()         {}
func (Done) part()           {}

// Usage is what the provider counted, in tokens.
type Usage struct {
	Input      int64 // the whole prompt, whatever of it was cached
	Output     int64
	Cached     int64    // of Input: read from the provider's cache
	CacheWrite int64    // of Input: written to it
	Cost       *float64 // in USD; nil: the provider does not say it, and no price is known
	Estimated  bool     // Cost was computed from a price
}

// ImagesLeft counts the images and files of a request that were sent as a line
// of text.
type ImagesLeft struct {
	NoVision int // the model takes no images
	NoFiles  int // the model takes no files
	TooMany  int // the oldest, beyond the limits of a request
}
