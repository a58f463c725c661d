package main

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session/replica"
)

// syncing shows how the copies of this directory's sessions are, or makes, shows or takes the
// key that they are sealed with.
func syncing(p *program, words []string) int {
	c := syncCommand{p}
	switch op := first(words); {
	case op == "":
		return c.status()
	case op == "key":
		return c.key()
	case op == "join":
		return c.join()
	}
	return p.misused("sync takes nothing, or: key, join")
}

type syncCommand struct{ *program }

func (p syncCommand) status() int {
	d := &doctor{program: p.program}
	config, err := config.Open(p.home, config.Options{})
	if err != nil {
		return p.fail("%v", err)
	}
	if !d.checkSync(config) {
		return p.show(p.words("Sessions stay on this machine: sync.url is not set in %s.\n", title(config.Path(), 0)))
	}
	return min(d.bad, exitFailed)
}

// key prints the key, which is made where there is none.
func (p syncCommand) key() int {
	key, err := readSyncKey(p.home)
	if errors.Is(err, fs.ErrNotExist) {
		key = replica.NewKey()
		if err = writeSyncKey(p.home, key); err == nil {
			p.note("made %s; whoever has this key can read your sessions", title(filepath.Join(p.home, syncKeyFile), 0))
		}
	}
	if err != nil {
		return p.fail("%v", err)
	}
	return p.show(showf("%s\n", key.Text()))
}

// join takes the key of another machine from stdin: what is on the command line can be
// read by others.
func (p syncCommand) join() int {
	if isTerminal(p.in) {
		p.note("type or paste what agent-sidecar sync key has printed on the other machine")
	}
	raw, err := io.ReadAll(io.LimitReader(firstLineOf(p.in), mostKeyFile))
	if err != nil {
		return p.fail("%v", err)
	}
	key, err := replica.ParseKey(string(raw))
	if err != nil {
		return p.fail("%v", err)
	}
	switch had, err := readSyncKey(p.home); {
	case err == nil && had.Text() == key.Text():
		return p.show(p.words("This machine has that key already.\n"))
	case err == nil:
		return p.fail("%s has another key; move it away first", title(filepath.Join(p.home, syncKeyFile), 0))
	case !errors.Is(err, fs.ErrNotExist):
		return p.fail("%v", err)
	}
	if err := writeSyncKey(p.home, key); err != nil {
		return p.fail("%v", err)
	}
	return p.show(p.words("This machine has the key now.\n"))
}

func writeSyncKey(home string, key replica.Key) error {
	disk := &durable.Disk{}
	if err := disk.MkdirAll(home, 0o700); err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(home, syncKeyFile), []byte(key.Text()+"\n"), 0o600)
}

// firstLineOf ends with the first line: a terminal has no other end.
func firstLineOf(in io.Reader) io.Reader { return &lineReader{in: in} }

type lineReader struct {
	in   io.Reader
	done bool
}

// Read reads a byte at a time.
func (l *lineReader) Read(p []byte) (int, error) {
	if l.done || len(p) == 0 {
		return 0, io.EOF
	}
	n, err := l.in.Read(p[:1])
	l.done = n == 1 && p[0] == '\n'
	return n, err
}
