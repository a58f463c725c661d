package rpc

import (
	"reflect"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// TestTableCodecs: no method of the table mixes LSP types with ours (ruling 52).
func TestTableCodecs(t *testing.T) {
	for _, r := range rows() {
		for _, of := range []reflect.Type{r.Method.Params, r.Method.Result} {
			if of != nil {
				_ = wire.Decode(nil, reflect.New(of).Interface()) // panics where it does
			}
		}
	}
}
