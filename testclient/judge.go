package testclient

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/testclient/acpschema"
)

// judge compares the golden lines with what came, or rewrites them, and holds
// everything against the laws.
func (p *player) judge() {
	p.names.workspaces(p.env.Env["AGENT_SIDECAR_HOME"])
	logs, err := p.logs()
	if err != nil {
		p.problem("logs: %v", err)
	}
	var requests, log []string
	if _, asked := p.c.archive.get("requests"); asked {
		requests = p.requestLines()
	}
	if _, asked := p.c.archive.get("log"); asked {
		log = logLines(logs, p.names)
	}
	if p.o.Update {
		p.update(requests, log)
	} else {
		p.compare(requests, log)
	}
	p.laws(logs)
	if len(p.result.Problems) > 0 {
		p.result.Wire = p.wire()
	}
}

func (p *player) compare(requests, log []string) {
	for i := range p.c.steps {
		if p.o.Settle == nil {
			break // compared as they came
		}
		s := &p.c.steps[i]
		if d := difference(s.expected(), texts(p.got[i])); d != "" {
			p.golden = true
			p.problem("after conversation line %d (%s):\n%s", s.line, shorten(s.text, 100), d)
		}
	}
	if left := p.left(); len(left) > 0 {
		p.golden = true
		p.problem("came, and nobody expects it:\n%s", difference(nil, texts(left)))
	}
	p.compareSection("requests", requests)
	p.compareSection("log", log)
}

// compareSection does nothing where the file has no such section.
func (p *player) compareSection(name string, actual []string) {
	text, ok := p.c.archive.get(name)
	if !ok {
		return
	}
	var golden []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if isGoldenText(line) {
			if strings.HasPrefix(line, "{") {
				line = respaceLine(line)
			}
			golden = append(golden, line)
		}
	}
	if d := difference(golden, actual); d != "" {
		p.golden = true
		p.problem("section %s:\n%s", name, d)
	}
}

// isGoldenText is false for comments and blanks, which belong to the author.
func isGoldenText(line string) bool {
	return strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#")
}

func isArrow(line string) bool { return strings.HasPrefix(line, "<--") }

// update gives the file's text with the outputs as they were.
func (p *player) update(requests, log []string) {
	tails := make([][]string, len(p.c.steps))
	for i, s := range p.c.steps {
		tails[i] = merge(s.tail, texts(p.got[i]), isArrow)
	}
	a := &archive{comment: p.c.archive.comment, files: append([]file(nil), p.c.archive.files...)}
	a.set("conversation", p.c.body(tails))
	for name, actual := range map[string][]string{"requests": requests, "log": log} {
		old, ok := a.get(name)
		if !ok {
			continue
		}
		var lines []string
		if old != "" {
			lines = strings.Split(strings.TrimSuffix(old, "\n"), "\n")
		}
		text := strings.Join(merge(lines, actual, isGoldenText), "\n")
		if text != "" {
			text += "\n"
		}
		a.set(name, text)
	}
	p.result.Updated = a.format()
}

// laws are what applies to every conversation, whatever is written in it.
func (p *player) laws(logs []eventLog) {
	p.result.Problems = append(p.result.Problems, p.model.Problems()...)
	p.result.Problems = append(p.result.Problems, p.model.Unused()...)
	for _, log := range logs {
		if p.c.without("log") {
			break
		}
		for _, bad := range append(log.check(p.leftOpen(log)), log.grew(p.killed)...) {
			p.problem("log %s: %s", log.name, bad)
		}
	}
	for i, l := range p.links {
		if p.c.without("wire") {
			break
		}
		for _, bad := range wireLaws(l, logs, p.o.ACP) {
			p.problem("wire %d: %s", i+1, bad)
		}
		if err := l.client.Fault(); err != nil && !(l.killed && errors.Is(err, errTorn)) {
			p.problem("wire %d: stdout holds something that is not a frame: %v", i+1, err)
		}
	}
}

// wireLaws holds one life of the server against the laws of its protocol: the one that
// has a schema, or ours.
func wireLaws(l *link, logs []eventLog, schema *acpschema.Schema) []string {
	cut := l.killed || l.left
	if schema != nil {
		return newACPWire(schema, l.client.Records(), cut).check()
	}
	w := newWire(l.client.Records())
	w.logs = logs
	w.cut = cut
	return w.check()
}

// leftOpen is true for a log that nobody has touched since a kill: its runs and
// calls are closed by anyone who opens it next.
func (p *player) leftOpen(log eventLog) bool {
	return slices.ContainsFunc(p.killed, func(was eventLog) bool { return was.name == log.name && was.size == log.size })
}

// maxShownLines bounds what is shown of the exchange of a failed conversation.
const maxShownLines = 300

// wire is the exchange for a reader; of a very long one the middle is left out.
func (p *player) wire() string {
	var lines []string
	for i, l := range p.links {
		for _, rec := range l.client.Records() {
			arrow, text := "<--", string(rec.Frame)
			if rec.Sent {
				arrow = "-->"
			}
			if rec.Frame == nil {
				text = fmt.Sprintf("raw %q", clip(rec.Raw))
			}
			lines = append(lines, fmt.Sprintf("%d %s %s %s", i+1, rec.At.Format("15:04:05.000"), arrow, shorten(text, maxShownLine)))
		}
		if l.proc.Stderr == nil {
			continue
		}
		for line := range strings.Lines(l.proc.Stderr()) {
			lines = append(lines, fmt.Sprintf("%d stderr: %s", i+1, shorten(strings.TrimRight(line, "\n"), maxShownLine)))
		}
	}
	if n := len(lines) - maxShownLines; n > 0 {
		lines = slices.Replace(lines, maxShownLines/3, maxShownLines/3+n, fmt.Sprintf("… %d lines …", n))
	}
	return strings.Join(lines, "\n") + "\n"
}

// logLines is the section log: each events.jsonl under its path.
func logLines(logs []eventLog, n *names) []string {
	var out []string
	for _, log := range logs {
		out = append(out, "== "+n.text(log.name))
		for _, line := range log.lines {
			out = append(out, normalLine(line, n))
		}
	}
	return out
}

func normalLine(line []byte, n *names) string {
	v, err := parseNode(line)
	if err != nil {
		return n.text(string(line))
	}
	n.node(v)
	return v.String()
}

func (p *player) logs() ([]eventLog, error) {
	return readLogs(p.env.Env["AGENT_SIDECAR_HOME"], filepath.Join(p.env.Root, "tmp"))
}
