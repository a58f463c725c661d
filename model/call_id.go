package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// callID is the id under which a call is sent. The provider that gave an id
// gets it back unchanged; others get a plain one.
func (w *writer) callID(id string, same bool) string {
	sent := id
	switch {
	case id == "":
		w.invented++
		sent = fmt.Sprintf("call_%d", w.invented)
		if w.quirks[quirkCallIDs] {
			sent = fmt.Sprintf("call%05d", w.invented)
		}
		w.waiting = append(w.waiting, sent)
		return sent
	case w.quirks[quirkCallIDs]:
		if !nineID().MatchString(id) {
			sent = hashed(id)[:9]
		}
	case !same && !isPlainID(id):
		sent = "call_" + hashed(id)[:16]
	}
	w.note(quirkCallIDs)
	if n := len(w.here[id]); n > 0 { // an old log can have one id for two calls of an answer
		sent = fmt.Sprintf("call_%s", hashed(fmt.Sprint(id, n))[:16])
		if w.quirks[quirkCallIDs] {
			sent = hashed(fmt.Sprint(id, n))[:9]
		}
	}
	w.here[id] = append(w.here[id], sent)
	return sent
}

// newAnswer begins the calls of another answer.
func (w *writer) newAnswer() {
	w.waiting = w.waiting[:0]
	clear(w.here)
}

// resultID is the id of the call that a result answers. Its call is in the same
// group.
func (w *writer) resultID(m Message) string {
	if m.CallID == "" {
		id := w.waiting[0]
		w.waiting = w.waiting[1:]
		return id
	}
	here := w.here[m.CallID]
	w.here[m.CallID] = here[1:]
	return here[0]
}

var nineID = lazy.Regexp(`^[A-Za-z0-9]{9}$`)

func hashed(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}
