package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestDecodeList: the shapes and names under which servers tell of their models.
func TestDecodeList(t *testing.T) {
	for _, row := range []struct {
		name, body string
		want       string // name:window/output, v and r for vision and reasoning
	}{
		{"OpenAI, which says nothing", `{"object":"list","data":[{"id":"a","object":"model"}]}`, "a:0/0"},
		{"OpenRouter", `{"data":[{"id":"a/b","context_length":200000,"architecture":{"input_modalities":["text","image"]},"top_provider":{"context_length":131072,"max_completion_tokens":8192},"supported_parameters":["tools","reasoning"]}]}`, "a/b:131072/8192vr"},
		{"OpenRouter without a provider", `{"data":[{"id":"a","context_length":200000.0,"top_provider":{"context_length":null}}]}`, "a:200000/0"},
		{"Groq", `{"data":[{"id":"a","context_window":131072,"max_completion_tokens":32768}]}`, "a:131072/32768"},
		{"vLLM", `{"data":[{"id":"a","max_model_len":32768,"owned_by":"vllm"}]}`, "a:32768/0"},
		{"Mistral", `{"data":[{"id":"a","max_context_length":262144,"capabilities":{"vision":true}}]}`, "a:262144/0v"},
		{"Together, a bare array", `[{"id":"a","context_length":8192}]`, "a:8192/0"},
		{"llama.cpp, of old", `{"models":[{"name":"x"}],"data":[{"id":"a","meta":{"n_ctx_train":131072}}]}`, "a:131072/0"},
		{"llama.cpp, of late", `{"data":[{"id":"a","meta":{"n_ctx_train":131072,"n_ctx":4096}}]}`, "a:4096/0"},
		{"llama.cpp's props", `{"default_generation_settings":{"n_ctx":65536,"params":{}},"total_slots":4,"modalities":{"vision":true}}`, ":65536/0v"},
		{"LM Studio, loaded", `{"data":[{"id":"a","type":"vlm","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`, "a:4096/0v"},
		{"LM Studio, not loaded", `{"data":[{"id":"a","type":"llm","state":"not-loaded","max_context_length":131072}]}`, "a:0/0"},
		{"Ollama, running", `{"models":[{"name":"qwen3:8b","model":"qwen3:8b","size":1,"context_length":4096}]}`, "qwen3:8b:4096/0"},
		{"a number in a string", `{"data":[{"id":"a","context_length":"8192"}]}`, "a:8192/0"},
		{"numbers that are none", `{"data":[{"id":"a","context_length":-1},{"id":"b","context_length":0,"max_model_len":1e300},{"id":"c","context_length":{}},{"id":"d","context_length":255},{"id":"e","context_length":256}]}`, "a:0/0 b:0/0 c:0/0 d:0/0 e:256/0"},
		{"what is no model", `{"data":[7,null,"a",{"id":""},{"id":5},{}]}`, "5:0/0"},
		{"nothing", `{"data":[]}`, ""},
		{"no data", `{}`, "error"},
		{"null", `null`, "error"},
		{"a page", `<html>`, "error"},
		{"another server", `{"data":{"id":"a"}}`, "error"},
		{"a text", `"data"`, "error"},
		{"cut", `{"data":[{"id":"a"`, "error"},
	} {
		t.Run(row.name, func(t *testing.T) {
			models, err := decodeList([]byte(row.body))
			var got []string
			for _, m := range models {
				one := fmt.Sprintf("%s:%d/%d", m.Name, m.Window, m.MaxOutput)
				if m.Vision {
					one += "v"
				}
				if m.Reasoning {
					one += "r"
				}
				got = append(got, one)
			}
			if err != nil {
				got = []string{"error"}
			}
			if strings.Join(got, " ") != row.want {
				t.Errorf("%v (%v), want %s", got, err, row.want)
			}
		})
	}
}

