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

// Bypass: a log, or what a model was talked into saying, holds the highest number that
// there can be. The next process must still give numbers that it knows again: a
// placeholder that is none would be written into the file in place of its secret.
func TestBypassHighestNumber(t *testing.T) {
	used := map[string]int{}
	Highest(used, []byte("«secret:ghp#7» «secret:ghp#999999999»"))
	b := New(func() map[string]int { return used })
	const secret = "ghp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3d"
	name := b.Take(secret, "vault:/a.env")
	out, toProve, err := b.PutBack(json.RawMessage(`{"content":"`+name+`"}`), []string{"content"}, "")
	if err != nil || string(out) != `{"content":"`+secret+`"}` || len(toProve) != 1 {
		t.Errorf("%s: %s %v %v", name, out, toProve, err)
	}
}
