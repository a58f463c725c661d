package proc

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A path of bytes that are no text comes out of an order as it went in.
func TestBypassOrderOfPathsThatAreNoText(t *testing.T) {
	odd := []string{"/a", "/\xff/b", "/\xef\xbf\xbd", "/ü", "/\xc3"}
	in := Confinement{
		Level: Namespaces, Bubblewrap: odd[1], Read: odd, Write: odd[1:], ReadOnly: odd[2:], Hidden: odd[3:], Shown: odd[4:], Closed: odd[4], Temp: odd[1],
		Own: []Own{{From: odd[1], At: odd[4], Write: true}}, Network: true, Most: Most{Processes: 1},
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out Confinement
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(in, out) {
		t.Errorf("%+v, want %+v", out, in)
	}
	fields := reflect.TypeFor[Confinement]()
	for i := range fields.NumField() {
		if reflect.ValueOf(in).Field(i).IsZero() {
			t.Errorf("%s is not shown here", fields.Field(i).Name)
		}
	}
}
