package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestCountingAgainstRecordings prints how far our counts are from the usage that
// providers have reported, and holds the two that decisions are made on.
//
//   - "next": what a session does. The usage reported for one request, plus the
//     estimate of what the next one adds, against the usage reported for that.
//   - "answer": the exact count of an answer's text against the output tokens
//     reported for it: the tokenizer alone, over all vendors.
//   - "first": a whole first request, with nothing learned. It is only printed:
//     what a provider adds to a small request (templates, hundreds of tokens of
//     its own about tools, searches) stands in none of its bytes, which is why
//     sessions trust reports.
func TestCountingAgainstRecordings(t *testing.T) {
	dir := wireFolder()
	list, err := os.ReadFile(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		for _, what := range []string{"next", "answer", "first"} {
			t.Logf("not run: counting, %s: recordings are not here (AGENT_WIRE)", what)
		}
		return
	}
	var counter Counter
	defer counter.Drop()
	exact := func(text string) int64 { return counter.Exact("gpt-5", text) }
	answers := answersOf(t, dir)
	all := map[string]exchange{}
	for line := range bytes.Lines(list) {
		var row recorded
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("expected.jsonl: %v", err)
		}
		if row.Usage == nil || row.Usage.Input == nil || row.Usage.Output == nil {
			continue
		}
		all[row.File] = exchange{request: requestBeside(t, filepath.Join(dir, row.File)), input: *row.Usage.Input, output: *row.Usage.Output}
	}
	next, answer, first, firstExact := errorTable{}, errorTable{}, errorTable{}, errorTable{}
	thought := map[string]int64{} // output tokens of a session so far
	astray := map[string]int{}    // beyond the bound
	for _, file := range slices.Sorted(maps.Keys(all)) {
		e, provider := all[file], strings.Split(file, "/")[1]
		if said, ok := answers(file); ok && e.output >= minSample && len(said.Calls) == 0 && said.visible(e.output) {
			got := said.Tokens(exact)
			answer.add(provider, got, e.output)
			// A tenth and some marks: vendors' vocabularies differ by so much on the same
			// English text. A third of the bytes is off by half.
			if off := got - e.output; max(off, -off) > e.output/10+6*messageTokens {
				astray["answer"]++
				t.Logf("answer, %s: counted %d, reported %d", file, got, e.output)
			}
		}
		if e.request == nil {
			continue
		}
		if e.input >= minSample {
			first.add(provider, tokensOf(*e.request, RawTokens), e.input)
			firstExact.add(provider, tokensOf(*e.request, exact), e.input)
		}
		follower, ok := all[nextOf(file)]
		if !ok || follower.request == nil || !e.request.precedes(follower.request) {
			continue
		}
		since := Request{Messages: follower.request.Messages[len(e.request.Messages)+1:]}
		got := e.input + e.output + tokensOf(since, RawTokens)
		next.add(provider, got, follower.input)
		session := file[:strings.LastIndex(file, "__t")]
		thought[session] += e.output
		// Too little is what overflows: at most a twentieth, where the trigger leaves a
		// fifth of the window free, and a line of template. Too much only compacts early;
		// it is at most the reasoning that was reported as output and that the
		// vendor leaves out of later requests.
		short := follower.input - got
		if short > follower.input/20+4*messageTokens || -short > follower.input/20+thought[session] {
			astray["next"]++
			t.Logf("next, %s: counted %d, reported %d, after answers of %d", file, got, follower.input, thought[session])
		}
	}
	next.print(t, "next")
	answer.print(t, "answer")
	first.print(t, "first, estimated")
	firstExact.print(t, "first, counted")
	for what, table := range map[string]errorTable{"next": next, "answer": answer} {
		// One in ten may be a vendor that reports something else than it shows.
		if n := table.len(); n < 20 || astray[what]*10 > n {
			t.Errorf("%s: %d of %d recordings are beyond the bound", what, astray[what], n)
		}
	}
}

// exchange is a recorded request with the usage that the provider reported for it.
type exchange struct {
	request       *Request // nil where it was not recorded
	input, output int64
}

func tokensOf(r Request, measure func(string) int64) (n int64) {
	for _, m := range r.Messages {
		n += m.Tokens(measure)
	}
	for _, t := range r.Tools {
		n += t.Tokens(measure)
	}
	return n
}

