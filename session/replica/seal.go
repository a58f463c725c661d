package replica

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// chain is a value that follows from every line of a log up to one. Two logs with the same
// value at the same line are the same up to there, and nobody without the key can make one.
type chain [sha256.Size]byte

// note is what a record says beside its lines. It is for the machines of the person.
type note struct {
	ID    string            `json:"id,omitempty"`    // what the session is called; in the first record
	Files []string          `json:"files,omitempty"` // files beside the log that are stored since
	Subs  map[string]string `json:"subs,omitempty"`  // logs of sub-agents that there are since: folder to name on the server
	Blob  string            `json:"blob,omitempty"`  // where the lines are when they are too long for a message
}

// head is what is not sealed of a record. Nothing of it can be changed without the key.
type head struct {
	first, last int64 // the lines that are in it
	chain       chain // behind the last one
}

// record is one message: some lines of a log that follow each other.
type record struct {
	head
	note
	lines []byte // each with its newline
}

const (
	recordVersion = 1
	headBytes     = 1 + 8 + 8 + sha256.Size
)

// ErrForged says that what the server gave was not written with the key of the person, or is
// not what was written there.
var ErrForged = errors.New("the server gave something that was not written with your key")

// seal hides one log, and knows its own.
type seal struct {
	about string // what it is for: nothing of another log is taken
	aead  cipher.AEAD
	mac   []byte
}

func (k Key) seal(about string) *seal {
	block, err := aes.NewCipher(k.derive("seal", about))
	if err != nil { // only for lengths that are not ours
		panic(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return &seal{about, aead, k.derive("chain", about)}
}

// begin is the chain of a log without a line.
func (s *seal) begin() chain { return s.after(chain{}, []byte("begin")) }

// after is the chain behind one more line.
func (s *seal) after(c chain, line []byte) chain {
	mac := hmac.New(sha256.New, s.mac)
	mac.Write(c[:])
	mac.Write(line)
	return chain(mac.Sum(nil))
}

func (h head) encode() []byte {
	out := make([]byte, 0, headBytes)
	out = append(out, recordVersion)
	out = binary.BigEndian.AppendUint64(out, uint64(h.first))
	out = binary.BigEndian.AppendUint64(out, uint64(h.last))
	return append(out, h.chain[:]...)
}

func decodeHead(data []byte) (h head, err error) {
	if len(data) < headBytes {
		return head{}, ErrForged
	}
	if data[0] != recordVersion {
		return head{}, fmt.Errorf("what is on the server was written by a newer agent-sidecar (form %d)", data[0])
	}
	h.first = int64(binary.BigEndian.Uint64(data[1:]))
	h.last = int64(binary.BigEndian.Uint64(data[9:]))
	copy(h.chain[:], data[17:headBytes])
	if h.first < 1 || h.last < h.first {
		return head{}, ErrForged
	}
	return h, nil
}

// close is a record as it goes to the server.
func (s *seal) close(r record) ([]byte, error) {
	said, err := json.Marshal(r.note)
	if err != nil {
		return nil, err
	}
	plain := binary.AppendUvarint(nil, uint64(len(said)))
	plain = append(append(plain, said...), r.lines...)
	h := r.head.encode()
	return s.aead.Seal(h, nil, plain, s.bound(h)), nil
}

// open reads what close wrote.
func (s *seal) open(data []byte) (r record, err error) {
	if r.head, err = decodeHead(data); err != nil {
		return record{}, err
	}
	plain, err := s.aead.Open(nil, nil, data[headBytes:], s.bound(data[:headBytes]))
	if err != nil {
		return record{}, ErrForged
	}
	n, used := binary.Uvarint(plain)
	if used <= 0 || n > uint64(len(plain)-used) {
		return record{}, ErrForged
	}
	if err := json.Unmarshal(plain[used:used+int(n)], &r.note); err != nil {
		return record{}, ErrForged
	}
	r.lines = plain[used+int(n):]
	if r.Blob == "" && int64(bytes.Count(r.lines, []byte{'\n'})) != r.last-r.first+1 {
		return record{}, ErrForged
	}
	return r, nil
}

// bound is what belongs to sealed bytes without being in them.
func (s *seal) bound(h []byte) []byte { return append([]byte(s.about+"\x00"), h...) }

// closeBlob seals bytes under a name.
func (s *seal) closeBlob(name string, data []byte) []byte {
	return s.aead.Seal(nil, nil, data, []byte(s.about+"\x01"+name))
}

// openBlob reads what closeBlob wrote under that name.
func (s *seal) openBlob(name string, data []byte) ([]byte, error) {
	plain, err := s.aead.Open(nil, nil, data, []byte(s.about+"\x01"+name))
	if err != nil {
		return nil, ErrForged
	}
	return plain, nil
}
