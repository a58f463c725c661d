package replica

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
)

// Key is what everything of a person is sealed with. Each machine of the person has the
// same one, and the server has none. A Key prints as nothing.
type Key struct{ secret []byte }

// keyBytes is the length of a key, in bytes.
const keyBytes = 32

// keyPrefix begins the text of a key, so that it is known for a secret wherever it is seen.
const keyPrefix = "agent-sidecar-sync-"

// NewKey makes a key that nobody has.
func NewKey() Key {
	secret := make([]byte, keyBytes)
	_, _ = rand.Read(secret) // never fails
	return Key{secret}
}

// Person is what everything of the one with the key is called on a server.
func (k Key) Person() string { return k.name("person") }

var keyText = base32.StdEncoding.WithPadding(base32.NoPadding)

// Text is the key to be stored and copied; ParseKey reads it.
func (k Key) Text() string {
	sum := sha256.Sum256(k.secret)
	return keyPrefix + strings.ToLower(keyText.EncodeToString(append(append([]byte{}, k.secret...), sum[:2]...)))
}

// String hides the key.
func (Key) String() string { return "(a key)" }

// GoString hides the key.
func (Key) GoString() string { return "(a key)" }

// ErrNoKey says that a text is no key, or one that was not copied completely.
var ErrNoKey = errors.New("this is no key that agent-sidecar made, or a part of it is missing")

// ParseKey reads what Text wrote, with blanks around it.
func ParseKey(text string) (Key, error) {
	coded, ok := strings.CutPrefix(strings.TrimSpace(text), keyPrefix)
	raw, err := keyText.DecodeString(strings.ToUpper(coded))
	if !ok || err != nil || len(raw) != keyBytes+2 {
		return Key{}, ErrNoKey
	}
	if sum := sha256.Sum256(raw[:keyBytes]); string(sum[:2]) != string(raw[keyBytes:]) {
		return Key{}, ErrNoKey
	}
	return Key{raw[:keyBytes]}, nil
}

// nameBytes is how much of a hash is a name on the server: nobody finds two things with the
// same one.
const nameBytes = 16

// name is what something is called on the server: it says nothing to anybody without the key.
func (k Key) name(parts ...string) string {
	mac := hmac.New(sha256.New, k.derive("names", ""))
	for _, p := range parts {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		mac.Write(length[:]) // so that no two lists of parts are one text
		mac.Write([]byte(p))
	}
	return hex.EncodeToString(mac.Sum(nil)[:nameBytes])
}

// derive is a key for one use and one thing.
func (k Key) derive(use, thing string) []byte {
	out, err := hkdf.Key(sha256.New, k.secret, []byte(thing), "agent-sidecar sync 1 "+use, keyBytes)
	if err != nil { // only for lengths that are not ours
		panic(err)
	}
	return out
}
