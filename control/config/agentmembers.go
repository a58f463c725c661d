package config

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
)

// each reads a mapping member by member. One that is given twice, or in another
// spelling than its own, is an error and not read: it may be the one that restricts.
func (r *agentReader) each(v *yaml.Node, known []string, read func(key, value *yaml.Node)) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(v.Content); i += 2 {
		key, value := v.Content[i], v.Content[i+1]
		meant := slices.IndexFunc(known, func(name string) bool { return spelling(name) == spelling(key.Value) })
		switch {
		case key.Kind != yaml.ScalarNode:
			r.fail(r.at(key), "a member must have a name")
		case meant >= 0 && known[meant] != key.Value:
			r.fail(r.at(key), "there is no member %q; write %q", control.Title(key.Value, 60), known[meant])
		case seen[key.Value]:
			r.fail(r.at(key), "%q is given twice", control.Title(key.Value, 60))
		default:
			seen[key.Value] = true
			read(key, value)
		}
	}
}

// spelling is what the ways to write a name have in common: maxTurns, max_turns,
// max-turns, MaxTurns.
func spelling(name string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
}

// budget bounds one run, as limits that ask, and beyond it the session and the day.
func (r *agentReader) budget(v *yaml.Node) {
	if v.Kind != yaml.MappingNode {
		r.fail(r.at(v), "budget must have tokens, cost, session or day")
		return
	}
	of := &r.agent.Budgets
	r.each(v, []string{"tokens", "cost", "session", "day"}, func(key, value *yaml.Node) {
		switch key.Value {
		case "tokens":
			r.agent.BudgetTokens = r.count(key, value)
		case "cost":
			r.agent.BudgetCost = r.cost(key, value)
		case "session":
			of.Session = r.spend(key, value)
		case "day":
			of.Day = r.spend(key, value)
		default:
			r.warn(r.at(key), "unknown member %q of budget", control.Title(key.Value, 60))
		}
	})
}

// spend is a budget beyond one run.
func (r *agentReader) spend(of, v *yaml.Node) (s Spend) {
	if v.Kind != yaml.MappingNode {
		r.fail(r.at(v), "%s of budget must have tokens or cost", of.Value)
		return s
	}
	r.each(v, []string{"tokens", "cost"}, func(key, value *yaml.Node) {
		switch key.Value {
		case "tokens":
			s.Tokens = r.count(key, value)
		case "cost":
			s.Cost = r.cost(key, value)
		default:
			r.warn(r.at(key), "unknown member %q of budget", control.Title(key.Value, 60))
		}
	})
	return s
}

// cost is in USD, and above 0.
func (r *agentReader) cost(key, v *yaml.Node) float64 {
	n := r.number(key, v, math.MaxFloat64)
	if n == nil {
		return 0
	}
	if *n <= 0 {
		r.fail(r.at(v), "cost must be above 0")
	}
	return *n
}

// compaction is how its conversations are made to fit a window.
func (r *agentReader) compaction(v *yaml.Node) {
	if v.Kind != yaml.MappingNode {
		r.fail(r.at(v), "compaction must have auto, trigger, maxTokens, recentTurns or model")
		return
	}
	own := &r.agent.Compaction
	r.each(v, []string{"auto", "trigger", "maxTokens", "recentTurns", "model"}, func(key, value *yaml.Node) {
		switch key.Value {
		case "auto":
			yes := r.truth(key, value)
			own.Auto = &yes
		case "trigger":
			if n := r.number(key, value, 1); n != nil && *n > 0 {
				own.Trigger = *n
			} else if n != nil {
				r.fail(r.at(value), "trigger must be above 0")
			}
		case "maxTokens":
			own.MaxTokens = r.count(key, value)
		case "recentTurns":
			own.RecentTurns = int(r.count(key, value))
		case "model":
			own.Model = r.text(key, value)
		default:
			r.warn(r.at(key), "unknown member %q of compaction", control.Title(key.Value, 60))
		}
	})
}

// allowedHosts become a ceiling of their own.
func (r *agentReader) allowedHosts(key, v *yaml.Node) {
	hosts := r.list(key, v)
	for _, h := range hosts {
		if !hostForm().MatchString(h) || strings.Contains(h, "..") {
			r.fail(r.at(v), "allowedHosts: %q is not a host, such as go.dev, *.example.com or localhost:8080, nor the beginning of an address over http or https", control.Title(h, 120))
		} else if _, host, schemed := strings.Cut(h, "://"); strings.Trim(h, "*./") == "" || schemed && strings.Trim(host, "*./") == "" {
			r.warn(r.at(v), "allowedHosts: %q is every host, so the list restricts nothing", control.Title(h, 120))
		}
	}
	r.narrower = append(r.narrower, control.HostRules(hosts))
}

