package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// begin writes the beginning of a request up to its last message; before is the part of
// it that is kept.
func begin(req Request, d dialect) (w *writer, before pieces) {
	k := req.Kept
	if k == nil {
		k = &Kept{}
	}
	all := req.Messages
	if d.quirks[quirkPlain] {
		all = plainest(all)
	}
	if d.quirks[quirkSystem] {
		all = systemless(all)
	}
	from := k.back(all, d)
	w = newWriter(d, from.written)
	w.kept = k
	at := from.messages
	if len(k.joints) == 0 {
		system, n := leadingSystem(all)
		if w.head(system); system != "" {
			w.note(quirkSystem)
		}
		if at = n; at < len(all) {
			k.add(w, all[:at], false)
		}
	}
	for at < len(all) {
		end, whole := groupAt(all, at)
		w.group(all[at:end], end == len(all))
		if whole || end < len(all) {
			k.add(w, all[at:end], whole)
		}
		at = end
	}
	k.messages = all
	return w, slices.Clone(k.pieces)
}

// group writes messages that belong together; last says that nothing follows.
func (w *writer) group(group []Message, last bool) {
	for i := range group {
		if group[i].isForeign(w.provider, w.form.api) {
			w.foreign++
		}
	}
	group = w.paired(group, last)
	switch w.form.api {
	case apiResponses:
		w.input(group)
	case apiMessages:
		messagesWriter{w}.turns(group)
	default:
		w.messages(group)
	}
}

// add keeps what w has written of a group.
func (k *Kept) add(w *writer, group []Message, whole bool) {
	was := k.last()
	k.sizes = appendSizes(k.sizes, group)
	k.pieces = k.pieces.with(tool.WholeRunes(w.out.Bytes()))
	k.joints = append(k.joints, joint{w.written, was.messages + len(group), len(k.sizes), was.bytes + w.out.Len(), whole})
	w.out.Reset()
}

// last is the joint behind everything that is kept.
func (k *Kept) last() joint {
	if len(k.joints) == 0 {
		return joint{}
	}
	return k.joints[len(k.joints)-1]
}

// back lets go of what would be written in another way now, and gives the joint that is
// gone on from.
func (k *Kept) back(all []Message, d dialect) joint {
	if !k.dialect.equal(d) {
		*k = Kept{dialect: d}
	}
	same := common(k.messages, all)
	for len(k.joints) > 0 && !k.last().continues(all, same) {
		k.joints = k.joints[:len(k.joints)-1]
	}
	older := tooMany(appendSizes(k.sizes[:k.last().sizes:k.last().sizes], all[k.last().messages:]))
	if older != k.last().older {
		k.joints = nil // an image that was shown is too many now
	}
	j := k.last()
	k.sizes = k.sizes[:j.sizes]
	k.pieces = k.pieces.upTo(j.bytes)
	j.older = older
	return j
}

// continues says that what is kept up to j is the beginning of a conversation of which so
// many messages are the same as before.
func (j joint) continues(all []Message, same int) bool {
	if j.messages == len(all) {
		return j.whole && j.messages <= same
	}
	return j.messages <= same && !all[j.messages].belongs()
}

// belongs says that a message may be part of the group before it.
func (m *Message) belongs() bool { return m.isResult() || m.Role == "system" }

// describe writes the tools of a request, each of them as one is written.
func (w *writer) describe(tools []Tool, one func(Tool) any) {
	w.note(quirkTools)
	w.note(quirkSchema)
	k := w.kept
	if slices.EqualFunc(k.tools, tools, Tool.equal) {
		w.out.Write(k.described)
		return
	}
	all := make([]any, len(tools))
	for i, t := range tools {
		all[i] = one(t)
	}
	from := w.out.Len()
	w.member("tools", all)
	k.tools = slices.Clone(tools)
	k.described = bytes.Clone(w.out.Bytes()[from:])
}

func (t Tool) equal(o Tool) bool {
	return t.Name == o.Name && t.Description == o.Description && bytes.Equal(t.Schema, o.Schema)
}

func (d dialect) equal(o dialect) bool {
	return d.provider == o.provider && d.model == o.model && d.vision == o.vision && d.files == o.files &&
		d.form == o.form && maps.Equal(d.quirks, o.quirks)
}

// appendSizes adds the sizes of images, in bytes.
func appendSizes(sizes []int, all []Message) []int {
	for i := range all {
		for _, img := range all[i].Images {
			sizes = append(sizes, len(img.Data))
		}
	}
	return sizes
}

// common is how many messages two conversations begin with that are the same. Those of
// one array are: it is only appended to.
func common(was, now []Message) (n int) {
	most := min(len(was), len(now))
	if most > 0 && &was[0] == &now[0] {
		return most
	}
	for n < most && was[n].equal(&now[n]) {
		n++
	}
	return n
}

func (m *Message) equal(o *Message) bool {
	return m.Role == o.Role && m.Text == o.Text && m.CallID == o.CallID &&
		slices.EqualFunc(m.Calls, o.Calls, Call.equal) && slices.EqualFunc(m.Images, o.Images, Image.equal) && m.Opaque.equal(o.Opaque)
}

func (c Call) equal(o Call) bool {
	return c.ID == o.ID && c.Name == o.Name && c.Arguments == o.Arguments && bytes.Equal(c.Extra, o.Extra)
}

func (i Image) equal(o Image) bool {
	return i.MIME == o.MIME && i.Anyway == o.Anyway && bytes.Equal(i.Data, o.Data)
}

func (o *Opaque) equal(p *Opaque) bool {
	if o == nil || p == nil {
		return o == p
	}
	return o.Provider == p.Provider && maps.EqualFunc(o.Fields, p.Fields, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}