// TestWindowIsLearned: the list is asked for beside the first request, and what
// it says counts from then on; configuration before list before the table.
func TestWindowIsLearned(t *testing.T) {
	for _, row := range []struct {
		name     string
		provider Provider
		model    string
		lists    map[string]string // by path
		refusal  string            // of the first request
		want     int64
	}{
		{"from the list", Provider{Name: "p"}, "m", map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":8192}]}`}, "", 8192},
		{"before the table", Provider{Name: "p"}, "gpt-4o", map[string]string{"/v1/models": `{"data":[{"id":"gpt-4o","context_length":64000}]}`}, "", 64000},
		{"the table where the list says nothing", Provider{Name: "p"}, "gpt-4o", map[string]string{"/v1/models": `{"data":[{"id":"gpt-4o"}]}`}, "", 128000},
		{"the table where there is no list", Provider{Name: "p"}, "gpt-4o", nil, "", 128000},
		{"the configuration before all", Provider{Name: "p", Models: map[string]ModelConfig{"m": {Window: 9000}}}, "m", map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":8192}]}`}, "", 9000},
		{"an error that names less than the list", Provider{Name: "p"}, "m", map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":8192}]}`}, "maximum context length is 4096 tokens", 4096},
		{"an error that names more than the list", Provider{Name: "p"}, "m", map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":8192}]}`}, "maximum context length is 16384 tokens", 8192},
		{"an error without a list", Provider{Name: "p"}, "m", nil, "maximum context length is 16384 tokens", 16384},
		{"another model of the list", Provider{Name: "p"}, "m", map[string]string{"/v1/models": `{"data":[{"id":"n","max_model_len":8192}]}`}, "", 0},
		{"llama.cpp runs one model, whatever it is called", Provider{Name: "llamacpp"}, "m", map[string]string{"/props": `{"default_generation_settings":{"n_ctx":4096}}`, "/v1/models": `{"data":[{"id":"other","meta":{"n_ctx_train":131072}}]}`}, "", 4096},
		{"LM Studio says what it loaded", Provider{Name: "lmstudio"}, "m", map[string]string{"/api/v0/models": `{"data":[{"id":"m","state":"loaded","loaded_context_length":4096,"max_context_length":131072}]}`}, "", 4096},
		{"Ollama says what runs", Provider{Name: "ollama"}, "m", map[string]string{"/api/ps": `{"models":[{"name":"m:latest","context_length":4096}]}`}, "", 4096},
		{"Ollama when nothing runs", Provider{Name: "ollama"}, "m", map[string]string{"/api/ps": `{"models":[]}`, "/v1/models": `{"data":[{"id":"m"}]}`}, "", 0},
		{"by its usual port", Provider{Name: "mine", BaseURL: "http://localhost:11434/v1"}, "m", map[string]string{"/api/ps": `{"models":[{"name":"m","context_length":4096}]}`}, "", 4096},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := true
				c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet {
						if row.lists[r.URL.Path] == "" {
							http.NotFound(w, r)
						}
						_, _ = io.WriteString(w, row.lists[r.URL.Path])
						return
					}
					if first && row.refusal != "" {
						http.Error(w, row.refusal, http.StatusBadRequest)
						return
					}
					_, _ = io.WriteString(w, answerOK)
				})
				if row.provider.BaseURL == "" {
					row.provider.BaseURL = "http://model.test/v1"
				}
				c.Providers = []Provider{row.provider}
				m := open(t, c, row.provider.Name+"/"+row.model)
				hear(t.Context(), m, ask("hi"))
				if got := m.Info().Window; got != row.want {
					t.Errorf("window %d, want %d", got, row.want)
				}
				if got := open(t, c, row.provider.Name+"/"+row.model).Info().Window; got != row.want {
					t.Errorf("the next run has window %d, want %d", got, row.want)
				}
			})
		})
	}
}

// TestListIsLazy: opening asks for nothing, a list that hangs costs 2 s once and
// delays no part of the answer, and it is asked for again only when that may help.
func TestListIsLazy(t *testing.T) {
	type world struct {
		c    *Catalog
		mu   sync.Mutex // guards what follows
		list string     // "hang" hangs
		gets int
	}
	says := func(w *world, list string) { w.mu.Lock(); w.list = list; w.mu.Unlock() }
	asked := func(w *world) int { w.mu.Lock(); defer w.mu.Unlock(); return w.gets }
	within := func(t *testing.T, f func(t *testing.T, w *world)) {
		synctest.Test(t, func(t *testing.T) {
			w := &world{list: `{"data":[{"id":"m","max_model_len":8192}]}`}
			w.c = listingCatalog(t, func(rw http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					_, _ = io.WriteString(rw, answerOK)
					return
				}
				w.mu.Lock()
				w.gets++
				list := w.list
				w.mu.Unlock()
				if list == "hang" {
					<-r.Context().Done()
				}
				_, _ = io.WriteString(rw, list)
			})
			f(t, w)
		})
	}
	within(t, func(t *testing.T, w *world) {
		m := open(t, w.c, "test/m")
		m.Info()
		if synctest.Wait(); asked(w) != 0 {
			t.Error("opening asked for the list")
		}
		for range 3 {
			hear(t.Context(), m, ask("hi"))
		}
		if asked(w) != 1 {
			t.Errorf("asked %d times in three steps", asked(w))
		}
		_ = pause(t.Context(), listBelieved)
		hear(t.Context(), m, ask("hi"))
		if asked(w) != 2 {
			t.Errorf("asked %d times after ten minutes", asked(w))
		}
	})
	within(t, func(t *testing.T, w *world) { // a list that hangs
		says(w, "hang")
		begun, m := time.Now(), open(t, w.c, "test/m")
		for part, err := range m.Stream(t.Context(), ask("hi")) {
			if _, ok := part.(Done); ok && time.Since(begun) != 0 {
				t.Errorf("the answer came after %v, %v", time.Since(begun), err)
			}
		}
		if took := time.Since(begun); took != listWait {
			t.Errorf("the step took %v", took)
		}
		hear(t.Context(), m, ask("hi"))
		if took := time.Since(begun); took != listWait || asked(w) != 1 {
			t.Errorf("after two steps %v, asked %d times", took, asked(w))
		}
	})
	within(t, func(t *testing.T, w *world) { // a cancel does not wait for it
		says(w, "hang")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begun, m := time.Now(), open(t, w.c, "test/m")
		hear(ctx, m, ask("hi"))
		if took := time.Since(begun); took != time.Second {
			t.Errorf("cancelled after %v", took)
		}
		says(w, `{"data":[{"id":"m","max_model_len":8192}]}`)
		hear(t.Context(), m, ask("hi"))
		if m.Info().Window != 8192 {
			t.Error("a cancelled look counts as one that found nothing")
		}
	})
	within(t, func(t *testing.T, w *world) { // a list that does not know the window yet
		says(w, `{"data":[{"id":"m"}]}`)
		m := open(t, w.c, "test/m")
		hear(t.Context(), m, ask("hi"))
		says(w, `{"data":[{"id":"m","max_model_len":4096}]}`)
		_ = pause(t.Context(), listAgain)
		hear(t.Context(), m, ask("hi"))
		if asked(w) != 2 || m.Info().Window != 4096 {
			t.Errorf("asked %d times, window %d", asked(w), m.Info().Window)
		}
	})
	within(t, func(t *testing.T, w *world) { // twenty sessions ask once
		done := make(chan struct{})
		for range 20 {
			go func() { hear(t.Context(), open(t, w.c, "test/m"), ask("hi")); done <- struct{}{} }()
		}
		for range 20 {
			<-done
		}
		if asked(w) != 1 {
			t.Errorf("asked %d times", asked(w))
		}
	})
}

