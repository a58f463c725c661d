package history

import (
	"encoding/json"
	"testing"
)

// What goes back to a model is what it wrote where that is an object, else what was
// understood of it; what nobody understood is for the model package to wrap. It is
// counted as it is sent.
func TestArgumentsThatGoBack(t *testing.T) {
	stored, _ := StashedInput("blob", 40)
	for _, row := range []struct {
		input, raw, sent string
		counted          int64
	}{
		{`{"path":"a"}`, ``, `{"path":"a"}`, 0},
		{`{"path":"a"}`, `{"file_path":"a"}`, `{"file_path":"a"}`, 0},
		{`{"path":"a"}`, `{'path': 'a'}`, `{"path":"a"}`, 0},
		{`{"path":"a"}`, `{"file_path":"a…`, `{"path":"a"}`, 0},
		{`null`, `{'path': 'a'}`, `{'path': 'a'}`, 0},
		{`null`, `["a"]`, `["a"]`, 0},
		{string(stored), `{'path': 'a'}`, `stashed`, 40},
		{string(stored), `{"file_path":"a"}`, `{"file_path":"a"}`, 0},
	} {
		c := Call{Tool: "read", Input: json.RawMessage(row.input), Raw: row.raw}
		sent := arguments(c, func(string) ([]byte, error) { return []byte("stashed"), nil })
		if sent != row.sent || stashedBytes(c) != row.counted {
			t.Errorf("%s, %s: %s, %d", row.input, row.raw, sent, stashedBytes(c))
		}
		if here := inlineArguments(c); row.counted == 0 && here != sent || row.counted != 0 && here != "" {
			t.Errorf("%s, %s: %s is counted", row.input, row.raw, here)
		}
	}
}
