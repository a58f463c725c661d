package mcp

import (
	"context"
	"iter"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Of one server.
const (
	maxPrompts   = 100
	maxResources = 500
)

// offers are what a server has beside tools. They are listed behind those: nobody waits for
// them who does not ask.
type offers struct {
	known     bool
	prompts   []*mcp.Prompt
	resources []*mcp.Resource
	templates []*mcp.ResourceTemplate
}

// offersOf lists what a server has. What it does not list it does not have here.
func offersOf(ctx context.Context, session *mcp.ClientSession) offers {
	ctx, cancel := context.WithTimeoutCause(ctx, connectWait, errMCPSilent)
	defer cancel()
	o := offers{known: true}
	is := session.InitializeResult().Capabilities
	if is == nil {
		return o
	}
	if is.Prompts != nil {
		o.prompts = first(session.Prompts(ctx, nil), maxPrompts)
	}
	if is.Resources != nil {
		o.resources = first(session.Resources(ctx, nil), maxResources)
		o.templates = first(session.ResourceTemplates(ctx, nil), maxResources)
	}
	return o
}

// first are at most so many, up to the first that cannot be had.
func first[T any](all iter.Seq2[*T, error], most int) (out []*T) {
	for one, err := range all {
		if err != nil || len(out) == most {
			return out
		}
		if one != nil {
			out = append(out, one)
		}
	}
	return out
}
