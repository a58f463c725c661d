package session

import (
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// layers are the system prompt of a run, in order. What changes least stands
// first: a provider keeps the prefix of a prompt, and of the conversation behind
// it, only up to the first difference. Reminders are no part of it; they go into
// the user's message (remindAtStart). own is the session's own identity, nil or ""
// for none.
func (w *worker) layers(r *run, own *string) []Layer {
	layers := []Layer{
		w.identity(r, own),
		{Name: "environment", Source: "as of the start of the session", Text: w.env.text()},
		agentLayer(r, w.deps.folderName(r.agent), w.authority.looks(r.agent)),
	}
	layers = append(layers, w.deps.Surroundings.Instructions(w.root.documents())...)
	if text := w.memory(); text != "" {
		layers = append(layers, Layer{Name: "memory", Source: ".agent/MEMORY.md and the last two days", Text: text})
	}
	if r.prompt.System != "" {
		layers = append(layers, Layer{Name: "run", Source: "agent/run system", Text: r.prompt.System})
	}
	for i := range layers {
		layers[i].Text = strings.TrimSpace(w.root.book.Hide(history.Clean(layers[i].Text)))
	}
	return layers
}

// identity is who the agent is: what the session was given, else what the user's
// configuration says in mode custom, else the default for the model's family.
// One replaces the other.
func (w *worker) identity(r *run, own *string) Layer {
	custom := w.deps.Config.Settings().SystemPrompt
	switch {
	case own != nil && strings.TrimSpace(*own) != "":
		return Layer{Name: "identity", Source: "this session's own", Text: *own}
	case custom.Mode == "custom" && strings.TrimSpace(custom.Text) != "":
		return Layer{Name: "identity", Source: "systemPrompt.text of the configuration", Text: custom.Text}
	}
	l := Layer{Name: "identity", Source: "default"}
	text, family := identityFor(r.model.Info().Name)
	if l.Text = text; family != "" {
		l.Source = "default, for models of the family " + family
	}
	return l
}

func agentLayer(r *run, folder string, looks bool) Layer {
	l := Layer{Name: "agent", Source: r.agent.Name + ", built in", Text: r.agent.Prompt}
	own := AgentPrompt(r.agent.Name)
	if added, ours := strings.CutPrefix(l.Text, own); ours && own != "" { // what a file adds is the user's
		l.Text = offeredLines(own, r.tools) + added
	}
	l.Text += folderText(folder)
	if looks && has(r.tools, "bash") && r.agent.Name != "plan" { // whose own prompt says so
		l.Text += looksText
	}
	if r.agent.File != "" {
		l.Source = r.agent.Name + ", " + r.agent.File
	}
	return l
}

// offeredLines leaves out the lines of an agent's prompt of ours that name a tool
// which is not offered. A word of small letters in backquotes is a tool there, and
// nothing else.
func offeredLines(prompt string, offered tool.Set) string {
	var kept []string
	for line := range strings.Lines(prompt) {
		missing := false
		for i, word := range strings.Split(line, "`") {
			missing = missing || i%2 == 1 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz_") == "" && !has(offered, word)
		}
		if !missing {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// systemPrompt is that of a run, as it is sent.
func (w *worker) systemPrompt(r *run, own *string) string { return joined(w.layers(r, own)) }

// joined leaves out what has no text.
func joined(layers []Layer) string {
	var kept []string
	for _, l := range layers {
		if l.Text != "" {
			kept = append(kept, l.Text)
		}
	}
	return strings.Join(kept, "\n\n")
}

// memory is the part of the system prompt that tells of earlier sessions; a
// sub-agent has none.
func (w *worker) memory() string {
	if w.session.above != nil || !w.root.private() {
		return ""
	}
	return w.deps.Surroundings.Memory()
}
