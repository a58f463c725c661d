package main

import (
	"io"

	"github.com/agent-sidecar/agent-sidecar/control/secrets"
)

// redacting is the program's own log without what has the form of a secret, and with
// escapes for what cannot be seen: errors repeat what a provider or a file has said,
// and the log may go to a terminal. Each Write is one line of JSON.
type redacting struct{ to io.Writer }

func (r redacting) Write(line []byte) (int, error) {
	if _, err := io.WriteString(r.to, string(escaped(secrets.Redact(string(line))))); err != nil {
		return 0, err
	}
	return len(line), nil
}
