package session

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Images lie beside the log and are what their bytes say, not what they are
// called. What no model could be shown is refused where a person sends it, and is
// a line of text everywhere else. Which of them a model is shown is decided when
// it is asked.

// stashImage moves an image of a prompt beside the log. The result is a text
// where the bytes are no image.
func (s *Session) stashImage(b history.Block) (history.Block, error) {
	data, name, err := s.imageOf(b)
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
	blob, err := s.blobs.put(data)
	if err != nil {
		return b, err
	}
	return history.Block{Type: "image", URI: blob, MIMEType: mime, Anyway: b.Anyway}, nil
}

// imageOf is the content of an image block, and its name where it has one.
func (s *Session) imageOf(b history.Block) (data []byte, name string, err error) {
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
		if data, err = s.blobs.get(b.URI); err != nil {
			return nil, "", &InvalidError{"prompt", "an image cannot be read: none of this session has that name"}
		}
		return data, "", nil
	}
	data, err = s.deps.Files.Attachment(b.URI, model.MaxImageBytes)
	if err != nil {
		return nil, "", &InvalidError{"prompt", "an image cannot be read: " + err.Error()}
	}
	if u, err := url.Parse(b.URI); err == nil {
		name = path.Base(u.Path)
	}
	return data, name, nil
}

// notShown is the line that stands for what is not shown.
func notShown(name, mime string, bytes int, why string) string {
	words := []string{"attached"}
	for _, w := range []string{name, mime} {
		if w = strings.Join(strings.Fields(w), " "); w != "" {
			words = append(words, cutText(w, 200))
		}
	}
	return history.Clean(fmt.Sprintf("[%s, %s; it is not shown: %s]", strings.Join(words, ": "), model.SizeText(bytes), why))
}

// keepImages stores the images of a result beside the log, and says which it did
// not keep, and why.
func (b blobs) keepImages(parts []tool.Part) (refs []history.ImageRef, note string) {
	var notes []string
	for _, p := range parts {
		mime, err := model.CheckImage(p.Data)
		switch {
		case err != nil:
			notes = append(notes, notShown("", p.MIME, len(p.Data), err.Error()))
		case len(refs) == model.MaxImages:
			notes = append(notes, notShown("", mime, len(p.Data), fmt.Sprintf("of one result %d images are", model.MaxImages)))
		default:
			blob, err := b.put(p.Data)
			if err != nil {
				notes = append(notes, notShown("", mime, len(p.Data), "it cannot be stored"))
				continue
			}
			refs = append(refs, history.ImageRef{MIMEType: mime, Blob: blob, Bytes: int64(len(p.Data))})
		}
	}
	if most := 5; len(notes) > most {
		notes = append(notes[:most], fmt.Sprintf("(%d more are not shown)", len(notes)-most))
	}
	return refs, strings.Join(notes, "\n")
}

// notSent says how many things were left out.
func notSent(n int, one, many string) string {
	if n == 1 {
		return "1 " + one + " was not"
	}
	return fmt.Sprintf("%d %s were not", n, many)
}

// tellImages says once which images a model does not see, and again when there
// are more of them.
func (w *worker) tellImages(r *run, done model.Done) {
	asked := done.Provider + "/" + done.Model
	told := w.across.imagesTold[asked]
	w.across.imagesTold[asked] = done.Left
	if n := done.Left.NoVision; n > told.NoVision && done.Quirk != "images" {
		w.show(r.id, "notice", Notice{Severity: "warning", Kind: "images", Title: fmt.Sprintf(
			"%s is not known to accept images, so %s sent. If it does accept them, set vision for it under providers in the configuration.", done.Model, notSent(n, "image", "images"))})
	}
	if n := done.Left.NoFiles; n > told.NoFiles && done.Quirk != "images" {
		w.show(r.id, "notice", Notice{Severity: "warning", Kind: "images", Title: fmt.Sprintf(
			"%s is not known to read PDF files, so %s sent.", done.Model, notSent(n, "file", "files"))})
	}
	if n := done.Left.TooMany; n > told.TooMany {
		w.show(r.id, "notice", Notice{Severity: "info", Kind: "images", Title: fmt.Sprintf(
			"Only the newest %d images of this conversation are sent. A line of text stands for the others (%d).", model.MaxImages, n)})
	}
}
