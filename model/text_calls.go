package model

import (
	"bytes"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// textReply is an answer whose calls are fenced blocks at its end (text_tools.go).
type textReply struct {
	reply
	blocks blocks
}

// add implements reply. What follows a call but another one is not read: the model invents
// what the call returns.
func (t *textReply) add(data []byte, emit func(Part) bool) bool {
	more := t.reply.add(data, t.reading(emit))
	if t.blocks.over {
		a := t.common()
		a.ended, a.finish = true, "tool_calls"
	}
	return more
}

// flush implements reply. What could have been the beginning of a block is none.
func (t *textReply) flush(emit func(Part) bool) bool {
	return t.reply.flush(t.reading(emit)) && t.hand(t.blocks.end(), emit)
}

// reading takes the calls out of the text of parts.
func (t *textReply) reading(emit func(Part) bool) func(Part) bool {
	return func(p Part) bool {
		if d, is := p.(TextDelta); is {
			return t.hand(t.blocks.next(d.Text), emit)
		}
		return emit(p)
	}
}

func (t *textReply) hand(text string, emit func(Part) bool) bool {
	if text != "" && !emit(TextDelta{text}) {
		return false
	}
	for ; t.blocks.handed < len(t.blocks.calls); t.blocks.handed++ {
		c := t.blocks.calls[t.blocks.handed]
		if !emit(CallDelta{Index: t.blocks.handed, Name: c.Name, Text: c.Arguments}) {
			return false
		}
	}
	return true
}

// done implements reply.
func (t *textReply) done(provider, model string) Done {
	d := t.reply.done(provider, model)
	d.Text, d.Calls = t.blocks.said.String(), t.blocks.calls
	if len(d.Calls) > 0 {
		d.Cut = d.Cut || isCut(d.Calls[len(d.Calls)-1].Arguments)
	}
	return d
}

// blocks takes the calls out of a text that comes in pieces.
type blocks struct {
	said   strings.Builder // the text before the first call
	calls  []Call
	handed int // so many calls were handed on
	over   bool

	held   []byte // not decided on yet: it may become a fence, or is in a block
	within bool   // held continues a line of text
	inside bool   // held is in a block, behind its fence
	looked int    // so much of a block has no fence that closes it
	tries  int    // fences in the middle of its lines
}

// mostTries bounds the fences in the middle of lines of which one may close a block.
const mostTries = 100

// next is what more of the text says that is surely no call.
func (b *blocks) next(piece string) string {
	b.held = append(b.held, piece...)
	var text strings.Builder
	for !b.over && b.step(&text) {
	}
	b.said.WriteString(text.String())
	return text.String()
}

// step decides on the next line, or on as much of it as is there; false wants more.
func (b *blocks) step(text *strings.Builder) bool {
	if b.inside {
		return b.block()
	}
	raw, _, whole := bytes.Cut(b.held, []byte{'\n'})
	line, size := string(raw), len(raw)
	if whole {
		size++
	}
	if !b.within {
		start := strings.TrimLeft(line, " \t")
		behind, opens := opening(start)
		switch {
		case !whole && strings.HasPrefix(fence+textCall+"s", start):
			return false // it may become a fence, or an empty line behind a call
		case opens:
			b.held = b.held[len(line)-len(behind):]
			b.inside, b.looked, b.tries = true, 0, 0
			return true
		case len(b.calls) > 0 && !IsBlank(line):
			b.over = true
			return false
		}
	}
	if len(b.calls) == 0 {
		text.Write(b.held[:size])
	}
	b.held, b.within = b.held[size:], !whole
	return whole
}

// opening is what stands behind the fence of a call in a line that begins with one.
func opening(line string) (behind string, is bool) {
	if behind, is = strings.CutPrefix(line, fence+textCall); !is {
		return "", false
	}
	behind = strings.TrimPrefix(behind, "s")
	return behind, behind == "" || strings.ContainsRune(" \t\r{[", rune(behind[0]))
}

// block reads a block to its closing fence: one that begins a line, or stands behind the whole of
// a call.
func (b *blocks) block() bool {
	for {
		at := bytes.Index(b.held[b.looked:], []byte(fence))
		if at < 0 {
			b.looked = max(0, len(b.held)-len(fence)+1)
			return false
		}
		at += b.looked
		inner := string(bytes.TrimRight(b.held[:at], " \t"))
		closes := strings.HasSuffix(inner, "\n") && !IsBlank(inner)
		if !closes && b.tries < mostTries {
			b.tries++
			closes = len(calledInJSON(inner)) > 0
		}
		if b.looked = at + len(fence); closes {
			b.called(inner)
			b.held, b.inside = b.held[b.looked:], false
			return true
		}
	}
}

// end decides on what is left.
func (b *blocks) end() (text string) {
	switch {
	case b.over:
	case b.inside:
		b.called(string(b.held)) // cut, or without its closing fence
	case len(b.calls) == 0:
		text = string(b.held)
		b.said.WriteString(text)
	}
	b.held, b.over = nil, true
	return text
}

var (
	namedInBlock     = lazy.Regexp(`"(?:name|tool)"\s*:\s*"([^"]{1,200})"`)
	argumentsInBlock = lazy.Regexp(`"(?:arguments|parameters|args|input)"\s*:\s*`)
)

// called takes the calls of a block. Of one that is not JSON, the call has what there is, so that
// the model is told what is wrong with it.
func (b *blocks) called(inner string) {
	inner = strings.TrimSpace(inner)
	calls := calledInJSON(inner)
	if calls == nil {
		broken := Call{Arguments: inner}
		if name := namedInBlock().FindStringSubmatch(inner); name != nil {
			broken.Name = name[1]
		}
		if at := argumentsInBlock().FindStringIndex(inner); at != nil {
			broken.Arguments = strings.TrimSpace(strings.TrimSuffix(inner[at[1]:], "}"))
		}
		calls = []Call{broken}
	}
	b.calls = append(b.calls, calls[:min(len(calls), maxCalls-len(b.calls))]...)
}
