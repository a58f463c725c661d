package shell

// scope is what holds at one place of the script. A subshell gets a copy.
type scope struct {
	dir      string   // "" when it is not known
	maybe    bool     // what happens here may also not happen
	anywhere bool     // it runs more than once, or from elsewhere: a loop, a function
	other    []string // where it may be instead of dir
	stdin    Parts    // what a pipe or here-document feeds, when that is literal
	piped    bool     // something feeds the standard input
	listing  bool     // what feeds it may name sensitive files
	sure     bool     // what happens here succeeds, or nothing after it runs
}

// copied is the scope of a subshell: what it sets is not set outside.
func (sc *scope) copied() scope {
	inner := *sc
	inner.maybe = true
	return inner
}

// perhaps reads what may also not happen: where it changes the directory, the
// one before stays possible.
func (sc *scope) perhaps(f func()) {
	outer := sc.maybe
	sc.maybe = true
	f()
	sc.maybe = outer
}

// repeated reads what may run more than once.
func (sc *scope) repeated(f func()) {
	outer := sc.anywhere
	sc.anywhere = true
	sc.perhaps(f)
	sc.anywhere = outer
}
