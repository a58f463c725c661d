package placeholder

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

const (
	key   = "ghp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3d"
	other = "ghp_zY3dE5fG7haB3dE5fG7haB3dE5fG7haB3d"
)

// A secret has one name as long as the book lives, whatever text it stands in.
func TestOneNameForEach(t *testing.T) {
	b := New(nil)
	for _, row := range [][2]string{
		{"nothing here", "nothing here"},
		{"K=" + key, "K=«secret:ghp#1»"},
		{key + "\n" + other + " " + key, "«secret:ghp#1»\n«secret:ghp#2» «secret:ghp#1»"},
		{"postgres://app:hunter2@db/x", "postgres://app:«secret:url#1»@db/x"},
		{"AKIAIOSFODNN7EXAMPLE", "«secret:aws#1»"},
	} {
		if got := b.Redact(row[0], ""); got != row[1] {
			t.Errorf("%q: %q, want %q", row[0], got, row[1])
		}
	}
}

// Each line of a private key is a placeholder of its own, so that the numbers in
// front of lines are no part of it.
func TestPrivateKeyByLines(t *testing.T) {
	b := New(nil)
	line := func(c string) string { return strings.Repeat("aB3dE5f"+c, 8) }
	pem := "-----BEGIN PRIVATE KEY-----\n" + line("1") + "\n" + line("2") + "\naB3d=\n-----END PRIVATE KEY-----\n"
	want := "-----BEGIN PRIVATE KEY-----\n«secret:pem#1»\n«secret:pem#2»\n«secret:pem#3»\n-----END PRIVATE KEY-----\n"
	if got := b.Redact(pem, "vault:/k"); got != want {
		t.Errorf("%s", got)
	}
	numbered := "1: -----BEGIN PRIVATE KEY-----\n2: " + line("1") + "\n3: " + line("2") + "\n4: aB3d=\n5: -----END PRIVATE KEY-----\n"
	if got := b.Redact(numbered, ""); got != "1: -----BEGIN PRIVATE KEY-----\n2: «secret:pem#1»\n3: «secret:pem#2»\n4: «secret:pem#3»\n5: -----END PRIVATE KEY-----\n" {
		t.Errorf("%s", got)
	}
	back, names, err := b.Restore(quoted(want), []string{"content"}, "")
	if err != nil || len(names) != 3 || string(back) != string(quoted(pem)) {
		t.Errorf("%s %v %v", back, names, err)
	}
}

func quoted(content string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{"content": content})
	if err != nil {
		panic(err)
	}
	return raw
}

// What looks like a placeholder in a file or a page is text: it names no secret,
// and comes back as it was where it is written into its file again.
func TestForgedPlaceholder(t *testing.T) {
	b := New(nil)
	b.Redact(key, "vault:/a.env")
	forged := b.Redact("see «secret:ghp#1» and «secret:ghp#99»", "vault:/page.md")
	if forged != "see «secret:literal#1» and «secret:literal#2»" {
		t.Fatal(forged)
	}
	back, names, err := b.Restore(quoted(forged), []string{"content"}, "")
	if err != nil || string(back) != string(quoted("see «secret:ghp#1» and «secret:ghp#99»")) || len(names) != 2 {
		t.Errorf("%s %v %v", back, names, err)
	}
	if b.From("«secret:ghp#1»", "vault:/page.md") || !b.From("«secret:literal#1»", "vault:/page.md") {
		t.Error("a text that names a secret is no source of it")
	}
	if got := b.RedactAgain("put «secret:ghp#1» there"); got != "put «secret:ghp#1» there" {
		t.Errorf("a person's own words: %s", got)
	}
}

