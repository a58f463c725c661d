package model

import "sync"

// Some servers cut a prompt that is too long for them, answer the rest and say nothing. What
// they report as read is then their window, or a little less where they cut at messages.

const (
	leastSent = 4096 // tokens; a smaller request shows nothing
	leastRead = 2000 // tokens; nobody serves a smaller window to an agent, but some report only what is new
	sameRead  = 20   // two reports agree that differ by one part in so many
	// thrifty is how much less than ours another vocabulary may make of text that is not
	// ASCII, of its own share: those that are made for one language.
	thrifty = 0.25
)

// reports are what a local server has said of the prompts that it was sent.
type reports struct {
	mu     sync.Mutex // guards what follows
	cached bool       // it has reported cached tokens: it may count prompts otherwise
	most   int64      // the largest prompt that it has read
	tools  int64      // what it has read of tools, at least: some servers leave them out
	last   int64      // what it read, when that was too little for the first time
	rate   float64    // exact tokens for each estimated one, where that was counted; 0 is not known
}

// sent is what a request has of tokens, tools beside the rest.
type sent struct{ messages, tools int64 }

// judge says whether a report is of a part of what was sent only, and what it shows of the
// server's window, 0 for nothing. estimated may be too much; exactly is asked only where
// that counts.
func (r *reports) judge(u Usage, estimated sent, exactly func() sent) (window int64, part bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cached = r.cached || u.Cached > 0 || u.CacheWrite > 0
	r.most = max(r.most, u.Input)
	r.tools = max(r.tools, u.Input-estimated.messages)
	if r.cached || u.Input < leastRead || !r.lacks(u.Input, float64(r.read(estimated))*r.exactness()) {
		r.forget(r.read(estimated))
		return 0, false
	}
	counted := exactly()
	r.rate = min(float64(r.read(counted))/float64(max(r.read(estimated), 1)), 1)
	if !r.lacks(u.Input, float64(r.read(counted))) {
		r.forget(r.read(counted))
		return 0, false
	}
	before := r.last
	r.last = u.Input
	if before == 0 || !agree(before, u.Input) || !agree(r.most, u.Input) {
		return 0, true
	}
	return r.most, true
}

// agree says that two reports may be of prompts that were cut at the same place.
func agree(a, b int64) bool { return (max(a, b)-min(a, b))*sameRead <= max(a, b) }

// read is how much of what was sent the server reads, as far as it has shown that.
func (r *reports) read(s sent) int64 { return s.messages + min(s.tools, r.tools) }

// lacks says that so much less was read than was sent that no vocabulary explains it.
func (r *reports) lacks(read int64, sent float64) bool {
	return sent >= leastSent && float64(read)*3 < sent*2
}

// exactness is how far an estimate is trusted to be too high.
func (r *reports) exactness() float64 {
	if r.rate == 0 {
		return 1
	}
	return min(r.rate*1.1, 1)
}

// forget takes back the first report that was too little, behind one of a long request that
// was not. A small one shows nothing.
func (r *reports) forget(sent int64) {
	if sent >= leastSent {
		r.last = 0
	}
}

// lookForCut says in an answer whether a local server has read a part of the prompt only,
// and the window that this shows, where that is news.
func (a *asking) lookForCut(e *endpoint, done *Done) {
	exact := a.catalog.Exact
	if done.Usage == nil || exact == nil || !isLocal(e.base) {
		return
	}
	var said *reports
	a.catalog.memory.with(e.place(), func(n *note) { said = &n.reports })
	window, part := said.judge(*done.Usage, a.req.sent(RawTokens), func() sent {
		return a.req.sent(func(text string) int64 { return fewest(exact, e.info.Name, text) })
	})
	done.Part = part
	if known := a.chain.window(e); window > 0 && (known == 0 || window < known) {
		a.catalog.memory.learnWindow(e.place(), window)
		done.Window = window
	}
}

// sent counts the texts of a request. Images are left out: not every server counts them.
func (r *Request) sent(measure func(text string) int64) (s sent) {
	for _, m := range r.Messages {
		m.Images = nil
		s.messages += m.Tokens(measure)
	}
	for _, t := range r.Tools {
		s.tools += t.Tokens(measure)
	}
	return s
}

// fewest is how many tokens a text has at least, by any usual vocabulary. All of it is
// counted.
func fewest(exact func(model, text string) int64, model, text string) (n int64) {
	for rest := text; rest != ""; {
		piece := cutAt(rest, exactBytes)
		n += exact(model, piece)
		rest = rest[len(piece):]
	}
	if HasOurVocabulary(model) {
		return n
	}
	return int64(float64(n) * (1 - thrifty*foreignShare(text)))
}
