package placeholder

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// Bypass: a password that is known from an address stands alone in the arguments of a
// call, or an address with one has its slashes escaped. JSON hides what text would.
func TestBypassJSONWithoutAShape(t *testing.T) {
	b := New(nil)
	b.Redact("https://me:hunter2x9q@host/", "vault:/a.env")
	for _, in := range []string{
		`{"command":"login hunter2x9q"}`, `{"command":"login\thunter2x9q"}`, `{"a":["hunter2x9q"]}`,
		`{"command":"curl https:\/\/me:other2x9q@host\/"}`, `{"command":"curl https:\/\/me:hunter2x9q@host\/"}`,
	} {
		if got := string(b.RedactJSON(json.RawMessage(in), "")); strings.Contains(got, "2x9q") {
			t.Errorf("%s: %s", in, got)
		}
	}
	if in := `{"command":"ls"}`; string(b.RedactJSON(json.RawMessage(in), "")) != in {
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
	name := b.Redact(secret, "vault:/a.env")
	out, toProve, err := b.Restore(json.RawMessage(`{"content":"`+name+`"}`), []string{"content"}, "")
	if err != nil || string(out) != `{"content":"`+secret+`"}` || len(toProve) != 1 {
		t.Errorf("%s: %s %v %v", name, out, toProve, err)
	}
}

// Bypass: what is shown of half a secret, or of one too many, has no number. Written
// into a file it would take the place of the secret, so it is refused; a file that
// really says so is shown with a number, and can be written again.
func TestBypassPlaceholderWithoutNumber(t *testing.T) {
	b := New(nil)
	for _, text := range []string{"a «secret:cut»", "«secret:ghp»\n"} {
		input, _ := json.Marshal(map[string]string{"content": text})
		if out, _, err := b.Restore(input, []string{"content"}, "call:1"); !errors.Is(err, ErrPlaceholder) {
			t.Errorf("%s: %s %v", text, out, err)
		}
		if _, _, err := b.Restore(input, nil, ""); err != nil {
			t.Errorf("%s, not in a file's text: %v", text, err)
		}
		input, _ = json.Marshal(map[string]string{"content": b.Redact(text, "vault:/doc.md")})
		out, toProve, err := b.Restore(input, []string{"content"}, "")
		var got struct{ Content string }
		if json.Unmarshal(out, &got); err != nil || got.Content != text || len(toProve) != 1 {
			t.Errorf("%s: %s %v %v", text, out, toProve, err)
		}
	}
}

// Bypass: the beginning of a placeholder that is none ended the call that read it.
func TestBypassHalfAPlaceholder(t *testing.T) {
	for _, text := range []string{"«secret:", "«secret:GHP#1»", "«secret:ghp#1234567890»", "«secret:ghp#»"} {
		if got := New(nil).Redact(text, ""); got != text {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// Bypass: the name of a member that may hold a file's text stands deeper in the
// arguments, where it means something else.
func TestBypassMemberBelowAnother(t *testing.T) {
	b := New(nil)
	name := b.Redact("ghp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3d", "vault:/a.env")
	for _, in := range []string{`{"to":{"content":"` + name + `"}}`, `{"to":[{"content":"` + name + `"}]}`, `{"` + name + `":1}`, `["content","` + name + `"]`} {
		if out, _, err := b.Restore(json.RawMessage(in), []string{"content"}, ""); !errors.Is(err, ErrPlaceholder) {
			t.Errorf("%s: %s %v", in, out, err)
		}
	}
}
