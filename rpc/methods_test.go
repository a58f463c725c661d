package rpc

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// TestTableCodecs: no method of the table mixes LSP types with ours.
func TestTableCodecs(t *testing.T) {
	for _, r := range rows() {
		for _, of := range []reflect.Type{r.Method.Params, r.Method.Result} {
			if of != nil {
				_ = wire.Decode(nil, reflect.New(of).Interface()) // panics where it does
			}
		}
	}
}

// TestEmptySessionName: no method takes "" for a session. Absent, the same member
// can mean all of them.
func TestEmptySessionName(t *testing.T) {
	tried := 0
	for _, r := range rows() {
		if r.Method.Params == nil || r.Method.Params.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(r.Method.Params) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !strings.Contains(strings.ToLower(name), "sessionid") && !strings.Contains(strings.ToLower(name), "sessionkey") {
				continue
			}
			tried++
			for _, written := range []string{name, strings.ToUpper(name)} {
				err := wire.Decode(json.RawMessage(`{"a": {"`+name+`": "x"}, "`+written+`" : "" }`), reflect.New(r.Method.Params).Interface())
				refused, is := errors.AsType[*wire.Error](err)
				if !is || refused.Code != wire.CodeInvalidParams || refused.Data["field"] != name {
					t.Errorf("%s takes %s: \"\": %v", r.Name, written, err)
				}
			}
		}
	}
	if tried < 15 {
		t.Errorf("only %d members were tried", tried)
	}
}
