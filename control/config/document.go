package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// maxBytes bounds a configuration file: the parser is recursive, and a
// megabyte of "[" would end the process.
const maxBytes = 256 << 10

// Diagnostic is something wrong in a configuration, with its place. Line and
// Column count from 1, columns in characters; 0 means no place.
type Diagnostic struct {
	Source   string // "config" or "inline"
	File     string // absolute, "" for inline
	Line     int
	Column   int
	Lead     string // what is before it on its line, for editors that count otherwise
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
	source      string // "config", "inline" or argumentsSource
	file        string // absolute, "" for inline
	text        []byte // without a byte order mark
	values      map[string]json.RawMessage
	at          map[string]int // offset of each value
	ruleAt      []int          // offset of each rule
	rules       []control.Rule
	servers     []MCPServer
	search      *WebSearch
	runners     []Runner
	sync        *Sync
	network     *Network
	hooks       map[string][]Hook
	profiles    map[string]Profile
	sources     map[string]Source // where values of the command line are; nil: at is that
	unread      string            // a key that restricts and cannot be read, "" for none
	diagnostics []Diagnostic
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func tooLarge() error {
	return placed{1, 1, "", fmt.Errorf("the configuration is larger than %d KiB", maxBytes>>10)}
}

// errorPlace finds the place in hujson's errors.
var errorPlace = lazy.Regexp(`line (\d+), column (\d+): `)

// readDocument parses JSONC. An error means that nothing of it can be used; a
// wrong or unknown value is a diagnostic and the others hold.
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
		return d, d.placed(0, errors.New("the configuration must be an object"))
	}
	if err := d.walk("", object); err != nil {
		return d, err
	}
	return d, nil
}

// parseJSONC parses text; an empty one is the zero Value.
func parseJSONC(text []byte) (hujson.Value, error) {
	if len(text) > maxBytes {
		return hujson.Value{}, tooLarge()
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(text)) == 0 {
		return hujson.Value{}, nil
	}
	if offset := tooDeep(text); offset >= 0 {
		d := document{text: text}
		return hujson.Value{}, d.placed(offset, fmt.Errorf("the configuration is nested more than %d deep", maxDepth))
	}
	// A comment may be the last thing in the file; the parser wants its line ended.
	root, err := hujson.Parse(slices.Concat(text, []byte("\n")))
	if err == nil {
		return root, nil
	}
	msg := strings.TrimPrefix(err.Error(), "hujson: ")
	d := document{text: text}
	m := errorPlace().FindStringSubmatch(msg)
	if m == nil {
		return hujson.Value{}, d.placed(0, errors.New(msg))
	}
	line, _ := strconv.Atoi(m[1])   // digits by the expression
	column, _ := strconv.Atoi(m[2]) // digits by the expression; it counts bytes
	return hujson.Value{}, d.placed(d.offset(line)+column-1, errors.New(strings.Replace(msg, m[0], "", 1)))
}

// maxDepth is far beyond any real configuration, and keeps the parser, whose
// errors on deep nesting take seconds, from being asked.
const maxDepth = 100

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
			i = commentEnd(text, i)
		case '[', '{':
			if depth++; depth > maxDepth {
				return i
			}
		case ']', '}':
			depth--
		}
	}
	return -1
}

// commentEnd is the offset of the last byte of the comment that begins at i, or
// i where none begins. One that is not closed goes to the end. A "/*/" does not
// close itself: a reader that thinks so takes what is hidden for what is there.
func commentEnd(text []byte, i int) int {
	rest := text[i:]
	closing := "\n"
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
	case bytes.HasPrefix(rest, []byte("/*")):
		closing = "*/"
	default:
		return i
	}
	end := bytes.Index(rest[2:], []byte(closing))
	if end < 0 {
		return len(text) - 1
	}
	return i + 2 + end + len(closing) - 1
}

// placed is an error at a place.
type placed struct {
	line, column int
	lead         string
	err          error
}

func (p placed) Error() string { return fmt.Sprintf("line %d, column %d: %v", p.line, p.column, p.err) }
func (p placed) Unwrap() error { return p.err }

// placed puts an error at an offset of the text.
func (d *document) placed(offset int, err error) placed {
	line, column, lead := d.place(offset)
	return placed{line, column, lead, err}
}

// place is where an offset lies: line and column from 1, the column in
// characters, and what is before it on its line.
func (d *document) place(offset int) (line, column int, lead string) {
	offset = min(max(offset, 0), len(d.text))
	before := d.text[:offset]
	lead = string(before[bytes.LastIndexByte(before, '\n')+1:])
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCountInString(lead), lead
}

// whence is the place of an offset for a person to look at.
func (d *document) whence(offset int) Source {
	if d.file == "" {
		return Source{Source: d.source}
	}
	line, column, _ := d.place(offset)
	return Source{d.source, d.file, line, column}
}

// offset is where a line, from 1, begins.
func (d *document) offset(line int) int {
	at := 0
	for ; line > 1; line-- {
		end := bytes.IndexByte(d.text[at:], '\n')
		if end < 0 {
			return len(d.text)
		}
		at += end + 1
	}
	return at
}

