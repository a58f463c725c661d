package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// autoAllow is the key whose default depends on when a home began.
const autoAllow = runtimePath + "sandbox.autoAllow"

// Begin notes in <home>/autoallow that a home which no session has used begins with the
// default of sandbox.autoAllow. It comes before anything else is written there. Where it
// cannot be kept, the home counts later as one from before that default.
func Begin(disk *durable.Disk, home string) {
	wide := defaultOf(autoAllow)
	if wide == keyByPath[autoAllow].narrowest || begunWith(home) != "" || used(home) {
		return
	}
	// Not synced: the first answer of a server waits for this.
	if disk.Do(durable.OpMkdir, home, func() error { return os.MkdirAll(home, 0o700) }) == nil {
		_ = disk.WriteCache(begunFile(home), []byte(wide+"\n"), 0o600)
	}
}

func begunFile(home string) string { return filepath.Join(home, "autoallow") }

// begunWith is the word in <home>/autoallow, "" where there is no such file, and where a
// power cut has left something else in it.
func begunWith(home string) string {
	text, err := durable.ReadFile(begunFile(home), 100)
	word := strings.TrimSpace(string(text))
	if err != nil || keyByPath[autoAllow].checkWord(word) != nil {
		return ""
	}
	return word
}

// used says that there have been sessions in a home.
func used(home string) bool {
	for _, name := range []string{"sessions", filepath.Join("logs", "agent-audit")} {
		if _, err := os.Lstat(filepath.Join(home, name)); !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// homeDefault is what holds in a home where nobody has set sandbox.autoAllow; asks says
// that this is to be asked once, because the home was used when the default was another.
// What was used is looked at first: Begin comes before that in every process.
func homeDefault(home string) (word string, asks bool) {
	key, wide, old := keyByPath[autoAllow], defaultOf(autoAllow), used(home)
	switch begun := begunWith(home); {
	case begun == wide, wide == key.narrowest, begun == "" && !old:
		return wide, false
	case begun == "":
		return key.narrowest, true
	}
	return key.narrowest, false
}

// defaultOf is the default of a key that is a text.
func defaultOf(path string) string {
	word, _ := keyByPath[path].Default.(string)
	return word
}

// defaultsHere are the defaults of this home.
func (s *Store) defaultsHere() effective {
	e := defaults()
	if raw, err := json.Marshal(s.unasked.word); err == nil { // a text always encodes
		e.values[autoAllow] = raw
	}
	return e
}

// AnswerUnasked stores a person's answer to the question whether commands may run in the
// sandbox without being asked about. A yes is refused where nobody is asked, or where
// the key has been set since: the person's own hand counts.
func (s *Store) AnswerUnasked(yes bool) error {
	if !yes {
		return s.Set(autoAllow, json.RawMessage(quoteJSON(keyByPath[autoAllow].narrowest)))
	}
	if !s.Settings().UnaskedOpen {
		return errAnswered
	}
	return s.edit("store the answer", func(text []byte) ([]byte, error) {
		doc, err := readDocument("config", text)
		if err != nil {
			return nil, err
		}
		if doc.values[autoAllow] != nil || doc.unread != "" {
			return nil, errAnswered
		}
		return setJSON(text, autoAllow, json.RawMessage(quoteJSON(defaultOf(autoAllow))))
	})
}

var errAnswered = errors.New("sandbox.autoAllow has been set since it was asked about")
