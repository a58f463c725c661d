package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
	"github.com/agent-sidecar/agent-sidecar/workspace/pathname"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// external is one tool of <home>/tools.
type external struct {
	v    *Vault
	name string
	home string // its own directory
	spec ExternalSpec
}

// newExternal makes a tool that starts a program for each call: arguments as
// JSON on stdin, JSON or text as the result.
func newExternal(v *Vault, name, home string, spec ExternalSpec) tool.Tool {
	if spec.Timeout == 0 {
		spec.Timeout = externalCall
	}
	x := external{v, name, home, spec}
	return tool.ThirdParty(tool.Spec{Name: name, Description: spec.Description, Schema: spec.Schema, Effect: tool.Exec}, x.plan)
}

func (x external) plan(args json.RawMessage) (*tool.Plan, error) {
	dir := x.v.Root()
	if dir == "" {
		dir = x.home
	}
	p := &tool.Plan{
		Title:   x.name + " " + output.OneLine(string(args)),
		Targets: []tool.Target{{Domain: tool.DomainTool, Object: "tool:" + x.name}},
		Dir:     dir,
		// The same arguments for another program are another question.
		Base: []string{hashOf([]byte(strings.Join(x.spec.Command, "\x00")))},
		Preview: func(context.Context, tool.Grant) (tool.Preview, error) {
			return tool.Preview{Kind: "text", Text: x.preview(args, dir)}, nil
		},
	}
	p.Run = func(ctx context.Context, g tool.Grant, sink tool.Sink) (tool.Result, error) {
		// The person's own program has no words to ask with.
		return x.run(ctx, args, dir, sandbox.Policy{Bounds: g.Bounds, Session: g.Origin.Root, Apart: g.Origin.Apart, Needs: tool.Needs{tool.NeedGit}}, sink)
	}
	if x.spec.Target != (tool.Target{}) {
		p.Targets = append(p.Targets, x.spec.Target)
	}
	return p, nil
}

// preview is everything that a person approves.
func (x external) preview(args json.RawMessage, dir string) string {
	var shown bytes.Buffer
	if json.Indent(&shown, args, "", "  ") != nil {
		shown.Write(args)
	}
	command := make([]string, len(x.spec.Command))
	for i, word := range x.spec.Command {
		command[i] = output.OneLine(word)
	}
	return fmt.Sprintf("external tool %s\n\n%s\n\nprogram: %s\ndirectory: %s\n", x.name, output.Visible(shown.String()), strings.Join(command, " "), pathname.Printable(dir))
}

func (x external) run(ctx context.Context, args json.RawMessage, dir string, wanted sandbox.Policy, sink tool.Sink) (tool.Result, error) {
	command, err := x.command()
	if err != nil {
		return tool.Failed(err), nil
	}
	stdin, err := inputFile(args)
	if err != nil {
		return tool.Failed(fmt.Errorf("the arguments cannot be handed over: %w", err)), nil
	}
	defer dropFile(stdin)
	if x.spec.Network {
		wanted.Needs = wanted.Needs.With(tool.NeedNetwork)
	}
	timed, cancel := context.WithTimeoutCause(ctx, x.spec.Timeout, errTimedOut)
	defer cancel()
	out, keep := output.New(sink), x.v.keepEnv()
	var end commandEnd
	end.begun, end.exit, end.outlived, end.err = x.v.run(timed, x.v.watchFiles(callOf(sink)), wanted, proc.Command{
		Args: command, Dir: dir, Env: x.v.environ(keep, dir), Stdin: stdin,
		Confine: proc.Confinement{Shown: sandbox.Existing(x.home)}, // its own folder is in the hidden home
	}, keep, out, nil)
	if end.begun == nil {
		return tool.Failed(end.err), nil
	}
	end.note = end.begun.close(false, end.err, out) // it has no argument to ask for more with
	end.stopped = stopperOf(ctx, timed)
	return end.result(ctx, "the tool", int(x.spec.Timeout/time.Millisecond), out)
}

// command is the argument vector with an absolute program. "./x" is in the
// tool's own directory.
func (x external) command() ([]string, error) {
	program := x.spec.Command[0]
	if own, is := strings.CutPrefix(program, "./"); is {
		program = filepath.Join(x.home, filepath.FromSlash(own))
	}
	program, err := proc.Find(program)
	if err != nil {
		return nil, err
	}
	return append([]string{program}, x.spec.Command[1:]...), nil
}

// inputFile holds the input of a program. A file and no pipe: nobody has to write
// while the program runs, and it may read as slowly as it likes.
func inputFile(input []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "agent-sidecar-input-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // dropFile tries again where an open file cannot be removed
	if _, err := f.Write(input); err != nil {
		dropFile(f)
		return nil, err
	}
	if _, err := f.Seek(0, 0); err != nil {
		dropFile(f)
		return nil, err
	}
	return f, nil
}

func dropFile(f *os.File) {
	f.Close()
	_ = os.Remove(f.Name()) // gone already where it had no name
}
