package model

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestChain: who is asked after whom. Each row's server answers by model and
// key; the order of requests is what is judged.
func TestChain(t *testing.T) {
	for _, row := range []struct {
		name   string
		keys   []string
		models []string
		answer map[string]step // by model, "model key" or "*"
		asked  string
		kind   Kind
	}{
		{"401 takes the next key", []string{"k1aaaaaa", "k2aaaaaa"}, []string{"a"}, map[string]step{"a k1aaaaaa": refuse(401, ""), "*": ok()}, "a:k1aaaaaa a:k2aaaaaa", ""},
		{"no good key, next model", []string{"k1aaaaaa", "k2aaaaaa"}, []string{"a", "b"}, map[string]step{"a": refuse(403, ""), "*": ok()}, "a:k1aaaaaa a:k2aaaaaa b:k1aaaaaa", ""},
		{"quota takes the next model at once", []string{"k1aaaaaa", "k2aaaaaa"}, []string{"a", "b"}, map[string]step{"a": refuse(402, ""), "*": ok()}, "a:k1aaaaaa b:k1aaaaaa", ""},
		{"404 takes the next model", []string{"k1aaaaaa"}, []string{"a", "b"}, map[string]step{"a": refuse(404, ""), "*": ok()}, "a:k1aaaaaa b:k1aaaaaa", ""},
		{"a rate limit is the key's", []string{"k1aaaaaa", "k2aaaaaa"}, []string{"a"}, map[string]step{"a k1aaaaaa": refuse(429, "", "Retry-After", "3600"), "*": ok()}, "a:k1aaaaaa a:k2aaaaaa", ""},
		{"server errors take the next model after three", []string{"k1aaaaaa", "k2aaaaaa"}, []string{"a", "b"}, map[string]step{"a": refuse(500, ""), "*": ok()}, "a:k1aaaaaa a:k1aaaaaa a:k1aaaaaa b:k1aaaaaa", ""},
		{"a rejected request does not fall back", []string{"k1aaaaaa"}, []string{"a", "b"}, map[string]step{"a": refuse(400, "{}"), "*": ok()}, "a:k1aaaaaa", KindRejected},
		{"nor does an overflow", []string{"k1aaaaaa"}, []string{"a", "b"}, map[string]step{"a": refuse(413, ""), "*": ok()}, "a:k1aaaaaa", KindOverflow},
		{"nor a policy refusal", []string{"k1aaaaaa"}, []string{"a", "b"}, map[string]step{"a": refuse(400, `{"error":{"code":"content_filter"}}`), "*": ok()}, "a:k1aaaaaa", KindContentFilter},
		{"a chain exhausted", []string{"k1aaaaaa"}, []string{"a", "b"}, map[string]step{"a": refuse(402, ""), "b": refuse(404, "")}, "a:k1aaaaaa b:k1aaaaaa", KindUnavailable},
		{"a chain of one says why", []string{"k1aaaaaa"}, []string{"a"}, map[string]step{"a": refuse(402, "")}, "a:k1aaaaaa", KindQuota},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, asked := byModel(t, row.answer)
				c.Providers[0].APIKeys = row.keys
				var names []string
				for _, m := range row.models {
					names = append(names, "test/"+m)
				}
				h := hear(t.Context(), open(t, c, names...), ask("hi"))
				if got := strings.Join(*asked, " "); got != row.asked {
					t.Errorf("asked %s, want %s", got, row.asked)
				}
				if h.modelError().Kind != row.kind || (row.kind == "") != (h.done != nil) {
					t.Errorf("kind %q (%v), want %q", h.modelError().Kind, h.err, row.kind)
				}
				if row.kind == KindUnavailable && len(h.modelError().Attempts) != 2 {
					t.Errorf("attempts %+v", h.modelError().Attempts)
				}
				if h.done != nil && len(row.models) > 1 {
					last := h.retries[len(h.retries)-1]
					if h.done.Model != "b" || last.Model != "b" || !last.Switch || last.Provider != "test" {
						t.Errorf("answered by %s after %+v", h.done.Model, last)
					}
				}
			})
		})
	}
}

// A model behind the first that lacks its key keeps nobody from working; when its
// turn comes it says what it lacks. The first one says it at once.
func TestLackingFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, asked := byModel(t, map[string]step{"a": refuse(402, ""), "*": ok()})
		c.Providers = append(c.Providers, Provider{Name: "keyless", BaseURL: "https://keyless.test", APIKeyEnv: []string{"KEYLESS"}})
		m := open(t, c, "test/a", "keyless/x", "test/b")
		if h := hear(t.Context(), m, ask("hi")); h.done == nil || h.done.Model != "b" || len(*asked) != 2 {
			t.Errorf("asked %v: %v", *asked, h.err)
		}
		h := hear(t.Context(), open(t, c, "test/a", "keyless/x"), ask("hi"))
		if e := h.modelError(); e.Kind != KindUnavailable || len(e.Attempts) != 2 || !strings.Contains(e.Error(), "set KEYLESS") {
			t.Errorf("%v %+v", h.err, e.Attempts)
		}
		if _, err := c.Open("keyless/x", "test/a"); !errors.Is(err, ErrNoKey) {
			t.Errorf("the first one: %v", err)
		}
	})
}

