// Package codegen writes the protocol down in the languages of editors: what Go types
// the methods and events carry, as TypeScript and as annotated Lua. It knows no
// method, no event and no shape of its own, and sends and decodes nothing: the server
// hands it the types that it decodes and encodes with, so nothing is written twice.
package codegen

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"
)

// Protocol is what there is to write down.
type Protocol struct {
	Version             int
	Requests            []Method // of the client
	Notifications       []Method // of the client
	ServerRequests      []Method
	ServerNotifications []Method
	Events              []Event
	Envelope            reflect.Type   // of an event; its members type and data are the event's own
	Sent, Others        []reflect.Type // what else a client sends, and is sent
	Errors, Commands    []string
	CommandPrefix       string
	// Names are those of types that would be called by their Go name otherwise.
	Names map[reflect.Type]string
	// Written are types whose JSON is not what their Go kind says.
	Written map[reflect.Type]Written
	Words   []Words
	// Required names the members of params that must be there.
	Required func(params reflect.Type) []string
}

// Method is a request, or a notification where Result is nil.
type Method struct {
	Name           string
	Params, Result reflect.Type
	Null           bool // the result may be null, too
}

// Event is one type of event and what its data is.
type Event struct {
	Type    string
	Durable bool
	Data    reflect.Type
}

// Written is a type as each language has it.
type Written struct{ TypeScript, Lua string }

// Words is a set of words and the members, "Shape.member", that are one of them.
type Words struct {
	Name    string
	Values  []string
	Members []string
}

// shape is one object of the protocol.
type shape struct {
	name    string
	members []member
}

type member struct {
	name     string
	of       kind
	optional bool
}

// kind is the type of a value, with its parts.
type kind struct {
	form form
	of   *kind   // of a list, a table, something that may be null
	name string  // of a shape, of words
	open bool    // of words: others may come
	as   Written // of what is written by hand
}

type form int

const (
	unknown form = iota
	text
	whole
	number
	boolean
	nothing // an object without members
	list
	table
	nullable
	named
	written
)

// book is a protocol with every shape found and named.
type book struct {
	Protocol
	shapes  []shape
	names   map[reflect.Type]string
	taken   map[string]reflect.Type
	params  map[reflect.Type]bool // the client sends these: what it leaves out is unchanged
	words   map[string]string     // by "Shape.member"
	unfound map[string]bool       // of words, those not found yet
	clash   error                 // of two shapes of one name
}

func read(p Protocol) (*book, error) {
	b := &book{Protocol: p, names: map[reflect.Type]string{}, taken: map[string]reflect.Type{}, params: map[reflect.Type]bool{}, words: map[string]string{}, unfound: map[string]bool{}}
	for _, w := range p.Words {
		for _, m := range w.Members {
			b.words[m], b.unfound[m] = w.Name, true
		}
	}
	for _, m := range slices.Concat(p.Requests, p.Notifications) {
		if m.Params != nil && m.Params.Kind() == reflect.Struct {
			b.params[m.Params] = true
		}
	}
	for _, m := range p.ServerRequests {
		b.params[m.Result] = true
	}
	for _, t := range p.Sent {
		b.params[t] = true
	}
	types := slices.Concat(p.Sent, p.Others)
	for _, m := range slices.Concat(p.Requests, p.Notifications, p.ServerRequests, p.ServerNotifications) {
		types = append(types, m.Params, m.Result)
	}
	for _, e := range p.Events {
		types = append(types, e.Data)
	}
	for _, t := range types {
		b.kind(t)
	}
	if b.clash != nil {
		return nil, b.clash
	}
	for m := range b.unfound {
		return nil, fmt.Errorf("words are said to be in %s, which is no member", m)
	}
	slices.SortFunc(b.shapes, func(x, y shape) int { return strings.Compare(x.name, y.name) })
	return b, nil
}

// kind reads a type that is by itself; nil is not known.
func (b *book) kind(t reflect.Type) kind { return b.kindOf(t, "", false) }

// kindOf reads a type. An object without a name of its own is called as inside
// says; sent tells that it is a part of what only a client sends.
func (b *book) kindOf(t reflect.Type, inside string, sent bool) kind {
	if t == nil {
		return kind{}
	}
	if w, is := b.Written[t]; is {
		return kind{form: written, as: w}
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return kind{}
	}
	if t == b.Envelope {
		return kind{form: named, name: "AgentEvent"}
	}
	switch t.Kind() {
	case reflect.String:
		return kind{form: text}
	case reflect.Bool:
		return kind{form: boolean}
	case reflect.Float32, reflect.Float64:
		return kind{form: number}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64:
		return kind{form: whole}
	case reflect.Pointer:
		return b.kindOf(t.Elem(), inside, sent)
	case reflect.Slice, reflect.Map:
		of := b.kindOf(t.Elem(), inside, sent)
		return kind{form: map[bool]form{true: table, false: list}[t.Kind() == reflect.Map], of: &of}
	case reflect.Struct:
		return b.object(t, inside, sent)
	}
	return kind{}
}

