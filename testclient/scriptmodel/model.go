package scriptmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// maxBody is the largest request body the scripted model reads, in bytes.
const maxBody = 256 << 20

// Model is a scripted OpenAI-compatible endpoint: an http.Handler for
// POST …/chat/completions, …/responses and …/messages (streamed or whole) and GET …/models. It answers what
// its script says, remembers every request, and holds each against the laws of
// a valid history. It says nothing of its own.
type Model struct {
	// Expand, if not nil, is applied to the script's texts just before they are
	// sent; the conversation player puts real paths in.
	Expand func(string) string
	// Forget keeps no bodies, for long benchmarks; Requests are then counted only.
	Forget bool
	// Watch, if not nil, is shown every chat request before it is answered, one
	// after the other; no body is kept then.
	Watch func(Request)

	mu       sync.Mutex // guards everything below and the script's counters
	script   *script
	requests []Request
	problems []string
	served   int
	bytes    int64
	sealed   map[string]bool // items of reasoning that were given out
}

// Request is one request as it came.
type Request struct {
	For    string // the script's section that answered: "main", "explore", …
	Status int    // what was answered, 200 or an error
	Body   []byte
}

// New parses a script (README.md) into a handler.
func New(text string) (*Model, error) {
	s, err := parseScript(text)
	if err != nil {
		return nil, err
	}
	return &Model{script: s}, nil
}

// Requests is every chat request so far, in order of arrival.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests[:len(m.requests):len(m.requests)]
}

// Count is how many chat requests came, and how many bytes of body they had.
func (m *Model) Count() (requests int, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.served, m.bytes
}

// Problems lists the requests that no turn was left for and the histories that
// break a law.
func (m *Model) Problems() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.problems[:len(m.problems):len(m.problems)]
}

// Unused lists the turns that were never asked for, except optional ones.
func (m *Model) Unused() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.script.unused()
}

// ofLocals are where local servers say with how large a window they run a model.
var ofLocals = map[string]bool{"/props": true, "/api/ps": true}

func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		m.serveModels(w)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		m.serve(w, r, "")
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/responses"):
		m.serve(w, r, apiResponses)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages"):
		m.serve(w, r, apiMessages)
	case r.Method == http.MethodGet && ofLocals[r.URL.Path]: // it does not say
		http.NotFound(w, r)
	default:
		m.problem("unexpected %s %s", r.Method, r.URL.Path)
		refuse(w, http.StatusNotFound, "not_found", "the scripted model has only /chat/completions, /responses, /messages and /models")
	}
}

func (m *Model) serveModels(w http.ResponseWriter) {
	names := m.script.models
	if len(names) == 0 {
		names = []string{"scripted"}
	}
	list := []any{}
	for _, name := range names {
		name, knows, _ := strings.Cut(name, "=")
		one := map[string]any{"id": name, "object": "model", "created": 0, "owned_by": "script"}
		for _, what := range strings.Split(knows, ",") {
			if what == "vision" {
				one["input_modalities"] = []string{"text", "image"}
			} else if what != "" {
				one["max_model_len"] = json.Number(what)
			}
		}
		list = append(list, one)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list})
}