// byModel answers by the model (and key) that is asked for.
func byModel(t *testing.T, answer map[string]step) (*Catalog, *[]string) {
	var asked []string
	c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		var body [512]byte
		n, _ := r.Body.Read(body[:])
		_, model, _ := strings.Cut(string(body[:n]), `"model":"`)
		model, _, _ = strings.Cut(model, `"`)
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		asked = append(asked, model+":"+key)
		for _, name := range []string{model + " " + key, model, "*"} {
			if s, ok := answer[name]; ok {
				for k, v := range s.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(s.status)
				_, _ = w.Write([]byte(s.body))
				return
			}
		}
	})
	return c, &asked
}

// A model that failed is asked last for 60 s.
func TestFailedModelRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, asked := byModel(t, map[string]step{"a": refuse(402, ""), "*": ok()})
		m := open(t, c, "test/a", "test/b")
		for _, after := range []time.Duration{0, 59 * time.Second, 2 * time.Second} {
			_ = pause(t.Context(), after)
			hear(t.Context(), m, ask("hi"))
			*asked = append(*asked, "|")
		}
		const key = ":sk-test-key-1"
		want := "a" + key + " b" + key + " | b" + key + " | a" + key + " b" + key + " |"
		if got := strings.Join(*asked, " "); got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
	})
}

