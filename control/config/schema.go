package config

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// Schema is the JSON Schema of the configuration file, made from the table
// of keys: an editor that finds it through "$schema" completes keys and marks what
// is wrong. It calls wrong exactly what a diagnostic does: unknown keys, kinds,
// words and bounds.
func Schema() []byte {
	root := closedObject("The configuration of agent-sidecar, config.jsonc in its home.")
	root["$schema"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "agent-sidecar configuration"
	for i := range Keys {
		k := &Keys[i]
		names := strings.Split(k.Path, ".")
		at := root
		for _, name := range names[:len(names)-1] {
			inner, ok := at["properties"].(node)[name].(node)
			if !ok {
				inner = closedObject("")
				at["properties"].(node)[name] = inner
			}
			at = inner
		}
		at["properties"].(node)[names[len(names)-1]] = k.schema()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(root) != nil { // maps, texts and numbers always encode
		return []byte("{}\n")
	}
	return b.Bytes()
}

// node is a piece of a schema; its members are written in the order of names.
type node = map[string]any

// closedObject is an object with no other members than those that are put in.
func closedObject(doc string) node {
	n := node{"type": "object", "properties": node{}, "additionalProperties": false}
	if doc != "" {
		n["description"] = doc
	}
	return n
}

// schema describes the value of one key. null is as if it were not there.
func (k *Key) schema() node {
	n := node{"description": k.Doc}
	if k.Default != nil {
		n["default"] = k.Default
	}
	text := func() node { return node{"type": "string"} }
	switch k.kind {
	case kindInt, kindNumber:
		n["type"], n["minimum"] = []string{"integer", "null"}, k.min
		if k.kind == kindNumber {
			n["type"] = []string{"number", "null"}
		}
		if k.max > 0 {
			n["maximum"] = k.max
		}
	case kindBool:
		n["type"] = []string{"boolean", "null"}
	case kindString:
		n["type"] = []string{"string", "null"}
		if k.words != nil {
			words := []any{nil}
			for _, w := range k.words {
				words = append(words, w)
			}
			n["enum"] = words
		}
		if k.form != "" {
			n["pattern"] = k.form
		}
	case kindStrings:
		n["type"], n["items"] = []string{"array", "null"}, text()
	case kindRules:
		n["type"], n["items"] = []string{"array", "null"}, ruleSchema()
	case kindObject:
		n["type"] = []string{"object", "null"}
		for name, member := range shapes[k.Path] {
			n[name] = member
		}
	}
	return n
}

func ruleSchema() node {
	r := closedObject("One rule; the last one that matches decides.")
	r["properties"] = node{
		"domain":    node{"enum": control.Domains(), "description": "What kind of thing the rule is about."},
		"pattern":   node{"type": "string", "description": "A glob, or regex: and an RE2 expression."},
		"decision":  node{"enum": []string{"allow", "ask", "deny"}},
		"workspace": node{"type": "string", "description": "The rule applies only in this workspace."},
		"runner":    node{"type": "string", "description": "The rule applies only on the machine of this runner. Without it the rule allows nothing on a runner."},
		"exact":     node{"type": "boolean", "description": "The pattern is the object itself."},
		"by":        node{"enum": []string{"always"}, "description": "An answer of always has stored it."},
	}
	r["required"] = []string{"domain", "pattern", "decision"}
	return r
}

// shapes are the values that anyone who needs them decodes; members that are not
// named here are theirs to judge.
var shapes = map[string]node{
	"providers": {"additionalProperties": node{"type": "object", "additionalProperties": false, "properties": node{
		"baseUrl":    node{"type": "string", "description": "Requests go to <baseUrl>/chat/completions."},
		"apiKeys":    node{"type": "array", "items": node{"type": "string"}},
		"apiKeyEnv":  node{"type": "array", "items": node{"type": "string"}, "description": "Names of environment variables that contain keys."},
		"keyHeader":  node{"type": "string", "description": "The header that takes the key as it is; absent: Authorization: Bearer <key>."},
		"apiVersion": node{"type": "string", "description": "Azure's api-version."},
		"headers":    node{"type": "object", "additionalProperties": node{"type": "string"}},
		"quirks":     node{"type": "array", "items": node{"type": "string"}, "description": "Parameters that the service refuses, and that are therefore left out."},
		"models": node{"type": "object", "additionalProperties": node{"type": "object", "additionalProperties": false, "properties": node{
			"window": node{"type": "integer", "minimum": 0}, "maxInput": node{"type": "integer", "minimum": 0}, "maxOutput": node{"type": "integer", "minimum": 0},
			"vision": node{"type": "boolean"}, "reasoning": node{"type": "boolean"}, "api": node{"enum": []string{"", "chat", "responses", "messages"}},
			"tools":     node{"enum": []string{"", "native", "text"}, "description": "text: tools are described in the system prompt, and the model writes its calls as text."},
			"timeoutMs": node{"type": "integer", "minimum": 0, "description": "Time for one full answer; 0: only silence ends it."},
			"price": node{"type": "object", "additionalProperties": false, "required": []string{"input", "output"}, "description": "USD for a million tokens.", "properties": node{
				"input": priceNode(), "output": priceNode(), "cacheRead": priceNode(), "cacheWrite": priceNode(),
			}},
		}}},
	}}},
	"mcp": {"additionalProperties": node{"type": "object", "properties": node{
		"command": node{"type": "array", "items": node{"type": "string"}, "minItems": 1}, "url": node{"type": "string"},
		"env": node{"type": "object", "additionalProperties": node{"type": "string"}}, "headers": node{"type": "object", "additionalProperties": node{"type": "string"}},
		"oauth": node{"type": "object", "additionalProperties": false, "description": "How to sign in to a url.", "properties": node{
			"clientId":        node{"type": "string", "description": "agent-sidecar as it is registered there; without it, it registers itself where the server allows that."},
			"clientSecretEnv": node{"type": "string", "description": "The variable that holds the secret of clientId."},
			"scopes":          node{"type": "array", "items": node{"type": "string"}, "description": "Without it, those that the server names."},
		}},
	}, "anyOf": []any{node{"required": []string{"command"}}, node{"required": []string{"url"}}}}},
	"runners": {"additionalProperties": node{"type": "object", "properties": node{
		"connect":  node{"type": "array", "items": node{"type": "string"}, "minItems": 1, "description": "The command that reaches a worker: its stdin and stdout are the worker's."},
		"up":       node{"type": "array", "items": node{"type": "string"}, "description": "A command that comes before it."},
		"down":     node{"type": "array", "items": node{"type": "string"}, "description": "A command that comes after the last session there."},
		"folder":   node{"type": "string", "description": "Where sessions work there: absolute, or below ~/."},
		"sync":     node{"enum": []string{"", "mount", "git"}, "description": "mount: both are the same directory. git: files are sent there before a run and brought back behind it."},
		"install":  node{"enum": []string{"", "copy"}, "description": "copy: a machine without this version of agent-sidecar takes a copy of it."},
		"env":      node{"type": "array", "items": node{"type": "string"}, "description": "Names of environment variables that these commands get, too."},
		"isolated": node{"type": "boolean", "description": "Commands run there without a question as they would here."},
	}, "required": []string{"connect"}}},
	"sync": {"additionalProperties": false, "properties": node{
		"url":         node{"type": "string", "description": "tls://host:port of a NATS server with JetStream, or nats:// of one on this machine."},
		"credentials": node{"type": "string", "description": "A file that the server's tools wrote, or one with user:password: absolute, below ~/, or a name in the sidecar's home."},
		"ca":          node{"type": "string", "description": "A file with the certificates that the server's own follows from; without it those of the system."},
		"workspaces":  node{"type": "object", "additionalProperties": node{"type": "string"}, "description": "Names of folders that have no repository with an origin, the same on each machine; an empty one: sessions there are not copied."},
	}, "required": []string{"url"}},
	"network": {"additionalProperties": false, "properties": node{
		"proxy":         node{"type": "string", "description": "http://, https:// or socks5:// with host and port, and user:password@ where it wants them; none switches that of the environment off."},
		"noProxy":       node{"type": "array", "items": node{"type": "string"}, "description": "Hosts that are connected to directly: corp.example and all below it, .corp.example, 10.0.0.0/8, host:port."},
		"proxyResolves": node{"type": "boolean", "description": "Only the proxy can look up names, so that where a page is cannot be judged by its address."},
		"caFile":        node{"type": "string", "description": "A file with authorities in PEM, trusted beside those of the system: absolute, below ~/, or a name in the sidecar's home."},
		"certFile":      node{"type": "string", "description": "A file with the client certificate, in PEM. It is shown to models and MCP servers that ask for one, never to a page."},
		"keyFile":       node{"type": "string", "description": "A file with its key, without a passphrase; without this it is in certFile."},
		"certHosts":     node{"type": "array", "items": node{"type": "string"}, "description": "The only hosts that are shown the certificate: gateway.corp.example, *.corp.example."},
	}},
	"hooks": {"additionalProperties": false, "properties": node{"chat.params": hookList(), "chat.system": hookList(), "tool.before": hookList(), "tool.after": hookList()}},
	"profiles": {"additionalProperties": node{"type": "object", "additionalProperties": false, "properties": node{
		"rules": node{"type": "array", "items": ruleSchema(), "description": "Rules behind all others; the last one that matches decides."},
		"mode":  node{"enum": ProfileModes, "description": "As run --mode."},
		"agent": node{"type": "string"}, "model": node{"type": "string"},
		"budget": node{"type": "object", "additionalProperties": false, "description": "Of one run.", "properties": node{
			"tokens": node{"type": "integer", "minimum": 0}, "cost": node{"type": "number", "minimum": 0, "maximum": mostCost, "description": "US dollars."},
		}},
	}}},
	"webSearch": {"properties": node{
		"provider":  node{"enum": slices.Sorted(maps.Keys(searchProviders))},
		"url":       node{"type": "string", "description": "Address of the instance, for searxng."},
		"apiKey":    node{"type": "string", "description": "The key, for brave."},
		"apiKeyEnv": node{"type": "string", "description": "Name of the environment variable that contains the key."},
	}},
	"surfaces": {"additionalProperties": false, "properties": node{
		"messageRequest": node{"type": "boolean"}, "transcript": node{"type": "boolean"},
	}},
}

func hookList() node {
	return node{"type": "array", "items": node{"type": "object", "required": []string{"command"}, "properties": node{
		"command": node{"type": "array", "items": node{"type": "string"}, "minItems": 1}, "required": node{"type": "boolean"},
		"timeoutMs": node{"type": "integer", "minimum": 1}, "tools": node{"type": "array", "items": node{"type": "string"}},
	}}}
}

// mostPrice is a dollar for one token.
const mostPrice = 1e6

func priceNode() node { return node{"type": "number", "minimum": 0, "maximum": mostPrice} }
