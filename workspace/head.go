package workspace

import (
	"fmt"
	"io"

	"github.com/agent-sidecar/agent-sidecar/workspace/openat"
)

// head is the start of a file of the first folder, at most max bytes, for what
// the sidecar itself reads there. Only a regular file that lies where its name
// says is read: a link may lead to anything, a named pipe waits for ever.
func (v *Vault) head(name string, max int64) (head []byte, cut bool, err error) {
	p, err := v.Path("vault:/" + name)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	if p.rel != name || p.LinkObject() != "" {
		return nil, false, fmt.Errorf("read %s: it is a link", name)
	}
	f, info, err := p.open()
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	head, err = io.ReadAll(io.LimitReader(f, max))
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, openat.Plain(err))
	}
	return head, info.Size() > int64(len(head)), nil
}
