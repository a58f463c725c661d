package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// mostAttached bounds each text that a run is given, in bytes.
const mostAttached = 1 << 20

// stdinName is stdin, as -f names it and as a model reads it.
const (
	stdinFlag = "-"
	stdinName = "stdin"
)

// source is one text that a run is given.
type source struct {
	uri  string // as a model reads it
	text string
}

// request is what a run is asked: the words of the command line, the file of -f and
// stdin. The first of them that says anything is the prompt; the others are attached to it,
// and do not speak for the person.
func request(p *program, words []string) ([]history.Block, error) {
	sources := []source{{text: strings.Join(words, " ")}}
	if name := p.promptFile; name != "" && name != stdinFlag {
		text, err := promptFile(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, text)
	}
	if piped(p.in) {
		text, err := readStdin(p)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source{stdinName, text})
	} else if p.promptFile == stdinFlag {
		return nil, told(said.That("-f -: nothing is piped into stdin"))
	}
	var blocks []history.Block
	for _, s := range sources {
		switch {
		case strings.TrimSpace(s.text) == "":
		case blocks == nil:
			blocks = history.Text(strings.TrimSpace(s.text))
		default:
			blocks = append(blocks, history.Block{Type: "resource_link", URI: s.uri, Text: s.text})
		}
	}
	return blocks, nil
}

func promptFile(name string) (source, error) {
	f, err := os.Open(name)
	if err != nil {
		return source{}, fmt.Errorf("-f: %w", err)
	}
	defer f.Close()
	text, err := textOf(f, name)
	return source{filepath.Base(name), text}, err
}

// piped says whether an input is a file, a pipe or a socket: something to read, with
// nobody who types.
func piped(in *os.File) bool {
	info, err := in.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0 && !isNull(info)
}

// patience is how long stdin may be silent before a person is told what is waited for.
const patience = 3 * time.Second

func readStdin(p *program) (string, error) {
	waiting := time.AfterFunc(patience, func() {
		p.note("waiting for the end of stdin, which is attached to the prompt; without it: < /dev/null")
	})
	defer waiting.Stop()
	return textOf(p.in, stdinName)
}

// textOf reads a text for a model. What is no text is refused, and so is what is too
// long: a part of it could say something else than the whole.
func textOf(from io.Reader, name string) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(from, mostAttached+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	case len(raw) > mostAttached:
		return "", tooLong(name, mostAttached)
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return "", told(said.That("%s is not text in UTF-8", name))
	}
	return strings.TrimPrefix(string(raw), "\ufeff"), nil
}

func tooLong(name string, most int) error {
	return told(said.That("%s is larger than %d KiB", name, most>>10))
}
