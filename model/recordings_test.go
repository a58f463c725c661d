package model

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wireFolder holds the recordings of real providers. They are not part of the
// repository.
func wireFolder() string {
	if dir := os.Getenv("AGENT_WIRE"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "shared", "wire")
}

// recorded is a row of expected.jsonl.
type recorded struct {
	File      string         `json:"file"`
	Text      fingerprint    `json:"text"`
	Reasoning fingerprint    `json:"reasoning"`
	Calls     []recordedCall `json:"calls"`
	Finish    []string       `json:"finish"`
	Usage     *struct{ Input, Output *int64 }
	Error     string         `json:"error"`
	Opaque    map[string]int `json:"opaque"`
	Choices   int            `json:"choices"`
	Done      bool           `json:"done"`
}

type recordedCall struct{ ID, Name, Arguments string }

type fingerprint struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func printOf(s string) fingerprint {
	if s == "" {
		return fingerprint{}
	}
	sum := sha256.Sum256([]byte(s))
	return fingerprint{len(s), hex.EncodeToString(sum[:])}
}

// Rows of expected.jsonl that are taken for wrong, by file, with the bytes that
// show it.
var disputed = map[string]string{}

func TestRecordings(t *testing.T) {
	dir := wireFolder()
	list, err := os.ReadFile(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Log("not run: recordings are not here (AGENT_WIRE)")
		return
	}
	var body []byte
	c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(body)
	})
	c.Retry.MaxAttempts = 1
	c.Providers[0].Models = map[string]ModelConfig{"responses": {API: "responses"}}
	chat, responses := open(t, c, "test/recorded"), open(t, c, "test/responses")
	n, of, ofResponses := 0, 0, 0
	for line := range bytes.Lines(list) {
		var row recorded
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("expected.jsonl: %v", err)
		}
		of++
		body, err = os.ReadFile(filepath.Join(dir, row.File))
		if err != nil {
			t.Errorf("%s: %v", row.File, err)
			continue
		}
		m := chat
		if bytes.Contains(body, []byte(`"type":"response.`)) || bytes.Contains(body, []byte(`"type": "response.`)) {
			m = responses
			ofResponses++
		}
		row.untag(body)
		wrong := row.compare(hear(t.Context(), m, ask("hi")))
		if why, ok := disputed[row.File]; ok {
			if len(wrong) == 0 {
				t.Errorf("%s: listed as disputed (%s) but equal", row.File, why)
			}
			continue
		}
		if len(wrong) > 0 {
			t.Errorf("%s:\n\t%s", row.File, strings.Join(wrong, "\n\t"))
			continue
		}
		n++
	}
	t.Logf("%d of %d recordings yield what expected.jsonl says, %d of them of the Responses API", n, of, ofResponses)
	fmt.Fprintf(os.Stderr, "model: recordings: %d of %d (%d of the Responses API)\n", n, of, ofResponses)
}

// untag takes the thought out of a text that begins with it, which the reader of the
// recordings leaves in.
func (row *recorded) untag(body []byte) {
	var whole strings.Builder
	for line := range bytes.Lines(body) {
		var c struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if json.Unmarshal(bytes.TrimPrefix(line, []byte("data:")), &c) == nil && len(c.Choices) > 0 {
			whole.WriteString(c.Choices[0].Delta.Content)
		}
	}
	tagged, is := strings.CutPrefix(strings.TrimSpace(whole.String()), "<think>")
	if !is || printOf(whole.String()) != row.Text {
		return
	}
	thought, text, _ := strings.Cut(tagged, "</think>")
	row.Reasoning, row.Text = printOf(strings.TrimSpace(thought)), printOf(strings.TrimSpace(text))
}

