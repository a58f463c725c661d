package workspace

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/textedit"
)

//go:embed write.md
var writeDoc string

type writeArgs struct {
	Path       string `json:"path" jsonschema:"the file to write"`
	Content    string `json:"content" jsonschema:"the whole new content"`
	AllowEmpty bool   `json:"allowEmpty,omitempty" jsonschema:"must be true to make an existing file empty"`
}

// newWrite is the tool that replaces or creates one whole file.
func newWrite(d *toolset) tool.Tool {
	spec := tool.Spec{Name: "write", Description: writeDoc, Effect: tool.Write}
	return tool.Define(spec, func(in writeArgs) (*tool.Plan, error) {
		p, err := d.path(in.Path)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(in.Path, "/") {
			return nil, fmt.Errorf("%s names a directory; directories are made as needed", p)
		}
		plan, err := d.planWrite(in, p)
		return d.unseen("write", plan, err, p)
	})
}

func (d *toolset) planWrite(in writeArgs, p Path) (*tool.Plan, error) {
	was, err := d.v.snapshot(p)
	if err != nil {
		return nil, err
	}
	if err := d.mayChange(p, was); err != nil {
		return nil, err
	}
	c, err := overwrite(p, was, in)
	if err != nil {
		return nil, err
	}
	verb := "write"
	if !was.exists {
		verb = "create"
	}
	return d.planChange(verb, c), nil
}

// overwrite is the change that gives p the content of in, with the byte order
// mark, encoding, line ends and final line end that the file had.
func overwrite(p Path, was snapshot, in writeArgs) (change, error) {
	if !was.exists {
		return change{path: p, data: []byte(in.Content), to: in.Content}, nil
	}
	if in.Content == "" && len(was.data) > 0 && !in.AllowEmpty {
		return change{}, errors.New("the content is empty; to make the file empty set allowEmpty, to remove it use delete")
	}
	doc, err := decodeDoc(was.data)
	if err != nil { // a binary file is replaced as it is
		return change{path: p, was: was, data: []byte(in.Content), from: "(binary)\n", to: in.Content}, nil
	}
	if err := textedit.Placeholder(doc.text, in.Content); err != nil {
		return change{}, err
	}
	text := strings.TrimPrefix(in.Content, "\uFEFF")
	if strings.Contains(doc.text, "\n") {
		text = textedit.WithLineEnd(text, doc.eol)
	}
	if strings.HasSuffix(doc.text, "\n") && text != "" && !strings.HasSuffix(text, "\n") {
		text += doc.eol
	}
	return change{path: p, was: was, data: doc.encode(text), from: doc.text, to: text}, nil
}
