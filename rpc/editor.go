package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/surface"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Editor is the client as somebody who changes the documents that it has open.
// It works once initialize is answered.
type Editor struct{ link *link }

// CanEdit says whether the client takes edits at all.
func (e *Editor) CanEdit() bool { return e.link.client.applyEdit }

// maxEdit is how large the request for an edit may be, in bytes: as every frame
// that goes out.
const maxEdit = 1 << 20

// maxReason is how much of an editor's reason is told, in characters.
const maxReason = 300

// The params of workspace/applyEdit.
type (
	applyEdit struct {
		Label surface.Shown `json:"label"`
		Edit  workspaceEdit `json:"edit"`
	}
	workspaceEdit struct {
		DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
		Changes         map[string][]textEdit `json:"changes,omitempty"`
	}
	documentEdit struct {
		TextDocument versionedDocument `json:"textDocument"`
		Edits        []textEdit        `json:"edits"`
	}
	versionedDocument struct {
		URI     string `json:"uri"`
		Version int32  `json:"version"`
	}
	textEdit struct {
		Range   placeRange `json:"range"`
		NewText string     `json:"newText"`
	}
	placeRange struct {
		Start wire.Place `json:"start"`
		End   wire.Place `json:"end"`
	}
)

// Edit asks the client to make edits of a document as it was last seen: of exactly
// that version, where the client can tell. name is the document for a person. nil
// means that the client says it made them; everything else than an explicit yes is
// an error. When ctx ends the request is withdrawn and its cause returned.
func (e *Editor) Edit(ctx context.Context, of tool.Document, name string, edits []tool.TextEdit) error {
	params := applyEdit{Label: surface.Message(locale.EditLabel.In(e.link.client.Locale, control.Title(name, 100)))}
	asked := e.placed(of.Text, edits)
	if e.link.client.versionedEdits {
		params.Edit.DocumentChanges = []documentEdit{{versionedDocument{of.URI, of.Version}, asked}}
	} else {
		params.Edit.Changes = map[string][]textEdit{of.URI: asked}
	}
	raw, err := wire.EncodeJSON(params)
	if err != nil {
		return err
	}
	if len(raw) > maxEdit {
		return fmt.Errorf("the change is too large to be made in the editor (%d bytes, at most %d); make it in parts", len(raw), maxEdit)
	}
	request, err := e.link.Ask(ctx, "workspace/applyEdit", raw)
	if err == nil {
		err = request.Wait(&raw)
	}
	if errors.Is(err, wire.ErrClientGone) {
		<-ctx.Done() // its runs are being stopped, and this is no failure to try again after
	}
	var answer struct {
		Applied       bool   `json:"applied"`
		FailureReason string `json:"failureReason"`
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("the editor could not make the edit: %s", control.Title(err.Error(), maxReason))
	case json.Unmarshal(raw, &answer) != nil:
		return errors.New("the editor gave an answer that cannot be understood, so the edit counts as refused")
	case answer.Applied:
		return nil
	case answer.FailureReason != "":
		return fmt.Errorf("the editor refused the edit: %s", control.Title(answer.FailureReason, maxReason))
	}
	return errors.New("the editor refused the edit and gave no reason; the text may have changed meanwhile. Read the file again")
}

// placed gives edits the places that the client counts in.
func (e *Editor) placed(of string, edits []tool.TextEdit) []textEdit {
	offsets := make([]int, 0, 2*len(edits))
	for _, d := range edits {
		offsets = append(offsets, d.Start, d.End)
	}
	places := e.link.client.encoding.Places(of, offsets)
	out := make([]textEdit, len(edits))
	for i, d := range edits {
		out[i] = textEdit{placeRange{places[2*i], places[2*i+1]}, d.Text}
	}
	return out
}

// reloadParams name a document whose file was changed on the disk.
type reloadParams struct {
	URI string `json:"uri"`
}

// reloadMethod is for clients that know us; others watch their files.
const reloadMethod = "agent/client/reload"

// Reload tells the client that the file of a document that it has open, and that
// the person has not changed, is another one now.
func (e *Editor) Reload(uri string) {
	if e.link.client.marker == nil {
		return
	}
	if err := e.link.Notify(reloadMethod, reloadParams{uri}); err != nil {
		e.link.Report("have a document loaded again", err)
	}
}
