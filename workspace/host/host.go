// Package host makes tools of what an editor offers as its own: tools, and sub-agents that
// work there. Who declares them and how they are asked it does not know, and it allows
// nothing: a call is judged like one of any tool that others have made.
package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

// Declaration is one of them, as the editor describes it. Its name is plain.
type Declaration struct {
	Name, Description string
	Schema            json.RawMessage // of the arguments; a task has none
	ReadOnly          bool            // so it says: shown to the person, and believed by nobody
	Agents            []string        // that get it; nil: all
	Task              bool            // a sub-agent
}

// Answer is what came of a call.
type Answer struct {
	Text   string
	Failed bool
}

// Editor runs them. Both wait until ctx ends, which withdraws the call, and return its cause
// then. Any other error says what is wrong with the answer.
type Editor interface {
	CallTool(ctx context.Context, callID, name string, input json.RawMessage) (Answer, error)
	RunTask(ctx context.Context, callID, name, prompt string) (Answer, error)
}

const (
	callTime = 2 * time.Minute
	taskTime = 30 * time.Minute
)

var errSilent = errors.New("the editor did not answer in time. The call was withdrawn, but it may have had an effect")

// taskSchema is of the arguments of every sub-agent.
const taskSchema = `{"type":"object","properties":{"prompt":{"type":"string","description":"the whole task: it sees nothing of this conversation"}},"required":["prompt"],"additionalProperties":false}`

// Tools are those of an editor.
func Tools(editor Editor, declared []Declaration) []tool.Tool {
	var tools []tool.Tool
	for _, d := range declared {
		tools = append(tools, newTool(editor, d))
	}
	return tools
}

func newTool(editor Editor, d Declaration) tool.Tool {
	spec := tool.Spec{Name: tool.HostPrefix + d.Name, Schema: d.Schema, Effect: tool.Exec, Agents: d.Agents}
	spec.Description = fmt.Sprintf("A tool of the user's editor. What it says of itself: %s", d.Description)
	if d.ReadOnly {
		spec.Effect = tool.Net
	}
	if d.Task {
		spec.Schema = json.RawMessage(taskSchema)
		spec.Description = fmt.Sprintf("A sub-agent of the user's editor, which reports back. What it says of itself: %s", d.Description)
	}
	return tool.ThirdParty(spec, func(args json.RawMessage) (*tool.Plan, error) {
		return &tool.Plan{
			Title:   d.Name + " " + output.OneLine(string(args)),
			Targets: []tool.Target{{Domain: tool.DomainTool, Object: "tool:" + spec.Name}},
			Base:    []string{d.hash()}, // the same arguments for another tool of that name are another question
			Preview: func(context.Context, tool.Grant) (tool.Preview, error) {
				return tool.Preview{Kind: "text", Text: d.preview(args)}, nil
			},
			Run: func(ctx context.Context, _ tool.Grant, sink tool.Sink) (tool.Result, error) {
				return run(ctx, editor, d, args, sink)
			},
		}, nil
	})
}

// hash is of all that the editor says about it.
func (d Declaration) hash() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{d.Name, d.Description, string(d.Schema), fmt.Sprint(d.Task)}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// preview is everything that a person approves.
func (d Declaration) preview(args json.RawMessage) string {
	var shown bytes.Buffer
	if json.Indent(&shown, args, "", "  ") != nil {
		shown.Write(args)
	}
	what := "tool"
	if d.Task {
		what = "sub-agent"
	}
	return fmt.Sprintf("%s %s of the editor\n\n%s\n\n%s\n", what, output.OneLine(d.Name), output.Visible(shown.String()), output.Visible(d.Description))
}

// run has the editor do it. What comes back is text from outside: it taints the run.
func run(ctx context.Context, editor Editor, d Declaration, args json.RawMessage, sink tool.Sink) (tool.Result, error) {
	limit := callTime
	if d.Task {
		limit = taskTime
	}
	timed, done := context.WithTimeoutCause(ctx, limit, errSilent)
	defer done()
	answer, err := ask(timed, editor, d, args, sink.CallID())
	if ctx.Err() != nil {
		return tool.Result{Failed: true, Tainted: true}, context.Cause(ctx)
	}
	if err != nil {
		out := tool.Failed(err)
		out.Tainted = true
		return out, nil
	}
	out := output.New(sink)
	_, _ = io.WriteString(out, answer.Text) // it keeps what it can
	note := ""
	if out.Empty() {
		note = "(no output)"
	}
	result := out.Finish(note)
	result.Failed, result.Tainted = answer.Failed, true
	return result, nil
}

func ask(ctx context.Context, editor Editor, d Declaration, args json.RawMessage, callID string) (Answer, error) {
	if !d.Task {
		return editor.CallTool(ctx, callID, d.Name, args)
	}
	var in struct {
		Prompt string `json:"prompt"`
	}
	if err := json.Unmarshal(args, &in); err != nil || strings.TrimSpace(in.Prompt) == "" {
		return Answer{}, errors.New(`argument "prompt" is empty`)
	}
	return editor.RunTask(ctx, callID, d.Name, in.Prompt)
}
