package convert

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// lines are the lines in the fragment of a link: L10, L10-20 or L10-L20.
var lines = regexp.MustCompile(`^L(\d{1,7})(?:-L?(\d{1,7}))?$`)

// Blocks are the blocks of a prompt as the server takes them. What a person embeds goes as material with
// its path: they have sent it, so it is no read, and its words are not theirs.
func Blocks(prompt []v1.ContentBlock) ([]map[string]any, error) {
	blocks := []map[string]any{}
	for i, b := range prompt {
		switch {
		case b.Text != nil:
			blocks = append(blocks, map[string]any{"type": "text", "text": b.Text.Text})
		case b.Image != nil:
			blocks = append(blocks, map[string]any{"type": "image", "data": b.Image.Data, "mimeType": b.Image.MIMEType})
		case b.ResourceLink != nil:
			blocks = append(blocks, linkOf(b.ResourceLink.URI))
		case b.Resource != nil && b.Resource.Resource.Text != nil:
			r := b.Resource.Resource.Text
			named := r.URI
			if path, _, isFile := filePath(r.URI); isFile {
				named = path
			}
			blocks = append(blocks, map[string]any{"type": "resource_link", "uri": named, "text": r.Text})
		case b.Resource != nil && b.Resource.Resource.Blob != nil:
			r := b.Resource.Resource.Blob
			blocks = append(blocks, map[string]any{"type": "image", "data": r.Blob, "mimeType": r.MIMEType})
		default:
			return nil, wire.InvalidParams(fmt.Sprintf("prompt.%d", i), "is of a kind that is not supported; text, images, links and embedded resources are")
		}
	}
	return blocks, nil
}

// linkOf is a link, with the lines that its fragment names.
func linkOf(uri string) map[string]any {
	block := map[string]any{"type": "resource_link", "uri": uri}
	path, fragment, isFile := filePath(uri)
	if !isFile {
		return block
	}
	named := lines.FindStringSubmatch(fragment)
	if named == nil {
		return block
	}
	first, _ := strconv.Atoi(named[1])
	last, err := strconv.Atoi(named[2])
	if err != nil {
		last = first
	}
	block["uri"] = fileuri.Of(path)
	block["range"] = map[string]any{
		"start": map[string]int{"line": max(first-1, 0), "character": 0}, "end": map[string]int{"line": max(last, first), "character": 0},
	}
	return block
}

// Link is a link of a prompt as the client is shown it again, with its lines in the fragment.
func Link(b history.Block) v1.ContentBlock {
	uri, name := b.URI, b.URI
	if filepath.IsAbs(uri) {
		uri = fileuri.Of(uri)
	}
	if path, isFile := fileuri.Path(uri); isFile {
		name = filepath.Base(path)
	}
	if b.Range != nil {
		first, last := b.Range.Lines()
		uri = fmt.Sprintf("%s#L%d-%d", uri, first, last)
	}
	return v1.ContentBlock{ResourceLink: &v1.ResourceLink{Name: name, URI: uri}}
}

// filePath is the path of a file URI, with its fragment.
func filePath(uri string) (path, fragment string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil {
		return "", "", false
	}
	bare := *u
	bare.Fragment, bare.RawFragment = "", ""
	path, ok = fileuri.Path(bare.String())
	return path, u.Fragment, ok
}
