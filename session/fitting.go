package session

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/tasks"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// dispensable are tools that an agent can do without, those that it misses least
// first; what is of no use without the other goes together. What is not here reads,
// searches, changes and runs, or keeps a small window free: `task`.
var dispensable = [][]string{tasks.Names, {"web_fetch", "web_search"}, {"rename"}, {"symbols", "references"}, {"apply_patch"}, {"move", "delete"}, {"ls"}, {skillName}, {"compact"}, {"memory_search"}, {"memory"}}

// toolShare is how much of a window the descriptions of tools may take before some of
// them are left out, in percent. All of them are more than that of 8k, and less of 16k.
const toolShare = 40

// fitting leaves tools out that a small window has no room for: they would take
// more of it than the conversation. An agent that names its tools has them all, and
// so has a model whose window is not known.
func (v *view) fitting(r *run, all tool.Set) (fit tool.Set, left []string) {
	window := v.window(r.model.Info())
	if r.agent.Tools != nil || window <= 0 {
		return all, nil
	}
	return fitInto(window, all)
}

// fitInto goes by the plain estimate, so that a session keeps its tools whatever is
// learned of its model.
func fitInto(window int64, all tool.Set) (fit tool.Set, left []string) {
	for _, some := range dispensable {
		if sizeOfTools(all)/3*100 <= window*toolShare {
			break
		}
		for _, name := range some {
			if has(all, name) {
				left = append(left, name)
			}
		}
		all = all.Only(slices.DeleteFunc(all.Names(), func(name string) bool { return slices.Contains(some, name) })...)
	}
	return all, left
}

// sizeOfTools is in bytes.
func sizeOfTools(set tool.Set) (n int64) {
	for _, spec := range set.Specs() {
		n += int64(len(spec.Name) + len(spec.Description) + len(spec.Schema))
	}
	return n
}

// tellLeftOut says once a session what was left out, and what a person can do.
func (w *worker) tellLeftOut(r *run, left []string) {
	if len(left) == 0 || w.across.toldOfTools {
		return
	}
	w.across.toldOfTools = true
	w.show(r.id, "notice", Notice{Severity: "info", Kind: "tools_left_out",
		Title: said.That("The window of %s is %d tokens, so these tools are left out: %s. %s", r.model.Info().Name, w.view.window(r.model.Info()), strings.Join(left, ", "), wider(r.model.Info().Server, said.That("An agent file that names its tools has all of those.")))})
}

// tellCut takes in that a server cuts prompts without a word, and says so once.
func (w *worker) tellCut(r *run, done model.Done) {
	if done.Window == 0 || !w.view.learnWindow(done.Model, done.Window) {
		return
	}
	w.show(r.id, "notice", Notice{Severity: "warning", Kind: "window",
		Title: said.That("%s reads only %d tokens of a longer prompt, and its server does not say so. That counts as its window from now on. %s", done.Model, done.Window, wider(r.model.Info().Server, loaded))})
}

// loaded is for servers that are not known.
var loaded = said.That("To raise it, look for the context length in the settings of its server.")

// larger is for models that a person may not run.
var larger = said.That("Choose a model with a larger window. If you run its server, raise the window there.")

// wider says how a person gives a model more room, or otherwise where its server is not
// known.
func wider(server string, otherwise said.Text) said.Text {
	if how, known := servers[server]; known {
		return how
	}
	return otherwise
}

// rightly tells a model how it calls a tool.
func rightly(m model.Info) string {
	if m.TextTools() {
		return "Write the call as the system prompt says: a block of its own that begins with ```tool_call."
	}
	return "Call the tool; do not write the call."
}

// MakesCalls says what a person can do so that what this model writes becomes a call.
func MakesCalls(m model.Info) said.Text {
	if m.TextTools() {
		return said.That("It does not follow the instructions for calling tools: choose another model.")
	}
	return said.That("%s Or set \"tools\": \"text\" for this model under providers in the configuration.", ReadsCalls(m.Server))
}

// MoreRoom says how a person gives a model of a local server a larger window; nothing where the
// server is not known.
func MoreRoom(server string) said.Text { return wider(server, said.Text{}) }

// ReadsCalls says how a server is told to make calls of what its model writes.
func ReadsCalls(server string) said.Text {
	if how, known := parsers[server]; known {
		return how
	}
	return said.That("Its server does not read the calls of this model: look for its setting of a tool parser, or choose another model.")
}

var parsers = map[string]said.Text{
	"ollama":   said.That("Ollama reads the calls of models whose page has the tag tools: choose one of those."),
	"lmstudio": said.That("LM Studio reads the calls of models that it marks for tool use: choose one of those."),
	"llamacpp": said.That("llama.cpp reads calls if llama-server is started with --jinja."),
	"vllm":     said.That("vLLM reads calls if it is started with --enable-auto-tool-choice and the --tool-call-parser of this model."),
}

// servers are the local servers that run a model with as large a window as they are told.
var servers = map[string]said.Text{
	"ollama":   said.That("Ollama runs it with a larger one after OLLAMA_CONTEXT_LENGTH=32768 ollama serve, or with num_ctx in its Modelfile."),
	"lmstudio": said.That("LM Studio runs it with a larger one if you load it with a larger context length."),
	"llamacpp": said.That("llama.cpp runs it with a larger one if you start llama-server with a larger -c."),
}
