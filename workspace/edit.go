package workspace

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

//go:embed edit.md
var editDoc string

type editArgs struct {
	Path       string `json:"path" jsonschema:"the file to change"`
	Old        string `json:"old" jsonschema:"the text to replace, as it stands in the file"`
	New        string `json:"new" jsonschema:"the text that takes its place"`
	ReplaceAll bool   `json:"replaceAll,omitempty" jsonschema:"replace every match instead of the only one"`
}

// newEdit is the tool that replaces a piece of text in one file.
//
// The match is made when the call is planned, on the content whose hash is in
// the digest and which this session has read already: what is previewed is the
// very text that is written, and a call that cannot match asks nobody. Where the file
// is another one than was read, the edit is only for a person to look at who was asked
// about it before that.
func newEdit(d *toolset) tool.Tool {
	spec := tool.Spec{Name: "edit", Description: editDoc, Effect: tool.Write}
	return tool.Define(spec, func(in editArgs) (*tool.Plan, error) {
		p, err := d.path(in.Path)
		if err != nil {
			return nil, err
		}
		plan, err := d.planEdit(in, p)
		return d.unseen("edit", plan, err, p)
	})
}

func (d *toolset) planEdit(in editArgs, p Path) (*tool.Plan, error) {
	was, err := d.v.snapshot(p)
	if err != nil {
		return nil, err
	}
	if !was.exists {
		if err := d.v.notDirty(p); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s does not exist; use write to create it", p)
	}
	unread := d.mayChange(p, was)
	if _, changed := errors.AsType[*unreadError](unread); unread != nil && !changed {
		return nil, unread
	}
	plan, err := d.planReplace(in, p, was, unread != nil)
	switch {
	case unread == nil:
		return plan, err
	case err != nil: // nor can it be made any more
		return nil, unread
	}
	return nil, &tool.Outdated{Plan: plan, Err: unread}
}

func (d *toolset) planReplace(in editArgs, p Path, was snapshot, unread bool) (*tool.Plan, error) {
	doc, err := decodeWhole(p, was)
	if err != nil {
		return nil, err
	}
	text, err := textedit.Substitute(doc.text, in.Old, in.New, in.ReplaceAll)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	if text == doc.text {
		return nil, errors.New("nothing would change: the new text is what is there already")
	}
	c := change{path: p, was: was, data: doc.encode(text), from: doc.text, to: text, unread: unread}
	return d.planChange("edit", c), nil
}
