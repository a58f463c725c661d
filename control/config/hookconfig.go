package config

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	jsonexp "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// The four hooks.
const (
	ChatParams = "chat.params" // the model parameters of a run
	ChatSystem = "chat.system" // its system prompt
	ToolBefore = "tool.before" // the arguments of a call, before anybody judges them
	ToolAfter  = "tool.after"  // its output, before it is truncated
)

var hookKinds = []string{ChatParams, ChatSystem, ToolBefore, ToolAfter}

// How long a hook may take: by default, and at most where the configuration says
// more.
const (
	defaultHookTime = 10 * time.Second
	maxHookTimeMs   = 600_000
)

// Hook is a command of the user's that may change what is about to happen.
type Hook struct {
	Command  []string
	Required bool // where it fails, what it watches over does not happen
	Timeout  time.Duration
	Tools    []string // patterns of names; nil: every tool
	// Broken is why it cannot run as it is configured. It is kept, because a
	// required one must refuse all the same.
	Broken string
}

// Name is what the hook is called: its program. Arguments may contain what is not for
// everybody's eyes.
func (h Hook) Name() string {
	if len(h.Command) == 0 {
		return "(no command)"
	}
	return control.Title(filepath.Base(h.Command[0]), 60)
}

// Covers says whether the hook is for calls of this tool.
func (h Hook) Covers(tool string) bool {
	return h.Tools == nil || slices.ContainsFunc(h.Tools, func(pattern string) bool {
		ok, _ := path.Match(pattern, tool) // checked when it was read
		return ok
	})
}

// takeHooks decodes the hooks one by one: what is wrong with one of them is a
// diagnostic, and the others hold.
func (d *document) takeHooks(v *hujson.Value) {
	d.hooks = map[string][]Hook{}
	eachObject(v, func(kind string, list *hujson.Value) {
		if !slices.Contains(hookKinds, kind) {
			d.say("error", list.StartOffset, "hooks: there is no hook %q; there are %s", control.Title(kind, 60), strings.Join(hookKinds, ", "))
			return
		}
		if l, ok := list.Value.(hujson.Literal); ok && l.Kind() == 'n' { // as if it were not there
			return
		}
		entries := []hujson.Value{*list} // one hook without its brackets is meant all the same
		if array, ok := list.Value.(*hujson.Array); ok {
			entries = array.Elements
		} else {
			d.say("error", list.StartOffset, "hooks: %s must be a list of hooks", kind)
		}
		for i := range entries {
			plain := entries[i].Clone()
			plain.Standardize()
			h, ok := readHook(kind, plain.Pack(), func(format string, args ...any) { d.say("error", entries[i].StartOffset, "hooks: "+format, args...) })
			if ok {
				d.hooks[kind] = append(d.hooks[kind], h)
			}
		}
	})
}

// readHook reads one entry. One that is wrong is kept only if it may be required.
func readHook(kind string, raw []byte, say func(format string, args ...any)) (Hook, bool) {
	h := Hook{Timeout: defaultHookTime}
	var members map[string]jsontext.Value
	if err := jsonexp.Unmarshal(raw, &members); err != nil || members == nil {
		say("a hook of %s must be an object with a command", kind)
		return h, false
	}
	wrong := func(format string, args ...any) {
		h.Broken = fmt.Sprintf(format, args...)
		say("%s", h.Broken)
	}
	if h.Command = nil; jsonexp.Unmarshal(members["command"], &h.Command) != nil || !isCommand(h.Command) {
		h.Command = nil
		wrong(`"command" must be a list: the program, then its arguments`)
	}
	for name, value := range members {
		switch name {
		case "command":
		case "required":
			if jsonexp.Unmarshal(value, &h.Required) != nil || value.Kind() == 'n' {
				h.Required = true // anyone who wrote it wanted something
				wrong(`"required" must be true or false`)
			}
		case "timeoutMs":
			var ms float64
			if jsonexp.Unmarshal(value, &ms) != nil || ms < 1 || ms > maxHookTimeMs {
				wrong(`"timeoutMs" must be a number from 1 to %d`, maxHookTimeMs)
			}
			h.Timeout = time.Duration(ms * float64(time.Millisecond))
		case "tools":
			if strings.HasPrefix(kind, "chat.") {
				say(`"tools" has no meaning for %s`, kind)
			} else if err := h.readTools(value); err != nil {
				wrong("%v", err)
			}
		default:
			say("unknown member %q of a hook", control.Title(name, 60))
		}
	}
	return h, h.Broken == "" || h.Required
}

func (h *Hook) readTools(value jsontext.Value) error {
	if jsonexp.Unmarshal(value, &h.Tools) != nil || len(h.Tools) == 0 {
		h.Tools = nil
		return errors.New(`"tools" must be a list of names`)
	}
	for _, pattern := range h.Tools {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			h.Tools = nil
			return fmt.Errorf("%q in \"tools\" is not a pattern for a name", control.Title(pattern, 60))
		}
	}
	return nil
}

func isCommand(words []string) bool {
	return len(words) > 0 && words[0] != "" && !slices.ContainsFunc(words, func(w string) bool { return strings.ContainsRune(w, 0) })
}
