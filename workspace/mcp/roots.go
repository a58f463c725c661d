package mcp

//lint:file-ignore SA1019 The newest protocol gives roots up; the servers that there are ask for them.

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// offerRoots says that a server may ask which folders are open.
func offerRoots(can *mcp.ClientCapabilities) {
	can.RootsV2 = &mcp.RootCapabilities{ListChanged: true}
}

// roots are the folders that a client has told its server of. One goroutine uses it.
type roots struct {
	client *mcp.Client
	told   []Root
}

// follow makes them those that are open. What is different is told to the server.
func (r *roots) follow(open []Root) {
	var gone []string
	for _, o := range r.told {
		if !slices.Contains(open, o) {
			gone = append(gone, o.URI)
		}
	}
	var come []*mcp.Root
	for _, o := range open {
		if !slices.Contains(r.told, o) {
			come = append(come, &mcp.Root{URI: o.URI, Name: o.Name})
		}
	}
	if r.told = open; len(gone) > 0 {
		r.client.RemoveRoots(gone...)
	}
	r.client.AddRoots(come...)
}