func (d *document) say(severity string, offset int, format string, args ...any) {
	line, column, lead := d.place(offset)
	d.diagnostics = append(d.diagnostics, Diagnostic{Source: d.source, Line: line, Column: column, Lead: lead, Severity: severity, Message: fmt.Sprintf(format, args...)})
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
			return d.placed(m.Name.StartOffset, fmt.Errorf("%q is given twice", path))
		}
		seen[name] = true
		if key := keyByPath[path]; key != nil {
			if err := d.once(path, &m.Value); err != nil {
				return err
			}
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
			d.say("error", m.Value.StartOffset, "%s must be an object; %s", path, d.ignored(path+"."))
		case d.source == "inline" && prefix == "" && name == "agentSidecar":
			// The protocol's own member, not configuration.
		default:
			d.say("warning", m.Name.StartOffset, "unknown key %q", path)
		}
	}
	return nil
}

// once holds that no name below v is given twice.
func (d *document) once(path string, v *hujson.Value) error {
	switch v := v.Value.(type) {
	case *hujson.Array:
		for i := range v.Elements {
			if err := d.once(path, &v.Elements[i]); err != nil {
				return err
			}
		}
	case *hujson.Object:
		seen := map[string]bool{}
		for i := range v.Members {
			m := &v.Members[i]
			name := m.Name.Value.(hujson.Literal).String()
			if seen[name] {
				return d.placed(m.Name.StartOffset, fmt.Errorf("%q is given twice", path+"."+name))
			}
			seen[name] = true
			if err := d.once(path+"."+name, &m.Value); err != nil {
				return err
			}
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

// ignored is what becomes of a value that cannot be used. Where it may have
// forbidden something, that is not lost: every call asks (Settings.Unread).
func (d *document) ignored(path string) string {
	if path == "network" && d.source == "config" {
		return d.breakNetwork()
	}
	for i := range Keys {
		if d.source == "config" && Keys[i].restricts && strings.HasPrefix(Keys[i].Path, path) {
			d.unread = Keys[i].Path + " cannot be read"
			return "every call asks until it is fixed"
		}
	}
	return "it is ignored"
}

func (d *document) take(key *Key, v *hujson.Value) {
	clean := v.Clone()
	clean.Standardize()
	raw := json.RawMessage(bytes.TrimSpace(clean.Pack()))
	if string(raw) == "null" {
		return // as if it were not there
	}
	if err := key.check(raw); err != nil {
		d.say("error", v.StartOffset, "%s %v; %s", key.Path, err, d.ignored(key.Path))
		return
	}
	d.values[key.Path], d.at[key.Path] = raw, v.StartOffset
	switch {
	case key.narrowest != "" && d.source != "config" && !isWord(raw, key.narrowest):
		d.say("warning", v.StartOffset, "%s can be %q only in the user's own configuration; here it is ignored", key.Path, string(raw[1:len(raw)-1]))
	case key.kind == kindRules:
		d.takeRules(v)
	case objects[key.Path] != nil:
		objects[key.Path](d, v)
	}
}

// objects decode the values of keys that are objects.
var objects = map[string]func(*document, *hujson.Value){
	"providers": (*document).checkProviders, "mcp": (*document).takeServers, "runners": (*document).takeRunners, "sync": (*document).takeSync, "webSearch": (*document).takeSearch, "network": (*document).takeNetwork, "hooks": (*document).takeHooks, "profiles": (*document).takeProfiles,
}

// takeRules decodes rules one by one: a broken one counts as ask for its
// domain, so it is kept as far as it can be read.
func (d *document) takeRules(v *hujson.Value) {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return
	}
	for i := range list.Elements {
		e := list.Elements[i].Clone()
		e.Standardize()
		var r control.Rule
		if err := jsonexp.Unmarshal(e.Pack(), &r); err != nil {
			d.say("error", list.Elements[i].StartOffset, "the rule cannot be read: %v", err)
			r.Decision, r.Domain = "unreadable", domainOf(e.Pack())
		} else if err := jsonexp.Unmarshal(e.Pack(), new(control.Rule), jsonexp.RejectUnknownMembers(true)); err != nil {
			// A misspelled "workspace" must not make an allow wider than was meant.
			d.say("error", list.Elements[i].StartOffset, "the rule has a member that no rule has: %v", err)
			if r.Decision == "allow" {
				r.Decision = "unreadable"
			}
		}
		d.rules = append(d.rules, r)
		d.ruleAt = append(d.ruleAt, list.Elements[i].StartOffset)
	}
}

// domainOf is the domain of a rule that cannot be read otherwise: it asks there,
// wherever in the rule the mistake stands.
func domainOf(rule []byte) tool.Domain {
	var r struct {
		Domain any `json:"domain"`
	}
	if json.Unmarshal(rule, &r) != nil {
		return ""
	}
	domain, _ := r.Domain.(string)
	return tool.Domain(domain)
}

// Source is where a value came from: "default", "config" or "inline", and for
// "config" where in the user's file, from 1, columns in characters.
type Source struct {
	Source string `json:"source"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// String is "file:line:column", or the source.
func (p Source) String() string {
	if p.File == "" {
		return p.Source
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}
