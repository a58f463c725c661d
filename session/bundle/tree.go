package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// node is a JSON value that keeps the order of its members.
type node struct {
	kind byte   // '{', '[', '"', or 'v' for numbers, true, false, null
	text string // of a text its value, of 'v' as it is written
	keys []string
	list []*node
}

// parseNode reads one JSON value.
func parseNode(raw []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return readNode(d)
}

func readNode(d *json.Decoder) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		n := &node{kind: byte(t)}
		for d.More() {
			if t == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.keys = append(n.keys, fmt.Sprint(key))
			}
			item, err := readNode(d)
			if err != nil {
				return nil, err
			}
			n.list = append(n.list, item)
		}
		_, err := d.Token()
		return n, err
	case string:
		return &node{kind: '"', text: t}, nil
	case nil:
		return &node{kind: 'v', text: "null"}, nil
	default:
		return &node{kind: 'v', text: fmt.Sprint(t)}, nil
	}
}

// write writes the value on one line, as conversations have it. What a reader
// cannot see, or what moves a terminal's cursor, is written as an escape.
func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case '{', '[':
		b.WriteByte(n.kind)
		for i, item := range n.list {
			if i > 0 {
				b.WriteString(", ")
			}
			if n.kind == '{' {
				b.WriteString(quoted(n.keys[i]) + ": ")
			}
			item.write(b)
		}
		b.WriteByte(n.kind + 2) // } and ] come two behind { and [
	case '"':
		b.WriteString(quoted(n.text))
	default:
		b.WriteString(n.text)
	}
}

func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// quoted is a text in JSON without anything hidden.
func quoted(s string) string {
	raw, err := history.Marshal(s)
	if err != nil {
		return `""` // texts always encode
	}
	if control.Title(string(raw), 0) == string(raw) {
		return string(raw)
	}
	var b strings.Builder
	for _, r := range string(raw) {
		switch {
		case control.Title(string(r), 0) == string(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
