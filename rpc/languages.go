package rpc

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/rpc/codegen"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// TypeScript is the protocol as the types of an extension.
func TypeScript() ([]byte, error) { return codegen.TypeScript(shaped()) }

// Lua is the protocol as names and annotations of a plugin.
func Lua() ([]byte, error) { return codegen.Lua(shaped()) }

// shaped is the protocol with its Go types, as described has it with schemas.
func shaped() codegen.Protocol {
	p := codegen.Protocol{
		Version: protocolVersion, CommandPrefix: surface.CommandPrefix, Errors: ErrorKinds(), Words: vocabulary, Required: required,
		Envelope: reflect.TypeFor[history.WireEvent](),
		Sent:     []reflect.Type{reflect.TypeFor[clientCapabilities](), reflect.TypeFor[initializationOptions]()},
		Others:   []reflect.Type{reflect.TypeFor[agentCapabilities](), reflect.TypeFor[surface.AgentProgress](), reflect.TypeFor[reviewResult](), reflect.TypeFor[located]()},
		Names:    shapeNames,
		Written:  shapesWritten,
	}
	for _, r := range rows() {
		if !strings.HasPrefix(r.Name, "agent/") {
			continue
		}
		m := codegen.Method{Name: r.Name, Params: r.Method.Params, Result: r.Method.Result}
		if m.Result == nil {
			p.Notifications = append(p.Notifications, m)
		} else {
			p.Requests = append(p.Requests, m)
		}
	}
	p.ServerRequests = []codegen.Method{
		{Name: askMethod, Params: reflect.TypeFor[clientApproveParams](), Result: reflect.TypeFor[clientApproveResult](), Null: true},
		{Name: semanticMethod, Params: reflect.TypeFor[semanticParams](), Result: reflect.TypeFor[json.RawMessage]()},
		{Name: toolMethod, Params: reflect.TypeFor[clientToolParams](), Result: reflect.TypeFor[clientToolResult]()},
		{Name: taskMethod, Params: reflect.TypeFor[clientTaskParams](), Result: reflect.TypeFor[clientTaskResult]()},
	}
	p.ServerNotifications = []codegen.Method{
		{Name: wire.EventMethod, Params: reflect.TypeFor[history.WireEvent]()},
		{Name: reloadMethod, Params: reflect.TypeFor[reloadParams]()},
	}
	for _, name := range history.EventTypes() {
		p.Events = append(p.Events, codegen.Event{Type: name, Durable: true, Data: history.EventData(name)})
	}
	for _, name := range EphemeralTypes() {
		p.Events = append(p.Events, codegen.Event{Type: name, Data: reflect.TypeOf(ephemerals[name])})
	}
	for _, c := range commandTable {
		p.Commands = append(p.Commands, surface.CommandPrefix+string(c.name))
	}
	return p
}

// shapeNames are what PROTOCOL.md calls a type, or what tells it from another,
// where that is not its Go name.
var shapeNames = map[reflect.Type]string{
	reflect.TypeFor[history.Info]():     "Session",
	reflect.TypeFor[history.Block]():    "ContentBlock",
	reflect.TypeFor[history.Limits]():   "RunLimits",
	reflect.TypeFor[history.Page]():     "EventsResult",
	reflect.TypeFor[history.Opened]():   "SessionOpened",
	reflect.TypeFor[history.Changed]():  "SessionChanged",
	reflect.TypeFor[history.Parent]():   "SessionParent",
	reflect.TypeFor[session.Outcome]():  "ApproveResult",
	reflect.TypeFor[model.Params]():     "ModelParams",
	reflect.TypeFor[model.Attempt]():    "ModelAttempt",
	reflect.TypeFor[config.Source]():    "ConfigSource",
	reflect.TypeFor[control.Offer]():    "AlwaysOffer",
	reflect.TypeFor[history.Position](): "DocumentPosition",
	reflect.TypeFor[history.Range]():    "DocumentRange",
	reflect.TypeFor[wire.Place]():       "TextPosition",
}

// shapesWritten are the types whose JSON is not what their Go kind says.
var shapesWritten = map[reflect.Type]codegen.Written{
	reflect.TypeFor[said.Text]():    {TypeScript: "string", Lua: "string"},
	reflect.TypeFor[wire.None]():    {TypeScript: "null | Empty", Lua: "nil"},
	reflect.TypeFor[promptBlocks](): {TypeScript: "string | ContentBlock[]", Lua: "string|agent-sidecar.ContentBlock[]"},
	reflect.TypeFor[session.ParamsPatch](): {
		TypeScript: "{ [P in keyof ModelParams]?: ModelParams[P] | null }",
		Lua:        "agent-sidecar.ModelParams",
	},
}
