package main

// doctor is one report of what works on this machine.
type doctor struct {
	*program
	bad int // what fails
}

// say prints one line of the report: whether what is needed works.
func (d *doctor) say(ok bool, what, detail string) {
	if ok {
		d.tell("ok", what, detail)
		return
	}
	d.bad++
	d.tell("FAIL", what, detail)
}

// tell prints one line of the report: ok, warn, info or FAIL, about what. What
// comes from files and servers is shown, not obeyed.
func (d *doctor) tell(mark, what, detail string) {
	d.out.say("%-4s  %-10s %s\n", mark, what, title(detail, 1000))
}
