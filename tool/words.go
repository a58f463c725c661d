package tool

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// An argument that takes one of a few words names them in the tag `words`, separated
// by commas. They are in the schema as its enum, and decoding refuses any other: a
// provider that holds models to the schema and one that does not come to the same.
// An argument that may be absent may be empty, too. The words of an array are those that its
// elements may have; there others are for the tool to judge.

// enumerate puts the words of a struct's members into its schema.
func enumerate(s *jsonschema.Schema, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		enumerate(s, t.Elem())
	case reflect.Slice:
		enumerate(s.Items, t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			p := s.Properties[memberName(f)]
			if p == nil {
				continue
			}
			words := p
			if f.Type.Kind() == reflect.Slice {
				words = p.Items
			}
			for _, word := range listed(f) {
				words.Enum = append(words.Enum, word)
			}
			enumerate(p, f.Type)
		}
	}
}

// wrongWord says which member of v has a word that it does not take. at is where v
// stands.
func wrongWord(v reflect.Value, at string) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return wrongWord(v.Elem(), at)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := wrongWord(v.Index(i), fmt.Sprintf("%s/%d", at, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			here := strings.TrimPrefix(at+"/"+memberName(f), "/")
			if words := listed(f); words != nil && f.Type.Kind() == reflect.String && !takes(words, v.Field(i).String(), f) {
				last := len(words) - 1
				return fmt.Errorf("argument %q must be %s or %s, not %q", here, strings.Join(words[:last], ", "), words[last], v.Field(i).String())
			}
			if err := wrongWord(v.Field(i), here); err != nil {
				return err
			}
		}
	}
	return nil
}

func takes(words []string, word string, f reflect.StructField) bool {
	return slices.Contains(words, word) || word == "" && strings.Contains(f.Tag.Get("json"), ",omitempty")
}

// listed are the words of a member, nil where it takes any.
func listed(f reflect.StructField) []string {
	if words := f.Tag.Get("words"); words != "" {
		return strings.Split(words, ",")
	}
	return nil
}

func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