// hostForm is what hostPattern makes a pattern of that means what it says: no user,
// no blank, no scheme but two.
var hostForm = lazy.Regexp(`^(?i:https?://)?(\[[0-9A-Fa-f:.]+\]|[^\s/@\\:\[\]?#\pC]+)(:[0-9]{1,5}|:\*)?(/[^\s\pC]*)?$`)

// workspace is a folder of the Vault. Which one that is, and whether it is there,
// is seen when a run begins: an agent's file is good for every workspace.
func (r *agentReader) workspace(key, v *yaml.Node) {
	name := r.text(key, v)
	folder, err := folderName(name)
	if err != nil {
		r.fail(r.at(v), "workspace %q %v", control.Title(name, 120), err)
	}
	r.agent.Workspace = folder
}

// workspaceAccess becomes a ceiling of its own. A command could change what is in the
// workspace, so without the right to change it none runs but where the sandbox keeps all of
// it as it is; and what the agent may not read no command reads for it.
func (r *agentReader) workspaceAccess(key, v *yaml.Node) {
	switch text := r.text(key, v); text {
	case "rw":
	case "ro":
		r.narrower = append(r.narrower, control.ReadOnlyWorkspace())
	case "none":
		r.narrower = append(r.narrower, control.NothingChanges("read"))
	default:
		r.fail(r.at(v), "workspaceAccess must be rw, ro or none, not %q", control.Title(text, 60))
	}
}

// keyKinds are the kinds of session that have a name of their own in their keys.
var keyKinds = []string{"main", "dm", "group"}

func (r *agentReader) keys(key, v *yaml.Node) {
	r.agent.Keys = r.list(key, v)
	for _, kind := range r.agent.Keys {
		if !slices.Contains(keyKinds, kind) {
			r.fail(r.at(v), "keys can be main, dm and group, not %q", control.Title(kind, 60))
		}
	}
	if len(r.agent.Keys) == 0 {
		r.fail(r.at(v), "keys is empty, so the agent could work in no session")
	}
}

// maxFolder bounds the name of a folder, in bytes.
const maxFolder = 1024

// furtherFolder is the object of a folder, cut before its path.
var furtherFolder = lazy.Regexp(`^vault(@[A-Za-z0-9._-]+)?:/`)

// folderName is a path below a folder of the Vault, clean: nothing else can be named.
func folderName(name string) (string, error) {
	scheme := furtherFolder().FindString(name)
	rest := strings.TrimPrefix(name, scheme)
	switch {
	case strings.TrimSpace(name) == "":
		return "", errors.New("names no folder")
	case len(name) > maxFolder:
		return "", fmt.Errorf("is longer than %d bytes", maxFolder)
	case strings.ContainsFunc(name, func(c rune) bool { return unicode.In(c, unicode.C, unicode.Zl, unicode.Zp) }):
		return "", errors.New("contains invisible characters")
	case strings.ContainsAny(rest, `\:`):
		return "", errors.New(`must be written with "/", and must not contain ":"`)
	case strings.HasPrefix(rest, "/"), strings.HasPrefix(rest, "~"):
		return "", errors.New("must lie in the workspace: a path from its first folder, or vault@<name>:/<path>")
	case slices.Contains(strings.Split(rest, "/"), ".."):
		return "", errors.New(`must not contain ".."`)
	case scheme == "":
		return path.Clean(rest), nil
	}
	return scheme + strings.TrimPrefix(path.Clean("/"+rest), "/"), nil
}

// sandbox takes from what the configuration gives, and can say nothing else.
func (r *agentReader) sandbox(key, v *yaml.Node) {
	own := &r.agent.Sandbox
	mode := func(key, v *yaml.Node) {
		switch text := r.text(key, v); text {
		case "required":
			own.Confined = true
		case "auto":
		default:
			r.fail(r.at(v), "the sandbox can be required or auto here, not %q: an agent's file only restricts", control.Title(text, 60))
		}
	}
	if v.Kind != yaml.MappingNode {
		mode(key, v)
		return
	}
	r.each(v, []string{"mode", "network"}, func(key, value *yaml.Node) {
		switch key.Value {
		case "mode":
			mode(key, value)
		case "network":
			if r.truth(key, value) {
				r.fail(r.at(value), "network can only be false here: an agent's file only restricts")
			}
			own.Offline = true
		default:
			r.fail(r.at(key), "the sandbox of an agent has mode and network, not %q", control.Title(key.Value, 60))
		}
	})
}
