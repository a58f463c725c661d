package main

import (
	"io"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
)

// redacting is the program's own log without what has the form of a secret: errors
// repeat what a provider or a file has said. Each Write is one line.
type redacting struct{ to io.Writer }

func (r redacting) Write(line []byte) (int, error) {
	if _, err := io.WriteString(r.to, secrets.Redact(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}
