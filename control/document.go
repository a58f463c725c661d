package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
)

// maxConfigBytes bounds a configuration file (ruling 71): the parser is
// recursive, and a megabyte of "[" would end the process.
const maxConfigBytes = 256 << 10

// Diagnostic is something wrong in a configuration, with its place. Line and
// Column count from 1; 0 means no place.
type Diagnostic struct {
	Source   string // "config" or "inline"
	File     string // absolute, "" for inline
	Line     int
	Column   int
	Severity string // "error" or "warning"
	Message  string
}

// String is "file:line:column: message".
func (d Diagnostic) String() string {
	if d.Line == 0 {
		return d.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
}

// document is one parsed configuration: the values of known keys as JSON, and
// what is wrong with it.
type document struct {
	source      string
	text        []byte // without a byte order mark
	values      map[string]json.RawMessage
	at          map[string]int // offset of each value
	ruleAt      []int          // offset of each rule
	rules       []Rule
	servers     []MCPServer
	diagnostics []Diagnostic
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// errorPlace finds the place in hujson's errors.
var errorPlace = onFirstUse(`line (\d+), column (\d+): `)

// readDocument parses JSONC (control §8). An error means that nothing of it can
// be used; a wrong or unknown value is a diagnostic and the others hold.
func readDocument(source string, text []byte) (*document, error) {
	d := &document{source: source, values: map[string]json.RawMessage{}, at: map[string]int{}}
	root, err := parseJSONC(text)
	d.text = bytes.TrimPrefix(text, byteOrderMark)
	if err != nil {
		return d, err
	}
	if root.Value == nil {
		return d, nil
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return d, placed{1, 1, errors.New("the configuration must be an object")}
	}
	if err := d.walk("", object); err != nil {
		return d, err
	}
	return d, nil
}

// parseJSONC parses text; an empty one is the zero Value.
func parseJSONC(text []byte) (hujson.Value, error) {
	if len(text) > maxConfigBytes {
		return hujson.Value{}, placed{1, 1, fmt.Errorf("the configuration is larger than %d KiB", maxConfigBytes>>10)}
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(text)) == 0 {
		return hujson.Value{}, nil
	}
	if offset := tooDeep(text); offset >= 0 {
		d := document{text: text}
		line, column := d.place(offset)
		return hujson.Value{}, placed{line, column, fmt.Errorf("the configuration is nested more than %d deep", maxConfigDepth)}
	}
	root, err := hujson.Parse(text)
	if err == nil {
		return root, nil
	}
	msg := strings.TrimPrefix(err.Error(), "hujson: ")
	p := placed{1, 1, errors.New(msg)}
	if m := errorPlace().FindStringSubmatch(msg); m != nil {
		p.line, _ = strconv.Atoi(m[1])   // digits by the expression
		p.column, _ = strconv.Atoi(m[2]) // digits by the expression
		p.err = errors.New(strings.Replace(msg, m[0], "", 1))
	}
	return hujson.Value{}, p
}

// maxConfigDepth is far beyond any real configuration, and keeps the parser, whose
// errors on deep nesting take seconds, from being asked.
const maxConfigDepth = 100

// tooDeep finds where brackets outside of strings and comments are nested too
// deep, -1 when they are not.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			rest := text[i:]
			if end := bytes.IndexByte(rest, '\n'); bytes.HasPrefix(rest, []byte("//")) && end >= 0 {
				i += end
			} else if end := bytes.Index(rest, []byte("*/")); bytes.HasPrefix(rest, []byte("/*")) && end > 0 {
				i += end + 1
			}
		case '[', '{':
			if depth++; depth > maxConfigDepth {
				return i
			}
		case ']', '}':
			depth--
		}
	}
	return -1
}

// placed is an error at a place.
type placed struct {
	line, column int
	err          error
}

func (p placed) Error() string { return fmt.Sprintf("line %d, column %d: %v", p.line, p.column, p.err) }
func (p placed) Unwrap() error { return p.err }

func (d *document) place(offset int) (line, column int) {
	offset = min(offset, len(d.text))
	return 1 + bytes.Count(d.text[:offset], []byte("\n")), offset - bytes.LastIndexByte(d.text[:offset], '\n')
}

func (d *document) say(severity string, offset int, format string, args ...any) {
	line, column := d.place(offset)
	d.diagnostics = append(d.diagnostics, Diagnostic{Source: d.source, Line: line, Column: column, Severity: severity, Message: fmt.Sprintf(format, args...)})
}

