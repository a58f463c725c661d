package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// AddAlways stores the rules of an answer of `always` in the user's file, at the
// end of permission.rules, and works at once in every session. A rule that
// is there already is not added again.
func (s *Store) AddAlways(rules ...control.Rule) error {
	return s.edit("store the rule", func(text []byte) ([]byte, error) {
		doc, err := readDocument("config", text)
		if err != nil {
			return nil, err
		}
		for _, r := range rules {
			r.By = "always"
			if slices.Contains(doc.rules, r) {
				continue
			}
			if text, err = appendJSON(text, runtimePath+"permission.rules", r); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

// TrustWorkspace remembers that a person trusts the folder.
func (s *Store) TrustWorkspace(root string) error {
	return s.remember("trust.workspaces", filepath.Clean(root))
}

// AcceptInline remembers that a person said yes to exactly this inline text. The
// hash must be the current one, so that a late yes opens nothing else.
func (s *Store) AcceptInline(hash string) error {
	if current := s.Settings().InlineHash; hash == "" || hash != current {
		return errors.New("the editor's configuration has changed since it was asked about")
	}
	return s.remember("trust.inline", hash)
}

func (s *Store) remember(path, word string) error {
	return s.edit("store the answer", func(text []byte) ([]byte, error) {
		doc, err := readDocument("config", text)
		if err != nil {
			return nil, err
		}
		var have []string
		if raw := doc.values[path]; raw != nil && json.Unmarshal(raw, &have) != nil {
			return nil, fmt.Errorf("%s is not a list of strings", path)
		}
		if slices.Contains(have, word) {
			return text, nil
		}
		return appendJSON(text, path, word)
	})
}

// splice is a place in a text where something is put.
type splice struct {
	from, to int
	text     string
}

// edited parses text and does to it what f says about its root object. Splices
// are in order and do not overlap; every byte outside of them stays, the byte
// order mark too.
func edited(text []byte, f func(body []byte, root *hujson.Value) ([]splice, error)) ([]byte, error) {
	body, mark := bytes.CutPrefix(text, byteOrderMark)
	value, err := parseJSONC(body)
	if err != nil {
		return nil, err
	}
	if value.Value == nil { // nothing, or only white space
		body = []byte("{}\n")
		if value, err = parseJSONC(body); err != nil {
			return nil, err
		}
	}
	if _, ok := value.Value.(*hujson.Object); !ok {
		return nil, errors.New("the configuration must be an object")
	}
	splices, err := f(body, &value)
	if err != nil {
		return nil, err
	}
	var out []byte
	if mark {
		out = slices.Clone(byteOrderMark)
	}
	at := 0
	for _, e := range splices {
		out = append(append(out, body[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, body[at:]...), nil
}

// setJSON puts a value at a dotted path, making the objects on the way.
func setJSON(text []byte, path string, raw json.RawMessage) ([]byte, error) {
	return edited(text, func(body []byte, root *hujson.Value) ([]splice, error) {
		e, err := setIn(body, root, strings.Split(path, "."), raw)
		return []splice{e}, err
	})
}

func setIn(body []byte, at *hujson.Value, names []string, raw json.RawMessage) (splice, error) {
	object, ok := at.Value.(*hujson.Object)
	if !ok {
		return splice{}, fmt.Errorf("the parent of %q is not an object", names[0])
	}
	if next := member(object, names[0]); next != nil {
		if len(names) > 1 && !isNull(next) {
			return setIn(body, next, names[1:], raw)
		}
		return splice{next.StartOffset, next.EndOffset, string(nested(names[1:], raw))}, nil
	}
	item := quoteJSON(names[0]) + ": " + string(nested(names[1:], raw))
	if n := len(object.Members); n > 0 {
		last := &object.Members[n-1]
		return after(body, last.Name.StartOffset, last.Value.EndOffset, item), nil
	}
	return firstIn(body, at.StartOffset, item), nil
}

// nested is a value inside the objects that are missing.
func nested(names []string, raw json.RawMessage) json.RawMessage {
	for _, name := range slices.Backward(names) {
		raw = json.RawMessage(`{` + quoteJSON(name) + `: ` + string(raw) + `}`)
	}
	return raw
}

// isNull says that a value is null, which counts as absent.
func isNull(v *hujson.Value) bool {
	literal, ok := v.Value.(hujson.Literal)
	return ok && string(literal) == "null"
}

// appendJSON adds an element to the list at a dotted path.
func appendJSON(text []byte, path string, v any) ([]byte, error) {
	raw, err := tool.CompactJSON(v)
	if err != nil {
		return nil, err
	}
	names := strings.Split(path, ".")
	return edited(text, func(body []byte, root *hujson.Value) ([]splice, error) {
		at := root
		for _, name := range names {
			object, ok := at.Value.(*hujson.Object)
			if !ok {
				return nil, fmt.Errorf("the parent of %q is not an object", name)
			}
			if at = member(object, name); at == nil || isNull(at) {
				e, err := setIn(body, root, names, json.RawMessage("["+string(raw)+"]"))
				return []splice{e}, err
			}
		}
		array, ok := at.Value.(*hujson.Array)
		if !ok {
			return nil, fmt.Errorf("%s is not a list", path)
		}
		if n := len(array.Elements); n > 0 {
			last := &array.Elements[n-1]
			return []splice{after(body, last.StartOffset, last.EndOffset, string(raw))}, nil
		}
		return []splice{firstIn(body, at.StartOffset, string(raw))}, nil
	})
}

// removeJSON takes a member out, with the comma that belongs to it and the line
// that was its own. Comments stay. What is not there is removed already.
func removeJSON(text []byte, path string) ([]byte, error) {
	return edited(text, func(body []byte, root *hujson.Value) ([]splice, error) {
		names := strings.Split(path, ".")
		object, _ := root.Value.(*hujson.Object)
		for _, name := range names[:len(names)-1] {
			next := member(object, name)
			if next == nil {
				return nil, nil
			}
			if object, _ = next.Value.(*hujson.Object); object == nil {
				return nil, nil
			}
		}
		for i := range object.Members {
			if object.Members[i].Name.Value.(hujson.Literal).String() == names[len(names)-1] {
				var before *hujson.Value
				if i > 0 {
					before = &object.Members[i-1].Value
				}
				m := &object.Members[i]
				return without(body, m.Name.StartOffset, &m.Value, before, i+1 == len(object.Members)), nil
			}
		}
		return nil, nil
	})
}

// without cuts out the item of a list or an object that begins at from and ends
// with v: the comma behind it goes too, and where there is none, the one behind
// the item before it (nil for the first).
func without(body []byte, from int, v, before *hujson.Value, last bool) []splice {
	item := splice{from: from, to: v.EndOffset}
	comma := item.to + len(v.AfterExtra)
	behind := !last || v.AfterExtra != nil // hujson's sign for a trailing one
	switch {
	case behind && comma == item.to:
		item.to++
		return []splice{ownLine(body, withBlanks(body, item))}
	case behind: // a comment is between
		return []splice{withBlanks(body, item), {from: comma, to: comma + 1}}
	case before != nil:
		comma = before.EndOffset + len(before.AfterExtra)
		if len(bytes.Trim(body[comma+1:item.from], " \t")) == 0 {
			return []splice{{from: comma, to: item.to}}
		}
		return []splice{{from: comma, to: comma + 1}, ownLine(body, item)}
	}
	return []splice{ownLine(body, item)}
}

// withBlanks takes in the blanks behind e that are between it and what follows.
func withBlanks(body []byte, e splice) splice {
	e.to += len(body[e.to:]) - len(bytes.TrimLeft(body[e.to:], " \t"))
	return e
}

// ownLine takes in the line, with its end, of which e is all.
func ownLine(body []byte, e splice) splice {
	indent, own := indentAt(body, e.from)
	end := bytes.IndexByte(body[e.to:], '\n')
	start := e.from - len(indent)
	if !own || start == 0 || end < 0 || len(bytes.TrimSpace(body[e.to:e.to+end])) > 0 {
		return e
	}
	return splice{start, e.to + end + 1, e.text}
}

func member(object *hujson.Object, name string) *hujson.Value {
	if object == nil {
		return nil
	}
	for i := range object.Members {
		if object.Members[i].Name.Value.(hujson.Literal).String() == name {
			return &object.Members[i].Value
		}
	}
	return nil
}

// after puts an item behind the last one of a list, on a line of its own where
// that one has a line of its own.
func after(body []byte, start, end int, item string) splice {
	indent, own := indentAt(body, start)
	if !own {
		return splice{end, end, ", " + item}
	}
	// What is behind the last item on its line is a comment about it.
	m := restOfLine().FindSubmatchIndex(body[end:])
	if m == nil {
		return splice{end, end, "," + newline(body) + indent + item}
	}
	item = newline(body) + indent + item
	if m[2] >= 0 { // there is a comma, which then the new item has, too
		return splice{end + m[1], end + m[1], item + ","}
	}
	return splice{end, end + m[1], "," + string(body[end:end+m[1]]) + item}
}

// restOfLine is a comma and a comment, up to the end of the line.
var restOfLine = lazy.Regexp(`^[ \t]*(,)?[ \t]*(?://[^\r\n]*|/\*[^\r\n*]*\*/)?`)

// firstIn puts an item into an empty object or list that opens at open.
func firstIn(body []byte, open int, item string) splice {
	if rest := body[open+1:]; len(bytes.TrimLeft(rest, " \t")) > 0 && bytes.TrimLeft(rest, " \t\r")[0] == '\n' {
		indent, _ := indentAt(body, open)
		return splice{open + 1, open + 1, newline(body) + indent + "  " + item}
	}
	return splice{open + 1, open + 1, item}
}

// indentAt is the white space before offset; own says that nothing else stands
// before it on its line.
func indentAt(body []byte, offset int) (indent string, own bool) {
	line := body[bytes.LastIndexByte(body[:offset], '\n')+1 : offset]
	blank := len(line) - len(bytes.TrimLeft(line, " \t"))
	return string(line[:blank]), blank == len(line)
}

func newline(body []byte) string {
	if bytes.Contains(body, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

func quoteJSON(s string) string {
	raw, err := tool.CompactJSON(s)
	if err != nil { // a string always encodes
		return `""`
	}
	return string(raw)
}
