package codegen

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

type inner struct {
	Seq *int64 `json:"seq"`
}

type embedded struct {
	Maybe string `json:"maybe"`
}

type askParams struct {
	SessionID string          `json:"sessionId"`
	Kind      string          `json:"kind"`
	To        inner           `json:"to"`
	Raw       json.RawMessage `json:"raw"`
}

type answer struct {
	*embedded
	Kinds []string         `json:"kinds"`
	At    *int             `json:"at"`
	Left  *float64         `json:"left,omitempty"`
	Table map[string]inner `json:"table"`
	Never string           `json:"-"`
}

type envelope struct {
	Seq  int64           `json:"seq,omitempty"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

func example() Protocol {
	return Protocol{
		Version:  1,
		Requests: []Method{{Name: "agent/ask", Params: reflect.TypeFor[askParams](), Result: reflect.TypeFor[answer]()}},
		Events:   []Event{{Type: "run.ended", Durable: true, Data: reflect.TypeFor[embedded]()}},
		Envelope: reflect.TypeFor[envelope](),
		Words:    []Words{{Name: "Kind", Values: []string{"a", "b"}, Members: []string{"AskParams.kind", "Answer.kinds"}}},
		Required: func(reflect.Type) []string { return []string{"sessionId"} },
	}
}

func TestPrinted(t *testing.T) {
	ts, err := TypeScript(example())
	if err != nil {
		t.Fatal(err)
	}
	lua, err := Lua(example())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"export type Kind = 'a' | 'b';",
		"export interface AskParams {\n  sessionId: string;\n  kind?: Kind;\n  to?: Inner;\n  raw?: unknown;\n}",
		"export interface Answer {\n  maybe?: string;\n  kinds: Open<Kind>[];\n  at: number | null;\n  left?: number;\n  table: Record<string, Inner>;\n}",
		"export interface EventEnvelope {\n  seq?: number;\n}",
		"'run.ended': Embedded;",
		"'agent/ask': { params: AskParams; result: Answer };",
	} {
		if !strings.Contains(string(ts), want) {
			t.Errorf("the TypeScript has no\n%s\nit is\n%s", want, ts)
		}
	}
	for _, want := range []string{
		`---@alias agent-sidecar.Kind "a"|"b"|string`,
		"---@class agent-sidecar.AskParams\n---@field sessionId string\n---@field kind? agent-sidecar.Kind\n",
		"---@field at? integer\n---@field left? number\n---@field table table<string, agent-sidecar.Inner>\n",
		"---@class agent-sidecar.Event.runEnded: agent-sidecar.EventEnvelope\n---@field type \"run.ended\"\n---@field data agent-sidecar.Embedded",
		"  ask = \"agent/ask\",",
	} {
		if !strings.Contains(string(lua), want) {
			t.Errorf("the Lua has no\n%s\nit is\n%s", want, lua)
		}
	}
}

// Words for a member that was renamed would stand nowhere, and nobody would see it.
func TestWordsWithoutTheirMember(t *testing.T) {
	p := example()
	p.Words[0].Members = append(p.Words[0].Members, "Answer.renamed")
	if _, err := TypeScript(p); err == nil || !strings.Contains(err.Error(), "Answer.renamed") {
		t.Errorf("it is not noticed: %v", err)
	}
}

// Two types of one name would become one shape.
func TestTwoShapesOfOneName(t *testing.T) {
	p := example()
	p.Names = map[reflect.Type]string{reflect.TypeFor[inner](): "Answer"}
	if _, err := TypeScript(p); err == nil || !strings.Contains(err.Error(), "Answer") {
		t.Errorf("it is not noticed: %v", err)
	}
}
