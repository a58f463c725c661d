package session

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/model"
)

func TestParamsPatch(t *testing.T) {
	for _, row := range []struct{ old, patch, want string }{
		{`{}`, `{"temperature": 0}`, `{"temperature":0}`},
		{`{"temperature":0.2,"topP":1}`, `{"temperature": 0.9}`, `{"temperature":0.9,"topP":1}`},
		{`{"temperature":0.2,"topP":1}`, `{"temperature": null}`, `{"topP":1}`},
		{`{"temperature":0.2,"topP":1,"maxTokens":5}`, `{"topP": null, "maxTokens": null}`, `{"temperature":0.2}`},
		{`{"temperature":0.2}`, `{}`, `{"temperature":0.2}`},
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

// The levels that a configuration may name are those of the models.
func TestEfforts(t *testing.T) {
	if !slices.Equal(config.Efforts, model.Efforts) {
		t.Errorf("%v in the configuration, %v of models", config.Efforts, model.Efforts)
	}
}
