package model

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// maxCalls bounds the calls of one answer.
const maxCalls = 1000

// merger puts tool calls together from their pieces. Providers disagree about
// every member of a piece, so the rules go by what is certain: an index that
// is known belongs to its call unless that call is complete and the piece
// plainly starts another one; a piece without an index belongs to the last
// call unless it brings a new id, or a name after complete arguments.
type merger struct {
	calls   []*building
	byIndex map[int]*building
}

type building struct {
	position int
	id, name string
	args     strings.Builder
	extra    json.RawMessage
}

// add merges a piece and returns its call, nil if there are too many.
func (m *merger) add(p callPiece) *building {
	c := m.find(p)
	if c == nil {
		if len(m.calls) == maxCalls {
			return nil
		}
		c = &building{position: len(m.calls)}
		m.calls = append(m.calls, c)
	}
	if p.Index.ok {
		if m.byIndex == nil {
			m.byIndex = map[int]*building{}
		}
		m.byIndex[p.Index.n] = c
	}
	// Once: some repeat id and name in every piece.
	if c.id == "" {
		c.id = string(p.ID)
	}
	if c.name == "" {
		c.name = string(p.Function.Name)
	}
	if !isNull(p.ExtraContent) {
		c.extra = compacted(p.ExtraContent)
	}
	c.args.WriteString(string(p.Function.Arguments))
	return c
}

// find is the call that a piece continues, nil if it starts one.
func (m *merger) find(p callPiece) *building {
	if p.Index.ok {
		c := m.byIndex[p.Index.n]
		if c != nil && c.startsAnother(p) {
			return nil
		}
		return c
	}
	if len(m.calls) == 0 {
		return nil
	}
	last := m.calls[len(m.calls)-1]
	switch id := string(p.ID); {
	case id == last.id && id != "":
		return last
	case id != "":
		for _, c := range m.calls {
			if c.id == id {
				return c
			}
		}
		if last.id == "" && p.Function.Name == "" {
			return last // its id came late
		}
		return nil
	case p.Function.Name != "" && last.name != "" && isComplete(last.args.String()):
		return nil
	}
	return last
}

// startsAnother: the index is known, but the piece is another call.
func (c *building) startsAnother(p callPiece) bool {
	if p.Function.Name == "" {
		return false
	}
	args, more := c.args.String(), strings.TrimSpace(string(p.Function.Arguments))
	if p.ID != "" && c.id != "" && string(p.ID) != c.id {
		return (more == "" || more[0] == '{') && (args == "" || isComplete(args))
	}
	// No id to tell them apart: nothing can follow a complete object.
	return p.ID == "" && strings.HasPrefix(more, "{") && strings.HasPrefix(strings.TrimSpace(args), "{") && isComplete(args)
}

// done is every call, as the model wrote it.
func (m *merger) done() []Call {
	var calls []Call
	for _, c := range m.calls {
		calls = append(calls, Call{ID: c.id, Name: c.name, Arguments: c.args.String(), Extra: c.extra})
	}
	return calls
}

// isComplete looks at the end first: it is asked for many pieces of one text.
func isComplete(args string) bool {
	end := strings.TrimRight(args, " \n\t\r")
	return end != "" && strings.ContainsRune("}]l", rune(end[len(end)-1])) && json.Valid([]byte(args))
}

// isCut says that arguments end in the middle of a value. Malformed arguments
// are not cut: the session says so in other words.
func isCut(args string) bool {
	if strings.TrimSpace(args) == "" {
		return false
	}
	var v json.RawMessage
	err := json.NewDecoder(strings.NewReader(args)).Decode(&v)
	return errors.Is(err, io.ErrUnexpectedEOF)
}
