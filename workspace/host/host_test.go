package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output/outputtest"
)

// editor answers with what it was asked, or not at all.
type editor struct{ silent bool }

func (e editor) CallTool(ctx context.Context, callID, name string, input json.RawMessage) (Answer, error) {
	if e.silent {
		<-ctx.Done()
		return Answer{}, context.Cause(ctx)
	}
	return Answer{Text: name + " " + string(input)}, nil
}

func (e editor) RunTask(_ context.Context, _, name, prompt string) (Answer, error) {
	return Answer{Text: name + ": " + prompt, Failed: true}, nil
}

func TestHostTools(t *testing.T) {
	declared := []Declaration{
		{Name: "a", Description: "x", Schema: json.RawMessage(`{"type":"object"}`), ReadOnly: true, Agents: []string{"plan"}},
		{Name: "b", Description: "y", Task: true},
	}
	tools := Tools(editor{}, declared)
	if s := tools[0].Spec(); s.Name != "host__a" || s.Effect != tool.Net || len(s.Agents) != 1 || tools[1].Spec().Effect != tool.Exec {
		t.Errorf("%+v", s)
	}
	p := outputtest.Plan(t, tools[0], `{"z":1}`)
	if len(p.Targets) != 1 || p.Targets[0] != (tool.Target{Domain: tool.DomainTool, Object: "tool:host__a"}) {
		t.Errorf("%+v", p.Targets)
	}
	if r := outputtest.Run(t, tools[0], `{"z":1}`); r.Text != `a {"z":1}` || r.Failed || !r.Tainted {
		t.Errorf("%+v", r)
	}
	if r := outputtest.Run(t, tools[1], `{"prompt":"go"}`); r.Text != "b: go" || !r.Failed || !r.Tainted {
		t.Errorf("%+v", r)
	}
	for _, args := range []string{`{}`, `{"prompt":1}`, `{"prompt":"x","more":1}`} {
		if _, err := tools[1].Plan(json.RawMessage(args)); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
	declared[0].Description = "now something else"
	if again := outputtest.Plan(t, Tools(editor{}, declared)[0], `{"z":1}`); again.Digest == p.Digest {
		t.Error("another tool of that name is the same question")
	}
}

// An editor that never answers costs two minutes, and a cancel nothing.
func TestSilentEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := Tools(editor{silent: true}, []Declaration{{Name: "a", Schema: json.RawMessage(`{"type":"object"}`)}})[0]
		if r := outputtest.Run(t, silent, `{}`); !r.Failed || !r.Tainted || !strings.Contains(r.Text, "did not answer in time") {
			t.Errorf("%+v", r)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		cancel(gone)
		if _, err := outputtest.Allowed(ctx, outputtest.Plan(t, silent, `{}`), &outputtest.Kept{}); !errors.Is(err, gone) {
			t.Error(err)
		}
	})
}
