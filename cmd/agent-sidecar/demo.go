package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/testclient"
)

//go:embed demo.script
var demoScript string

// demoPrompts are what the person in the demo says. The first run does the work;
// the others are small talk, so that there is something old to summarise.
var demoPrompts = []string{
	"Look around here, write down what you see, run a long command and clean up behind you.",
	"Thanks. How much did the command print?",
	"And who looked it up?",
	"Good. Anything left behind?",
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
	defer os.RemoveAll(home)
	note := freeName(dir, "agent-sidecar-demo", ".md")
	url, stop, err := scriptedModel(strings.ReplaceAll(demoScript, "{{note}}", note))
	if err != nil {
		return p.fail("%v", err)
	}
	defer stop()
	t := p.terminal()
	t.line("This is a demonstration: the model is scripted, everything else is real.")
	t.line(fmt.Sprintf("Directory: %s · model: scripted, at %s · nothing is left behind.", dir, url))

	had := exists(filepath.Join(dir, ".agent-output"))
	code, err := p.playDemo(dir, home, url, t)
	if !had && !p.keep {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, ".agent-output")))
	}
	if exists(filepath.Join(dir, note)) { // a rejected call may have left it
		err = errors.Join(err, os.Remove(filepath.Join(dir, note)))
	}
	if err != nil {
		return p.fail("%v", err)
	}
	t.line("")
	t.line(`With a real model: set OPENAI_API_KEY and OPENAI_MODEL, then: agent-sidecar run "explain this project"`)
	return code
}

func (p *program) playDemo(dir, home, url string, t *terminal) (int, error) {
	env := map[string]string{"OPENAI_BASE_URL": url, "OPENAI_MODEL": "scripted", "OPENAI_API_KEY": "scripted"}
	w := &wiring{home: home, userHome: p.userHome, log: p.log, env: func(name string) string { return env[name] }}
	back, err := w.open(workspaceOf(dir, t))
	if err != nil {
		return 1, err
	}
	defer closeBackend(back)
	p.askTrust(back, t)
	s, _, err := back.Sessions.New(session.NewSession{Title: "Demonstration"})
	if err != nil {
		return 1, err
	}
	for _, prompt := range demoPrompts {
		t.line("\nYou: " + prompt)
		ended, err := p.prompt(s, session.Prompt{Blocks: session.Text(prompt)})
		if err != nil {
			return 1, err
		}
		if code := p.conclude(ended); code != 0 {
			return code, p.forget(back, s)
		}
	}
	t.line("\nNow the conversation is summarised, so that it never overflows:")
	ended, err := p.prompt(s, session.Prompt{Kind: "compaction"})
	if err != nil {
		return 1, err
	}
	p.showArtifacts(back, s, t)
	return p.conclude(ended), p.forget(back, s)
}

// showArtifacts reads back what was too large for the conversation.
func (p *program) showArtifacts(back *rpc.Backend, s *session.Session, t *terminal) {
	kept, err := back.Artifacts.List(s.ID())
	if err != nil || len(kept) == 0 {
		return
	}
	t.line("\nKept as artifacts, whole, while the conversation saw a preview:")
	for _, a := range kept {
		t.line(fmt.Sprintf("  %s: %d lines, %d bytes, sha256 %s…", a.Path, a.Lines, a.Bytes, a.SHA256[:12]))
	}
}

// forget removes the demo's session with its artifacts.
func (p *program) forget(back *rpc.Backend, s *session.Session) error {
	if p.keep {
		return nil
	}
	return back.Sessions.Delete(context.Background(), s.ID())
}

// scriptedModel serves a script on a loopback port.
func scriptedModel(script string) (url string, stop func(), err error) {
	model, err := testclient.NewModel(script)
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
