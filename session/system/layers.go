// Package system is what a model is told beside the conversation: the system prompt in its
// layers, the environment among them, and the reminders of what has changed since. It is
// handed what it says; it knows no run, no settings and no model.
package system

import (
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Layer is a part of the system prompt, with where it comes from.
type Layer struct {
	Name   string // identity, environment, agent, skills, instructions, memory or run
	Source string // of people's words: "default", "config", a file
	Text   string // valid UTF-8
	Note   string // for people: what was cut, or why there is no text
}

// Prompt is what a system prompt is made of. An empty text is a layer that is not there.
type Prompt struct {
	Own, Custom  string // who the agent is: the session's own words, the configuration's
	Model        string // the name by which its provider knows it
	Environment  Environment
	Agent        config.Agent
	Folder       string   // that the agent is held to, "" for none
	Looks        bool     // the agent's commands change nothing
	Tools        tool.Set // that are offered
	Skills       string   // which there are
	Instructions []Layer
	Memory       string // what is told of earlier sessions
	Run          string // what this run was given
}

// Layers are the system prompt, in order. What changes least is first: a provider keeps
// the prefix of a prompt, and of the conversation behind it, only up to the first
// difference. hide takes the secrets from a text.
func (p Prompt) Layers(hide func(string) string) []Layer {
	layers := []Layer{
		p.identity(),
		{Name: "environment", Source: "as of the start of the session", Text: p.Environment.text()},
		p.agent(),
	}
	if p.Skills != "" {
		layers = append(layers, Layer{Name: "skills", Source: "SKILL.md files, as of the first run or the last summary", Text: p.Skills})
	}
	layers = append(layers, p.Instructions...)
	if p.Memory != "" {
		layers = append(layers, Layer{Name: "memory", Source: ".agent/MEMORY.md and the last two days", Text: p.Memory})
	}
	if p.Run != "" {
		layers = append(layers, Layer{Name: "run", Source: "agent/run system", Text: p.Run})
	}
	for i := range layers {
		layers[i].Text = strings.TrimSpace(hide(history.Clean(layers[i].Text)))
	}
	return layers
}

// identity is who the agent is: the session's own words, else the configuration's, else
// the default for the model's family. One replaces the other.
func (p Prompt) identity() Layer {
	switch {
	case strings.TrimSpace(p.Own) != "":
		return Layer{Name: "identity", Source: "this session's own", Text: p.Own}
	case strings.TrimSpace(p.Custom) != "":
		return Layer{Name: "identity", Source: "systemPrompt.text of the configuration", Text: p.Custom}
	}
	l := Layer{Name: "identity", Source: "default"}
	text, family := identityFor(p.Model)
	if l.Text = text; family != "" {
		l.Source = "default, for models of the family " + family
	}
	return l
}

func (p Prompt) agent() Layer {
	l := Layer{Name: "agent", Source: p.Agent.Name + ", built in", Text: p.Agent.Prompt}
	if own, added := ownPrompt(p.Agent); own != "" { // what a file adds is the user's
		l.Text = offeredLines(own, p.Tools) + added
	}
	l.Text += folderText(p.Folder)
	if _, bash := p.Tools.Lookup("bash"); bash && p.Looks && p.Agent.Name != planAgent { // whose own prompt says so
		l.Text += looksText
	}
	if p.Agent.File != "" {
		l.Source = p.Agent.Name + ", " + p.Agent.File
	}
	return l
}

// ownPrompt is what an agent's prompt has of ours, and what is added to it. That of plan is that
// of build: a provider keeps the beginning of a conversation whichever of the two is asked,
// and what only plan is told comes with its prompts (modeReminder).
func ownPrompt(a config.Agent) (own, added string) {
	own = AgentPrompt(a.Name)
	added, ours := strings.CutPrefix(a.Prompt, own)
	switch {
	case !ours:
		return "", ""
	case a.Name == planAgent:
		own = AgentPrompt(buildAgent)
	}
	return own, added
}

// offeredLines leaves out the lines of an agent's prompt of ours that name a tool
// which is not offered. A word of small letters in backquotes is a tool there, and
// nothing else.
func offeredLines(prompt string, offered tool.Set) string {
	var kept []string
	for line := range strings.Lines(prompt) {
		whole := true
		for i, word := range strings.Split(line, "`") {
			_, known := offered.Lookup(word)
			whole = whole && (known || i%2 == 0 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz_") != "")
		}
		if whole {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// Joined is the prompt as it is sent. It leaves out what has no text.
func Joined(layers []Layer) string {
	var kept []string
	for _, l := range layers {
		if l.Text != "" {
			kept = append(kept, l.Text)
		}
	}
	return strings.Join(kept, "\n\n")
}

// looksText tells the model that its commands change nothing.
const looksText = "\n\nYou change nothing. Commands (`bash`) are for looking: they run only in a sandbox without a network that sees the whole workspace read-only and can write only to its own /tmp and caches. Where such a command is refused, go on with reading and searching."

// folderText tells the model where it works.
func folderText(folder string) string {
	if folder == "" {
		return ""
	}
	return fmt.Sprintf("\n\nYou work only in the folder `%s`: no file outside it can be read or changed. Name it, or what lies in it, as `path` to `ls`, `glob` and `grep` and as `workdir` to `bash`.", asName(folder))
}
