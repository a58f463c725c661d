package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
	"github.com/agent-sidecar/agent-sidecar/workspace/undo"
)

// Compare says how a file is now beside what it was before a change, which is given as
// the log has it, but with the present path, and in From where the file lay then.
// Unsaved text counts. differs is false for what is back, and for directories.
// Checkpoint is "" where what was there before is not kept any more, or never was; then,
// and for large files, no lines are counted. It changes nothing.
func (v *Vault) Compare(was tool.Change) (now tool.Change, differs bool) {
	before := undo.Before(was)
	now = tool.Change{Path: was.Path, From: was.From, Kind: "modified", Before: before.Hash}
	p, err := v.entry(was.Path)
	if err != nil { // it is in a folder that is not open now
		return now, before.Kind != undo.Dir
	}
	there, data := v.shown(p)
	if there.Kind == undo.Dir { // the file is not there, whatever else is
		there = undo.Image{}
	}
	switch same := before.Same(there); {
	case before.Kind == undo.Dir || before.Kind == undo.Nothing && there.Kind == undo.Nothing:
		return now, false
	case same && was.From == "" && (before.Mode == 0 || before.Mode == there.Mode):
		return now, false
	case before.Kind == undo.Nothing:
		now.Kind = "created"
	case there.Kind == undo.Nothing:
		now.Kind, now.From = "deleted", ""
		if was.From != "" { // it was moved before
			if p, err = v.entry(was.From); err != nil {
				return now, true
			}
			if again, _ := v.shown(p); before.Same(again) { // a person put it back
				return now, false
			}
		}
	case was.From != "":
		now.Kind = "moved"
	}
	now.Path, now.URI, now.After = p.Display(), p.URI(), there.Hash
	var old []byte
	if before.Kind != undo.Nothing {
		if old, err = v.Load(before.Hash); err != nil {
			return now, true
		}
		now.Checkpoint = before.Hash
	}
	if unread := there.Kind != undo.Nothing && there.Hash == ""; !unread && len(old) <= countedBytes && len(data) <= countedBytes {
		now.Additions, now.Deletions = countLines(textOf(before, old), textOf(there, data))
	}
	return now, true
}

// shown is what is at p as the person sees it, with its content. Of what cannot be
// read whole neither content nor hash is known.
func (d *documents) shown(p Path) (undo.Image, []byte) {
	info, err := p.lstat()
	switch {
	case isMissing(err):
		return undo.Image{}, nil
	case err != nil:
		return undo.Image{Kind: undo.File}, nil
	case info.IsDir():
		return undo.Image{Kind: undo.Dir}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := p.readlink()
		if err != nil {
			return undo.Image{Kind: undo.Link}, nil
		}
		return undo.Image{Kind: undo.Link, Hash: hashOf([]byte(to))}, []byte(to)
	}
	is, err := p.snapshot()
	if err != nil || !is.exists {
		return undo.Image{Kind: undo.File}, nil
	}
	if open, dirty := d.buffers.unsaved(p); dirty {
		is.data = asSaved(is, open.Text)
		is.hash = hashOf(is.data)
	}
	return undo.Image{Kind: undo.File, Hash: is.hash, Mode: undo.Rights(is.info.Mode())}, is.data
}

// textOf is a content as lines are counted in it.
func textOf(i undo.Image, data []byte) string {
	if i.Kind == undo.Nothing {
		return ""
	}
	return textOrNote(data)
}

// CheckpointText is a kept content as text. text is "" for what is none, size is that
// of the content in bytes. An error says that it is not there any more.
func (k *checkpoints) CheckpointText(id string) (text string, isText bool, size int, err error) {
	data, err := k.Load(id)
	if err != nil {
		return "", false, 0, err
	}
	doc, notText := decodeDoc(data)
	return doc.text, notText == nil, len(data), nil
}

// Attachment reads a file that a person adds to a prompt, named by its file URI,
// whole. Only a regular file inside the Vault is read, where links lead out of it
// as little as anything else, and none whose object the agent may not read without a
// question; of one over max bytes only max and one are.
func (v *Vault) Attachment(uri string, max int64, mayRead func(object string) bool) ([]byte, error) {
	abs, ok := pathOfURI(uri)
	if !ok {
		return nil, errors.New("it is not a file URI")
	}
	p, err := v.locate(abs, true)
	if err != nil {
		return nil, err
	}
	if !p.InVault() {
		return nil, errors.New("it is outside the workspace")
	}
	if !mayRead(p.Object()) {
		return nil, fmt.Errorf("%s is sensitive", p)
	}
	return p.attached(max)
}

// attached is the content of a file; of one over max bytes only max and one are read.
func (p Path) attached(max int64) ([]byte, error) {
	f, _, err := p.open()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, openat.Plain(err))
	}
	return data, nil
}

// maxDocument bounds a document that is read because nobody has it open, in bytes.
const maxDocument = 4 << 20

// Document is the text that a person sees under a file URI: in the editor, else on the
// disk, there only inside the Vault. objects are its names, the links on the way first:
// whether an agent may see it, nobody has asked yet.
func (v *Vault) Document(uri string) (text string, objects []string, err error) {
	abs, ok := pathOfURI(uri)
	if !ok {
		return "", nil, errors.New("it is not a file URI")
	}
	p, err := v.locate(abs, true)
	if err != nil {
		return "", nil, err
	}
	if text, _, open := v.Buffer(uri); open {
		return text, p.Objects(), nil
	}
	if !p.InVault() {
		return "", nil, errors.New("it is outside the workspace")
	}
	data, err := p.attached(maxDocument)
	if err != nil {
		return "", nil, err
	}
	if len(data) > maxDocument {
		return "", nil, fmt.Errorf("%s is too large", p)
	}
	doc, err := decodeDoc(data)
	return doc.text, p.Objects(), err
}
