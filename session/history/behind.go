package history

import (
	"bytes"
	"errors"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// backBytes is how much of a log is looked at in one go, from its end backwards.
const backBytes = 64 << 10

// summarisedBefore is the seq before which a summary stands for the conversation,
// 0 where there is none. It looks for the last accepted one from the end backwards,
// as far as begin, where a line begins; what cannot be read is left to anyone who
// reads the log from there.
func summarisedBefore(path string, begin, size int64) int64 {
	f, err := durable.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	var rest []byte // the beginning of a line whose end has been looked at
	for end := size; end > begin; {
		from := max(end-backBytes, begin)
		part := make([]byte, end-from, end-from+int64(len(rest)))
		if _, err := f.ReadAt(part, from); err != nil {
			return 0
		}
		part, end = append(part, rest...), from
		for {
			i := bytes.LastIndexByte(part, '\n')
			if i < 0 {
				break
			}
			if seq := summaryIn(part[i+1:]); seq > 0 {
				return seq
			}
			part = part[:i]
		}
		if rest = part; len(rest) > 4*backBytes {
			return 0 // no line is so long
		}
	}
	return summaryIn(rest)
}

// summaryIn is where what an accepted summary keeps begins, 0 for every other line.
func summaryIn(line []byte) int64 {
	if !bytes.Contains(line[:min(len(line), 200)], []byte(`"context.compacted"`)) {
		return 0
	}
	e, err := Decode(line)
	if b, ok := e.Body.(ContextCompacted); err == nil && ok && b.OK {
		return min(b.KeepFrom, e.Seq)
	}
	return 0
}

// passedText is a text that is checked to be one and is not kept.
type passedText struct{}

func (*passedText) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if kind := d.PeekKind(); kind != '"' && kind != 'n' {
		return errors.New("the text is none")
	}
	return d.SkipValue()
}

// decodeBehind is Decode for a line that a summary stands for. Of a result, which
// is most of such a line, only that is read on which something follows: a log of
// 100 MB is opened in half of the time.
func decodeBehind(raw []byte) (Event, error) {
	l, ok := cutLine(raw)
	if !ok || l.Type != (ToolReturned{}).kind() {
		return Decode(raw)
	}
	var b struct {
		CallID    string            `json:"callId"`
		Tool      string            `json:"tool"`
		Status    Status            `json:"status"`
		Text      passedText        `json:"text"`
		Changes   []FileChange      `json:"changes"`
		Artifact  *tool.ArtifactRef `json:"artifact"`
		Truncated bool              `json:"truncated"`
	}
	at, err := ParseStamp(l.Time)
	if err != nil || l.Seq < 1 || jsonv2.Unmarshal(l.Data, &b, lenient) != nil {
		return Decode(raw)
	}
	body := ToolReturned{CallID: b.CallID, Tool: b.Tool, Status: b.Status, Changes: b.Changes, Artifact: b.Artifact, Truncated: b.Truncated}
	return Event{Seq: l.Seq, Time: at, Run: l.Run, After: l.After, Body: body}, nil
}