// serve answers a request of an API, whose form its body must have.
func (m *Model) serve(w http.ResponseWriter, r *http.Request, api string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		m.problem("request body: %v", err)
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	req, sealed, err := ReadRequest(body)
	if err == nil && req.API != api {
		err = fmt.Errorf("a request to %s has the form of %q", r.URL.Path, req.API)
	}
	if err != nil {
		m.problem("request %d is not a chat request: %v", m.keep("", http.StatusBadRequest, body), err)
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	req.body = body
	m.unseal(sealed)
	if text := m.script.unwanted(req); text != "" {
		m.judge(m.keep("wants", http.StatusBadRequest, body), req, body)
		refuse(w, http.StatusBadRequest, "invalid_request_error", text)
		return
	}
	if window, tokens := m.script.window, tokensOf(len(body)); window > 0 && tokens > window {
		m.judge(m.keep("window", http.StatusBadRequest, body), req, body)
		refuse(w, http.StatusBadRequest, "context_length_exceeded", fmt.Sprintf(
			"This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", window, tokens))
		return
	}
	m.answer(w, r, req, body)
}

func (m *Model) answer(w http.ResponseWriter, r *http.Request, req *ChatRequest, body []byte) {
	m.mu.Lock()
	sec, t, groups := m.script.next(req)
	n := 0
	if t != nil {
		n = t.used
	}
	m.mu.Unlock()
	if t == nil {
		title := "nobody"
		if sec != nil {
			title = sec.title
		}
		number := m.keep(title, http.StatusInternalServerError, body)
		m.judge(number, req, body)
		m.problem("request %d: the script has no turn left for %s; its last message: %.200q", number, title, req.last().Text())
		refuse(w, http.StatusInternalServerError, "script_exhausted", "the script has no turn left for "+title)
		return
	}
	p := performance{
		w: w, r: r, req: req, size: len(body), turn: t, pace: m.script.pace,
		fill: m.filler(n, groups),
	}
	switch req.API {
	case apiResponses:
		p.events = &responsesAnswer{seal: m.seal}
	case apiMessages:
		p.events = &messagesAnswer{model: req.Model, seal: m.seal}
	}
	if sec.title != "" { // else it is none of the script's
		if bad := m.judge(m.keep(sec.title, t.status(), body), req, body); len(bad) > 0 {
			refuse(w, http.StatusBadRequest, "invalid_request_error", bad[0])
			return
		}
	}
	p.play()
}

// seal remembers the reasoning that was given out, unseal holds what comes back
// against it: a provider takes only what it wrote, byte for byte.
func (m *Model) seal(item string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sealed == nil {
		m.sealed = map[string]bool{}
	}
	m.sealed[item] = true
}

func (m *Model) unseal(items []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, item := range items {
		if !m.sealed[item] {
			m.problems = append(m.problems, "model: reasoning comes back that was never given out: "+item)
		}
	}
}

// filler puts the captured groups ($0, $1 …), the number of the turn's use ($N)
// and the player's paths into a text of the script. "$$" before one of these
// keeps it as it is.
func (m *Model) filler(n int, groups []string) func(string) string {
	return func(s string) string {
		s = Placeholder().ReplaceAllStringFunc(s, func(name string) string {
			if strings.HasPrefix(name, "$$") {
				return name
			}
			if name == "$N" {
				return fmt.Sprint(n)
			}
			var g int
			if _, err := fmt.Sscanf(name, "$%d", &g); err == nil && g < len(groups) {
				return groups[g]
			}
			return name
		})
		if m.Expand != nil {
			s = m.Expand(s)
		}
		return s
	}
}

func (m *Model) keep(title string, status int, body []byte) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.served++
	m.bytes += int64(len(body))
	request := Request{For: title, Status: status, Body: body}
	switch {
	case m.Watch != nil:
		m.Watch(request)
	case !m.Forget:
		m.requests = append(m.requests, request)
	}
	return m.served
}

// judge gives what is wrong with a request, which a strict provider would refuse.
func (m *Model) judge(number int, req *ChatRequest, body []byte) []string {
	problems := checkHistory(req.Messages)
	if half := halfOfPair(body); half != "" {
		problems = append(problems, half+" is half of a surrogate pair")
	}
	for _, p := range problems {
		m.problem("request %d: %s", number, p)
	}
	return problems
}

func (m *Model) problem(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.problems = append(m.problems, "model: "+fmt.Sprintf(format, args...))
}

func refuse(w http.ResponseWriter, status int, code, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text, "type": "invalid_request_error", "code": code}})
}

func (t *turn) status() int {
	for _, v := range t.verbs {
		if v.name == "status" {
			return v.status
		}
	}
	return http.StatusOK
}
