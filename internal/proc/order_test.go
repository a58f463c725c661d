package proc

import (
	"reflect"
	"slices"
	"testing"
)

// The bytes of a path that is no text arrive: another path would be closed, and the one
// that is meant would be open.
func TestBypassOrderOfPathsThatAreNoText(t *testing.T) {
	odd := "/a\xff/\xfe\nb"
	c := Confinement{
		Level: Namespaces, Bubblewrap: odd, Read: []string{odd, "/r"}, Write: []string{"--", odd}, ReadOnly: []string{odd}, Hidden: []string{odd, "/h"}, Known: []Known{{odd, 1, -2}, {Path: "/a:b"}},
		Closed: odd, Shown: []string{odd}, Temp: odd, Network: true, Most: Most{Processes: 1, Memory: 1 << 40, Disk: 3},
		Own: []Own{{From: odd, At: "/x"}, {At: "/z"}, {From: "/y", At: odd, Write: true}},
	}
	want := order{marker: "m", dir: odd, confine: c.words(), args: []string{"/bin/x", "", odd, "--"}, env: []string{"A=" + odd, ""}}
	text, err := want.text()
	if err != nil {
		t.Fatal(err)
	}
	got, err := orderOf(text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if back, err := confinementOf(got.confine); err != nil || !reflect.DeepEqual(back, c) {
		t.Errorf("%+v, %v", back, err)
	}
	if slices.Contains(c.words(), "--") {
		t.Error("a word ends the order")
	}
}

// Every field of a Confinement is told: one that were forgotten would be allowed.
func TestOrderForgetsNothing(t *testing.T) {
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			v.SetString("/p")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int, reflect.Int64:
			v.SetInt(7)
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0))
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		default:
			t.Fatalf("a field of kind %v is not told", v.Kind())
		}
	}
	for i := range reflect.TypeFor[Confinement]().NumField() {
		var c Confinement
		fill(reflect.ValueOf(&c).Elem().Field(i))
		if got, err := confinementOf(c.words()); err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%+v became %+v, %v", c, got, err)
		}
	}
}

func TestWhatIsNoOrder(t *testing.T) {
	for _, text := range []string{"", "m", "m\x00/\x001\x002\x00l", "m\x00/\x00-1\x000", "m\x00/\x00x\x000", "m\x00/\x000\x00-1", "m\x00/\x000\x009\x00a"} {
		if o, err := orderOf(text); err == nil {
			t.Errorf("%q is %+v", text, o)
		}
	}
	for _, words := range [][]string{{""}, {"?"}, {"pmany"}, {"lnone", "--"}} {
		if c, err := confinementOf(words); err == nil {
			t.Errorf("%q is %+v", words, c)
		}
	}
	for _, o := range []order{{dir: "/\x00"}, {args: []string{"a\x00b"}}, {env: []string{"a\x00b"}}, {confine: []string{"r/\x00"}}} {
		if text, err := o.text(); err == nil {
			t.Errorf("%q", text)
		}
	}
}
