package tool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// unfit says what is wrong with arguments that do not fit, and names the right form.
func unfit(sem *jsonexp.SemanticError, args, schema json.RawMessage) error {
	where := strings.TrimPrefix(string(sem.JSONPointer), "/")
	switch {
	case errors.Is(sem, jsonexp.ErrUnknownName):
		return unknownArguments(where, args, schema)
	case where == "":
		return errors.New("arguments must be a JSON object")
	case sem.GoType != nil:
		return fmt.Errorf("argument %q: a JSON %s does not fit, want %s", where, kindWords[sem.JSONKind], wantedOf(sem.GoType))
	}
	return fmt.Errorf("argument %q is not valid", where)
}

// unknownArguments names every member that there is no argument for, so that a call
// is put right in one turn. first is the one that was found.
func unknownArguments(first string, args, schema json.RawMessage) error {
	v, _, _, err := loose(string(args))
	s, _, _, wrong := loose(string(schema))
	if err != nil || wrong != nil {
		return fmt.Errorf("unknown argument %q", clipped(first))
	}
	found := unknown(&v, &s, "")
	if len(found) == 0 {
		return fmt.Errorf("unknown argument %q", clipped(first))
	}
	if more := len(found) - mostNotes; more > 0 {
		found = append(found[:mostNotes:mostNotes], fmt.Sprintf("%d more unknown arguments", more))
	}
	return errors.New(strings.Join(found, "; "))
}

// unknown are the members of v that its schema does not have, with what they may be.
func unknown(v, schema *value, at string) (found []string) {
	if schema == nil {
		return nil
	}
	properties, strangers := schema.properties(), []string(nil)
	for i := range v.values {
		here := fmt.Sprintf("%s%d", at, i)
		of := schema.member("items")
		if v.kind == '{' {
			here = at + v.names[i]
			of = properties.member(v.names[i])
		}
		switch {
		case v.kind != '{' || of != nil || !schema.closed():
			found = append(found, unknown(&v.values[i], of, here+"/")...)
		case len(meant(v.names[i], properties.names)) == 0:
			strangers = append(strangers, here)
		default:
			found = append(found, fmt.Sprintf("unknown argument %q; %s", clipped(here), instead(v, meant(v.names[i], properties.names))))
		}
	}
	if len(strangers) == 0 {
		return found
	}
	if len(strangers) > mostNotes {
		strangers = strangers[:mostNotes]
	}
	there := "there are none"
	if len(properties.names) > 0 {
		there = "there are " + listing(quoted(properties.names), "and")
	}
	return append(found, "unknown argument "+listing(quoted(strangers), "and")+"; "+there)
}

// instead is what a model can write in place of a name, which can mean these.
func instead(v *value, targets []string) string {
	switch {
	case len(targets) > 1:
		return "it may be " + listing(quoted(targets), "or")
	case v.member(targets[0]) != nil:
		return fmt.Sprintf("it is called %q, which is there, too: give it once", targets[0])
	}
	return fmt.Sprintf("it is called %q", targets[0])
}

var kindWords = map[jsontext.Kind]string{'"': "string", '0': "number", 't': "boolean", 'f': "boolean", '{': "object", '[': "array", 'n': "null"}

// wantedOf is what an argument of a Go type takes.
func wantedOf(t reflect.Type) string {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
		return "an array of objects"
	}
	return cmp.Or(wanted[t.Kind()], "a "+t.Kind().String())
}

var wanted = map[reflect.Kind]string{
	reflect.Int: aWhole, reflect.Int32: aWhole, reflect.Int64: aWhole, reflect.Uint: aWhole, reflect.Uint32: aWhole, reflect.Uint64: aWhole,
	reflect.Float32: aNumber, reflect.Float64: aNumber, reflect.Bool: "true or false, without quotes", reflect.String: `a string, as in "text"`,
	reflect.Slice: anArray, reflect.Array: anArray, reflect.Struct: anObject, reflect.Map: anObject, reflect.Pointer: anObject,
}

const (
	aWhole   = "a whole number, as in 5"
	aNumber  = "a number, as in 0.5"
	anArray  = `an array, as in ["text"]`
	anObject = `an object, as in {"name": "value"}`
)
