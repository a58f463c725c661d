package main

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// export writes a session as one file (docs/bundles.md). It only reads: the session
// may be running in an editor.
func (p *program) export(words []string) int {
	if len(words) == 0 {
		return p.misused("export: which session? agent-sidecar sessions lists them")
	}
	if p.output == "" && isTerminal(p.pipe) {
		return p.misused("export: where to? Name a file with -o FILE, or send it on: agent-sidecar export %s > FILE", title(words[0], 40))
	}
	w, back, err := p.look()
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	to, done, err := p.destination()
	if err != nil {
		return p.fail("%v", err)
	}
	if err := done(w.bundles.write(to, sessionID(words[0]), !p.asItIs)); err != nil {
		return p.fail("%s", title(string(p.words("%v", err)), 400))
	}
	if p.asItIs {
		p.note("not redacted: keys and passwords that were seen are in it")
	}
	return 0
}

// destination is where a bundle goes: a new file, readable by its owner alone, or
// stdout. done gives the file up again where what was written is not whole.
func (p *program) destination() (to io.Writer, done func(error) error, err error) {
	if p.output == "" {
		buffered := bufio.NewWriter(p.pipe)
		return buffered, func(err error) error { return errors.Join(err, buffered.Flush()) }, nil
	}
	file, err := os.OpenFile(p.output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil, told(said.That("%s already exists; nothing was written", p.output))
	}
	if err != nil {
		return nil, nil, err
	}
	buffered := bufio.NewWriter(file)
	return buffered, func(err error) error {
		if err = errors.Join(err, buffered.Flush(), file.Close()); err != nil {
			return errors.Join(err, os.Remove(p.output))
		}
		return nil
	}, nil
}
