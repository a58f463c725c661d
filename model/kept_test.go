package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// talk grows a random conversation of every kind of message that a history can have, in
// any order.
type talk struct {
	*rand.Rand
	ids int
}

func (r *talk) one(of ...string) string { return of[r.IntN(len(of))] }

func (r *talk) text() string {
	return r.one("", " \n", "hi", "<a> & \u2028", "\xff\xfe", `\ud800`, strings.Repeat("word ", 50), "中文 “x”")
}

func (r *talk) image() (images []Image) {
	for range r.IntN(3) - 1 {
		images = append(images, Image{MIME: "image/png", Data: pngOf(1, 1+r.Uint32N(3)), Anyway: r.IntN(2) == 0})
	}
	if r.IntN(20) == 0 {
		images = append(images, Image{MIME: PDF, Data: []byte("%PDF-1.4 x")}, Image{Data: []byte("none")})
	}
	return images
}

func (r *talk) opaque() *Opaque {
	if r.IntN(2) == 0 {
		return nil
	}
	return &Opaque{Provider: r.one("p", "q"), Fields: rawFields("reasoning_content", `"r"`, "reasoning_details", `[{"type":"x"}]`, "reasoning_encrypted", r.one(`{bad`, `"\ud800"`),
		outputField, `[{"type":"reasoning","id":"rs","encrypted_content":"e"},{"type":"message","bytes":2},{"type":"function_call"}]`,
		blocksField, `[{"type":"thinking","thinking":"t","signature":"s"},{"type":"message","bytes":2},{"type":"redacted_thinking","data":"d"},{"type":"function_call"}]`)}
}

// next is what may be said next: mostly calls with their results.
func (r *talk) next() (out []Message) {
	switch r.IntN(8) {
	case 0:
		return []Message{{Role: "user", Text: r.text(), Images: r.image()}}
	case 1:
		return []Message{{Role: "assistant", Text: r.text(), Opaque: r.opaque()}}
	case 2:
		return []Message{{Role: r.one("system", "tool", "user"), Text: r.text(), CallID: r.one("", "c1"), Images: r.image()}}
	}
	m := Message{Role: "assistant", Text: r.text(), Opaque: r.opaque()}
	var results []Message
	for range 1 + r.IntN(3) {
		r.ids++
		id := r.one(fmt.Sprint("c", r.ids), fmt.Sprint("c", r.ids), fmt.Sprint("functions.x:", r.ids), "", "same")
		c := Call{ID: id, Name: r.one("read", "odd name!"), Arguments: r.one(`{"a":"b"}`, `{"a":"b`, "", `{"a":"\ud800"}`)}
		if m.Opaque != nil && r.IntN(2) == 0 {
			c.Extra = json.RawMessage(`{"google":{"thought_signature":"s"}}`)
		}
		m.Calls = append(m.Calls, c)
		if r.IntN(10) > 0 {
			results = append(results, Message{Role: "tool", CallID: id, Text: r.text(), Images: r.image()})
		}
	}
	r.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	return append([]Message{m}, results...)
}

var historyQuirks = []string{quirkContent, quirkCallIDs, quirkOneCall, quirkSignature, quirkReasoningBack, quirkItemIDs, quirkImages, quirkPlain, quirkEncrypted, quirkThoughts, quirkCache, quirkSystem}

// forms are the ways to ask a model.
var forms = []form{{}, {api: apiResponses}, {api: apiMessages, marks: true}, {marks: true}, {api: apiMessages, version: versionAtGoogle, marks: true}}

// A request that goes on from what is kept is, byte for byte, the one that is written
// anew, however the conversation grows, is cut or changes, and whoever is asked.
func TestKeptIsWhatIsWrittenAnew(t *testing.T) {
	for seed := range uint64(40) {
		r := &talk{Rand: rand.New(rand.NewPCG(seed, 1))}
		info, quirks := Info{Provider: "p", Name: "m", Vision: true, form: forms[seed%4]}, map[string]bool{}
		kept := &Kept{}
		var all []Message
		var before pieces // of the last request, which may still be on its way
		var sent []byte
		for step := range 40 {
			switch r.IntN(12) {
			case 0:
				all = slices.Clone(all) // another array with the same in it
			case 1:
				all = slices.Clone(all[:r.IntN(len(all)+1)])
			case 2:
				if len(all) > 0 {
					all = slices.Clone(all)
					all[r.IntN(len(all))].Text = r.text()
				}
			case 3:
				quirks = map[string]bool{r.one(historyQuirks...): true}
			case 4:
				info.Name, info.Vision, info.Files = r.one("m", "deepseek-r"), r.IntN(3) > 0, r.IntN(3) == 0
			case 5:
				info.form = forms[r.IntN(len(forms))]
			}
			for range r.IntN(4) {
				all = append(all, r.next()...)
			}
			req := Request{Messages: all, Tools: []Tool{{Name: "x"}, {Name: r.one("y", "y", "y", "z"), Schema: json.RawMessage(`{}`)}}[:r.IntN(3)], ToolChoice: r.one("", "none")}
			want := encode(req, info, quirks)
			req.Kept = kept
			got := encode(req, info, quirks)
			if !bytes.Equal(before.whole(), sent) {
				t.Fatalf("seed %d, step %d: the request before has changed", seed, step)
			}
			before, sent = got.body, got.body.whole()
			if !bytes.Equal(sent, want.body.whole()) || !slices.Equal(got.sent, want.sent) || got.left != want.left {
				t.Fatalf("seed %d, step %d, %v, %v: got\n%s %v %v\nwant\n%s %v %v", seed, step, info.form, quirks, sent, got.sent, got.left, want.body.whole(), want.sent, want.left)
			}
		}
	}
}

// A conversation whose end is made anew again and again takes no more memory than one that
// only grows.
func TestKeptIsBounded(t *testing.T) {
	kept, all := &Kept{}, []Message{{Role: "system", Text: "s"}}
	for turn := range 500 {
		last := len(all) - 1
		all = append(slices.Clone(all), Message{Role: "user", Text: strings.Repeat("x", 1000)})
		all[last].Text += "y"
		encodeRequest(Request{Messages: all, Kept: kept}, Info{Name: "m"}, nil)
		if n, size := len(kept.pieces), kept.pieces.size(); n > size/(leastPiece/2)+1 { // each has room for leastPiece
			t.Fatalf("turn %d: %d pieces are kept of %d bytes", turn, n, size)
		}
	}
}

// The request of a turn writes the messages that are new, whatever is before them.
func TestKeptWritesOnlyWhatIsNew(t *testing.T) {
	for _, as := range forms {
		kept, all := &Kept{}, []Message{{Role: "system", Text: "s"}, {Role: "user", Text: "read them all"}}
		anew := map[int]int{} // bytes, by turn
		for turn := range 2001 {
			id := fmt.Sprintf("call-%04d", turn)
			all = append(all, Message{Role: "assistant", Calls: []Call{{ID: id, Name: "read", Arguments: `{"path":"a"}`}}}, Message{Role: "tool", CallID: id, Text: strings.Repeat("x", 100)})
			for _, piece := range kept.pieces {
				for i := range piece {
					piece[i] = '#'
				}
			}
			body := encode(Request{Messages: all, Kept: kept}, Info{Name: "m", form: as}, nil).body.whole()
			anew[turn] = len(body) - bytes.Count(body, []byte{'#'})
		}
		if anew[50] != anew[2000] || anew[50] > 700 {
			t.Errorf("%d bytes were written for turn 50, %d for turn 2,000", anew[50], anew[2000])
		}
	}
}
