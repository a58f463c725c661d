package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// claudeRow is what an exchange of the Messages API contains, by an independent reader.
type claudeRow struct {
	Name       string         `json:"name"`
	Kind       string         `json:"kind"` // stream, whole or error
	Status     int            `json:"status"`
	Blocks     []string       `json:"blocks"`
	Text       fingerprint    `json:"text"`
	Thinking   fingerprint    `json:"thinking"`
	Signatures []string       `json:"signatures"`
	Redacted   []string       `json:"redacted"`
	Calls      []claudeCalled `json:"calls"`
	StopReason string         `json:"stop_reason"`
	Usage      struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Read    int64 `json:"cache_read_input_tokens"`
		Written int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
	Class  string `json:"class"`
	Either string `json:"either"` // an error is as right
}

type claudeCalled struct {
	ID, Name  string
	Arguments json.RawMessage
	Cut       string
}

// claudeBodies are the bodies of the recorded exchanges, by name.
func claudeBodies(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	files, _ := filepath.Glob(filepath.Join(dir, "exchanges", "*.jsonl"))
	for _, file := range files {
		list, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(list) {
			var row struct{ Name, File, Body, BodyEncoding string }
			if err := json.Unmarshal(bytes.Replace(line, []byte(`"body_encoding"`), []byte(`"BodyEncoding"`), 1), &row); err != nil {
				t.Fatal(err)
			}
			body := []byte(row.Body)
			switch {
			case row.File != "":
				body, err = os.ReadFile(filepath.Join(dir, row.File))
			case row.BodyEncoding == "base64":
				body, err = base64.StdEncoding.DecodeString(row.Body)
			}
			if err != nil {
				t.Fatal(err)
			}
			all[row.Name] = body
		}
	}
	return all
}

// TestMessagesRecordings reads recorded answers of the Messages API, and sends each of them back.
func TestMessagesRecordings(t *testing.T) {
	dir := filepath.Join(wireFolder(), "messages")
	list, err := os.ReadFile(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Log("not run: recordings are not here (AGENT_WIRE)")
		return
	}
	bodies := claudeBodies(t, dir)
	var body []byte
	status := 200
	c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		if w.Header().Set("Content-Type", "text/event-stream"); bytes.HasPrefix(body, []byte("{")) {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})
	c.Retry.MaxAttempts = 1
	c.Providers[0].Models = map[string]ModelConfig{"claude": {API: "messages"}}
	m := open(t, c, "test/claude")
	n, of := 0, 0
	for line := range bytes.Lines(list) {
		var row claudeRow
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("expected.jsonl: %v", err)
		}
		of++
		body, status = bodies[row.Name], row.Status
		if len(body) == 0 {
			t.Errorf("%s has no body", row.Name)
			continue
		}
		h := hear(t.Context(), m, ask("hi"))
		if wrong := row.compare(h); len(wrong) > 0 {
			t.Errorf("%s: %s", row.Name, wrong)
			continue
		}
		n++
	}
	t.Logf("%d of %d recordings of the Messages API yield what expected.jsonl says", n, of)
	fmt.Fprintf(os.Stderr, "model: recordings of the Messages API: %d of %d\n", n, of)
}

// inWords are the stop reasons that have a word of chat completions.
var inWords = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length", "model_context_window_exceeded": "length", "": "stop",
}

// classOf is what the catalogue of errors calls a class, and this package otherwise.
var classNames = map[string]Kind{"overflow": KindOverflow, "auth": KindAuth, "not_found": KindNotFound, "invalid": KindRejected}

func (row claudeRow) compare(h heard) (wrong []string) {
	check := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			wrong = append(wrong, fmt.Sprintf("%s: got %v, want %v", what, got, want))
		}
	}
	if row.Kind == "error" || row.Either != "" && h.err != nil {
		if check("error", h.err != nil, true); row.Class != "" && h.err != nil {
			check("class", h.modelError().Kind, classNames[row.Class])
		}
		return wrong
	}
	if h.done == nil {
		return []string{fmt.Sprintf("no answer: %v", h.err)}
	}
	check("one end", h.ends, 1)
	check("text", printOf(h.text), row.Text)
	check("text of the answer", printOf(h.done.Text), row.Text)
	check("thinking", printOf(h.reasoning), row.Thinking)
	check("thinking of the answer", printOf(h.done.Reasoning), row.Thinking)
	check("number of calls", len(h.done.Calls), len(row.Calls))
	for i := range min(len(h.done.Calls), len(row.Calls)) {
		got, want := h.done.Calls[i], row.Calls[i]
		check("call", []string{got.ID, got.Name}, []string{want.ID, want.Name})
		if want.Cut != "" {
			check("cut arguments", got.Arguments, want.Cut)
			check("cut", h.done.Cut, true)
		} else {
			check("arguments "+got.Arguments, sameJSON([]byte(orElse(got.Arguments, "{}")), want.Arguments), true)
		}
		check("arguments by deltas", h.deltas[i], got.Arguments)
	}
	reason, known := inWords[row.StopReason]
	if !known {
		reason = row.StopReason
	}
	check("stop reason", h.done.FinishReason, reason)
	u := row.Usage
	if h.done.Usage == nil {
		return append(wrong, "no usage")
	}
	got := *h.done.Usage
	got.Cost = nil
	check("usage", got, Usage{Input: u.Input + u.Read + u.Written, Output: u.Output, Cached: u.Read, CacheWrite: u.Written})
	return append(wrong, row.compareBack(h.done)...)
}

// compareBack sends the answer back: the same blocks in the same order, sealed ones as they came.
func (row claudeRow) compareBack(done *Done) (wrong []string) {
	back := Request{Messages: []Message{{Role: "user", Text: "hi"}, {Role: "assistant", Text: done.Text, Calls: done.Calls, Opaque: done.Opaque}, {Role: "user", Text: "on"}}}
	var body struct {
		Messages []struct {
			Role    string
			Content []struct{ Type, Thinking, Signature, Data string }
		}
	}
	raw := encodeMessages(back, Info{Provider: "test", Name: "claude"}, nil).body.whole()
	if err := json.Unmarshal(raw, &body); err != nil {
		return []string{fmt.Sprintf("the request is no JSON: %v", err)}
	}
	if len(done.Calls) == 0 && IsBlank(done.Text) {
		return nil // it says nothing
	}
	var kinds, signatures, redacted []string
	for _, b := range body.Messages[1].Content {
		switch kinds = append(kinds, b.Type); b.Type {
		case "thinking":
			signatures = append(signatures, printOf(b.Signature).SHA256)
		case "redacted_thinking":
			redacted = append(redacted, printOf(b.Data).SHA256)
		}
	}
	sealed := slices.DeleteFunc(slices.Clone(row.Signatures), func(s string) bool { return s == "" })
	if !slices.Equal(signatures, sealed) || !slices.Equal(redacted, row.Redacted) {
		wrong = append(wrong, fmt.Sprintf("sealed: got %v %v, want %v %v", signatures, redacted, sealed, row.Redacted))
	}
	if at, want := 0, row.Blocks; len(sealed) == len(row.Signatures) {
		for _, kind := range kinds { // all in their order; blank texts are missing
			for at < len(want) && want[at] != kind {
				at++
			}
			if at++; at > len(want) {
				wrong = append(wrong, fmt.Sprintf("blocks: got %v, want %v", kinds, want))
				break
			}
		}
	}
	return wrong
}
