package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

const (
	// maxTools is how many tools of one server a model gets: providers take 128 in
	// all.
	maxTools = 100
	// schemaBytes is how large the description of one tool's arguments may be.
	schemaBytes = 32 << 10
)

// definition is a tool as its server describes it.
type definition struct {
	own   string // the server's name for it
	says  string // what the server says of it
	spec  tool.Spec
	hash  string // of everything the server says about it
	known bool   // this definition was there before, or a person said yes to it
}

// define makes definitions of what a server lists. What cannot be used is left
// out, and problem says so.
func (s *server) define(found []*mcp.Tool, cut bool) (defined []definition, problem string, err error) {
	total := len(found)
	if cut = cut || total > maxTools; total > maxTools {
		found = found[:maxTools]
	}
	var problems []string
	if cut {
		problems = append(problems, fmt.Sprintf("it has more than %d tools; only the first %d are used", maxTools, maxTools))
	}
	own := make([]string, len(found))
	for i, t := range found {
		own[i] = t.Name
	}
	names := namesOf(s.config.as, own)
	for i, t := range found {
		raw, err := json.Marshal(t)
		if err != nil {
			return nil, "", err
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, "", err
		}
		if len(schema) > schemaBytes {
			problems = append(problems, fmt.Sprintf("its tool %s is left out: its schema is larger than %d KiB", output.OneLine(t.Name), schemaBytes>>10))
			continue
		}
		sum := sha256.Sum256(raw)
		d := definition{own: t.Name, says: t.Description, hash: hex.EncodeToString(sum[:]), spec: tool.Spec{
			Name: names[i], Description: serverSays(s.config.Name, t.Name, t.Description), Schema: schema, Effect: tool.Net,
		}}
		known, err := s.m.known.first(s.config.Name, t.Name, d.hash)
		if d.known = known; err != nil {
			problems = append(problems, err.Error())
		}
		defined = append(defined, d)
	}
	if len(problems) > 3 {
		problems = append(problems[:3], fmt.Sprintf("and %d more", len(problems)-3))
	}
	return defined, strings.Join(problems, "; "), nil
}

// tool is a tool of the server for a model. listed is what the run was told of
// it; the plan is about what the server says now, and nothing is done where that
// changes once more before it runs.
func (s *server) tool(listed definition) tool.Tool {
	return tool.ThirdParty(listed.spec, func(args json.RawMessage) (*tool.Plan, error) {
		now, there := s.definition(listed.own)
		if !there {
			return nil, errors.New("the server does not have this tool any more")
		}
		p := &tool.Plan{
			Title:   fmt.Sprintf("%s: %s", s.config.Name, output.OneLine(listed.own)),
			Targets: []tool.Target{{Domain: tool.DomainMCP, Object: "mcp:" + s.config.Name + "/" + output.OneLine(listed.own)}},
			Base:    []string{now.hash},
			Preview: func(context.Context, tool.Grant) (tool.Preview, error) {
				return tool.Preview{Kind: "text", Text: previewOf(s.config.Name, listed.own, now.spec.Description, args)}, nil
			},
		}
		if !now.known {
			p.Why = said.That("the server's definition of this tool has changed since it was last allowed")
		}
		p.Run = func(ctx context.Context, _ tool.Grant, sink tool.Sink) (tool.Result, error) {
			return s.run(ctx, now, args, sink)
		}
		return p, nil
	})
}

// previewOf is everything that a person approves.
func previewOf(server, own, says string, args json.RawMessage) string {
	var shown bytes.Buffer
	if json.Indent(&shown, args, "", "  ") != nil {
		shown.Write(args)
	}
	return fmt.Sprintf("tool %s of the MCP server %s\n\n%s\n\n%s\n", output.OneLine(own), server, output.Visible(shown.String()), says)
}

// run sends the call. What comes back is text from outside: it taints the run.
func (s *server) run(ctx context.Context, judged definition, args json.RawMessage, sink tool.Sink) (tool.Result, error) {
	link, err := s.ready(ctx)
	if ctx.Err() != nil {
		return tool.Result{Failed: true}, context.Cause(ctx)
	}
	if err != nil {
		return tool.Failed(err), nil
	}
	if now, there := s.definition(judged.own); !there || now.hash != judged.hash {
		return tool.Failed(errors.New("the server changed the definition of this tool since it was judged; nothing was done")), nil
	}
	if !judged.known {
		s.accepted(judged)
	}
	result, err := asked(ctx, s, link, func(ctx context.Context, wait *patience) (*mcp.CallToolResult, error) {
		token, end := link.atWork.begin(ctx, sink, wait)
		defer end()
		params := &mcp.CallToolParams{Name: judged.own, Arguments: args}
		params.SetProgressToken(token)
		return link.session.CallTool(ctx, params)
	})
	switch {
	case ctx.Err() != nil:
		return tool.Result{Failed: true}, context.Cause(ctx)
	case errors.Is(err, errMCPSilent):
		return tool.Failed(fmt.Errorf("%w; the call was cancelled, but it may have had an effect", err)), nil
	case errors.Is(err, errMCPGone), errors.Is(err, mcp.ErrConnectionClosed), errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed):
		s.unlink(link) // its owner may hear of it later than the next call comes
		return tool.Failed(fmt.Errorf("%w; it is being started again. The call may have had an effect", errMCPGone)), nil
	case err != nil:
		return foreignText(tool.Failed(errors.New(output.OneLine(err.Error())))), nil
	}
	return foreignText(resultOf(result, sink)), nil
}

// accepted remembers that a person said yes to a changed definition.
func (s *server) accepted(d definition) {
	if s.m.known.accept(s.config.Name, d.own, d.hash) != nil {
		return // it asks again next time
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.listed {
		if s.listed[i].own == d.own && s.listed[i].hash == d.hash {
			s.listed[i].known = true
		}
	}
}

// foreignText marks a result as text from outside.
func foreignText(r tool.Result) tool.Result {
	r.Tainted = true
	return r
}
