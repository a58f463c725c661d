package rpc

import (
	"errors"
	"reflect"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// required is the members without which params are refused, whatever else they say.
// Nobody writes them down: the params' own Check is asked, with one member more each
// time it says that one is missing.
func required(t reflect.Type) []string {
	switch {
	case t == nil || t.Kind() != reflect.Struct:
		return nil
	case t == reflect.TypeFor[marker]():
		return []string{"versions"} // without, the client is taken for a plain one
	}
	params := reflect.New(t)
	checked, can := params.Interface().(interface{ Check() error })
	if !can {
		return nil
	}
	var needed []string
	for range t.NumField() {
		refusal, is := errors.AsType[*wire.Error](checked.Check())
		if !is || !refusal.IsMissing() {
			break
		}
		name, _ := refusal.Data["field"].(string)
		needed = append(needed, name)
		if !fill(params.Elem(), name) {
			break
		}
	}
	return needed
}

// fill gives a member something that is not its zero value; false where it is
// no plain text, so that nothing can be said of the ones behind it.
func fill(params reflect.Value, name string) bool {
	for i := range params.NumField() {
		tag, _, _ := strings.Cut(params.Type().Field(i).Tag.Get("json"), ",")
		if tag == name && params.Field(i).Kind() == reflect.String {
			params.Field(i).SetString("given")
			return true
		}
	}
	return false
}
