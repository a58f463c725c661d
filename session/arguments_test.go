package session

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/placeholder"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// No notation hides a secret from the log: neither in what was understood nor in what
// was written, nor in an argument that was left out.
func TestBypassSecretInOddArguments(t *testing.T) {
	looks := tool.Define(tool.Spec{Name: "looks", Effect: tool.Read, Tolerant: true}, func(struct {
		Path string `json:"path"`
	}) (*tool.Plan, error) {
		return &tool.Plan{}, nil
	})
	for _, written := range []string{
		`{"file_path": "ghp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3d"}`, `{"file_path": "\u0067hp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3d"}`,
		`{'path': '\u0067hp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3d'}`, `{'path': 'a', 'x': '\u0067hp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3d'}`,
		`"{\"path\": \"\\u0067hp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3d\"}"`,
	} {
		book := placeholder.New(nil)
		input, raw := inputOf(written)
		input, raw = understood(looks.Spec(), input, raw, func(text json.RawMessage) json.RawMessage { return book.RedactJSON(text, "") })
		if both := string(input) + raw; raw == "" || strings.Contains(both, "aB3dE5") || !strings.Contains(both, "«secret:ghp#1»") {
			t.Errorf("%s: %s, %s", written, input, raw)
		}
	}
}
