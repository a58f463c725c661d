package replica

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func sealed(t *testing.T) (Key, *seal, record) {
	t.Helper()
	k := NewKey()
	s := k.seal("w.log.a")
	lines := []byte("one\ntwo\n")
	end := s.after(s.after(s.begin(), []byte("one")), []byte("two"))
	return k, s, record{head{1, 2, end}, note{ID: "0001", Files: []string{"blobs/x"}, Subs: map[string]string{"1": "n"}}, lines}
}

// What is sealed comes back as it was, and nothing of it is in the bytes.
func TestSeal(t *testing.T) {
	_, s, r := sealed(t)
	data, err := s.close(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.open(data)
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v %v", got, err)
	}
	for _, word := range []string{"one", "two", "0001", "blobs"} {
		if strings.Contains(string(data), word) {
			t.Errorf("%q can be read", word)
		}
	}
	again, err := s.close(r)
	if err != nil || string(again) == string(data) {
		t.Errorf("the same twice is the same bytes twice: %v", err)
	}
}

// Nothing that a server could do to a message goes unnoticed: no byte of it can be another
// one, nothing can be cut off or added, and it cannot be given for another log.
func TestForged(t *testing.T) {
	k, s, r := sealed(t)
	data, err := s.close(r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := append([]byte{}, data...)
		bad[i] ^= 1
		if _, err := s.open(bad); err == nil || i > 0 && !errors.Is(err, ErrForged) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	for what, open := range map[string]func() error{
		"shorter":        func() error { _, err := s.open(data[:len(data)-1]); return err },
		"only the head":  func() error { _, err := s.open(data[:headBytes]); return err },
		"nothing":        func() error { _, err := s.open(nil); return err },
		"longer":         func() error { _, err := s.open(append(append([]byte{}, data...), 0)); return err },
		"another log":    func() error { _, err := k.seal("w.log.b").open(data); return err },
		"another key":    func() error { _, err := NewKey().seal("w.log.a").open(data); return err },
		"as a blob":      func() error { _, err := s.openBlob("", data); return err },
		"a blob renamed": func() error { _, err := s.openBlob("b", s.closeBlob("a", []byte("x"))); return err },
	} {
		if err := open(); !errors.Is(err, ErrForged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	fewer := r
	fewer.lines = []byte("one\n")
	if data, err = s.close(fewer); err != nil {
		t.Fatal(err)
	}
	if _, err := s.open(data); !errors.Is(err, ErrForged) {
		t.Errorf("fewer lines than it says: %v", err)
	}
}

// The chain tells apart every two logs, and two sessions with the same lines.
func TestChain(t *testing.T) {
	k := NewKey()
	seen := map[chain]string{}
	for _, about := range []string{"a", "b"} {
		s := k.seal(about)
		for _, log := range []string{"", "x", "y", "x\ny", "y\nx", "xy", "x\n", "\nx"} {
			at := s.begin()
			if log != "" {
				for line := range strings.SplitSeq(log, "\n") {
					at = s.after(at, []byte(line))
				}
			}
			if other, ok := seen[at]; ok {
				t.Errorf("%s %q is %s", about, log, other)
			}
			seen[at] = about + " " + log
		}
	}
}

// A key is read as it was written, with blanks around it; one that was copied wrong is no key.
func TestKeyText(t *testing.T) {
	k := NewKey()
	for _, text := range []string{k.Text(), " " + k.Text() + "\n"} {
		if got, err := ParseKey(text); err != nil || !reflect.DeepEqual(got, k) {
			t.Errorf("%v", err)
		}
	}
	for i := range k.Text() {
		text := k.Text()[:i] + "0" + k.Text()[i+1:]
		if _, err := ParseKey(text); !errors.Is(err, ErrNoKey) {
			t.Errorf("the character %d is another one: %v", i, err)
		}
	}
	for _, text := range []string{"", k.Text()[:20], k.Text() + "a", strings.TrimPrefix(k.Text(), keyPrefix)} {
		if _, err := ParseKey(text); !errors.Is(err, ErrNoKey) {
			t.Errorf("%d characters: %v", len(text), err)
		}
	}
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(form, k); got != "(a key)" {
			t.Errorf("%s prints %d characters", form, len(got))
		}
	}
}

// A name says nothing without the key, and two lists of words have two names.
func TestNames(t *testing.T) {
	k := NewKey()
	seen := map[string]bool{}
	for _, words := range [][]string{{"a"}, {"a", ""}, {"", "a"}, {"a", "b"}, {"ab"}, {"a\x00b"}} {
		n := k.name(words...)
		if seen[n] || len(n) != 2*nameBytes || n != k.name(words...) || n == NewKey().name(words...) {
			t.Errorf("%q is %s", words, n)
		}
		seen[n] = true
	}
}
