package testclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// perform does what a step says; what comes of it is collected afterwards.
func (p *player) perform(i int) error {
	s := &p.c.steps[i]
	if p.together > 0 && (s.send == nil || s.send.kind == "raw") {
		return fmt.Errorf("--- together waits for %d more messages right below it", p.together)
	}
	switch {
	case s.text == "":
		return nil
	case s.send != nil:
		return p.send(s.send)
	}
	switch s.verb {
	case "wait":
		<-time.After(s.wait)
	case "eof":
		p.now.eof = true
		p.now.client.CloseInput()
	case "kill":
		return p.kill()
	case "restart":
		if err := p.kill(); err != nil {
			return err
		}
		p.lines.asked = map[string]string{}
		return p.start()
	case "stop":
		p.now.client.Pause()
	case "read":
		p.now.client.Resume()
	case "exec":
		return p.shell(p.names.restore(s.args))
	case "expect":
		return p.expectFile(s.args)
	case "write":
		return p.writeFile(s.args)
	case "together":
		p.together, _ = strconv.Atoi(s.args)
	case "hide":
		for _, name := range strings.Fields(s.args) {
			p.lines.hidden[name] = true
		}
	case "answer":
		method, body, _ := strings.Cut(s.args, " ")
		p.answers[method] = body
	}
	return nil
}

func (p *player) send(o *outgoing) error {
	if o.kind == "raw" {
		p.now.client.Write([]byte(p.names.restore(o.body)))
		return nil
	}
	msg, err := p.message(o)
	if err != nil {
		return err
	}
	if o.method == "exit" {
		p.now.left = true
	}
	if o.id != "" {
		p.lines.asked[o.id] = o.method
	}
	if p.together == 0 {
		p.now.client.Send(msg)
		return nil
	}
	p.batch = append(p.batch, msg)
	if p.together--; p.together > 0 {
		return nil
	}
	all := make([]json.RawMessage, len(p.batch))
	for i := range p.batch {
		all[i] = p.batch[i]
	}
	p.batch = nil
	p.now.client.SendTogether(all...)
	return nil
}

// message builds the JSON by hand, so that ids and bodies go out as written.
func (p *player) message(o *outgoing) ([]byte, error) {
	body := restoreJSON(p.names, o.body)
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0"`)
	if o.answer != "" {
		id, known := p.lines.servers[o.answer]
		if !known {
			return nil, fmt.Errorf("the server has not asked #%s", o.answer)
		}
		if body == "" {
			body = "null"
		}
		fmt.Fprintf(&b, `,"id":%s,%q:%s}`, id, o.kind, body)
		return []byte(b.String()), nil
	}
	if o.id != "" {
		fmt.Fprintf(&b, `,"id":%s`, o.id)
	}
	fmt.Fprintf(&b, `,"method":%s`, quoteJSON(o.method))
	if body != "" {
		fmt.Fprintf(&b, `,"params":%s`, body)
	}
	b.WriteByte('}')
	if !json.Valid([]byte(b.String())) {
		return nil, fmt.Errorf("not JSON: %s", b.String())
	}
	return []byte(b.String()), nil
}

// restoreJSON puts real values into the strings of a JSON text.
func restoreJSON(n *names, body string) string {
	return scriptmodel.Placeholder().ReplaceAllStringFunc(body, func(name string) string {
		quoted := quoteJSON(n.restore(name))
		return quoted[1 : len(quoted)-1]
	})
}

// kill ends the server at once and waits until it is gone.
func (p *player) kill() error {
	l := p.now
	p.drain(p.at)
	l.killed = true
	l.client.Resume()
	l.proc.Kill()
	l.client.CloseInput()
	if !p.gone(l) {
		return errors.New("the server did not end when it was killed")
	}
	l.told = true // an exit code of a kill says nothing
	var err error
	p.killed, err = p.logs()
	return err
}

// gone waits until the server has ended, for grace at most.
func (p *player) gone(l *link) bool {
	if l.ended {
		return true
	}
	timer := time.NewTimer(p.c.grace())
	defer timer.Stop()
	select {
	case l.exit = <-l.code:
		l.ended = true
		return true
	case <-timer.C:
		return false
	}
}

// file resolves a path of a directive: relative to the workspace unless it
// begins with a placeholder.
func (p *player) file(args string) (path, rest string) {
	path, rest, _ = strings.Cut(args, " ")
	path = p.names.restore(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.env.Vault, path)
	}
	return path, strings.TrimSpace(rest)
}

func (p *player) expectFile(args string) error {
	args, ok := strings.CutPrefix(args, "file ")
	if !ok {
		return errors.New("want --- expect file <path> <content>")
	}
	path, want := p.file(args)
	if want == "absent" {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is not absent", p.names.text(path))
		}
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	got := string(data)
	if strings.HasPrefix(want, `"`) || strings.HasPrefix(want, "`") {
		if want, err = strconv.Unquote(want); err != nil {
			return err
		}
	} else {
		got = strings.TrimSpace(got)
	}
	if got != p.names.restore(want) {
		return fmt.Errorf("%s holds %s, want %s", p.names.text(path), shorten(strconv.Quote(got), maxShownLine), shorten(strconv.Quote(want), maxShownLine))
	}
	return nil
}

func (p *player) writeFile(args string) error {
	path, text := p.file(args)
	content, err := scriptmodel.TextOf(text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(p.names.restore(content)), 0o600)
}
