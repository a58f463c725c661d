package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
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

// Name is what the hook is called: its program. Arguments may hold what is not for
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

// readHooks reads the value of the key hooks. What is wrong is said with its
// place below the key, as a JSON pointer.
func readHooks(raw json.RawMessage, say func(pointer, format string, args ...any)) map[string][]Hook {
	hooks := map[string][]Hook{}
	var kinds map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &kinds) != nil {
		return hooks // that it is no object has been said
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		at := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(kind)
		if !slices.Contains(hookKinds, kind) {
			say(at, "there is no hook %q; there are %s", control.Title(kind, 60), strings.Join(hookKinds, ", "))
			continue
		}
		var list []json.RawMessage
		if json.Unmarshal(kinds[kind], &list) != nil {
			say(at, "%s must be a list of hooks", kind)
			list = []json.RawMessage{kinds[kind]} // one hook without its brackets is meant all the same
		}
		for i, entry := range list {
			h, ok := readHook(kind, entry, func(format string, args ...any) { say(at+"/"+strconv.Itoa(i), format, args...) })
			if ok {
				hooks[kind] = append(hooks[kind], h)
			}
		}
	}
	return hooks
}

// readHook reads one entry. One that is wrong is kept only if it may be required.
func readHook(kind string, raw json.RawMessage, say func(format string, args ...any)) (Hook, bool) {
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
				h.Required = true // whoever wrote it wanted something
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

// hooksOf reads a document's hooks and says what is wrong in it, with its place.
func (d *document) hooksOf() (map[string][]Hook, []Diagnostic) {
	root, err := hujson.Parse(d.text)
	here := document{source: d.source, text: d.text}
	return readHooks(d.values["hooks"], func(pointer, format string, args ...any) {
		offset := d.at["hooks"]
		if err == nil {
			if v := root.Find("/hooks" + pointer); v != nil {
				offset = v.StartOffset
			}
		}
		here.say("error", offset, "hooks: "+format, args...)
	}), here.diagnostics
}

// fillHooks gathers the hooks: the user's, then those of the editor's
// configuration that a person has accepted. The second never take the place of
// the first: what the user requires stays required.
func (s *Settings) fillHooks(user, inline *document, accepted bool) {
	var found []Diagnostic
	s.Hooks, found = user.hooksOf()
	s.Diagnostics = append(s.Diagnostics, found...)
	if inline == nil {
		return
	}
	more, found := inline.hooksOf()
	s.Diagnostics = append(s.Diagnostics, found...)
	if !accepted {
		return
	}
	for kind, list := range more {
		s.Hooks[kind] = append(s.Hooks[kind], list...)
	}
	var mine, theirs map[string][]json.RawMessage
	if json.Unmarshal(user.values["hooks"], &mine) != nil || json.Unmarshal(inline.values["hooks"], &theirs) != nil {
		return // one of them alone is what is shown
	}
	for kind, list := range theirs {
		mine[kind] = append(mine[kind], list...)
	}
	if raw, err := json.Marshal(mine); err == nil {
		s.Values["hooks"] = raw
	}
}