// A model that the list says to reason is given the time to.
func TestReasoningIsLearned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // the end of the client is noticed only after it
			switch {
			case r.Method == http.MethodGet:
				_, _ = io.WriteString(w, `{"data":[{"id":"m","supported_parameters":["reasoning"]}]}`)
			case asked.Add(1) == 1:
				_, _ = io.WriteString(w, answerOK)
			default:
				<-r.Context().Done()
			}
		})
		c.Retry.MaxAttempts = 1
		m := open(t, c, "test/m")
		hear(t.Context(), m, ask("hi"))
		begun := time.Now()
		if hear(t.Context(), m, ask("hi")); time.Since(begun) != firstByteReasoning || !m.Info().Reasoning {
			t.Errorf("left after %v", time.Since(begun))
		}
	})
}

// No key and no password of an address stands in what a failed list says.
func TestListErrorsHoldNoKey(t *testing.T) {
	c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.Header.Get("Authorization")+r.URL.String(), http.StatusUnauthorized)
	})
	c.Providers[0].BaseURL = "http://me:password1@model.test/v1?token=tok-secret"
	_, err := listOne(t, c, "test")
	if err == nil {
		t.Fatal("no error")
	}
	for _, secret := range []string{"sk-test-key-1", "password1", "tok-secret"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q in %v", secret, err)
		}
	}
}

// listOne is the list of one provider.
func listOne(t *testing.T, c *Catalog, provider string) ([]Listed, error) {
	t.Helper()
	lists, known := c.Lists(t.Context(), provider)
	if !known || len(lists) != 1 {
		return nil, fmt.Errorf("%d lists of %q", len(lists), provider)
	}
	if lists[0].Kind != "" {
		return nil, errors.New(lists[0].Message)
	}
	return lists[0].Models, nil
}

// A local server says how large the window is only once the model is loaded: the list is
// asked for again right behind the first answer, and no more until it is due.
func TestWindowAfterTheFirstAnswer(t *testing.T) {
	for _, says := range []string{`{"models":[{"name":"m:latest","context_length":4096}]}`, `{"models":[]}`} {
		synctest.Test(t, func(t *testing.T) {
			running, lists := `{"models":[]}`, 0
			c := listingCatalog(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/api/ps":
					lists++
					_, _ = io.WriteString(w, running)
				case r.Method == http.MethodGet:
					http.NotFound(w, r)
				default:
					synctest.Wait() // the list of before was asked for beside it
					running = says
					_, _ = io.WriteString(w, answerOK)
				}
			})
			c.Providers = []Provider{{Name: "ollama", BaseURL: "http://model.test/v1"}}
			m := open(t, c, "ollama/m")
			hear(t.Context(), m, ask("hi"))
			if want := int64(strings.Count(says, "4096") * 4096); m.Info().Window != want || lists != 2 {
				t.Errorf("the window is %d, want %d, after %d lists", m.Info().Window, want, lists)
			}
			hear(t.Context(), m, ask("hi"))
			if lists != 2 {
				t.Errorf("%d lists after a second answer", lists)
			}
		})
	}
}
