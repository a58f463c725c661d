package session

import (
	"cmp"

	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/system"
)

// layers are the system prompt of a run, in order. Reminders are no part of it; they go
// into the user's message (remindAtStart). own is the session's own identity, nil or ""
// for none.
func (w *worker) layers(r *run, own *string) []system.Layer {
	p := system.Prompt{
		Model: r.model.Info().Name, Environment: w.env, Tools: r.tools,
		Agent: r.agent, Folder: w.root.place().folderName(r.agent), Looks: w.authority.looks(r.agent),
		Own: *cmp.Or(own, new(string)), Instructions: w.root.place().Surroundings.Instructions(w.root.documents()), Memory: w.memory(), Run: r.prompt.System,
	}
	if custom := w.deps.Config.Settings().SystemPrompt; custom.Mode == "custom" {
		p.Custom = custom.Text
	}
	if has(r.tools, skillName) {
		p.Skills = w.across.skills.list(journal.Read(w.journal, copied).Info.CompactionCount, w.root.place().Surroundings.Skills)
	}
	return p.Layers(w.root.redactor.RedactAgain)
}

// systemPrompt is that of a run, as it is sent.
func (w *worker) systemPrompt(r *run, own *string) string { return system.Joined(w.layers(r, own)) }

// memory is the part of the system prompt that tells of earlier sessions; a
// sub-agent has none.
func (w *worker) memory() string {
	if w.session.above != nil || !w.root.private() {
		return ""
	}
	return w.root.place().Surroundings.Memory()
}

// environment is the environment as it is now.
func (p *Place) environment() system.Environment { return p.Surroundings.Environment().Redacted() }

// keptEnvironment is the environment that a session began in, else that of now: without it
// the prompt is as true, and only the provider's cache is lost.
func (p *Place) keptEnvironment(dir string) system.Environment {
	if kept, known := system.Kept(dir); known {
		return kept
	}
	return p.environment()
}
