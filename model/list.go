package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	listWait = 2 * time.Second
	maxList  = 8 << 20
)

// errNoList: the answer is something else than a list of models.
var errNoList = errors.New("not a list of models")

// Listed is a model as a provider's list names it. Zero numbers are unknown.
type Listed struct {
	Name      string // "" stands for whatever model the server runs
	Window    int64
	MaxOutput int64
	Vision    bool
	Reasoning bool
	from      Source // the path of the list, where it is kept
}

// fetchList asks one address. header may be nil.
func fetchList(ctx context.Context, client *http.Client, at *url.URL, keyName, key string, header http.Header) ([]Listed, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	setKey(req.Header, keyName, key)
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // half a text is better than none
		return nil, &statusError{resp.StatusCode, resp.Header, string(body)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil {
		return nil, err
	}
	return decodeList(body)
}

// object is a JSON object that is looked into here and there.
type object map[string]json.RawMessage

// at is the value at the end of a path of members, nil if there is none.
func (o object) at(path string) json.RawMessage {
	first, rest, more := strings.Cut(path, ".")
	if !more {
		return o[first]
	}
	var inner object
	if json.Unmarshal(o[first], &inner) != nil {
		return nil
	}
	return inner.at(rest)
}

// number is the first of paths that holds a number of at least least.
func (o object) number(least int64, paths ...string) int64 {
	for _, path := range paths {
		if n, ok := count(o.at(path)); ok && n >= least {
			return n
		}
	}
	return 0
}

// has says that the array at path names word.
func (o object) has(path, word string) bool {
	var words []text
	return json.Unmarshal(o.at(path), &words) == nil && slices.Contains(words, text(word))
}

// Where lists say how much a model takes: first what the server runs it with,
// then what was made possible, last what the model was trained for.
var (
	windowPaths = []string{
		"loaded_context_length", "n_ctx", "meta.n_ctx", "max_model_len",
		"top_provider.context_length", "context_length", "context_window", "context_size", "max_context_length", "max_input_tokens",
		"metadata.context_length", "limits.max_context_window_tokens", "model_spec.availableContextTokens", "model_info.max_input_tokens",
		"meta.n_ctx_train",
	}
	outputPaths = []string{"top_provider.max_completion_tokens", "max_completion_tokens", "max_output_tokens"}
)

// decodeList reads {"data": […]}, {"models": […]}, a bare array, or what
// llama.cpp says of the one model that it runs. Another shape is an error: any
// server may listen on port 8080.
func decodeList(body []byte) ([]Listed, error) {
	var whole object
	var items []json.RawMessage
	if json.Unmarshal(body, &items) != nil || items == nil {
		if err := json.Unmarshal(body, &whole); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoList, err)
		}
		if window := whole.number(minWindow, "default_generation_settings.n_ctx"); window > 0 {
			var sees bool
			_ = json.Unmarshal(whole.at("modalities.vision"), &sees)
			return []Listed{{Window: window, Vision: sees}}, nil
		}
		list := whole["data"]
		if isNull(list) {
			list = whole["models"]
		}
		if json.Unmarshal(list, &items) != nil || items == nil {
			return nil, errNoList
		}
	}
	models := []Listed{}
	for _, raw := range items {
		var item object
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		if one := item.listed(); one.Name != "" {
			models = append(models, one)
		}
	}
	return models, nil
}

func (o object) listed() Listed {
	var one Listed
	for _, name := range []string{"id", "model", "name", "key"} {
		var t text
		if _ = t.UnmarshalJSON(o[name]); t != "" && one.Name == "" {
			one.Name = string(t)
		}
	}
	var state, kind text
	_ = state.UnmarshalJSON(o["state"])
	_ = kind.UnmarshalJSON(o["type"])
	if state != "not-loaded" { // what it will be loaded with is not known yet
		one.Window = o.number(minWindow, windowPaths...)
	}
	one.MaxOutput = o.number(1, outputPaths...)
	var sees bool
	_ = json.Unmarshal(o.at("capabilities.vision"), &sees)
	one.Vision = sees || kind == "vlm" || o.has("architecture.input_modalities", "image") || o.has("input_modalities", "image")
	one.Reasoning = o.has("supported_parameters", "reasoning")
	return one
}
