package testclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// node is a JSON value whose members keep their order, so that a golden line
// reads as the server wrote it.
type node struct {
	kind byte // '{', '[', '"' or 'v' for numbers, true, false, null
	text string
	keys []string
	list []*node
}

func parseNode(raw []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	n, err := readNode(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON value")
	}
	return n, nil
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
				n.keys = append(n.keys, key.(string))
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
	case json.Number:
		return &node{kind: 'v', text: t.String()}, nil
	case bool:
		if t {
			return &node{kind: 'v', text: "true"}, nil
		}
		return &node{kind: 'v', text: "false"}, nil
	default:
		return &node{kind: 'v', text: "null"}, nil
	}
}

// get is the member at the path, or nil.
func (n *node) get(path ...string) *node {
	for _, key := range path {
		if n == nil || n.kind != '{' {
			return nil
		}
		var found *node
		for i, k := range n.keys {
			if k == key {
				found = n.list[i]
			}
		}
		n = found
	}
	return n
}

// str is the string at the path, or "".
func (n *node) str(path ...string) string {
	if m := n.get(path...); m != nil && m.kind == '"' {
		return m.text
	}
	return ""
}

// String is one line of JSON with a blank after commas and colons.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case '"':
		b.WriteString(quoteJSON(n.text))
	case 'v':
		b.WriteString(n.text)
	default:
		b.WriteByte(n.kind)
		for i, item := range n.list {
			if i > 0 {
				b.WriteString(", ")
			}
			if n.kind == '{' {
				b.WriteString(quoteJSON(n.keys[i]))
				b.WriteString(": ")
			}
			item.write(b)
		}
		b.WriteByte(n.kind + 2) // '{'+2 is '}', '['+2 is ']'
	}
}

func quoteJSON(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return "null" // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// respace gives one line of JSON in the form of String, and anything else as it
// is.
func respace(text string) string {
	n, err := parseNode([]byte(text))
	if err != nil {
		return text
	}
	return n.String()
}

// respaceLine puts the JSON at the end of an arrow line in the usual form.
func respaceLine(line string) string {
	line = strings.TrimRight(line, " \t")
	at := strings.IndexAny(line, "{[")
	if at < 0 {
		return line
	}
	// An id may contain a brace; the JSON is what parses up to the end.
	for i := at; i >= 0 && i < len(line); {
		if n, err := parseNode([]byte(line[i:])); err == nil {
			return line[:i] + n.String()
		}
		next := strings.IndexAny(line[i+1:], "{[")
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return line
}