// walk takes known keys and warns about the others. A name given twice is an
// error: readers would not agree on which one counts.
func (d *document) walk(prefix string, object *hujson.Object) error {
	seen := map[string]bool{}
	for i := range object.Members {
		m := &object.Members[i]
		name := m.Name.Value.(hujson.Literal).String()
		path := prefix + name
		if seen[name] {
			line, column := d.place(m.Name.StartOffset)
			return placed{line, column, fmt.Errorf("%q is given twice", path)}
		}
		seen[name] = true
		if key := keyByPath[path]; key != nil {
			d.take(key, &m.Value)
			continue
		}
		inner, isObject := m.Value.Value.(*hujson.Object)
		switch {
		case isPrefix(path) && isObject:
			if err := d.walk(path+".", inner); err != nil {
				return err
			}
		case isPrefix(path):
			d.say("error", m.Value.StartOffset, "%s must be an object; it is ignored", path)
		case d.source == "inline" && prefix == "" && name == "agentSidecar":
			// The protocol's own member, not configuration.
		default:
			d.say("warning", m.Name.StartOffset, "unknown key %q", path)
		}
	}
	return nil
}

func isPrefix(path string) bool {
	for i := range Keys {
		if strings.HasPrefix(Keys[i].Path, path+".") {
			return true
		}
	}
	return false
}

func (d *document) take(key *Key, v *hujson.Value) {
	clean := v.Clone()
	clean.Standardize()
	raw := json.RawMessage(bytes.TrimSpace(clean.Pack()))
	if string(raw) == "null" {
		return // as if it were not there
	}
	if err := key.check(raw); err != nil {
		d.say("error", v.StartOffset, "%s %v; it is ignored", key.Path, err)
		return
	}
	d.values[key.Path], d.at[key.Path] = raw, v.StartOffset
	switch {
	case key.kind == kindRules:
		d.takeRules(v)
	case key.Path == "mcp":
		d.takeServers(v)
	}
}

// takeRules decodes rules one by one: a broken one counts as ask for its domain
// (control §1), so it is kept as far as it can be read.
func (d *document) takeRules(v *hujson.Value) {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return
	}
	for i := range list.Elements {
		e := list.Elements[i].Clone()
		e.Standardize()
		var r Rule
		if err := jsonexp.Unmarshal(e.Pack(), &r); err != nil {
			d.say("error", list.Elements[i].StartOffset, "the rule cannot be read: %v", err)
			r.Decision = "unreadable"
		}
		d.rules = append(d.rules, r)
		d.ruleAt = append(d.ruleAt, list.Elements[i].StartOffset)
	}
}

// check says whether a value fits the key.
func (k *Key) check(raw json.RawMessage) error {
	switch k.kind {
	case kindInt, kindNumber:
		var n float64
		if json.Unmarshal(raw, &n) != nil {
			return errors.New("must be a number")
		}
		if k.kind == kindInt && (n != math.Trunc(n) || math.Abs(n) > 1<<53) {
			return errors.New("must be a whole number")
		}
		if n < k.min {
			return fmt.Errorf("must be at least %v", k.min)
		}
	case kindBool:
		if json.Unmarshal(raw, new(bool)) != nil {
			return errors.New("must be true or false")
		}
	case kindString:
		if json.Unmarshal(raw, new(string)) != nil {
			return errors.New("must be a text")
		}
		return k.checkWord(raw)
	case kindStrings:
		if json.Unmarshal(raw, new([]string)) != nil {
			return errors.New("must be a list of texts")
		}
	case kindObject:
		if raw[0] != '{' {
			return errors.New("must be an object")
		}
	case kindRules:
		if raw[0] != '[' {
			return errors.New("must be a list of rules")
		}
	}
	return nil
}

// checkWord refuses words that are not among the ones the key knows.
func (k *Key) checkWord(raw json.RawMessage) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	var allowed []string
	switch strings.TrimPrefix(k.Path, runtimePath) {
	case "mode.default":
		if s == "full_access" {
			return errors.New("cannot be full_access: it is given to one session, by a person")
		}
		allowed = []string{"agent"}
	case "edit.outside":
		allowed = []string{"deny", "ask"}
	case "sandbox.mode":
		allowed = []string{"auto", "off"}
	case "systemPrompt.mode":
		allowed = []string{"default", "custom"}
	default:
		return nil
	}
	for _, a := range allowed {
		if a == s {
			return nil
		}
	}
	return fmt.Errorf("must be one of: %s", strings.Join(allowed, ", "))
}
