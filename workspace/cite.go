package workspace

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Cited opens a file that somebody names as evidence: the text that read shows, as
// the editor has it. may says which objects can be looked at without asking
// anybody. What it does not name is refused before the disk is touched, and again
// where a link leads out: whether a file is there is nothing that a citation may
// find out.
func (v *Vault) Cited(path string, may func(object string) bool) (io.ReadCloser, error) {
	abs, ok := pathOfURI(path)
	var err error
	switch {
	case ok:
	case strings.HasPrefix(path, "agent-artifact:"):
		if _, abs, _, err = v.artifacts.Find(path); err != nil {
			return nil, err
		}
	default:
		if abs, err = v.absolute(path); err != nil {
			return nil, err
		}
	}
	object := v.folders.Now().Object(filepath.Clean(abs))
	if !may(object) {
		return nil, fmt.Errorf("%s cannot be cited", path)
	}
	p, err := v.locate(abs, true)
	if err != nil {
		return nil, err
	}
	for _, t := range targets(tool.DomainRead, p) {
		if !may(t.Object) {
			return nil, fmt.Errorf("%s cannot be cited", path)
		}
	}
	if text, dirty := v.buffers.dirty(p); dirty {
		return io.NopCloser(citedLines(strings.NewReader(text))), nil
	}
	f, fi, err := p.open()
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(f, sniffBytes))
	if err != nil {
		return nil, closed(f, err)
	}
	whole := io.MultiReader(bytes.NewReader(head), f)
	order, bom := utf16Order(head)
	switch {
	case order == nil && isBinary(head), order != nil && fi.Size() > maxUTF16Bytes:
		return nil, closed(f, fmt.Errorf("%s is not text", path))
	case order != nil:
		data, err := io.ReadAll(io.LimitReader(whole, maxUTF16Bytes))
		if err != nil {
			return nil, closed(f, err)
		}
		if bom {
			data = data[2:]
		}
		return io.NopCloser(citedLines(strings.NewReader(decodeUTF16(data, order)))), f.Close()
	}
	return struct {
		io.Reader
		io.Closer
	}{citedLines(whole), f}, nil
}

// citedLines is a text whose lines end as others do, counted as read counts them.
func citedLines(r io.Reader) io.Reader {
	text, end, _ := opening(r, sniffBytes)
	if end == '\n' {
		return text
	}
	return endsSwapped{text}
}

// endsSwapped reads a text in which a carriage return alone ends a line. A line feed
// in it ends none, and takes the other's place.
type endsSwapped struct{ r io.Reader }

func (s endsSwapped) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	for i, c := range p[:n] {
		switch c {
		case '\r':
			p[i] = '\n'
		case '\n':
			p[i] = '\r'
		}
	}
	return n, err
}

// closed lets go of a file that was of no use.
func closed(f io.Closer, err error) error {
	_ = f.Close()
	return err
}