// precedes says that next is r, an answer, and what came then.
func (r *Request) precedes(next *Request) bool {
	n := len(r.Messages)
	return len(next.Messages) > n+1 && next.Messages[n].Role == "assistant" && reflect.DeepEqual(r.Messages, next.Messages[:n])
}

// visible says that a text can be what so many tokens were reported for: providers
// also count reasoning that they do not show, and show text that they found in the
// web. No vocabulary makes tokens of under two or over eight bytes on average.
func (m Message) visible(tokens int64) bool {
	bytes := int64(len(m.Text))
	return bytes >= 2*tokens && bytes <= 8*tokens
}

// nextOf is the file of the request that follows in a session.
func nextOf(file string) string {
	i := strings.LastIndex(file, "__t")
	var n int
	if i < 0 {
		return ""
	}
	if _, err := fmt.Sscanf(file[i:], "__t%02d.response.sse", &n); err != nil {
		return ""
	}
	return fmt.Sprintf("%s__t%02d.response.sse", file[:i], n+1)
}

// answersOf plays recordings through our own reader.
func answersOf(t *testing.T, dir string) func(file string) (Message, bool) {
	var body []byte
	c := testCatalog(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(body)
	})
	c.Retry.MaxAttempts = 1
	m := open(t, c, "test/recorded")
	return func(file string) (Message, bool) {
		var err error
		if body, err = os.ReadFile(filepath.Join(dir, file)); err != nil {
			return Message{}, false
		}
		h := hear(t.Context(), m, ask("hi"))
		if h.done == nil {
			return Message{}, false
		}
		return Message{Text: h.done.Text + h.done.Reasoning, Calls: h.done.Calls}, true
	}
}

// requestBeside reads what was sent for a recorded answer; nil where it was not
// kept, or holds files or sound, which we never send.
func requestBeside(t *testing.T, response string) *Request {
	data, err := os.ReadFile(strings.TrimSuffix(response, ".response.sse") + ".request.json")
	if err != nil {
		return nil
	}
	var in struct {
		Messages []struct {
			Role      string
			Content   json.RawMessage
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		}
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(data, &in); err != nil {
		t.Errorf("%s: %v", response, err)
		return nil
	}
	out := &Request{}
	for _, m := range in.Messages {
		message := Message{Role: m.Role, CallID: m.ToolCallID}
		if json.Unmarshal(m.Content, &message.Text) != nil {
			var parts []struct{ Type, Text string }
			_ = json.Unmarshal(m.Content, &parts)
			for _, p := range parts {
				if p.Type != "text" {
					return nil
				}
				message.Text += p.Text
			}
		}
		for _, c := range m.ToolCalls {
			message.Calls = append(message.Calls, Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		out.Messages = append(out.Messages, message)
	}
	for _, f := range in.Tools {
		out.Tools = append(out.Tools, Tool{Name: f.Function.Name, Description: f.Function.Description, Schema: f.Function.Parameters})
	}
	return out
}

// errorTable holds relative errors by provider.
type errorTable map[string][]float64

func (e errorTable) len() (n int) {
	for _, errors := range e {
		n += len(errors)
	}
	return n
}

func (e errorTable) add(provider string, counted, reported int64) {
	e[provider] = append(e[provider], float64(counted-reported)/float64(reported))
}

// print says mean and worst of each provider; the mean is of the sizes, the worst
// keeps its sign.
func (e errorTable) print(t *testing.T, what string) {
	var sum float64
	for _, provider := range slices.Sorted(maps.Keys(e)) {
		size := func(x float64) float64 { return max(x, -x) }
		var mean float64
		for _, x := range e[provider] {
			mean += size(x) / float64(len(e[provider]))
			sum += size(x)
		}
		worst := slices.MaxFunc(e[provider], func(a, b float64) int { return cmp.Compare(size(a), size(b)) })
		t.Logf("%-16s %-16s n=%2d  mean error %5.1f %%  worst %+6.1f %%", what, provider, len(e[provider]), 100*mean, 100*worst)
	}
	fmt.Fprintf(os.Stderr, "model: counting, %s: %d recordings of %d providers, mean error %.1f %%\n", what, e.len(), len(e), 100*sum/float64(max(e.len(), 1)))
}
