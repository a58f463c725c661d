package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// explain says what would be decided about a call in this directory, and why
// (protocol §3 agent/explain). Its exit code is 0 whatever the decision: it has
// answered; 2 when there is no such tool or the arguments cannot be decoded.
func (p *program) explain(words []string) int {
	if len(words) == 0 {
		return p.misused(`explain: which call? For example: agent-sidecar explain bash '{"command": "git status"}'`)
	}
	input := json.RawMessage("{}")
	if len(words) > 1 {
		input = json.RawMessage(words[1])
	}
	_, back, err := p.look()
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	e, err := back.Sessions.Explain("", session.CallToExplain{Agent: p.agent, Tool: words[0], Input: input})
	if _, ok := errors.AsType[*session.InvalidError](err); ok {
		return p.misused("explain: %v", control.Title(err.Error(), 2000))
	}
	if err != nil {
		return p.fail("%v", err)
	}
	p.warn(back.Config)
	var b bytes.Buffer
	writeExplanation(&b, e)
	return p.show(b.Bytes())
}

// writeExplanation is an explanation for a person: the decision, then each
// target with the rules that match it, in the order in which they are read, and
// what the steps behind the rules made of it.
func writeExplanation(w io.Writer, e session.Explanation) {
	d := e.Decision
	fmt.Fprintf(w, "%s  %s\n%s\n\n", strings.ToUpper(d.Verdict.String()), control.Title(e.Title, 0), control.Title(d.Reason, 0))
	trust := "trusted"
	if !e.Trusted {
		trust = "not trusted"
	}
	fmt.Fprintf(w, "agent %s, mode %s, workspace %s", e.Agent, e.Mode, trust)
	if e.Tainted {
		fmt.Fprint(w, ", text from outside entered the run")
	}
	fmt.Fprint(w, "\n")
	for _, j := range d.Judged {
		writeJudgement(w, j)
	}
	if len(d.Always) > 0 {
		fmt.Fprint(w, "\nan answer of \"always\" can store\n")
		for _, o := range d.Always {
			fmt.Fprintf(w, "    %s\n", control.Title(o.Label, 0))
		}
	}
	if d.Refusal != "" {
		fmt.Fprint(w, "\nif nobody says yes, the model reads\n    ", control.Title(d.Refusal, 0), "\n")
	}
}

func writeJudgement(w io.Writer, j control.Judgement) {
	object := control.Title(j.Target.Object, 0)
	if j.Target.Domain == "" {
		object = "the call as a whole"
	}
	mark := ""
	if j.Decides {
		mark = "   <- decides"
	}
	fmt.Fprintf(w, "\n%-5s  %s %s%s%s\n", j.Verdict, j.Target.Domain, strings.Repeat("  ", j.Depth), object, mark)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range j.Matched {
		word, where := "won", origin(m)
		if !m.Won {
			word, where = "lost", where+" ("+m.Lost+")"
		}
		fmt.Fprintf(t, "    %s\t%s\t%s\t%s\n", word, m.Decision, control.Title(m.Pattern, 200), where)
	}
	for _, s := range j.Steps {
		fmt.Fprintf(t, "    %s\t%s\t%s\n", stepWords[s.Name], s.Verdict, control.Title(s.Reason, 0))
	}
	_ = t.Flush() // into memory
}

// stepWords are the steps of the chain as people read them.
var stepWords = map[string]string{
	"hard_limit": "hard limit:", "own": "own:", "rules": "by rules:", "files": "by file:", "trust": "by trust:",
	"call": "by call:", "shell": "by shell:", "mode": "by mode:", "agent": "by agent:",
}

// origin is where a rule stands.
func origin(m control.RuleMatch) string {
	if m.File != "" {
		return fmt.Sprintf("%s, %s:%d", m.Source, m.File, m.Line)
	}
	return fmt.Sprintf("%s rule %d", m.Source, m.Index)
}
