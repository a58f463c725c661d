package placeholder

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Redacted is v with the secrets of every text in it hidden, however deep: fields,
// elements, values of maps, and strings in JSON. v itself stays as it is; where it
// contains no secret it is what comes back. Members named `Opaque` and `Extra` are the
// provider's own and must go back as they came: of them only prose is hidden, which
// has blanks, no signatures.
func Redacted[T any](b *Redactor, v T) T {
	in := reflect.ValueOf(&v).Elem()
	if out, changed := (walker{b, false}).walk(in); changed {
		in.Set(out)
	}
	return v
}

type walker struct {
	book  *Redactor
	prose bool // only texts with blanks
}

func (w walker) redact(text string) string {
	if w.prose && !strings.ContainsAny(text, " \n\t") {
		return text
	}
	return w.book.RedactAgain(text)
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

// walk gives a copy of v where something in it is hidden.
func (w walker) walk(v reflect.Value) (out reflect.Value, changed bool) {
	switch v.Kind() {
	case reflect.String:
		text := v.String()
		hidden := w.redact(text)
		if hidden == text {
			return v, false
		}
		return reflect.ValueOf(hidden).Convert(v.Type()), true
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		inner, changed := w.walk(v.Elem())
		if !changed {
			return v, false
		}
		if v.Kind() == reflect.Interface {
			return inner, true
		}
		out = reflect.New(v.Type().Elem())
		out.Elem().Set(inner)
		return out, true
	case reflect.Struct:
		return w.walkStruct(v)
	case reflect.Slice:
		if v.Type() == rawJSON {
			raw, ok := v.Interface().(json.RawMessage)
			hidden := w.book.redactJSON(raw, w.redact)
			if !ok || string(hidden) == string(raw) {
				return v, false
			}
			return reflect.ValueOf(hidden), true
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v, false
		}
		for i := range v.Len() {
			inner, hidden := w.walk(v.Index(i))
			if !hidden {
				continue
			}
			if !changed {
				out, changed = reflect.MakeSlice(v.Type(), v.Len(), v.Len()), true
				reflect.Copy(out, v)
			}
			out.Index(i).Set(inner)
		}
		if changed {
			return out, true
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			inner, hidden := w.walk(v.MapIndex(key))
			if !hidden {
				continue
			}
			if !changed {
				out, changed = reflect.MakeMap(v.Type()), true
				for _, k := range v.MapKeys() {
					out.SetMapIndex(k, v.MapIndex(k))
				}
			}
			out.SetMapIndex(key, inner)
		}
		if changed {
			return out, true
		}
	}
	return v, false
}

func (w walker) walkStruct(v reflect.Value) (out reflect.Value, changed bool) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		inner, hidden := walker{w.book, w.prose || field.Name == "Opaque" || field.Name == "Extra"}.walk(v.Field(i))
		if !hidden {
			continue
		}
		if !changed {
			out, changed = reflect.New(v.Type()).Elem(), true
			out.Set(v)
		}
		out.Field(i).Set(inner)
	}
	if changed {
		return out, true
	}
	return v, false
}
