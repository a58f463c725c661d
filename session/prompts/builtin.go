package prompts

import (
	_ "embed"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
)

//go:embed init.md
var initPrompt string

//go:embed review.md
var reviewPrompt string

// builtIn are the commands of the program, in the order in which they are shown.
func builtIn() []Command {
	all := []Command{
		{Name: "compact", Description: said.That("Summarize the conversation to free context"), Hint: "[what must not be lost]", compact: true},
		{Name: "undo", Description: said.That("Undo the file changes of the last run"), Request: "agent/session/undo"},
		{Name: "fork", Description: said.That("Go on in a copy of this session"), Request: "agent/session/fork"},
		{Name: "plan", Description: said.That("Switch to the agent plan, which changes nothing"), Hint: "[what is to be planned]", Agent: "plan", Request: "agent/session/update", rest: true},
		{Name: "model", Description: said.That("Choose the model of this session"), Hint: "[name]", Request: "agent/session/update"},
		{Name: "init", Description: said.That("Write an AGENTS.md for this project"), Hint: "[what it should say]", body: initPrompt},
		{Name: "review", Description: said.That("Review the changes that are not committed"), Hint: "[what to look at]", body: reviewPrompt},
		{Name: "usage", Description: said.That("Show what was spent"), Request: "agent/usage"},
	}
	for i := range all {
		all[i].Source, all[i].State = BuiltIn, skills.Ready
	}
	return all
}
