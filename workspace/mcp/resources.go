package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

const (
	// Scheme is before the server and the URI of one of its resources, where a path is wanted.
	Scheme = "mcp://"
	// readResource is the name of the tool that such a read is, behind the server's.
	readResource = "read_resource"
	maxURI       = 2 << 10 // bytes
	// mostNamed is how many resources a search names.
	mostNamed = 20
)

// Resource is a resource that a server has.
type Resource struct {
	Path, Name, Description, MIME string // Path is what read takes
	server                        string
}

// Resources are those of the servers that run; it starts nothing and waits for nobody.
func (m *Servers) Resources() []Resource { return resourcesOf(m.all()) }

func resourcesOf(servers []*server) (all []Resource) {
	for _, s := range servers {
		has := s.offered()
		for _, r := range has.resources {
			all = append(all, s.resource(r.URI, cmp.Or(r.Title, r.Name), r.Description, r.MIMEType))
		}
		for _, r := range has.templates {
			all = append(all, s.resource(r.URITemplate, cmp.Or(r.Title, r.Name), r.Description, r.MIMEType))
		}
	}
	return slices.DeleteFunc(all, func(r Resource) bool { return r.Path == "" })
}

// resource is one as people and models see it; without a path it cannot be named.
func (s *server) resource(uri, name, description, mime string) Resource {
	if checkURI(uri) != nil {
		return Resource{}
	}
	return Resource{Scheme + s.config.Name + "/" + uri, output.OneLine(name), output.OneLine(description), output.OneLine(mime), s.config.Name}
}

// checkURI refuses what would be shown as something else than it is.
func checkURI(uri string) error {
	if uri == "" || len(uri) > maxURI || output.OneLine(uri) != uri {
		return errors.New("the URI is empty, too long, or has characters that no URI has")
	}
	return nil
}

// Reading is the tool read, whose calls with a path that begins with mcp:// are of the server
// that it names. They are for whoever has mcp_call.
func (m *Servers) Reading(read tool.Tool) tool.Tool { return reading{read, m} }

type reading struct {
	tool.Tool
	servers *Servers
}

// Route implements tool.Router.
func (r reading) Route(args json.RawMessage) (tool.Routed, error) {
	path := tool.TextMember(args, "path")
	rest, is := strings.CutPrefix(path, Scheme)
	if !is {
		return tool.Routed{}, nil
	}
	name, uri, _ := strings.Cut(rest, "/")
	s, err := r.servers.named(name)
	if err == nil {
		err = checkURI(uri)
	}
	if err != nil {
		return tool.Routed{}, fmt.Errorf("read: %w", err)
	}
	input, err := json.Marshal(resourceArgs{uri})
	if err != nil {
		return tool.Routed{}, err
	}
	back := func(input json.RawMessage) json.RawMessage {
		out, err := tool.CompactJSON(map[string]string{"path": Scheme + name + "/" + tool.TextMember(input, "uri")})
		if err != nil {
			return input
		}
		return out
	}
	return tool.Routed{Tool: s.reader(), Input: input, Back: back, Needs: tool.MCPCall}, nil
}

type resourceArgs struct {
	URI string `json:"uri"`
}

// reader reads the resources of the server.
func (s *server) reader() tool.Tool {
	spec := tool.Spec{Name: nameOf(s.config.as, readResource), Description: "Reads a resource of the MCP server " + s.config.Name + ".", Effect: tool.Net}
	return tool.Define(spec, func(in resourceArgs) (*tool.Plan, error) {
		if err := checkURI(in.URI); err != nil {
			return nil, err
		}
		return &tool.Plan{
			Title:   fmt.Sprintf("%s: read %s", s.config.Name, in.URI),
			Targets: []tool.Target{{Domain: tool.DomainMCP, Object: "mcp:" + s.config.Name + "/resource:" + in.URI}},
			Run: func(ctx context.Context, _ tool.Grant, sink tool.Sink) (tool.Result, error) {
				got, err := s.read(ctx, in.URI)
				if ctx.Err() != nil {
					return tool.Result{Failed: true}, context.Cause(ctx)
				}
				if err != nil {
					return foreignText(tool.Failed(errors.New(output.OneLine(err.Error())))), nil
				}
				return foreignText(contentsOf(got, sink)), nil
			},
		}, nil
	})
}

// read asks the server for a resource.
func (s *server) read(ctx context.Context, uri string) (*mcp.ReadResourceResult, error) {
	link, err := s.ready(ctx)
	if err != nil {
		return nil, err
	}
	return asked(ctx, s, link, func(ctx context.Context, _ *patience) (*mcp.ReadResourceResult, error) {
		return link.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	})
}

// contentsOf is what a model gets of a resource: texts, images, and of everything else a line.
func contentsOf(got *mcp.ReadResourceResult, sink tool.Sink) tool.Result {
	out := output.New(sink)
	var images []tool.Part
	for _, c := range got.Contents {
		if c == nil {
			continue
		}
		separate(out)
		switch image := imageOf(c.Blob); {
		case image != nil:
			images = append(images, *image)
			fallthrough
		case len(c.Blob) > 0:
			io.WriteString(out, binaryLine("resource", c.MIMEType, len(c.Blob)))
		default:
			io.WriteString(out, c.Text)
		}
	}
	note := ""
	if out.Empty() {
		note = "(it is empty)"
	}
	r := out.Finish(note)
	r.Parts = images
	return r
}

// Resource is the text of a resource that a person has named, as server:uri; ok is false
// where no server is called so. Servers are started for it.
func (m *Servers) Resource(ctx context.Context, config []Server, named string) (path, text string, ok bool, err error) {
	name, uri, _ := strings.Cut(named, ":")
	if !slices.ContainsFunc(config, func(s Server) bool { return s.Name == name }) || checkURI(uri) != nil {
		return "", "", false, nil
	}
	m.Tools(ctx, config)
	s, err := m.named(name)
	if err != nil {
		return "", "", true, err
	}
	got, err := s.read(ctx, uri)
	if err != nil {
		return "", "", true, fmt.Errorf("resource %s of the MCP server %s: %s", uri, name, output.OneLine(err.Error()))
	}
	var texts []string
	for _, c := range got.Contents {
		switch {
		case c == nil:
		case len(c.Blob) > 0:
			texts = append(texts, binaryLine("resource", c.MIMEType, len(c.Blob)))
		default:
			texts = append(texts, c.Text)
		}
	}
	return Scheme + name + "/" + uri, output.Visible(strings.ToValidUTF8(strings.Join(texts, "\n"), "\uFFFD")), true, nil
}
