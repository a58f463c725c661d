package main

import (
	"net/http/httptest"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// scriptedShell is a shell whose provider is a scripted model, by the environment alone.
// env goes over that; settings is as for newShell. The model is the shell's.
func scriptedShell(t *testing.T, settings, script string, env ...string) *shell {
	t.Helper()
	model, err := scriptmodel.New(script)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	s := newShell(t, settings, append([]string{"OPENAI_BASE_URL=" + server.URL + "/v1", "OPENAI_API_KEY=k-0123456789", "OPENAI_MODEL=scripted"}, env...)...)
	s.model = model
	return s
}
