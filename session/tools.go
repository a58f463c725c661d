package session

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
	"github.com/agent-sidecar/agent-sidecar/session/tasks"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

//go:embed task.md
var taskDescription string

//go:embed compact_tool.md
var compactDescription string

// ownTools are the tools that act on the session itself. They are of the domain
// internal, which is always allowed.
type ownTools struct {
	deps     *Deps
	parent   Parent // the session
	root     *root
	journal  *journal.Journal
	session  *activity
	agents   *roster
	children *children
	asks     []tool.Tool // that ask the person
}

func (o ownTools) all() []tool.Tool {
	tools := append([]tool.Tool{o.session.compactTool(), o.skill()}, tasks.Tools(o.journal)...)
	tools = append(tools, o.asks...)
	if len(o.agents.subagents()) > 0 {
		tools = append([]tool.Tool{o.task()}, tools...)
	}
	return tools
}

// Offered are the tools that a model can be offered in a session with deps, and ready,
// which come and go: those that only some sessions or agents have are among them.
func (d *Deps) Offered(ready []tool.Tool) []tool.Spec {
	all := Glance(d, "", "").tools.builtIn().With(ready...)
	if !d.Config.Settings().Memory.Enabled {
		all = without(all, memoryName, memorySearch)
	}
	if !d.Config.Settings().Skills.Enabled {
		all = without(all, skillName)
	}
	return all.Specs()
}

type taskArgs struct {
	Agent       string `json:"agent" jsonschema:"name of the sub-agent"`
	Prompt      string `json:"prompt" jsonschema:"the whole task: the sub-agent sees nothing of this conversation"`
	Description string `json:"description,omitempty" jsonschema:"three to five words for the person who watches"`
	ResumeID    string `json:"resumeId,omitempty" jsonschema:"a sub-agent that has reported, such as explore#1, to go on with what it knows"`
}

// task sends a sub-agent.
func (o ownTools) task() tool.Tool {
	spec := tool.Spec{Name: taskName, Effect: tool.Read, Description: strings.ReplaceAll(taskDescription, "{{agents}}", config.TaskDescription(o.agents.subagents()))}
	return tool.Define(spec, func(in taskArgs) (*tool.Plan, error) {
		own, ok := o.deps.subagent(in.Agent)
		sent := o.agents.subagents()
		if !ok || !slices.ContainsFunc(sent, func(a config.Agent) bool { return a.Name == in.Agent }) {
			return nil, &unknownAgent{config.UnknownAgent(in.Agent, sent)}
		}
		if strings.TrimSpace(in.Prompt) == "" {
			return nil, errors.New(`argument "prompt" is empty`)
		}
		if in.ResumeID != "" {
			x := o.journal.Begin()
			err := o.children.resumable(x, in.Agent, in.ResumeID)
			if x.End(); err != nil {
				return nil, fmt.Errorf(`argument "resumeId": %w`, err)
			}
		}
		title := in.Agent + ": " + in.Prompt
		if in.Description != "" {
			title = in.Agent + ": " + in.Description
		}
		return &tool.Plan{
			Title:   control.Title(title, 120),
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:task"}},
			Run: func(ctx context.Context, _ tool.Grant, out tool.Sink) (tool.Result, error) {
				task := Task{Agent: in.Agent, Prompt: in.Prompt, CallID: out.CallID(), Resume: in.ResumeID}
				if k, ok := out.(*sink); ok {
					task.Begun = k.begun
				}
				report, err := own.Run(ctx, o.parent, task)
				if err != nil {
					return tool.Result{}, err
				}
				if k, ok := out.(*sink); ok && report.Path != "" {
					k.step.note, k.step.others = resumeNote(in.Agent, report.Path), report.Changes
				}
				return tool.Result{Text: report.Text, Failed: report.Failed}, nil
			},
		}, nil
	})
}

type compactArgs struct {
	Focus string `json:"focus,omitempty" jsonschema:"what the summary must not lose"`
}

// compactTool lets the model ask for a summary; it is made before its next
// turn.
func (a *activity) compactTool() tool.Tool {
	return tool.Define(tool.Spec{Name: "compact", Effect: tool.Read, Description: compactDescription}, func(in compactArgs) (*tool.Plan, error) {
		return &tool.Plan{
			Title:   "compact the conversation",
			Targets: []tool.Target{{Domain: tool.DomainInternal, Object: "internal:compact"}},
			Run: func(context.Context, tool.Grant, tool.Sink) (tool.Result, error) {
				r := a.current()
				if r == nil {
					return tool.Result{Text: "no run is active", Failed: true}, nil
				}
				r.compactFocus.Store(&in.Focus)
				return tool.Result{Text: "The conversation will be summarised before your next answer."}, nil
			},
		}, nil
	})
}
