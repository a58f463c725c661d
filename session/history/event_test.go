package history

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// fill sets every field to something, so that one that is lost on the way shows.
func fill(v reflect.Value, n int) {
	if v.Type() == reflect.TypeFor[said.Text]() { // of a sentence the log has the words
		v.Set(reflect.ValueOf(said.Plain(fmt.Sprintf("x<%d>\u2028é", n))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("x<%d>\u2028é", n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n + 1))
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"b":1,"a":["<",null]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n+1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e, n)
		v.SetMapIndex(reflect.ValueOf("k"), e)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && v.Type().Field(i).Tag.Get("json") != "-" {
				fill(f, n+i)
			}
		}
	}
}

func TestEveryEventSurvivesItsLine(t *testing.T) {
	for _, kind := range EventTypes() {
		for name, full := range map[string]bool{"full": true, "zero": false} {
			body := reflect.New(EventData(kind)).Elem()
			if full {
				fill(body, 1)
			}
			e := Event{Seq: 7, Time: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC), Run: "r", After: 3, Body: body.Interface().(Body)}
			line, err := e.Encode()
			if err != nil {
				t.Fatalf("%s %s: %v", name, kind, err)
			}
			if _, cut := cutLine(line); !cut {
				t.Errorf("%s %s: our own form is not known: %s", name, kind, line)
			}
			back, err := Decode(line)
			if err != nil {
				t.Fatalf("%s %s: %v\n%s", name, kind, err, line)
			}
			if back.Type() != kind {
				t.Errorf("%s came back as %s", kind, back.Type())
			}
			again, err := back.Encode()
			if err != nil || string(again) != string(line) {
				t.Errorf("%s %s: encoded again\n%s\nwas\n%s (%v)", name, kind, again, line, err)
			}
			if full && !reflect.DeepEqual(back, e) {
				t.Errorf("%s: lost something:\n%+v\n%+v", kind, back, e)
			}
		}
	}
}

// What is cut by its form is what JSON says, and a line that only looks like ours
// is read by JSON.
func TestCutLine(t *testing.T) {
	const head = `{"seq":5,"time":"2026-01-01T00:00:00.000Z","type":"run.ended","data":`
	for _, row := range []struct {
		line string
		cut  bool
	}{
		{head + `{}}`, true},
		{head + `{"message":"a } , \"data\":{}}"}}`, true},
		{`{"seq":5,"afterSeq":3,"time":"2026-01-01T00:00:00.000Z","runId":"r","type":"run.ended","data":{}}`, true},
		{`{"seq":5,"time":"2026-01-01T00:00:00.000Z","runId":"r\u00e9","type":"run.ended","data":{}}`, false},
		{`{"seq":5,"time":"2026-01-01T00:00:00.000Z","runId":"é","type":"run.ended","data":{}}`, false},
		{head + `{},"more":{}}`, true}, // looks so, and is read again
		{head + `{},"data":{"message":"x"}}`, true},
		{`{ "seq":5,"time":"2026-01-01T00:00:00.000Z","type":"run.ended","data":{}}`, false},
		{`{"time":"2026-01-01T00:00:00.000Z","seq":5,"type":"run.ended","data":{}}`, false},
		{`{"seq":05,"time":"2026-01-01T00:00:00.000Z","type":"run.ended","data":{}}`, false},
		{`{"seq":+5,"time":"2026-01-01T00:00:00.000Z","type":"run.ended","data":{}}`, false},
		{`{"seq":5,"time":"2026-01-01T00:00:00.000Z","type":"run.ended","data":[]}`, false},
	} {
		_, cut := cutLine([]byte(row.line))
		var l line
		jsonErr := json.Unmarshal([]byte(row.line), &l)
		var want Event
		if jsonErr == nil {
			want, jsonErr = l.event([]byte(row.line))
		}
		got, err := Decode([]byte(row.line))
		if cut != row.cut || (err == nil) != (jsonErr == nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ncut %v: %+v %v\nwant %+v %v", row.line, cut, got, err, want, jsonErr)
		}
	}
}

func TestUnknownEventsAreKept(t *testing.T) {
	for _, line := range []string{
		`{"seq":5,"time":"2026-01-01T00:00:00.000Z","type":"future.thing","data":{"b": 1,  "a":[2]}}`,
		`{"type":"future.thing","seq":5,"more":true,"time":"2026-01-01T00:00:00.000Z"}`,
	} {
		e, err := Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if _, unknown := e.Body.(Unknown); !unknown || e.Seq != 5 {
			t.Errorf("%+v", e)
		}
		if back, err := e.Encode(); err != nil || string(back) != line {
			t.Errorf("%s, %v; want %s", back, err, line)
		}
		if _, err := e.Wire(Origin{Session: "0001"}); err != nil {
			t.Error(err)
		}
	}
}

func TestBadLinesAreErrors(t *testing.T) {
	for _, line := range []string{
		``, `{`, `null`, `[]`, `"x"`, `{}`,
		`{"seq":0,"time":"2026-01-01T00:00:00.000Z","type":"run.ended","data":{}}`,
		`{"seq":1,"time":"yesterday","type":"run.ended","data":{}}`,
		`{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"","data":{}}`,
		`{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"run.ended","data":[]}`,
		`{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"run.ended"}`,
		`{"seq":1.5,"time":"2026-01-01T00:00:00.000Z","type":"run.ended","data":{}}`,
	} {
		if e, err := Decode([]byte(line)); err == nil {
			t.Errorf("%s: %+v", line, e)
		}
	}
}
