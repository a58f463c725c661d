package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Event is one line of the log.
type Event struct {
	Seq  int64
	Time time.Time
	Run  string // "" outside a run
	Body Body

	// After is the root's seq when the line was written; only in the log of a
	// sub-agent.
	After int64
}

// Body is what happened: one of the types that bodies lists, or Unknown.
type Body interface{ kind() string }

// Type is the event's name on the wire and on disk.
func (e Event) Type() string { return e.Body.kind() }

// Unknown is an event of another version, kept byte for byte.
type Unknown struct {
	Kind string
	Raw  json.RawMessage // the whole line
}

func (u Unknown) kind() string { return u.Kind }

type line struct {
	Seq   int64           `json:"seq"`
	After int64           `json:"afterSeq,omitempty"`
	Time  string          `json:"time"`
	Run   string          `json:"runId,omitempty"`
	Type  string          `json:"type"`
	Data  json.RawMessage `json:"data"`
}

// Encode gives the line of e without its newline.
func (e Event) Encode() ([]byte, error) {
	if u, ok := e.Body.(Unknown); ok {
		return tool.WholeRunes(u.Raw), nil
	}
	data, err := Marshal(e.Body)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.Type(), err)
	}
	return Marshal(line{e.Seq, e.After, Stamp(e.Time), e.Run, e.Type(), data})
}

// Decode reads one line. A type this version does not know is Unknown; a type
// it knows with content it cannot read is an error.
func Decode(raw []byte) (Event, error) {
	if l, ok := cutLine(raw); ok {
		if e, err := l.event(raw); err == nil {
			return e, nil
		}
	}
	var l line // in another form, as another version may write it, or bad
	if err := json.Unmarshal(raw, &l); err != nil {
		return Event{}, errors.New("not a JSON object of an event")
	}
	return l.event(raw)
}

func (l line) event(raw []byte) (Event, error) {
	if l.Seq < 1 || l.Type == "" {
		return Event{}, errors.New("no seq or no type")
	}
	at, err := ParseStamp(l.Time)
	if err != nil {
		return Event{}, fmt.Errorf("time %q", l.Time)
	}
	e := Event{Seq: l.Seq, Time: at, Run: l.Run, After: l.After}
	if e.Body, err = decodeBody(l.Type, l.Data, raw); err != nil {
		return Event{}, fmt.Errorf("%s: %w", l.Type, err)
	}
	return e, nil
}

// decodeBody reads the data of a known type; one that this version does not know
// stays as it is, so that nothing is lost on rewriting.
func decodeBody(kind string, data, raw json.RawMessage) (Body, error) {
	read, known := bodies[kind]
	if known {
		return read(data)
	}
	if len(data) > 0 && !jsontext.Value(data).IsValid(lenient) {
		return nil, errors.New("its data is not JSON")
	}
	return Unknown{kind, bytes.Clone(raw)}, nil
}

// lenient reads what an older version may have written; nothing in an event
// depends on it.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func as[B Body](data json.RawMessage) (Body, error) {
	var b B
	if err := jsonv2.Unmarshal(data, &b, lenient); err != nil {
		return nil, err
	}
	return b, nil
}

// Marshal is JSON as the log and the wire have it: compact, with < > & written as
// they are, and without halves of characters, whatever was handed through.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return tool.WholeRunes(bytes.TrimSuffix(buf.Bytes(), []byte("\n"))), nil
}
