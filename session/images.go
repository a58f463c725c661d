package session

import (
	"errors"
	"net/url"
	"path"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Images are beside the log and are what their bytes say, not what they are
// called. What no model could be shown is refused where a person sends it, and is
// a line of text everywhere else. Which of them a model is shown is decided when
// it is asked.

// offloadImage moves an image of a prompt beside the log. The result is a text
// where the bytes are no image.
func (n *intake) offloadImage(b history.Block) (history.Block, error) {
	data, name, err := n.imageOf(b)
	if err != nil {
		return b, err
	}
	mime, err := model.CheckImage(data)
	if e, ok := errors.AsType[*model.ImageError](err); ok {
		if e.TooLarge {
			return b, &UnfitError{"prompt", "an image cannot be shown: " + e.Reason}
		}
		return history.Block{Type: "text", Text: notShown(name, b.MIMEType, len(data), e.Reason)}, nil
	}
	blob, err := n.blobs.put(data)
	if err != nil {
		return b, err
	}
	return history.Block{Type: "image", URI: blob, MIMEType: mime, Anyway: b.Anyway}, nil
}

// imageOf is the content of an image block, and its name where it has one.
func (n *intake) imageOf(b history.Block) (data []byte, name string, err error) {
	if b.Data != "" {
		data, err = history.ImageData(b, nil)
		if err != nil {
			return nil, "", &InvalidError{"prompt", "an image block's data is not base64"}
		}
		return data, "", nil
	}
	if len(b.URI) > 8<<10 {
		return nil, "", &InvalidError{"prompt", "a block's address is over 8 KiB"}
	}
	if history.IsBlobName(b.URI) { // one of this log, which is sent again
		if data, err = n.blobs.get(b.URI); err != nil {
			return nil, "", &InvalidError{"prompt", "an image cannot be read: none of this session has that name"}
		}
		return data, "", nil
	}
	data, err = n.authority.root.place().Files.Attachment(b.URI, model.MaxImageBytes, func(object string) bool {
		return n.authority.seesAll(n.about.Info().Agent, []string{object})
	})
	if err != nil {
		return nil, "", &InvalidError{"prompt", "an image cannot be read: " + err.Error()}
	}
	if u, err := url.Parse(b.URI); err == nil {
		name = path.Base(u.Path)
	}
	return data, name, nil
}
