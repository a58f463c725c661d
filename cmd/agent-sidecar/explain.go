package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
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
	return p.show(gather(func(to screen) { writeExplanation(to, p.locale(), e) }))
}

// writeExplanation is an explanation for a person: the decision, then each
// target with the rules that match it, in the order in which they are read, and
// what the steps behind the rules made of it.
func writeExplanation(w screen, lang string, e session.Explanation) {
	d := e.Decision
	w.say("%s  %s\n%s\n\n", strings.ToUpper(locale.Status(lang, d.Verdict.String())), e.Title, locale.Say(lang, d.Reason))
	trust := map[bool]said.Text{true: said.That("trusted"), false: said.That("not trusted")}[e.Trusted]
	w.say("%s", inWords(lang, "agent %s, mode %s, workspace %s", e.Agent, e.Mode, trust))
	if e.Tainted {
		w.say("%s", inWords(lang, ", text from outside entered the run"))
	}
	w.say("\n")
	for _, j := range d.Judged {
		writeJudgement(w, lang, j)
	}
	if len(d.Always) > 0 {
		w.say("\n%s\n", inWords(lang, "an answer of \"always\" can store"))
		for _, o := range d.Always {
			w.say("    %s\n", o.Label)
		}
	}
	if d.Refusal != "" {
		w.say("\n%s\n    %s\n", inWords(lang, "if nobody allows it, the model reads"), d.Refusal)
	}
}

func writeJudgement(w screen, lang string, j control.Judgement) {
	object := title(j.Target.Object, 0)
	if j.Target.Domain == "" {
		object = inWords(lang, "the call as a whole")
	}
	mark := shown("")
	if j.Decides {
		mark = "   " + inWords(lang, "<- decides")
	}
	w.say("\n%-5s  %s %s%s%s\n", locale.Status(lang, j.Verdict.String()), j.Target.Domain, strings.Repeat("  ", j.Depth), object, mark)
	var rows [][]shown
	for _, m := range j.Matched {
		word, where := inWords(lang, "won"), origin(lang, m)
		if !m.Won {
			word, where = inWords(lang, "lost"), where+inWords(lang, " (%s)", said.Text{Form: m.Lost})
		}
		rows = append(rows, []shown{"    " + word, title(locale.Status(lang, m.Decision), 0), title(m.Pattern, 200), where})
	}
	for _, s := range j.Steps {
		rows = append(rows, []shown{"    " + inWords(lang, "%s", stepWords[s.Name]), title(locale.Status(lang, s.Verdict.String()), 0), title(locale.Say(lang, s.Reason), 0)})
	}
	w.write(aligned(rows))
}

// stepWords are the steps of the chain as people read them.
var stepWords = map[string]said.Text{
	"hard_limit": said.That("hard limit:"), "own": said.That("own:"), "rules": said.That("by rules:"), "files": said.That("by file:"), "trust": said.That("by trust:"),
	"call": said.That("by call:"), "shell": said.That("by shell:"), "mode": said.That("by mode:"), "agent": said.That("by agent:"), "sandbox": said.That("by sandbox:"),
}

// origin is where a rule stands.
func origin(lang string, m control.RuleMatch) shown {
	if m.File != "" {
		return showf("%s, %s:%d", m.Source, m.File, m.Line)
	}
	return inWords(lang, "%s rule %d", m.Source, m.Index)
}
