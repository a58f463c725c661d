package workspace

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// Attachment reads a file that a person adds to a prompt, named by its file URI,
// whole. Only a regular file inside the Vault is read, where links lead out of it
// as little as anything else; of one over max bytes only max and one are.
func (v *Vault) Attachment(uri string, max int64) ([]byte, error) {
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
	if v.sensitiveTo("", "")(p.Object()) {
		return nil, fmt.Errorf("%s is sensitive", p)
	}
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
// disk, there only inside the Vault. objects are its names, the links on the way first.
func (v *Vault) Document(uri string) (text string, objects []string, err error) {
	abs, ok := pathOfURI(uri)
	if !ok {
		return "", nil, errors.New("it is not a file URI")
	}
	p, err := v.locate(abs, true)
	if err != nil {
		return "", nil, err
	}
	if slices.ContainsFunc(p.objects, v.sensitiveTo("", "")) {
		return "", nil, fmt.Errorf("%s is sensitive", p)
	}
	if text, _, open := v.Buffer(uri); open {
		return text, p.Objects(), nil
	}
	data, err := v.Attachment(uri, maxDocument)
	if err != nil {
		return "", nil, err
	}
	if len(data) > maxDocument {
		return "", nil, fmt.Errorf("%s is too large", p)
	}
	doc, err := decodeDoc(data)
	return doc.text, p.Objects(), err
}
