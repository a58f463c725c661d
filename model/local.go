package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	localWait = 200 * time.Millisecond
	listWait  = 2 * time.Second // ruling 22
	maxList   = 8 << 20
)

// Listed is a model as a provider's list names it. Zero numbers are unknown.
type Listed struct {
	Name      string
	Window    int64
	MaxOutput int64
}

// FindLocal looks for a model server on the usual ports of this machine, all
// at once and for 200 ms, and names its models. The first one found in the
// order of the presets wins; a server without models is none.
func (c *Catalog) FindLocal(ctx context.Context) (Provider, []string, bool) {
	var local []Provider
	for _, p := range Presets() {
		if len(p.APIKeyEnv) == 0 {
			local = append(local, p)
		}
	}
	found := make([][]string, len(local))
	ctx, cancel := context.WithTimeout(ctx, localWait)
	defer cancel()
	var all sync.WaitGroup
	for i, p := range local {
		all.Go(func() {
			base, err := url.Parse(p.BaseURL)
			if err != nil {
				return
			}
			models, err := c.list(ctx, base, "", nil)
			if err != nil {
				return // nobody there, or something else
			}
			for _, m := range models {
				if !strings.Contains(strings.ToLower(m.Name), "embed") {
					found[i] = append(found[i], m.Name)
				}
			}
		})
	}
	all.Wait()
	for i, names := range found {
		if len(names) > 0 {
			return local[i], names, true
		}
	}
	return Provider{}, nil, false
}

// List asks a provider for its models, for at most 2 s.
func (c *Catalog) List(ctx context.Context, provider string) ([]Listed, error) {
	for _, p := range c.known() {
		if p.Name != provider {
			continue
		}
		base, err := parseBase(p.BaseURL)
		if err != nil {
			return nil, fmt.Errorf("provider %q: %w", provider, err)
		}
		keys, err := c.keys(p, base)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, listWait)
		defer cancel()
		models, err := c.list(ctx, base, keys[0], c.headers(p))
		if err != nil {
			return nil, fmt.Errorf("listing the models of %q at %s: %s", provider, shownURL(base), networkText(err))
		}
		return models, nil
	}
	return nil, fmt.Errorf("no provider %q", provider)
}

func (c *Catalog) list(ctx context.Context, base *url.URL, key string, header http.Header) ([]Listed, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath("models").String(), nil)
	if err != nil {
		return nil, err
	}
	if header != nil {
		req.Header = header
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.http().Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil {
		return nil, err
	}
	return decodeList(body)
}

// decodeList reads {"data": [{"id"}]} with the window under the names that
// OpenRouter, vLLM, LM Studio, Groq and llama.cpp give it. Another shape is an
// error: any server may listen on port 8080.
func decodeList(body []byte) ([]Listed, error) {
	var l struct {
		Data []struct {
			ID      text            `json:"id"`
			Context json.RawMessage `json:"context_length"`
			MaxLen  json.RawMessage `json:"max_model_len"`
			MaxCtx  json.RawMessage `json:"max_context_length"`
			Window  json.RawMessage `json:"context_window"`
			Meta    struct {
				Train json.RawMessage `json:"n_ctx_train"`
			} `json:"meta"`
			Top struct {
				Output json.RawMessage `json:"max_completion_tokens"`
			} `json:"top_provider"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &l); err != nil && l.Data == nil {
		return nil, fmt.Errorf("not a list of models: %w", err)
	}
	models := []Listed{}
	for _, m := range l.Data {
		if m.ID == "" {
			continue
		}
		one := Listed{Name: string(m.ID)}
		for _, raw := range []json.RawMessage{m.Context, m.MaxLen, m.MaxCtx, m.Window, m.Meta.Train} {
			if n, ok := count(raw); ok && one.Window == 0 {
				one.Window = n
			}
		}
		if n, ok := count(m.Top.Output); ok {
			one.MaxOutput = n
		}
		models = append(models, one)
	}
	return models, nil
}
