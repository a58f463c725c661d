package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// AddAlways stores the rules of an answer of `always` in the user's file, at the
// end of permission.rules, and works at once in every session (control §3). A
// rule that stands there already is not added again.
func (s *Store) AddAlways(rules ...Rule) error {
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

// TrustWorkspace remembers that a person trusts the folder (ruling 84).
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
			return nil, fmt.Errorf("%s is not a list of texts", path)
		}
		if slices.Contains(have, word) {
			return text, nil
		}
		return appendJSON(text, path, word)
	})
}

// Set writes one key of the user's file (ruling 58), or with a nil value takes
// it out. Unknown keys, values that do not fit, and the keys of permission and
// trust are refused.
func (s *Store) Set(path string, value any) error {
	key := keyByPath[path]
	switch {
	case key == nil:
		return fmt.Errorf("set %s: there is no such key", path)
	case key.kind == kindRules || strings.HasPrefix(path, "trust."):
		return fmt.Errorf("set %s: it is only written by a person's answer", path)
	case value == nil:
		return s.edit("reset "+path, func(text []byte) ([]byte, error) { return removeJSON(text, path) })
	}
	raw, err := compactJSON(value)
	if err != nil {
		return fmt.Errorf("set %s: %w", path, err)
	}
	if err := key.check(raw); err != nil {
		return fmt.Errorf("set %s: it %w", path, err)
	}
	return s.edit("set "+path, func(text []byte) ([]byte, error) { return setJSON(text, path, raw) })
}

// compactJSON encodes without escaping <, > and &.
func compactJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// splice is a place in a text where something is put.
type splice struct {
	from, to int
	text     string
}

func (e splice) apply(text []byte) []byte {
	return slices.Concat(text[:e.from], []byte(e.text), text[e.to:])
}

// edited parses text and hands its root object to f. The byte order mark stays.
func edited(text []byte, f func(body []byte, root *hujson.Object) (splice, error)) ([]byte, error) {
	body, mark := bytes.CutPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}\n")
	}
	value, err := parseJSONC(body)
	if err != nil {
		return nil, err
	}
	root, ok := value.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("the configuration must be an object")
	}
	// Offsets of a literal parse are relative to body.
	e, err := f(body, root)
	if err != nil {
		return nil, err
	}
	out := e.apply(body)
	if mark {
		out = append(slices.Clone(byteOrderMark), out...)
	}
	return out, nil
}

// setJSON puts a value at a dotted path, making the objects on the way.
func setJSON(text []byte, path string, raw json.RawMessage) ([]byte, error) {
	return edited(text, func(body []byte, root *hujson.Object) (splice, error) {
		return setIn(body, root, 0, strings.Split(path, "."), raw)
	})
}

func setIn(body []byte, object *hujson.Object, open int, names []string, raw json.RawMessage) (splice, error) {
	if open == 0 {
		open = bytes.IndexByte(body, '{')
		if i := objectStart(body); i >= 0 {
			open = i
		}
	}
	for i := range object.Members {
		m := &object.Members[i]
		if m.Name.Value.(hujson.Literal).String() != names[0] {
			continue
		}
		if len(names) == 1 {
			return splice{m.Value.StartOffset, m.Value.EndOffset, string(raw)}, nil
		}
		inner, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			return splice{}, fmt.Errorf("%q is not an object", names[0])
		}
		return setIn(body, inner, m.Value.StartOffset, names[1:], raw)
	}
	for i := len(names) - 1; i > 0; i-- { // the objects that are missing
		raw = json.RawMessage(`{` + quoteJSON(names[i]) + `: ` + string(raw) + `}`)
	}
	item := quoteJSON(names[0]) + ": " + string(raw)
	if n := len(object.Members); n > 0 {
		last := &object.Members[n-1]
		return after(body, last.Name.StartOffset, last.Value.EndOffset, item), nil
	}
	return firstIn(body, open, item), nil
}

// appendJSON adds an element to the list at a dotted path.
func appendJSON(text []byte, path string, v any) ([]byte, error) {
	raw, err := compactJSON(v)
	if err != nil {
		return nil, err
	}
	names := strings.Split(path, ".")
	value, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	object, _ := value.Value.(*hujson.Object)
	for i, name := range names {
		next := member(object, name)
		if next == nil || string(bytes.TrimSpace(next.Pack())) == "null" {
			return setJSON(text, path, json.RawMessage("["+string(raw)+"]"))
		}
		if i < len(names)-1 {
			object, _ = next.Value.(*hujson.Object)
			continue
		}
		if _, ok := next.Value.(*hujson.Array); !ok {
			return nil, fmt.Errorf("%s is not a list", path)
		}
	}
	return edited(text, func(body []byte, root *hujson.Object) (splice, error) {
		at := root
		for _, name := range names[:len(names)-1] {
			at = member(at, name).Value.(*hujson.Object)
		}
		list := member(at, names[len(names)-1])
		array := list.Value.(*hujson.Array)
		if n := len(array.Elements); n > 0 {
			last := &array.Elements[n-1]
			return after(body, last.StartOffset, last.EndOffset, string(raw)), nil
		}
		return firstIn(body, list.StartOffset, string(raw)), nil
	})
}

// removeJSON takes a member out, with the comma that belongs to it. Comments
// stay. What is not there is removed already.
func removeJSON(text []byte, path string) ([]byte, error) {
	return edited(text, func(body []byte, root *hujson.Object) (splice, error) {
		names := strings.Split(path, ".")
		object := root
		for _, name := range names[:len(names)-1] {
			next := member(object, name)
			if next == nil {
				return splice{}, nil
			}
			if object, _ = next.Value.(*hujson.Object); object == nil {
				return splice{}, nil
			}
		}
		for i := range object.Members {
			m := &object.Members[i]
			if m.Name.Value.(hujson.Literal).String() != names[len(names)-1] {
				continue
			}
			end := m.Value.EndOffset
			if rest := body[end:]; i+1 < len(object.Members) || object.Members[i].Value.AfterExtra != nil {
				if comma := bytes.IndexByte(rest, ','); comma >= 0 && len(bytes.TrimSpace(rest[:comma])) == 0 {
					return splice{m.Name.StartOffset, end + comma + 1, ""}, nil
				}
			}
			// The last member: the comma before it may stay, JSONC allows it.
			return splice{m.Name.StartOffset, end, ""}, nil
		}
		return splice{}, nil
	})
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

// objectStart is the offset of the root's brace: comments before it may hold one.
func objectStart(body []byte) int {
	value, err := hujson.Parse(body)
	if err != nil {
		return -1
	}
	return value.StartOffset
}

// after puts an item behind the last one of a list, on a line of its own where
// that one has a line of its own.
func after(body []byte, start, end int, item string) splice {
	indent, own := indentAt(body, start)
	if !own {
		return splice{end, end, ", " + item}
	}
	// What stands behind the last item on its line is a comment about it.
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
var restOfLine = onFirstUse(`^[ \t]*(,)?[ \t]*(?://[^\r\n]*|/\*[^\r\n*]*\*/)?`)

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
	raw, err := compactJSON(s)
	if err != nil { // a string always encodes
		return `""`
	}
	return string(raw)
}
