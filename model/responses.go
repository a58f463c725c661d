package model

import (
	"context"
	"math"
	"net/url"

	openai "github.com/sashabaranov/go-openai"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// Some models refuse tools on chat completions and take them at POST
// <baseUrl>/responses. What differs there is how a request is written
// (responses_request.go), how an answer is read (responses_stream.go) and what of
// it goes back (responses_items.go). Everything above stays the same.

// onlyResponses are the ids of OpenAI's own service that refuse tools on chat
// completions, or know nothing else than the Responses API.
var onlyResponses = lazy.Regexp(`^(gpt-6-astra|gpt-6\.1-sol|gpt-6-sol|gpt-6-luna|gpt-5(\.\d+)?-(codex|pro)|gpt-5\.[6-9]-(sol|terra|luna)|codex-mini|o[13]-pro|o[34](-mini)?-deep-research)(-|$)`)

// needsResponses says where a model is asked: as configured, else by its name
// at OpenAI's own service.
func needsResponses(api, model string, base *url.URL) bool {
	switch api {
	case "responses":
		return true
	case "":
		return base.Hostname() == "api.openai.com" && onlyResponses().MatchString(model)
	}
	return false
}

func (e *endpoint) wireRequest(req Request, quirks map[string]bool) wireRequest {
	info, list := e.info, e.catalog.listed(e)
	info.Vision, info.Reasoning = info.Vision || list.Vision, info.Reasoning || list.Reasoning
	info.Files = info.Vision && (info.form.api == apiMessages || readsFiles(e.base))
	q := encode(req, info, quirks)
	if q.url = e.url; q.api == apiResponses {
		q.url = e.responsesURL
	}
	return q
}

// rawStream is what both of go-openai's streams can do.
type rawStream interface {
	RecvRaw() ([]byte, error)
	Close() error
}

// open sends the question.
func (q wireRequest) open(ctx context.Context, key string, http *doer) (rawStream, error) {
	config := openai.DefaultConfig(key)
	config.EmptyMessagesLimit = math.MaxUint
	config.HTTPClient = http
	client := openai.NewClientWithConfig(config)
	if q.api == apiResponses {
		return client.CreateResponseStream(ctx, openai.CreateResponseRequest{Model: neutralModel})
	}
	return client.CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{Model: neutralModel})
}

// reply folds the events of one stream into a Done.
type reply interface {
	// add takes one event and hands on what is new. It returns false when emit
	// does, or when the event is an error.
	add(data []byte, emit func(Part) bool) bool
	// common is what both kinds of answer keep.
	common() *answer
	// flush hands on what was held back until the end of the stream.
	flush(emit func(Part) bool) bool
	done(provider, model string) Done
}

func (q wireRequest) reply() reply {
	if q.textTools {
		q.textTools = false
		return &textReply{reply: q.reply()}
	}
	switch q.api {
	case apiResponses:
		return &output{}
	case apiMessages:
		return &message{}
	}
	return &answer{}
}
