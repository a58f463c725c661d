package model

import "slices"

// What is to be cached is marked in a request: the system prompt, with the tools before it,
// and the last two things that were said to the model. Whatever comes before a mark is read
// from the cache the next time; the last mark of a request is the one before the last of the
// next one.

// cacheMark is a member of what ends the part to cache.
const cacheMark = `"cache_control":{"type":"ephemeral"}`

// ephemeral is cacheMark as a value.
type ephemeral struct {
	Type string `json:"type"`
}

// lastingText is a text that a mark may follow.
type lastingText struct {
	Type  string     `json:"type"`
	Text  string     `json:"text"`
	Cache *ephemeral `json:"cache_control,omitempty"`
}

// lasting is a part of a message that every request begins with.
func (w *writer) lasting(text string) lastingText { return lastingText{"text", text, w.mark()} }

// mark is the mark of something that every request begins with, nil where none is wanted.
func (w *writer) mark() *ephemeral {
	if !w.form.marks || !w.may(quirkCache) {
		return nil
	}
	return &ephemeral{"ephemeral"}
}

// place is how many bytes of the request are written.
func (w *writer) place() int { return w.kept.last().bytes + w.out.Len() }

// spot remembers where the last thing said to the model can be marked.
func (w *writer) spot(from, to int) { w.spots = [2]spot{w.spots[1], {from, to}} }

// marked is the request with its marks.
func (p pieces) marked(spots [2]spot) pieces {
	for _, s := range slices.Backward(spots[:]) { // the earlier offset stays true
		switch {
		case s.to == 0:
		case s.from == s.to:
			p = p.inserted(s.to, ","+cacheMark)
		default:
			p = p.inserted(s.to, ","+cacheMark+"}]").inserted(s.from, `[{"type":"text","text":`)
		}
	}
	return p
}

// cacheKey leads the requests of a session to the same cache.
func (w *writer) cacheKey(req Request) {
	if req.Session != "" && w.form.session && w.may(quirkCacheKey) {
		w.member(quirkCacheKey, hashed(req.Session)[:32])
	}
}