// Where a placeholder stands decides whether it can be put back at all; which file
// it came from is for the caller to see.
func TestPutBack(t *testing.T) {
	b := New(nil)
	b.Redact(key, "vault:/a.env")
	b.RedactJSON(json.RawMessage(`{"command":"x `+other+`"}`), "call:c1")
	for name, row := range map[string]struct {
		in, own, want string
		prove         int
		err           error
	}{
		"no placeholder":     {`{"path":"a","content":"x"}`, "", `{"path":"a","content":"x"}`, 0, nil},
		"content":            {`{"path":"a","content":"K=«secret:ghp#1»!"}`, "", `{"path":"a","content":"K=` + key + `!"}`, 1, nil},
		"escaped":            {`{"content":"\u00absecret:ghp#1\u00bb"}`, "", `{"content":"` + key + `"}`, 1, nil},
		"half escaped":       {`{"content":"\u00abs\u0065cret\u003aghp#1»"}`, "", `{"content":"` + key + `"}`, 1, nil},
		"twice":              {`{"content":"«secret:ghp#1» «secret:ghp#1»"}`, "", `{"content":"` + key + ` ` + key + `"}`, 1, nil},
		"path":               {`{"path":"«secret:ghp#1»","content":"x"}`, "", "", 0, ErrPlaceholder},
		"escaped path":       {`{"path":"\u00absecret:ghp#1\u00bb","content":"x"}`, "", "", 0, ErrPlaceholder},
		"name of a member":   {`{"«secret:ghp#1»":"x"}`, "", "", 0, ErrPlaceholder},
		"deep name":          {`{"content":{"«secret:ghp#1»":"x"}}`, "", "", 0, ErrPlaceholder},
		"after content":      {`{"content":"x","z":["«secret:ghp#1»"]}`, "", "", 0, ErrPlaceholder},
		"lone surrogate":     {`{"command":"\ud800 «secret:ghp#1»"}`, "", "", 0, ErrPlaceholder},
		"unknown":            {`{"content":"«secret:ghp#7»"}`, "", "", 0, ErrForgotten},
		"unknown anywhere":   {`{"command":"«secret:ghp#7»"}`, "", "", 0, ErrForgotten},
		"own, anywhere":      {`{"command":"x «secret:ghp#2»"}`, "call:c1", `{"command":"x ` + other + `"}`, 0, nil},
		"own of another":     {`{"command":"x «secret:ghp#2»"}`, "call:c2", "", 0, ErrPlaceholder},
		"not quite":          {`{"command":"«secret:ghp» «secret:ghp#» secret:ghp#1 «secret:GHP#1»"}`, "", `{"command":"«secret:ghp» «secret:ghp#» secret:ghp#1 «secret:GHP#1»"}`, 0, nil},
		"not JSON":           {`{"content":`, "", `{"content":`, 0, nil},
		"numbers stay exact": {`{"content":"«secret:ghp#1»","n":1.50e3}`, "", `{"content":"` + key + `","n":1.50e3}`, 1, nil},
	} {
		got, names, err := b.Restore(json.RawMessage(row.in), []string{"content"}, row.own)
		if !errors.Is(err, row.err) || string(got) != row.want || len(names) != row.prove {
			t.Errorf("%s: %s %v %v", name, got, names, err)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("%s: the error tells the secret", name)
		}
	}
}

// Numbers that an earlier process gave are not given again: an old placeholder must
// never mean a new secret.
func TestNumbersGoOn(t *testing.T) {
	used := map[string]int{}
	Highest(used, []byte(`{"text":"«secret:ghp#7» and «secret:ghp#3», «secret:sk#2» «secret:x#99999999999»"}`))
	asked := 0
	b := New(func() map[string]int { asked++; return used })
	if got := b.Redact(key+" "+other, ""); got != "«secret:ghp#8» «secret:ghp#9»" || asked != 1 {
		t.Error(got, asked)
	}
	if _, _, err := b.Restore(json.RawMessage(`{"content":"«secret:ghp#7»"}`), []string{"content"}, ""); !errors.Is(err, ErrForgotten) {
		t.Error(err)
	}
}

