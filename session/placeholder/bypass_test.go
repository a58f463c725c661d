package placeholder

import (
	"encoding/json"
	"strings"
	"testing"
)

// Bypass: a password that is known from an address stands alone in the arguments of a
// call, or an address with one has its slashes escaped. JSON hides what text would.
func TestBypassJSONWithoutAShape(t *testing.T) {
	b := New(nil)
	b.Take("https://me:hunter2x9q@host/", "vault:/a.env")
	for _, in := range []string{
		`{"command":"login hunter2x9q"}`, `{"command":"login\thunter2x9q"}`, `{"a":["hunter2x9q"]}`,
		`{"command":"curl https:\/\/me:other2x9q@host\/"}`, `{"command":"curl https:\/\/me:hunter2x9q@host\/"}`,
	} {
		if got := string(b.HideJSON(json.RawMessage(in), "")); strings.Contains(got, "2x9q") {
			t.Errorf("%s: %s", in, got)
		}
	}
	if in := `{"command":"ls"}`; string(b.HideJSON(json.RawMessage(in), "")) != in {
		t.Error("changed")
	}
}
