package main

import (
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

//go:embed demo.script
var demoScript string

// demoPrompts are what the person in the demo says. The first run does the work;
// the others are small talk, so that there is something old to summarise.
var demoPrompts = []string{
	"Look around here, write down what you see, run a long command and clean up behind you.",
	"Thanks. And who looked it up?",
	"What happens to a large output?",
	"Good. Is anything left behind?",
}

// demonstration is what one demo leaves in the person's directory while it runs.
type demonstration struct {
	*program
	dir       string
	home      string // the sidecar's, thrown away
	note      string // a file name that was free
	artifacts string // a folder name; not the usual one where sessions already have theirs
}

// demo plays a whole session in the terminal on the user's own directory, with a
// scripted model behind a real HTTP server: a run, calls, an approval, an
// artifact, an explorer and a compaction. It leaves the directory as it was.
func (p *program) demo(words []string) int {
	dir, err := directory(words)
	if err != nil {
		return p.fail("%v", err)
	}
	home, err := os.MkdirTemp("", "agent-sidecar-demo-*")
	if err != nil {
		return p.fail("%v", err)
	}
	d := &demonstration{program: p, dir: dir, home: home, note: freeName(dir, "agent-sidecar-demo", ".md"), artifacts: freeName(dir, ".agent-output", "")}
	outlivePipes()
	p.leaving = func() { _ = d.cleanUp() } // the second Ctrl-C waits for nothing else
	url, stop, err := scriptedModel(d.script())
	if err != nil {
		return p.fail("%v", errors.Join(err, d.cleanUp()))
	}
	defer stop()
	t := p.terminal()
	t.line("This is a demonstration: the model is scripted, everything else is real.")
	left := shown("nothing is left behind")
	if p.keep {
		left = "what it makes is kept"
	}
	t.line(showf("Directory: %s · model: scripted, at %s · %s.", dir, url, left))
	if !t.CanAnswer() {
		t.line("Not interactive: anything that needs approval is refused. Start it in a terminal, or with --yes, to see the rest.")
	}
	code, err := d.play(url, t)
	if err := errors.Join(err, d.cleanUp()); err != nil {
		return p.fail("%v", err)
	}
	if code != 0 {
		return code
	}
	t.line("")
	t.line(`With a real model: set OPENAI_API_KEY and OPENAI_MODEL, then: agent-sidecar run "explain this project"`)
	return code
}

// script is what the model says, about this demonstration's note.
func (d *demonstration) script() string {
	return strings.NewReplacer("{{note}}", d.note, "{{pattern}}", regexp.QuoteMeta(d.note)).Replace(demoScript)
}

// cleanUp removes what the demo made. The note is there only if its own call to
// delete it was refused or the demo was stopped.
func (d *demonstration) cleanUp() error {
	err := os.RemoveAll(d.home)
	if d.keep {
		return err
	}
	err = errors.Join(err, os.RemoveAll(filepath.Join(d.dir, d.artifacts)))
	if gone := os.Remove(filepath.Join(d.dir, d.note)); !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// configure gives the demo a configuration of its own, where its artifacts must
// not lie among those of the person's sessions. Its commands ask on every machine, so
// that the demo shows how that looks.
func (d *demonstration) configure() error {
	text := fmt.Sprintf(`{"agents": {"runtime": {"truncation": {"dir": %q}, "memory": {"enabled": false}, "sandbox": {"autoAllow": "off"}}}}`, d.artifacts)
	return os.WriteFile(filepath.Join(d.home, "config.jsonc"), []byte(text), 0o600)
}

func (d *demonstration) play(url string, t *terminal) (int, error) {
	if err := d.configure(); err != nil {
		return 1, err
	}
	env := map[string]string{"OPENAI_BASE_URL": url, "OPENAI_MODEL": "scripted", "OPENAI_API_KEY": "scripted"}
	w := &wiring{home: d.home, userHome: d.userHome, log: d.log, env: func(name string) string { return env[name] }}
	back, err := w.open(workspaceOf(d.dir, t))
	if err != nil {
		return 1, err
	}
	defer closeBackend(back)
	asking{d.program, t}.askTrust(back)
	s, _, err := back.Sessions.New(session.NewSession{Title: "Demonstration"})
	if err != nil {
		return 1, err
	}
	for _, prompt := range demoPrompts {
		t.line("\nYou: " + lines(prompt))
		ended, err := d.prompt(s, session.Prompt{Request: history.Request{Prompt: history.Text(prompt)}})
		if err != nil {
			return 1, err
		}
		if code := d.conclude(ended); code != 0 {
			return code, nil
		}
	}
	t.line("\nNow the conversation is summarised, so that it never overflows:")
	ended, err := d.prompt(s, session.Prompt{Request: history.Request{Kind: "compaction"}})
	if err != nil {
		return 1, err
	}
	showArtifacts(back, s, t)
	return d.conclude(ended), nil
}

// showArtifacts reads back what was too large for the conversation.
func showArtifacts(back *rpc.Backend, s *session.Session, t *terminal) {
	kept, err := back.Artifacts.List(s.ID())
	if err != nil || len(kept) == 0 {
		return
	}
	t.line("\nStored in full as artifacts, while the conversation has a preview:")
	for _, a := range kept {
		t.line(showf("  %s: %d lines, %d bytes, sha256 %s…", a.Path, a.Lines, a.Bytes, a.SHA256[:12]))
	}
}

// scriptedModel serves a script on a loopback port.
func scriptedModel(script string) (url string, stop func(), err error) {
	model, err := scriptmodel.New(script)
	if err != nil {
		return "", nil, fmt.Errorf("the demo's script: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("the scripted model needs a loopback port: %w", err)
	}
	server := &http.Server{Handler: model}
	go func() { _ = server.Serve(listener) }() // ends with Close
	return "http://" + listener.Addr().String() + "/v1", func() { _ = server.Close() }, nil
}

// freeName is a file name that nothing in dir has.
func freeName(dir, stem, extension string) string {
	name := stem + extension
	for i := 2; exists(filepath.Join(dir, name)); i++ {
		name = fmt.Sprintf("%s-%d%s", stem, i, extension)
	}
	return name
}
