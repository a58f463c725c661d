package session

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// shown is the conversation as a model is shown it. It grows with the transcript: only a
// summary, pruning or shortening makes it anew, and nothing that is asked of it before
// each request goes through all of it.
type shown struct {
	history.Transcript // only what the model sees of one, with its items as they are shown
	as                 shownAs
	taken              int          // items of the session's transcript that were looked at
	from               int          // the first of them that is shown
	total              history.Size // of what is shown
	whole              history.Size // of all, as it is in the transcript
	longest            int64        // bytes of the longest message of a person that is shown whole
	extra              extra
	spoken             *history.Conversation
	system             string // that it begins with
}

// shownAs is all on which it depends how an item is shown, but for the bound of messages.
type shownAs struct {
	edits   int
	shortTo int64
	last    int  // the turn that alone is shown; 0: all are
	bounded bool // messages are
	model   string
}

// shownTo is the conversation t as the model is shown it now.
func (v *view) shownTo(r *run, t history.Transcript) *shown {
	info := r.model.Info()
	v.micro.Resume(t.ShortTo)
	most := v.bounds(info).Message(v.tokens(info.Name, r.fixed))
	as := shownAs{edits: t.Edits, shortTo: v.micro.UpTo(), bounded: most > 0, model: info.Name}
	if r.lastOnly {
		as.last = t.Turns
	}
	s := v.latest
	if s != nil && s.as.edits == as.edits && s.as.shortTo < as.shortTo {
		s.back(t.Items)
		s.as.shortTo = as.shortTo
	}
	if s == nil || s.as != as || most > 0 && v.tokens(info.Name, history.Size{Bytes: s.longest}) > most {
		s = v.begin(&t, as, most)
		v.latest = s
	}
	for ; s.taken < len(t.Items); s.taken++ {
		it := &t.Items[s.taken]
		s.whole = s.whole.Plus(it.Size)
		if s.taken < s.from {
			continue
		}
		short := compaction.Short(it, as.shortTo)
		if it.Blocks != nil {
			short = v.fitted(s, short, most)
		}
		s.Items = append(s.Items, short)
		s.total = s.total.Plus(short.Size)
	}
	return s
}

// begin is a conversation of which no item is shown yet.
func (v *view) begin(t *history.Transcript, as shownAs, most int64) *shown {
	s := &shown{as: as, whole: history.SizeOf(t.Summary).Plus(history.SizeOfBlocks(t.Carried))}
	s.Summary = t.Summary
	s.Carried, _ = v.fitPrompt(s, t.Carried, most)
	s.total = history.SizeOf(s.Summary).Plus(history.SizeOfBlocks(s.Carried))
	s.Items = make([]history.Item, 0, len(t.Items))
	if as.last > 0 {
		s.from = t.LastTurn()
	}
	return s
}

// back takes out what is behind the last result that is shown by name, before more of
// them are. What was given of it stays as it is.
func (s *shown) back(items []history.Item) {
	n := len(s.Items)
	for n > 0 && (s.Items[n-1].Result == nil || s.Items[n-1].Seq > s.as.shortTo) {
		n--
		s.taken--
		s.total = s.total.Minus(s.Items[n].Size)
		s.whole = s.whole.Minus(items[s.taken].Size)
	}
	s.Items = slices.Clone(s.Items[:n])
	s.extra = extra{}
	if n == 0 {
		s.spoken = nil
	}
	if s.spoken != nil {
		s.spoken.Back(n)
	}
}

// messages are what a request with this system prompt says of the conversation. Nobody
// changes them, and what is appended to them is another array.
func (s *shown) messages(system string, load func(blob string) ([]byte, error)) []model.Message {
	if s.spoken == nil || s.system != system {
		s.system = system
		s.spoken = s.Begin(load, model.Message{Role: "system", Text: system})
	}
	return s.spoken.Messages(s.Items)
}
