package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

// mcpImageBytes is the largest image that is shown to a model, as in read.
const mcpImageBytes = 5 << 20

// imageTypes are the kinds of images that providers take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// resultOf is what a model gets of an answer: texts as they are, images as
// images, of everything else a line that says what it was. It goes the way of a
// command's output: cleaned, and into an artifact where it is large.
func resultOf(answer *mcp.CallToolResult, sink tool.Sink) tool.Result {
	out := output.New(sink)
	var images []tool.Part
	texts := 0
	for _, c := range answer.Content {
		line, image := lineOf(c)
		if image != nil {
			images = append(images, *image)
		}
		if _, is := c.(*mcp.TextContent); is {
			texts++
		}
		separate(out)
		io.WriteString(out, line)
	}
	if answer.StructuredContent != nil && texts == 0 {
		if text, err := json.MarshalIndent(answer.StructuredContent, "", "  "); err == nil {
			separate(out)
			out.Write(text)
		}
	}
	note := ""
	switch {
	case answer.InputRequests != nil:
		note = "(the server asked for something that is not offered here, so the call has no result)"
	case out.Empty():
		note = "(no output)"
	}
	r := out.Finish(note)
	r.Failed, r.Parts = answer.IsError || answer.InputRequests != nil, images
	return r
}

// lineOf is one piece of content as text, and the image that it is.
func lineOf(c mcp.Content) (line string, image *tool.Part) {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Text, nil
	case *mcp.ImageContent:
		return binaryLine("image", c.MIMEType, len(c.Data)), imageOf(c.Data)
	case *mcp.AudioContent:
		return binaryLine("audio", c.MIMEType, len(c.Data)), nil
	case *mcp.ResourceLink:
		return fmt.Sprintf("[resource %s: %s %s]", output.OneLine(cmp.Or(c.Title, c.Name)), output.OneLine(c.URI), output.OneLine(c.Description)), nil
	case *mcp.EmbeddedResource:
		return resourceLine(c.Resource), nil
	}
	return "[content of a kind that is not known here]", nil
}

// imageOf is an image where it is one. What it is counts, not what it is called: a provider
// refuses the whole request over a picture that is none.
func imageOf(data []byte) *tool.Part {
	kind := http.DetectContentType(data)
	if !slices.Contains(imageTypes, kind) || len(data) > mcpImageBytes {
		return nil
	}
	return &tool.Part{MIME: kind, Data: data}
}

// resourceLine is a resource with its text, or what it is.
func resourceLine(r *mcp.ResourceContents) string {
	switch {
	case r == nil:
		return "[an empty resource]"
	case len(r.Blob) > 0:
		return binaryLine("resource "+output.OneLine(r.URI), r.MIMEType, len(r.Blob))
	}
	return fmt.Sprintf("[resource %s]\n%s", output.OneLine(r.URI), r.Text)
}

func binaryLine(what, mime string, bytes int) string {
	return fmt.Sprintf("[%s, %s, %d bytes]", what, cmp.Or(output.OneLine(mime), "of unknown type"), bytes)
}

// separate begins a new line unless it is the first.
func separate(out *output.Output) {
	if !out.Empty() {
		io.WriteString(out, "\n")
	}
}
