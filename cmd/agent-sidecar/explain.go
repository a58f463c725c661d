package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// explain says what would be decided about a call in this directory, and why.
// Its exit code is 0 whatever the decision: it has answered; 2 when there is no
// such tool or the arguments cannot be decoded.
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
		return p.misused("explain: %v", title(err.Error(), 2000))
	}
	if err != nil {
		return p.fail("%v", err)
	}
	p.warn(back.Config)
	return p.show(gather(func(to screen) { writeExplanation(to, e) }))
}

// writeExplanation is an explanation for a person: the decision, then each
// target with the rules that match it, in the order in which they are read, and
// what the steps behind the rules made of it.
func writeExplanation(w screen, e session.Explanation) {
	d := e.Decision
	w.say("%s  %s\n%s\n\n", strings.ToUpper(d.Verdict.String()), e.Title, d.Reason)
	trust := "trusted"
	if !e.Trusted {
		trust = "not trusted"
	}
	w.say("agent %s, mode %s, workspace %s", e.Agent, e.Mode, trust)
	if e.Tainted {
		w.say(", text from outside entered the run")
	}
	w.say("\n")
	for _, j := range d.Judged {
		writeJudgement(w, j)
	}
	if len(d.Always) > 0 {
		w.say("\nan answer of \"always\" can store\n")
		for _, o := range d.Always {
			w.say("    %s\n", o.Label)
		}
	}
	if d.Refusal != "" {
		w.say("\nif nobody allows it, the model reads\n    %s\n", d.Refusal)
	}
}

func writeJudgement(w screen, j control.Judgement) {
	object := title(j.Target.Object, 0)
	if j.Target.Domain == "" {
		object = "the call as a whole"
	}
	mark := ""
	if j.Decides {
		mark = "   <- decides"
	}
	w.say("\n%-5s  %s %s%s%s\n", j.Verdict, j.Target.Domain, strings.Repeat("  ", j.Depth), object, mark)
	var rows [][]shown
	for _, m := range j.Matched {
		word, where := shown("won"), origin(m)
		if !m.Won {
			word, where = "lost", where+showf(" (%s)", m.Lost)
		}
		rows = append(rows, []shown{"    " + word, showf("%s", m.Decision), title(m.Pattern, 200), where})
	}
	for _, s := range j.Steps {
		rows = append(rows, []shown{"    " + stepWords[s.Name], showf("%s", s.Verdict), title(s.Reason.String(), 0)})
	}
	w.write(aligned(rows))
}

// stepWords are the steps of the chain as people read them.
var stepWords = map[string]shown{
	"hard_limit": "hard limit:", "own": "own:", "rules": "by rules:", "files": "by file:", "trust": "by trust:",
	"call": "by call:", "shell": "by shell:", "mode": "by mode:", "agent": "by agent:", "sandbox": "by sandbox:",
}

// origin is where a rule stands.
func origin(m control.RuleMatch) shown {
	if m.File != "" {
		return showf("%s, %s:%d", m.Source, m.File, m.Line)
	}
	return showf("%s rule %d", m.Source, m.Index)
}