func (b *book) object(t reflect.Type, inside string, sent bool) kind {
	if t.NumField() == 0 {
		return kind{form: nothing}
	}
	if name, known := b.names[t]; known {
		return kind{form: named, name: name}
	}
	name := cmp.Or(b.Names[t], capital(t.Name()), inside)
	if other, taken := b.taken[name]; taken {
		b.clash = fmt.Errorf("%v and %v are both called %s: one of them needs another name", t, other, name)
	}
	b.names[t], b.taken[name] = name, t
	s := shape{name: name}
	sent = b.params[t] || sent && !token.IsExported(t.Name()) // others may send what is known beyond its package
	s.members = b.members(t, name, sent, false)
	if b.params[t] && b.Required != nil {
		needed := b.Required(t)
		for i, m := range s.members {
			s.members[i].optional = !slices.Contains(needed, m.name)
		}
	}
	b.shapes = append(b.shapes, s)
	return kind{form: named, name: name}
}

// members are those of the struct and of what is embedded in it. What a client
// sends may leave out any member; what it is sent has those that are not marked.
func (b *book) members(t reflect.Type, of string, sent, maybe bool) []member {
	var out []member
	for f := range t.Fields() {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			in := f.Type
			if in.Kind() == reflect.Pointer {
				in = in.Elem()
			}
			out = append(out, b.members(in, of, sent, maybe || f.Type.Kind() == reflect.Pointer)...)
			continue
		}
		if !f.IsExported() || name == "-" || name == "" {
			continue
		}
		left := strings.Contains(rest, "omitempty") || strings.Contains(rest, "omitzero")
		m := member{name, b.kindOf(f.Type, of+capital(name), sent), left || sent || maybe}
		at := of + "." + name
		if w, is := b.words[at]; is {
			delete(b.unfound, at)
			m.of = m.of.in(w, !sent)
		}
		if f.Type.Kind() == reflect.Pointer && !left {
			was := m.of
			m.of = kind{form: nullable, of: &was}
		}
		out = append(out, m)
	}
	return out
}

// in puts words into the place of the text.
func (k kind) in(words string, open bool) kind {
	if k.form == text {
		return kind{form: named, name: words, open: open}
	}
	if k.of != nil {
		of := k.of.in(words, open)
		k.of = &of
	}
	return k
}

func capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// eventName is how an event is called where a name has no point: runEnded.
func eventName(event string) string {
	first, rest, _ := strings.Cut(event, ".")
	return first + capital(rest)
}

// envelope is what every event has around its type and data.
func (b *book) envelope() []member {
	var out []member
	for _, m := range b.members(b.Envelope, "EventEnvelope", false, false) {
		if m.name != "type" && m.name != "data" {
			out = append(out, m)
		}
	}
	return out
}

// language is how a language writes types.
type language struct {
	words      map[form]string // of the simple ones
	group      string          // what makes a type need brackets in a list
	table      string          // with %s for what is in it
	null       string          // in place of a value
	named      func(kind) string
	written    func(Written) string
	pair, mark string // between words, and around one
}

func (l *language) write(k kind) string {
	switch k.form {
	case list:
		of := l.write(*k.of)
		if strings.ContainsAny(of, l.group) {
			of = "(" + of + ")"
		}
		return of + "[]"
	case table:
		return fmt.Sprintf(l.table, l.write(*k.of))
	case nullable:
		return l.write(*k.of) + l.null
	case named:
		return l.named(k)
	case written:
		return l.written(k.as)
	}
	return cmp.Or(l.words[k.form], "unknown")
}

// oneOf is any of some words.
func (l *language) oneOf(words []string) string {
	return l.mark + strings.Join(words, l.mark+l.pair+l.mark) + l.mark
}

// result is that of a request.
func (l *language) result(b *book, m Method) string {
	if m.Null {
		return l.write(b.kind(m.Result)) + l.null
	}
	return l.write(b.kind(m.Result))
}

// printer collects lines.
type printer struct{ strings.Builder }

func (w *printer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// eachMethod yields the four sorts of methods, with a name and a line about each, and the
// methods by name.
func (b *book) eachMethod(yield func(name, what string, methods []Method)) {
	for _, sort := range []struct {
		name, what string
		of         []Method
	}{
		{"Requests", "What a client may ask.", b.Requests},
		{"Notifications", "What a client may tell.", b.Notifications},
		{"ServerRequests", "What the server asks.", b.ServerRequests},
		{"ServerNotifications", "What the server tells.", b.ServerNotifications},
	} {
		yield(sort.name, sort.what, slices.SortedFunc(slices.Values(sort.of), func(x, y Method) int { return strings.Compare(x.Name, y.Name) }))
	}
}

// optional is the mark behind a member that may be absent.
var optional = map[bool]string{true: "?"}