// A book does not grow without end; what has no room is hidden all the same.
func TestBounds(t *testing.T) {
	b := New(nil)
	for i := range maxSecrets - 1 {
		b.Redact(fmt.Sprintf("%s%06d", key, i), "")
	}
	if got := b.Redact(key, ""); got != fmt.Sprintf("«secret:ghp#%d»", maxSecrets) {
		t.Error(got)
	}
	if got := b.Redact(other, ""); got != "«secret:ghp»" {
		t.Error(got)
	}
	long := "ghp_" + strings.Repeat("aB3dE5fG", maxSecret/8)
	if got := New(nil).Redact(long, ""); got != "«secret:ghp»" {
		t.Error(len(got))
	}
	c := New(nil)
	for i := range maxSources + 1 {
		c.Redact(key, fmt.Sprint("vault:/", i))
	}
	if c.From("«secret:ghp#1»", "vault:/0") || !c.From("«secret:ghp#1»", "vault:/1") || !c.From("«secret:ghp#1»", fmt.Sprint("vault:/", maxSources)) {
		t.Error("the latest sources count")
	}
}

type event struct {
	Title  string
	Input  json.RawMessage
	List   []string
	Inner  *event
	Any    any
	Map    map[string]string
	Opaque json.RawMessage
	Extra  json.RawMessage
	Bytes  []byte
	plain  string
}

// Every text of an event is hidden, and nothing else of it is touched.
func TestHidden(t *testing.T) {
	b := New(nil)
	raw := json.RawMessage(`{"z":"` + key + `","a":"é <"}`)
	e := event{Title: "t " + key, Input: raw, List: []string{"a", key}, Inner: &event{Title: key}, Any: event{Title: key},
		Map: map[string]string{"k": key}, Opaque: raw, Extra: raw, Bytes: []byte(key), plain: key}
	got := Redacted(b, e)
	text := fmt.Sprint(got.Title, string(got.Input), got.List, got.Inner.Title, got.Any, got.Map)
	if strings.Contains(text, key) || strings.Count(text, "«secret:ghp#1»") != 6 {
		t.Error(text)
	}
	if string(got.Input) != `{"z":"«secret:ghp#1»","a":"é <"}` {
		t.Errorf("%s", got.Input)
	}
	if prose := Redacted(b, event{Opaque: json.RawMessage(`{"text":"x ` + key + `"}`)}); strings.Contains(string(prose.Opaque), key) {
		t.Errorf("%s", prose.Opaque)
	}
	if string(got.Opaque) != string(raw) || string(got.Extra) != string(raw) || string(got.Bytes) != key || got.plain != key {
		t.Errorf("%+v", got)
	}
	if e.Title != "t "+key || e.List[1] != key || e.Inner.Title != key || e.Map["k"] != key {
		t.Error("what was given has changed")
	}
	same := event{Title: "x", Input: json.RawMessage(`{"a": "\u00e9"}`)}
	if out := Redacted(b, same); string(out.Input) != `{"a": "\u00e9"}` {
		t.Errorf("%s", out.Input)
	}
	if out := Redacted(b, any(nil)); out != nil {
		t.Error(out)
	}
}

func TestManyAtOnce(t *testing.T) {
	b := New(nil)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 200 {
				text := fmt.Sprintf("%s%03d", key, i)
				name := b.Redact(text, "vault:/a")
				if back, _, err := b.Restore(quoted(name), []string{"content"}, ""); err != nil || string(back) != string(quoted(text)) {
					t.Errorf("%s %v", back, err)
				}
			}
		})
	}
	group.Wait()
}

// The beginning and the end of a secret that was cut are hidden without a number:
// there is nothing that could be put back.
func TestPieces(t *testing.T) {
	b := New(nil)
	for _, row := range []struct {
		in            string
		before, after bool
		want          string
	}{
		{"x " + key[:20], false, true, "x «secret:ghp»"},
		{"x " + key[:20], false, false, "x " + key[:20]},
		{key[15:] + " y", true, false, "«secret:cut» y"},
		{key[15:] + " y", false, false, key[15:] + " y"},
		{"words only", true, true, "words only"},
	} {
		if got := b.RedactPiece(row.in, row.before, row.after); got != row.want {
			t.Errorf("%q: %q, want %q", row.in, got, row.want)
		}
	}
}
