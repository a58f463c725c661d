package session

import (
	"encoding/json"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/model"
)

func TestParamsPatch(t *testing.T) {
	for _, row := range []struct{ old, patch, want string }{
		{`{}`, `{"temperature": 0}`, `{"temperature":0}`},
		{`{"temperature":0.2,"topP":1}`, `{"temperature": 0.9}`, `{"temperature":0.9,"topP":1}`},
		{`{"temperature":0.2,"topP":1}`, `{"temperature": null}`, `{"topP":1}`},
		{`{"temperature":0.2,"topP":1,"maxTokens":5}`, `{"topP": null, "maxTokens": null}`, `{"temperature":0.2}`},
		{`{"temperature":0.2}`, `{}`, `{"temperature":0.2}`},
		{`{"temperature":0.2,"topP":1,"maxTokens":5}`, `null`, `{}`},
	} {
		var old model.Params
		var patch ParamsPatch
		if err := json.Unmarshal([]byte(row.old), &old); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(row.patch), &patch); err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(patch.on(old)); string(got) != row.want {
			t.Errorf("%s on %s: got %s, want %s", row.patch, row.old, got, row.want)
		}
	}
}

// What no provider could take is refused before it is kept, at the edge.
func TestParamsPatchCheck(t *testing.T) {
	for patch, field := range map[string]string{
		`{"temperature": 0, "topP": 0, "maxTokens": 1}`: "", `{"topP": 1, "temperature": 2}`: "", `null`: "", `{"maxTokens": null}`: "",
		`{"temperature": -0.1}`: "params.temperature", `{"topP": -0.1}`: "params.topP", `{"topP": 1.1}`: "params.topP", `{"maxTokens": 0}`: "params.maxTokens",
	} {
		var p ParamsPatch
		if err := json.Unmarshal([]byte(patch), &p); err != nil {
			t.Fatal(err)
		}
		got := ""
		if invalid, ok := p.check().(*InvalidError); ok {
			got = invalid.Field
		}
		if got != field {
			t.Errorf("%s: refused %q, want %q", patch, got, field)
		}
	}
}