// compare lists what differs.
func (row recorded) compare(h heard) (wrong []string) {
	check := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			wrong = append(wrong, fmt.Sprintf("%s: got %v, want %v", what, got, want))
		}
	}
	check("one end", h.ends, 1)
	check("text", printOf(h.text), row.Text)
	check("reasoning", printOf(h.reasoning), row.Reasoning)
	var args []recordedCall
	for i := range len(h.deltas) {
		args = append(args, recordedCall{Name: h.names[i], Arguments: h.deltas[i]})
	}
	if row.Error != "" {
		check("error", h.err != nil, true)
		want := slices.Clone(row.Calls)
		for i := range want {
			want[i].ID = "" // deltas have none
		}
		check("calls before the error", args, want)
		if said := messageIn(strings.TrimPrefix(strings.TrimSuffix(row.Error, "…"), "stray line: ")); !strings.HasPrefix(row.Error, "unparsable") && !strings.HasSuffix(row.Error, "…") {
			check("error text", h.modelError().Message, (scrubber{}).message(said))
		}
		return wrong
	}
	if h.done == nil {
		return append(wrong, fmt.Sprintf("no answer: %v", h.err))
	}
	check("text of the answer", printOf(h.done.Text), row.Text)
	check("reasoning of the answer", printOf(h.done.Reasoning), row.Reasoning)
	var calls []recordedCall
	for _, c := range h.done.Calls {
		calls = append(calls, recordedCall{c.ID, c.Name, c.Arguments})
	}
	check("calls", calls, row.Calls)
	for i := range min(len(args), len(row.Calls)) {
		args[i].ID = row.Calls[i].ID
	}
	check("calls by deltas", args, row.Calls)
	last := ""
	if len(row.Finish) > 0 {
		last = row.Finish[len(row.Finish)-1]
	}
	check("finish reason", h.done.FinishReason, last)
	switch {
	case row.Usage == nil:
		check("usage", h.done.Usage, (*Usage)(nil))
	case h.done.Usage == nil:
		wrong = append(wrong, "no usage")
	default:
		if row.Usage.Input != nil {
			check("input tokens", h.done.Usage.Input, *row.Usage.Input)
		}
		if row.Usage.Output != nil {
			check("output tokens", h.done.Usage.Output, *row.Usage.Output)
		}
	}
	for name := range row.Opaque {
		if name == "annotations" {
			continue // citations are not state that goes back
		}
		if h.done.Opaque == nil || len(h.done.Opaque.Fields[name]) == 0 {
			wrong = append(wrong, "lost the provider's "+name)
		}
	}
	return wrong
}

// Rows of the catalogue that get another class on purpose, by a text of their
// body. All have status 403, of which the specification says: the next key, then
// the next model; and a policy's refusal never falls back.
var disputedErrors = map[string]struct{ class, why string }{
	"You are not allowed to sample from this model": {"auth", "another key, or the next model, may be allowed"},
	"The supported API model names are":             {"not_found", "the next model may exist"},
	"has been decommissioned":                       {"not_found", "the next model may exist"},
	" allowed now":                                  {"not_found", "the next model may exist"},
	"Invalid model: ":                               {"not_found", "the next model may exist"},
	"is not a valid model ID":                       {"not_found", "the next model may exist"},
	"requires --jinja flag":                         {"bad_request", "the server says so until it is started anew"},
	"violates usage guidelines":                     {"content_filter", "a policy refused; as a bad request it would not fall back either, but the person would not read why"},
}

// Overflows of the catalogue that name no limit in tokens, by a text of their body.
var namesNoWindow = []string{
	"exceeds the context window of this model", `: "Please reduce the length of the messages or completion."`, "Request exceeds the maximum size", "exceeded max context length by",
	"total message size", "context window exceeds limit (2013)", "Prompt too long", "Input Tokens Exceeded", "Input is too long", "total length of all messages",
	"RequestSize(bytes)", "413 Request Entity Too Large",
}

// TestErrorCatalogue classifies recorded and quoted error answers, and finds the
// window in every one that names it.
func TestErrorCatalogue(t *testing.T) {
	f, err := os.Open(filepath.Join(wireFolder(), "errors", "catalogue.jsonl"))
	if err != nil {
		t.Log("not run: recordings are not here (AGENT_WIRE)")
		return
	}
	defer f.Close()
	n, of, disputes, windows, overflows := 0, 0, 0, 0, 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Provider string
			Status   int
			Body     string
			Class    string `json:"cls"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		of++
		got := classify(row.Status, row.Body)
		if got.kind() == KindOverflow {
			overflows++
			window, silent := windowIn(row.Body), row.Body == "" || slices.ContainsFunc(namesNoWindow, func(s string) bool { return strings.Contains(row.Body, s) })
			if window > 0 {
				windows++
			}
			if (window == 0) != silent || window > 0 && !strings.Contains(row.Body, fmt.Sprint(window)) {
				t.Errorf("%s %d: window %d of %.300q", row.Provider, row.Status, window, row.Body)
			}
		}
		want := row.Class
		for said, d := range disputedErrors {
			if strings.Contains(row.Body, said) && want != d.class {
				want = d.class
				disputes++
				n--
			}
		}
		if string(got) == want || want == "overflow_or_quota" && (got == classOverflow || got == classQuota) {
			n++
			continue
		}
		t.Errorf("%s %d: got %s, want %s: %.200q", row.Provider, row.Status, got, want, row.Body)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d errors get the class of the catalogue, %d another on purpose", n, of, disputes)
	t.Logf("%d of %d overflows name a window, and it is found", windows, overflows)
	fmt.Fprintf(os.Stderr, "model: errors: %d of %d, %d disputed; windows: %d of %d overflows\n", n, of, disputes, windows, overflows)
}
