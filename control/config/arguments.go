package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Arguments is the layer that a person wrote on the command line. It goes over every
// other one, and nothing of a project can be in it.
type Arguments struct {
	File    string   // the name of a configuration file; "" is none
	Text    []byte   // of File
	Set     []string // key=value
	Profile string   // of the user's file; "" is none
}

// ArgumentError is what is wrong with the command line, and not with the configuration.
type ArgumentError struct{ err error }

func (e *ArgumentError) Error() string { return e.err.Error() }
func (e *ArgumentError) Unwrap() error { return e.err }

// readArguments reads the command line's layer, nil where there is none. Whatever is wrong
// there is an error, and what a program may not set of the person's own keys is refused as for
// inline configuration.
func readArguments(a Arguments, user *document) (*document, error) {
	if a.File == "" && len(a.Set) == 0 {
		return nil, nil
	}
	doc, err := argumentDocument(a.Text, a.File)
	if err != nil {
		return nil, err
	}
	sources := map[string]Source{}
	doc.file = a.File
	for path := range doc.values {
		sources[path] = doc.whence(doc.at[path])
	}
	tree := map[string]any{}
	for path, raw := range doc.values {
		putIn(tree, strings.Split(path, "."), raw)
	}
	for i, argument := range a.Set {
		place := fmt.Sprintf("argument %d of --set", i+1)
		path, value, given := strings.Cut(argument, "=")
		if !given {
			return nil, fmt.Errorf("%s: %q has no =", place, argument)
		}
		raw, err := ParseValue(path, value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		key, inner := keyOf(path)
		if mine := user.values[key.Path]; inner != nil && sources[key.Path] == (Source{}) && mine != nil {
			putIn(tree, strings.Split(key.Path, "."), mine) // the rest of it stays as it is
		}
		putIn(tree, strings.Split(path, "."), raw)
		text, err := tool.CompactJSON(tree)
		if err == nil {
			doc, err = argumentDocument(text, "")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		sources[key.Path] = Source{Source: place}
	}
	doc.sources = sources
	return doc, nil
}

// putIn puts a value where a path leads, into objects that are made where there are none.
func putIn(tree map[string]any, path []string, raw json.RawMessage) {
	if len(path) == 1 {
		tree[path[0]] = raw
		return
	}
	inner, is := tree[path[0]].(map[string]any)
	if !is {
		inner = map[string]any{}
		var was map[string]json.RawMessage
		if value, is := tree[path[0]].(json.RawMessage); is && json.Unmarshal(value, &was) == nil {
			for name, v := range was {
				inner[name] = v
			}
		}
		tree[path[0]] = inner
	}
	putIn(inner, path[1:], raw)
}

// argumentDocument reads a text of the layer; its first diagnostic is an error.
func argumentDocument(text []byte, file string) (*document, error) {
	doc, err := readDocument(argumentsSource, text)
	if p, is := err.(placed); is && file != "" {
		return nil, fmt.Errorf("%s:%d:%d: %w", file, p.line, p.column, p.err)
	}
	if err != nil {
		return nil, err
	}
	for path := range doc.values {
		if strings.HasPrefix(path, "trust.") {
			doc.say("error", doc.at[path], "%s decides what may run; only you can change it, in your own configuration", path)
		}
	}
	if len(doc.diagnostics) > 0 {
		d := doc.diagnostics[0]
		if d.File = file; file == "" {
			d.Line = 0
		}
		d.Message, _, _ = strings.Cut(d.Message, "; it is ignored") // it is not: nothing is done
		d.Message, _, _ = strings.Cut(d.Message, "; here ")
		return nil, fmt.Errorf("%s", d)
	}
	return doc, nil
}