// TestQuirkFix: a refused parameter is dropped, once, and stays dropped.
func TestQuirkFix(t *testing.T) {
	zero, limit := 0.0, int64(100)
	for _, row := range []struct {
		name, refusal, quirk string
		has, hasNot          string // of the second request
		req                  Request
	}{
		{"temperature", `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model.","param":"temperature"}}`, "temperature",
			`"top_p":0`, `"temperature"`, Request{Params: Params{Temperature: &zero, TopP: &zero}}},
		{"max_tokens goes under its new name", `{"error":{"code":"unsupported_parameter","message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`, "max_tokens",
			`"max_completion_tokens":100`, `"max_tokens"`, Request{Params: Params{MaxTokens: &limit}}},
		{"and the old one", `{"detail":[{"loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]}`, "max_completion_tokens",
			`"max_tokens":100`, `"max_completion_tokens"`, Request{Params: Params{MaxTokens: &limit}}},
		{"tool_choice none", `{"error":{"message":"tool_choice: Input should be 'auto' or 'required'"}}`, "tool_choice",
			`"tools":[`, `"tool_choice"`, Request{Tools: []Tool{{Name: "x"}}, ToolChoice: "none"}},
		{"stream_options", `{"error":"Unrecognized request argument supplied: stream_options"}`, "stream_options", `"stream":true`, `"stream_options"`, Request{}},
		{"images", `{"error":{"message":"This model does not support image input"}}`, "images",
			"this model takes no images", `image_url`, Request{Messages: []Message{{Role: "user", Images: []Image{{MIME: "image/png", Data: pngOf(1, 1)}}}}}},
		{"ids of nine", `{"message":"Tool call id was functions.x:0 but must be a-z, A-Z, 0-9, with a length of 9."}`, "tool_call_id",
			`"tool_call_id":"` + hashed("functions.x:0")[:9] + `"`, `functions.x:0`, Request{Messages: []Message{{Role: "assistant", Calls: []Call{{ID: "functions.x:0", Name: "x"}}, Opaque: &Opaque{Provider: "test"}}, {Role: "tool", CallID: "functions.x:0"}}}},
		{"calls need content", `{"error":{"message":"Assistant message must have content. Got role='assistant'"}}`, "content",
			onlyCalls, `"content":""`, Request{Messages: []Message{{Role: "assistant", Calls: []Call{{ID: "a", Name: "x"}}}, {Role: "tool", CallID: "a"}}}},
		{"reasoning_content", `{"error":{"message":"property 'messages.0.reasoning_content' is unsupported"}}`, "reasoning_content",
			`"hm"`, `"reasoning_content"`, Request{Messages: []Message{{Role: "assistant", Text: "hm", Opaque: &Opaque{Provider: "test", Fields: rawFields("reasoning_content", `"r"`)}}}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, seen := script(t, refuse(400, row.refusal), ok())
				c.Providers[0].Models = map[string]ModelConfig{"m": {Vision: true}}
				model := "test/m"
				switch row.quirk {
				case "max_completion_tokens":
					model = "test/o3"
				case "reasoning_content":
					model = "test/deepseek-chat"
				}
				m := open(t, c, model)
				h := hear(t.Context(), m, row.req)
				if h.done == nil || h.done.Quirk != row.quirk {
					t.Fatalf("answer %+v, error %v", h.done, h.err)
				}
				body := (*seen)[1].body
				if !strings.Contains((*seen)[0].body, strings.Trim(row.hasNot, `"`)) && row.quirk != "content" {
					t.Errorf("the first request has no %s: %s", row.hasNot, (*seen)[0].body)
				}
				if !strings.Contains(body, row.has) || strings.Contains(body, row.hasNot) {
					t.Errorf("second request: %s", body)
				}
				again := hear(t.Context(), m, row.req)
				if len(*seen) != 3 || again.done == nil || (*seen)[2].body != body {
					t.Errorf("not remembered: %d requests", len(*seen))
				}
				if want := row.quirk == "tool_choice"; (again.done.Quirk != "") != want {
					t.Errorf("said again: %q", again.done.Quirk)
				}
				if q := m.Info().Quirks; len(q) != 1 || q[0] != row.quirk {
					t.Errorf("Info names %v", q)
				}
			})
		})
	}
	image := Request{Messages: []Message{{Role: "user", Images: []Image{{MIME: "image/png", Data: pngOf(1, 1)}}}}}
	for _, row := range []struct {
		name, refusal, quirk string
		status               int
		req                  Request
	}{ // what is no bad request by its status
		{"a gateway without an endpoint for images", `{"error":{"message":"No endpoints found that support image input","code":404}}`, quirkImages, 404, image},
		{"a gateway without one for tool_choice", `{"error":{"message":"No endpoints found that support the provided 'tool_choice' value.","code":404}}`, quirkToolChoice, 404, Request{Tools: []Tool{{Name: "x"}}, ToolChoice: "none"}},
		{"llama.cpp without a projector", `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, quirkImages, 500, image},
		{"a model that does not exist", `{"error":{"message":"The model does not exist or you do not have access"}}`, "", 404, image},
		{"a server that fails", `{"error":{"message":"unexpected failure in temperature control"}}`, "", 500, Request{Params: Params{Temperature: &zero}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, seen := script(t, refuse(row.status, row.refusal), ok())
			c.Providers[0].Models = map[string]ModelConfig{"m": {Vision: true}}
			c.Retry.MaxAttempts = 1
			h := hear(t.Context(), open(t, c, "test/m"), row.req)
			if (row.quirk != "") != (h.done != nil) || h.done != nil && (h.done.Quirk != row.quirk || len(*seen) != 2) {
				t.Errorf("%s: %d requests, %+v, %v", row.name, len(*seen), h.done, h.err)
			}
		})
	}
	for name, refusal := range map[string]string{
		"a value is no quirk":             `{"error":{"message":"temperature must be between 0 and 2, got 100"}}`,
		"what was not sent cannot be one": `{"error":{"message":"Unsupported parameter: 'top_p'"}}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, seen := script(t, refuse(400, refusal), ok())
			h := hear(t.Context(), open(t, c, "test/m"), Request{Params: Params{Temperature: &zero}})
			if h.modelError().Kind != KindRejected || len(*seen) != 1 {
				t.Errorf("%s: %d requests, %v", name, len(*seen), h.err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // a known quirk is never sent, learned for one model, at one address
		c, seen := script(t, ok(), refuse(400, `'temperature' is not supported`), ok())
		c.Providers[0].Quirks = []string{quirkStreamOptions}
		req := ask("hi")
		if h := hear(t.Context(), open(t, c, "test/m"), req); h.done.Quirk != "" || strings.Contains((*seen)[0].body, "stream_options") {
			t.Errorf("said %q of %s", h.done.Quirk, (*seen)[0].body)
		}
		req.Params.Temperature = &zero
		hear(t.Context(), open(t, c, "test/m"), req)
		hear(t.Context(), open(t, c, "test/other"), req)
		c.Providers[0].BaseURL = "http://elsewhere.test/v1"
		hear(t.Context(), open(t, c, "test/m"), req)
		for i, has := range []bool{false, true, false, true, true} {
			if strings.Contains((*seen)[i].body, "temperature") != has {
				t.Errorf("request %d: %s", i, (*seen)[i].body)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) { // the fix is not one of the three attempts
		c, seen := script(t, refuse(400, `'temperature' is not supported`), refuse(500, ""), refuse(500, ""), ok())
		h := hear(t.Context(), open(t, c, "test/m"), Request{Params: Params{Temperature: &zero}})
		if h.done == nil || times(*seen) != "0s 0s 2s 6s" {
			t.Errorf("asked at %s: %v", times(*seen), h.err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // one fix, not two
		c, seen := script(t, refuse(400, `'temperature' is not supported`), refuse(400, `'top_p' is not supported`), ok())
		h := hear(t.Context(), open(t, c, "test/m"), Request{Params: Params{Temperature: &zero, TopP: &zero}})
		if h.modelError().Kind != KindRejected || len(*seen) != 2 {
			t.Errorf("%d requests, %v", len(*seen), h.err)
		}
	})
}

// No text that leaves the package holds a key, however the provider echoes it.
func TestErrorsHoldNoKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const key = "sk-very+secret/key"
		steps := []step{
			refuse(401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`),
			refuse(400, "bad header Bearer "+key+" and sk-very%2Bsecret%2Fkey and hdr-secret"),
			refuse(200, "data: {\"error\":{\"message\":\""+key+"\"}}\n\n"),
			refuse(200, "data: {"+key+"\n\n"),
			refuse(500, strings.Repeat("é"+key, 5000)),
			refuse(400, `{"said":"sk-very\u002bsecret\/key, sk-very+secret\/key, sk-very%2Bsecret%2Fkey, bWU6cGFzc3dvcmQx"}`),
		}
		for pad := 250; pad < 300; pad += 4 { // cut for the message, maybe in the middle of the key
			steps = append(steps, refuse(200, "data: {"+strings.Repeat("x", pad)+key+"\n\n"), refuse(200, strings.Repeat("y", pad)+key))
		}
		for _, s := range steps {
			c, _ := script(t, s)
			c.Retry.MaxAttempts = 1
			c.Providers[0].APIKeys = []string{key}
			c.Providers[0].Headers = map[string]string{"X-Secret": "hdr-secret"}
			c.Providers[0].BaseURL = "http://me:password1@model.test/v1?token=" + "tok-secret"
			e := hear(t.Context(), open(t, c, "test/m"), ask("hi")).modelError()
			all := fmt.Sprintf("%v %+v", e, *e)
			for _, secret := range []string{key, "sk-very", "hdr-secret", "password1", "bWU6cGFzc3dvcmQx", "tok-secret", "y" + "sk-ve", "x" + "sk-ve"} {
				if strings.Contains(all, secret) {
					t.Errorf("%q in %.300s", secret, all)
				}
			}
			if e.Message == "" || len(e.Message) > 2048 || e.URL != "http://model.test/v1/chat/completions" || !strings.Contains(e.Error(), e.URL) {
				t.Errorf("%d bytes of message, URL %s", len(e.Message), e.URL)
			}
		}
	})
}

// A dead endpoint names its URL.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	c := &Catalog{Providers: []Provider{{Name: "dead", BaseURL: "http://" + addr + "/v1"}}, Retry: RetryLimits{MaxAttempts: 1}}
	defer c.Close()
	h := hear(t.Context(), open(t, c, "dead/m"), ask("hi"))
	if e := h.modelError(); e.Kind != KindNetwork || !strings.Contains(e.Error(), addr) || !strings.Contains(e.Error(), "refused") {
		t.Errorf("%v", h.err)
	}
	if !errors.Is(h.err, &Error{Kind: KindNetwork}) {
		t.Error("the kind cannot be compared")
	}
}

// A model that is asked instead is not sent what cannot fit its smaller window: the
// session hears of an overflow, and what fits goes to that model first.
func TestSmallerFallback(t *testing.T) {
	for _, row := range []struct {
		tokens int
		asked  string
		kind   Kind
	}{
		{1000, "a b", ""},
		{1001, "a", KindOverflow},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, asked := byModel(t, map[string]step{"a": refuse(402, ""), "*": ok()})
			c.Providers[0].Models = map[string]ModelConfig{"a": {Window: 100_000}, "b": {Window: 1000}}
			m := open(t, c, "test/a", "test/b")
			h := hear(t.Context(), m, ask(strings.Repeat("x", row.tokens*6)))
			if got := strings.ReplaceAll(strings.Join(*asked, " "), ":sk-test-key-1", ""); got != row.asked || h.modelError().Kind != row.kind {
				t.Errorf("%d tokens: asked %s: %v", row.tokens, got, h.err)
			}
			if m.Info().Window != 1000 {
				t.Errorf("the session is told of a window of %d", m.Info().Window)
			}
			if h := hear(t.Context(), m, ask("short")); h.done == nil || h.done.Model != "b" || len(h.retries) != 0 {
				t.Errorf("the shorter one: %+v, %v", h.retries, h.err)
			}
		})
	}
}
