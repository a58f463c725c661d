package rpc

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// metaModel is the protocol, machine-readable: what can be asked, what happens
// and which errors there are. It is made from the Go types.
type metaModel struct {
	Version       int                `json:"version"`
	Requests      []metaRequest      `json:"requests"`
	Notifications []metaNotification `json:"notifications"`
	Events        []metaEvent        `json:"events"`
	Errors        []metaError        `json:"errors"`
	Commands      []string           `json:"commands"`
}

type metaRequest struct {
	Method    string             `json:"method"`
	Direction string             `json:"direction"` // clientToServer, serverToClient
	Params    *jsonschema.Schema `json:"params"`
	Result    *jsonschema.Schema `json:"result"`
}

type metaNotification struct {
	Method    string             `json:"method"`
	Direction string             `json:"direction"`
	Params    *jsonschema.Schema `json:"params"`
}

type metaEvent struct {
	Type    string             `json:"type"`
	Durable bool               `json:"durable"`
	Data    *jsonschema.Schema `json:"data"`
}

type metaError struct {
	Kind      string   `json:"kind"`
	Code      int64    `json:"code"`
	Retryable bool     `json:"retryable"`
	Data      []string `json:"data"`
}

// ephemerals are the events that are shown and not kept.
var ephemerals = map[string]any{
	"message.delta":   session.Delta{},
	"reasoning.delta": session.Delta{},
	"tool.input":      session.InputDelta{},
	"tool.output":     session.ToolOutput{},
	"run.state":       session.RunState{},
	"usage":           history.Usage{},
	"notice":          session.Notice{},
	"gap":             gap{},

	session.SyncChangeType: session.SyncChange{},

	configChangedType: configChanged{},
	runnerChangedType: Runner{},
}

// EphemeralTypes lists them.
func EphemeralTypes() []string {
	return slices.Sorted(maps.Keys(ephemerals))
}

// ErrorKinds lists the kinds of error.data.kind.
func ErrorKinds() []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		out = append(out, string(k))
	}
	return out
}

var described = sync.OnceValue(func() []byte {
	p := shaped()
	m := metaModel{Version: p.Version, Commands: p.Commands}
	for _, r := range p.Requests {
		m.Requests = append(m.Requests, metaRequest{r.Name, "clientToServer", sentBy(r.Params), schemaOf(r.Result)})
	}
	for _, r := range p.ServerRequests {
		m.Requests = append(m.Requests, metaRequest{r.Name, "serverToClient", schemaOf(r.Params), sentBy(r.Result)})
	}
	for _, n := range p.Notifications {
		m.Notifications = append(m.Notifications, metaNotification{n.Name, "clientToServer", sentBy(n.Params)})
	}
	for _, n := range p.ServerNotifications {
		m.Notifications = append(m.Notifications, metaNotification{n.Name, "serverToClient", schemaOf(n.Params)})
	}
	for _, e := range p.Events {
		m.Events = append(m.Events, metaEvent{e.Type, e.Durable, schemaOf(e.Data)})
	}
	for _, name := range p.Errors {
		k := kinds[kind(name)]
		m.Errors = append(m.Errors, metaError{name, k.code, k.retryable, nonNil(k.data)})
	}
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return []byte("{}") // a type without a schema fails the schema test
	}
	return raw
})

// MetaModel is the protocol as JSON and its hash.
func MetaModel() (model json.RawMessage, hash string) {
	raw := described()
	sum := sha256.Sum256(raw)
	return raw, hex.EncodeToString(sum[:8])
}

// JSONSchema is the protocol as one JSON Schema: a definition for each params,
// result and event.
func JSONSchema() []byte {
	var m metaModel
	if err := json.Unmarshal(described(), &m); err != nil {
		return []byte("{}")
	}
	defs := map[string]*jsonschema.Schema{}
	for _, r := range m.Requests {
		defs[r.Method+" params"], defs[r.Method+" result"] = r.Params, r.Result
	}
	for _, n := range m.Notifications {
		defs[n.Method+" params"] = n.Params
	}
	for _, e := range m.Events {
		defs[e.Type+" data"] = e.Data
	}
	raw, err := json.MarshalIndent(&jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Title: "agent-sidecar protocol", Defs: defs}, "", "  ")
	if err != nil {
		return []byte("{}")
	}
	return raw
}

// schemaOf describes a type; unknown members are allowed everywhere, as the
// protocol says.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	if t == nil || t.PkgPath() == wire.LSPPackage || t.Kind() == reflect.Interface || t == reflect.TypeFor[wire.None]() {
		return &jsonschema.Schema{}
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: rawSchemas()})
	if err != nil {
		return &jsonschema.Schema{Description: "no schema: " + err.Error()}
	}
	open(s)
	return s
}

// sentBy describes what a client sends: a member that is left out is unchanged, or
// not asked for, but for those without which the server refuses.
func sentBy(t reflect.Type) *jsonschema.Schema {
	s := schemaOf(t)
	if len(s.Properties) > 0 {
		leaveOut(s)
		s.Required = required(t)
	}
	return s
}

// leaveOut lets every member of an object, and of those in it, be absent.
func leaveOut(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.Required = nil
	for _, p := range s.Properties {
		leaveOut(p)
	}
}

// rawSchemas are types whose JSON is not what their Go kind says.
func rawSchemas() map[reflect.Type]*jsonschema.Schema {
	anything := func() *jsonschema.Schema { return &jsonschema.Schema{} }
	params, err := jsonschema.For[model.Params](nil)
	if err != nil {
		params = anything() // it has a schema: the test of the schema would tell
	}
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():     anything(),
		reflect.TypeFor[promptBlocks]():        anything(),
		reflect.TypeFor[session.ParamsPatch](): params,
		reflect.TypeFor[said.Text]():           {Type: "string"},
	}
}

// open lets an object have members that this version does not know.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.AdditionalProperties = nil
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
}

// required is the members without which params are refused, whatever else they say.
// Nobody writes them down: the params' own Check is asked, with one member more each
// time it says that one is missing.
func required(t reflect.Type) []string {
	switch {
	case t == nil || t.Kind() != reflect.Struct:
		return nil
	case t == reflect.TypeFor[clientCapabilities]():
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
