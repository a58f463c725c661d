package main

import (
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
)

// doctor is one report of what works on this machine.
type doctor struct {
	*program
	bad int // what fails
}

// say prints one line of the report: whether what is needed works.
func (d *doctor) say(ok bool, what string, detail said.Text) {
	if ok {
		d.tell("ok", what, detail)
		return
	}
	d.bad++
	d.tell("FAIL", what, detail)
}

// tell prints one line of the report: ok, warn, info or FAIL, about what. What
// comes from files and servers is shown, not obeyed.
func (d *doctor) tell(mark, what string, detail said.Text) {
	form := verdictLines[mark].Form
	d.out.say("%s", inWords(d.locale(), form, what, title(locale.Say(d.locale(), detail), 1000)))
}

// verdictLines are the lines of the report by their verdicts.
var verdictLines = map[string]said.Text{
	"ok": said.That("ok    %-10s %s\n"), "warn": said.That("warn  %-10s %s\n"),
	"info": said.That("info  %-10s %s\n"), "FAIL": said.That("FAIL  %-10s %s\n"),
}
