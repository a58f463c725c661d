package wire

// phase is where a connection stands.
type phase int

const (
	fresh        phase = iota // nothing but initialize and exit counts
	initializing              // initialize is being answered, or was and initialized has not come
	running
	stopped // shutdown was accepted
	ended   // exit or the end of input
)

// gate is the lifecycle as a state machine. It decides and remembers; it
// answers, stops and exits nothing. It is used by one goroutine, the
// dispatcher, in the order of arrival, so that messages sent in one go are
// judged as if they had come one by one.
type gate struct {
	phase phase
	code  int  // exit code once phase is ended
	lines bool // the Agent Client Protocol knows no shutdown and no exit: the end of the input is all
}

// request says why a request may not be handled, or nil.
func (g *gate) request(method string) *Error {
	switch g.phase {
	case fresh:
		if method != "initialize" {
			return problem(CodeNotInitialized, "initialize comes first")
		}
		g.phase = initializing
		return nil
	case stopped, ended:
		return ShuttingDown()
	}
	switch method {
	case "initialize":
		return problem(CodeInvalidRequest, "already initialized")
	case "shutdown":
		if !g.lines {
			g.phase = stopped
		}
	}
	return nil
}

// initializeFailed takes the last initialize back, so that the client may try
// again.
func (g *gate) initializeFailed() {
	if g.phase == initializing {
		g.phase = fresh
	}
}

// notification says whether a notification is to be handled; others are
// dropped. exit always is.
func (g *gate) notification(method string) bool {
	switch {
	case method == "exit" && g.lines:
		return false
	case method == "exit":
		g.end()
		return true
	case g.phase == fresh || g.phase == stopped || g.phase == ended:
		return false
	case method == "initialized":
		if g.phase == running {
			return false
		}
		g.phase = running
	}
	return true
}

// end is exit and the end of input, which count the same: 0 after shutdown and where there is
// none, else 1. The first one decides.
func (g *gate) end() int {
	if g.phase == ended {
		return g.code
	}
	g.code = 1
	if g.phase == stopped || g.lines {
		g.code = 0
	}
	g.phase = ended
	return g.code
}
