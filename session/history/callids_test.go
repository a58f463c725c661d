package history

import (
	"fmt"
	"hash/fnv"
	"testing"
)

// Every id that was added is there and no other one is, and its hash is the known one,
// which no process may change: it is kept.
func TestCallIDs(t *testing.T) {
	ids := CallIDs{}
	for i := range 10_000 {
		ids.add(fmt.Sprint("call_", i))
	}
	for i := range 20_000 {
		if id := fmt.Sprint("call_", i); ids.Has(id) != (i < 10_000) {
			t.Fatal(id)
		}
	}
	for _, id := range []string{"", "a", "call_会"} {
		h := fnv.New64a()
		h.Write([]byte(id))
		if hashOf(id) != h.Sum64() {
			t.Errorf("%q: %x", id, hashOf(id))
		}
	}
	if len(ids) != 10_000 || ids.Has("") {
		t.Error(len(ids))
	}
}
