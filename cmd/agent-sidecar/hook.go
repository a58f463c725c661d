package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/hooks"
)

// hookExample is one of the hooks that ship, to be used as they are and to be read
// by whoever writes another (docs/hooks.md): what comes on stdin is one
// control.Call, what goes to stdout is one member of it, or nothing.
type hookExample struct {
	name, value, about string
	answer             func(call hooks.Call, value string) (any, error)
}

var hookExamples = []hookExample{
	{"temperature", "<number>", "chat.params: sets the temperature", exampleTemperature},
	{"system-line", "<text>", "chat.system: adds a line to the system prompt", exampleSystemLine},
	{"format-output", "", "tool.after: indents JSON, takes away blanks at the ends of lines", exampleFormat},
}

// hook runs an example: `agent-sidecar hook temperature 0.2`.
func (p *program) hook(words []string) int {
	for _, e := range hookExamples {
		if len(words) == 0 || e.name != words[0] {
			continue
		}
		if want := len(strings.Fields(e.value)); len(words) != 1+want {
			return p.misused("hook: say it as %s", strings.TrimSpace("agent-sidecar hook "+e.name+" "+e.value))
		}
		if err := e.run(p.in, p.pipe, strings.Join(words[1:], "")); err != nil {
			return p.fail("hook %s: %v", e.name, err)
		}
		return 0
	}
	var names []string
	for _, e := range hookExamples {
		names = append(names, strings.TrimSpace(e.name+" "+e.value))
	}
	return p.misused("hook: name one of the examples: %s", strings.Join(names, ", "))
}

func (e hookExample) run(in io.Reader, out io.Writer, value string) error {
	var call hooks.Call
	if err := json.NewDecoder(in).Decode(&call); err != nil {
		return fmt.Errorf("the input of a hook must be JSON: %w", err)
	}
	answer, err := e.answer(call, value)
	if err != nil || answer == nil {
		return err // nothing said: nothing changes
	}
	return json.NewEncoder(out).Encode(answer)
}

func exampleTemperature(_ hooks.Call, value string) (any, error) {
	t, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a number", value)
	}
	return map[string]any{"params": map[string]float64{"temperature": t}}, nil
}

func exampleSystemLine(_ hooks.Call, value string) (any, error) {
	return map[string]string{"system": value}, nil
}

func exampleFormat(call hooks.Call, _ string) (any, error) {
	if call.Output == nil {
		return nil, nil
	}
	var value any
	if text := strings.TrimSpace(*call.Output); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber() // a long number stays what it is
		if decoder.Decode(&value) == nil && !decoder.More() {
			indented, err := json.MarshalIndent(value, "", "  ")
			return map[string]string{"output": string(indented)}, err
		}
	}
	lines := strings.Split(*call.Output, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return map[string]string{"output": strings.Join(lines, "\n")}, nil
}
